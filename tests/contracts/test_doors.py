"""What the hook may import, and where a broad handler may stand."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import Door, payload
from holdfast.agents.claude_code import other_payloads, payloads
from holdfast.ledger import projections
from holdfast.ledger.kinds import KINDS
from holdfast.setup import install

PACKAGE = Path(__file__).parents[2] / "src" / "holdfast"

# Modules of the standard library that an event's hook may load, besides what the interpreter
# itself starts with. Each costs every user at every event: docs/internals/decisions/0003.
LEAN = {"__future__", "_json", "_blake2", "gc", "posix", "sys", "time", "_collections_abc", "fcntl"}
OS = {"os", "os.path", "stat", "_stat", "posixpath", "genericpath"}
QUOTING = {  # `re`, for the fences around inherited text; `calendar` for ages
    "re", "_sre", "enum", "functools", "collections", "types", "operator", "_operator", "keyword",
    "itertools", "_collections", "reprlib", "copyreg", "_functools",
    "calendar", "datetime", "_datetime", "locale", "_locale", "math", "warnings", "_warnings",
    "_strptime",
}  # fmt: skip
SNAPSHOT = {"struct", "_struct", "base64", "binascii"}  # identity, as bytes
ALLOWED = {
    "PreToolUse": LEAN,
    "PostToolUse": LEAN,
    "PostToolUseFailure": LEAN,
    "UserPromptSubmit": LEAN | OS | {"zlib"},  # the checksum by which traits are found
    # git is asked what has changed
    "Stop": LEAN | OS | QUOTING | SNAPSHOT | {"select"},
    "SessionStart.startup": LEAN | OS | QUOTING | SNAPSHOT | {"select"},
    "SessionEnd.other": LEAN | OS | QUOTING | SNAPSHOT,
}


def started_with() -> set[str]:
    script = "import sys; print(*sys.modules)"
    said = subprocess.check_output([sys.executable, "-I", "-S", "-c", script], text=True)
    return set(said.split())


def loaded_by(door: Door, event: str, **more: object) -> set[str]:
    """What the hook has loaded when it is done with an event, besides the interpreter's own."""
    launcher = Path(door.state) / "hook.py"
    asked = (
        "import holdfast.system.files as p\n"
        "    real = p.system._exit\n"
        "    def leave(code):\n"
        "        p.write_all(2, ' '.join(sys.modules).encode())\n"
        "        real(0)\n"
        "    p.system._exit = leave\n"
        "    main()\n"
    )
    whole = launcher.read_text()
    launcher.write_text(whole.replace("main()\n", asked, 1))
    session = "s2" if event.startswith("SessionStart") else "s1"
    said = payload(event, session_id=session, cwd=str(door.folder), **more)
    done = door.run(json.dumps(said).encode(), agent=door.agent())
    launcher.write_text(whole)
    loaded = {name for name in done.stderr.decode().split() if not name.startswith("holdfast")}
    loaded -= started_with() | {"__main__", "apsw"}
    return {name for name in loaded if not name.startswith(("encodings", "re.", "collections."))}


@pytest.mark.parametrize("event", ALLOWED)
def test_a_hook_imports_nothing_but_what_its_event_needs(door, event):
    door.send("SessionStart.startup", session_id="s1")

    assert loaded_by(door, event) <= ALLOWED[event]


DEMANDED = """
requirements:
  planned: {trigger_tools: [Edit], satisfied_by_skill: plan}
  pushed: {trigger_tools: [{tool: Bash, command_pattern: 'git\\s+push'}]}
"""
GRAMMAR = "tree_sitter._binding"


def test_a_judgement_loads_the_grammar_only_for_a_command_that_may_be_meant(door, repo):
    (repo / ".claude").mkdir()
    (repo / ".claude" / "requirements.yaml").write_text(DEMANDED)
    door.send("SessionStart.startup", session_id="s1")
    door.send("PostToolUse", session_id="s1", tool_name="Skill", tool_input={"skill": "plan"})

    def loaded(command: str) -> set[str]:
        return loaded_by(door, "PreToolUse.Bash", tool_input={"command": command})

    edit = {"tool_name": "Edit", "tool_input": {"file_path": f"{repo}/src/a.py"}}
    assert loaded_by(door, "PreToolUse", **edit) <= LEAN
    assert loaded("cd src && ls | head") <= LEAN
    assert {GRAMMAR, "re"} & loaded("git push") == {"re"}
    assert GRAMMAR in loaded("cd src && git push")


def test_a_run_is_read_by_the_grammar_only_where_a_check_may_stand_in_a_line_of_shell(door):
    door.send("SessionStart.startup", session_id="s1")

    def loaded(command: str) -> set[str]:
        event = {"tool_input": {"command": command}, "tool_use_id": command}
        return loaded_by(door, "PostToolUse.Bash", **event)

    assert loaded("cd src && cat tests/test_a.py | head; git log --oneline -5") <= LEAN
    assert loaded("pip install pytest") <= LEAN
    assert loaded("git commit -m test") <= LEAN
    assert loaded("timeout 60 uvx pytest -q") <= LEAN
    assert GRAMMAR in loaded("cd src && pytest -q | tail")


def test_the_driver_finds_the_real_collections_again_after_it_was_loaded():
    script = (
        "import holdfast.store.sqlite, collections, collections.abc, typing, json;"
        "print(collections.OrderedDict, collections.abc.Mapping)"
    )
    path = f"import sys; sys.path += {install_folders()!r};"
    said = subprocess.check_output([sys.executable, "-I", "-S", "-c", path + script], text=True)

    assert "OrderedDict" in said


def install_folders() -> list[str]:
    import apsw

    return [str(PACKAGE.parent), str(Path(apsw.__file__).parents[1])]


def test_broad_handlers_stand_at_the_doors_alone():
    found = {}
    for source in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.ExceptHandler)
                and isinstance(node.type, ast.Name)
                and node.type.id in ("Exception", "BaseException")
                and not any(isinstance(inner, ast.Raise) for inner in ast.walk(node))
            ):
                found[source.name] = found.get(source.name, 0) + 1

    # The door itself, its last resorts (a fault that cannot be noted, a full spool), and the CLI;
    # around one gate's judgement, which must not take the others down; around somebody else's
    # calculator, in its own process; around a packed module, which is then imported again. In
    # transaction.py the one around what follows from an event raises the store's own errors.
    assert found == {
        "entry_point.py": 3,
        "record.py": 2,
        "faults.py": 1,
        "spool.py": 1,
        "__main__.py": 1,
        "judgement.py": 1,
        "calculators.py": 1,
        "load.py": 1,
    }


def test_each_kind_of_entry_names_rooms_that_project_it():
    named = {room for kind in KINDS.values() for room in kind.rooms}

    assert named == set(projections.ROOMS)
    for room in projections.ROOMS:
        assert projections.projection_of(room).__name__ == f"holdfast.rooms.{room}.projection"


def test_every_event_that_is_installed_has_a_reader():
    read = {*payloads.TOOL_CALLS, *other_payloads.READERS}

    assert set(payloads.HOOKS) == read - {"PostToolBatch"}  # which a user may install
    assert install.LAUNCHER.count("\n") <= 17
