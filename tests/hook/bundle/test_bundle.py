"""The hook's modules in one file: used while it is true, left alone when it is not."""

from __future__ import annotations

import json
import shutil
import time
from importlib.util import MAGIC_NUMBER
from pathlib import Path

import pytest

from conftest import Door, payload
from holdfast.hook.bundle import build
from holdfast.ledger import faults
from holdfast.system import paths

DEMANDED = "requirements: {planned: {satisfied_by_skill: plan}}"
EDIT = {"tool_name": "Edit", "tool_input": {"file_path": "a.py", "old_string": "a"}}


def pack_of(state: str) -> Path:
    return Path(paths.pack(state, MAGIC_NUMBER.hex()))


def found_one_by_one(
    door: Door, event: str, environment: dict[str, str] | None = None, **more: object
) -> set[str]:
    """Modules of ours that an event's hook did not take from the pack."""
    launcher = Path(paths.launcher(door.state))
    whole = launcher.read_text()
    asked = (
        "import holdfast.system.files as p\n"
        "    real = p.system._exit\n"
        "    def leave(code):\n"
        "        there = sorted(m.__name__ for m in [*sys.modules.values()] if m.__spec__)\n"
        "        p.write_all(2, ' '.join(there).encode())\n"
        "        real(0)\n"
        "    p.system._exit = leave\n"
        "    main()\n"
    )
    launcher.write_text(whole.replace("main()\n", asked, 1))
    said = payload(event, session_id="s1", cwd=str(door.folder), **more)
    done = door.run(json.dumps(said).encode(), agent=door.agent(), **environment or {})
    launcher.write_text(whole)
    return {name for name in done.stderr.decode().split() if name.startswith("holdfast")}


TOOL_CALLS = ["PostToolUse", "PostToolUse.Bash", "PostToolUse.Edit", "PostToolUseFailure"]


@pytest.mark.parametrize("event", TOOL_CALLS)
def test_a_tool_call_takes_all_that_it_loads_from_the_pack(door, event):
    door.send("SessionStart.startup", session_id="s1")

    assert found_one_by_one(door, event) == set()


def test_a_prompt_takes_all_that_it_loads_from_the_pack(door):
    door.send("SessionStart.startup", session_id="s1")
    prompt = "The importer drops a row when a field is empty. Fix it; don't change the schema."

    assert found_one_by_one(door, "UserPromptSubmit", prompt=prompt) == set()


@pytest.mark.parametrize("event", ["Stop", "PreCompact.auto", "SessionEnd.other"])
def test_a_turn_and_a_session_that_end_take_all_that_they_load_from_the_pack(door, event):
    for before in ("SessionStart.startup", "UserPromptSubmit", "PostToolUse.Bash"):
        door.send(before, session_id="s1")

    assert found_one_by_one(door, event) == set()


@pytest.mark.parametrize("last", ["SessionEnd.other", "Stop"])  # it ended, or it crashed
def test_a_session_that_begins_takes_all_that_it_loads_from_the_pack(door, last):
    for before in ("SessionStart.startup", "UserPromptSubmit", "PostToolUse.Bash", last):
        door.send(before, session_id="s0")

    found = found_one_by_one(door, "SessionStart.startup")
    # Names of folders such as test_..., which may be a key of a provider's, are looked at closely.
    assert found <= {"holdfast.redaction.plausibility"}


def test_a_switch_runs_the_hook_without_the_pack(door):
    door.send("SessionStart.startup", session_id="s1")
    one_by_one = found_one_by_one(door, "PostToolUse", {"HOLDFAST_NO_BUNDLE": "1"})

    assert {"holdfast.hook.entry_point", "holdfast.hook.record"} <= one_by_one
    assert pack_of(door.state).exists()


def test_a_judgement_takes_all_that_it_loads_from_the_pack(door, repo):
    (repo / ".holdfast").mkdir()
    (repo / ".holdfast" / "config.yaml").write_text(DEMANDED)
    door.send("SessionStart.startup", session_id="s1")
    door.send("PostToolUse", session_id="s1", tool_name="Skill", tool_input={"skill": "plan"})

    assert found_one_by_one(door, "PreToolUse", **EDIT) == set()


def test_a_source_that_has_changed_is_what_runs(door, copied):
    door.send("SessionStart.startup", session_id="s1")
    source = copied / "hook" / "brief_file.py"
    source.write_text(source.read_text().replace("[C:? r=? IC=?]", "[changed]"))

    brief = door.run(b"", errand="brief", CLAUDE_CODE_SESSION_ID="nobody").stdout

    assert brief == b"[changed]\n"


def test_a_change_of_the_same_length_is_seen_too(door, copied):
    source = copied / "hook" / "brief_file.py"
    source.write_text(source.read_text().replace("[C:? r=? IC=?]", "[c:? R=? ic=?]"))

    assert door.run(b"", errand="brief").stdout == b"[c:? R=? ic=?]\n"


@pytest.mark.parametrize("left", [0, 9, 9_000, build.HEAD_BYTES, build.HEAD_BYTES + 70_000])
def test_a_pack_that_ends_before_its_time_changes_nothing_and_comes_back(door, left):
    pack = pack_of(door.state)
    pack.write_bytes(pack.read_bytes()[:left])

    door.send("SessionStart.startup", session_id="s1")
    door.send("PostToolUse", session_id="s1")

    assert {fault["kind"] for fault in faults.all_of(door.state)} == {"bundle damaged"}
    assert comes_back(door.state)


@pytest.mark.promise("X4")
@pytest.mark.parametrize("place", [100, build.HEAD_BYTES - 1, build.HEAD_BYTES + 5])
def test_a_pack_with_a_flipped_bit_is_not_run_and_comes_back(door, place):
    pack = pack_of(door.state)
    content = bytearray(pack.read_bytes())
    content[place] ^= 4
    pack.write_bytes(content)

    door.send("SessionStart.startup", session_id="s1")

    assert {fault["kind"] for fault in faults.all_of(door.state)} == {"bundle damaged"}
    assert comes_back(door.state)


def test_a_pack_that_is_gone_comes_back(door):
    pack_of(door.state).unlink()

    door.send("SessionStart.startup", session_id="s1")

    assert comes_back(door.state)


def comes_back(state: str) -> bool:
    """Whether a detached process makes it anew."""
    for _ in range(1_200):
        if build.is_current(state):
            return True
        time.sleep(0.05)
    return False


def test_an_upgrade_is_packed_by_the_next_session(door, copied):
    pack = pack_of(door.state)
    before = pack.read_bytes()
    (copied / "hook" / "transaction.py").touch()

    door.send("SessionStart.startup", session_id="s1")

    for _ in range(1_200):
        if pack.read_bytes() != before:
            break
        time.sleep(0.05)
    assert pack.read_bytes() != before
    assert found_one_by_one(door, "PostToolUse") == set()


def test_the_packs_of_other_interpreters_go(state, door):
    other = Path(paths.pack(state, "0badc0de"))
    other.write_bytes(b"of another interpreter")

    build.write(state)

    assert not other.exists()
    assert pack_of(state).exists()
    assert Path(paths.launcher(state)).exists()


def test_a_launcher_whose_package_is_gone_exits_quietly_and_counts_a_fault(door, copied):
    shutil.rmtree(copied)

    done = door.run(b"{}")

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert json.loads(Path(paths.faults(door.state)).read_text())["kind"] == "package gone"
