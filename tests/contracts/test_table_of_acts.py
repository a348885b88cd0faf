"""The table of a person's acts is what the command line asks a person for, and nothing else."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

from conftest import Door
from holdfast.cli import COMMANDS, main
from holdfast.cli.helpers import requirement_config
from holdfast.rooms.gates.protection.persons_acts import (
    ACTS,
    FREE,
    WHOLE,
    persons_act,
    undoing,
)

pytestmark = pytest.mark.promise("W2")

PACKAGE = Path(__file__).parents[2] / "src" / "holdfast"
# What an act takes, so that it is no misuse.
WORDS = {
    "rules add": "Never push",
    "rules drop": "RULE",
    "rules keep": "RULE",
    "rules edit": "RULE Push",
    "rules scope": "RULE task",
    "rules write": "RULE",
    "rules enforce": "RULE",
    "choices drop": "CHOICE",
    "choices keep": "CHOICE",
    "threads rename": "THREAD Retries",
    "threads merge": "THREAD THREAD",
    "threads split": "SESSION",
    "threads move": "SESSION THREAD",
    "threads close": "THREAD",
    "threads reopen": "THREAD",
    "goal set": "Write it down",
    "req satisfy": "planned",
    "req approve": "planned",
    "req clear": "planned",
    "req enable": "planned",
    "req disable": "planned",
    "req init": "--force",
    "contract set": "--goal less --evidence lint",
    "forget": "SESSION --yes SESSION",
    "purge": "--all --yes everything",
    "import": "EXPORT",
}
SESSION = "aaaaaaaa-0000-4000-8000-000000000000"


def verbs_of(command: str) -> set[str]:
    """The verbs that the command line knows; the whole command, where it has none."""
    module = importlib.import_module(f"holdfast.cli.commands.{command}_command")
    return set(getattr(module, "VERBS", {WHOLE}))


HERE = [
    (command, verb)
    for command in ACTS
    if command in COMMANDS
    for verb in sorted(verbs_of(command) | {WHOLE} & set(ACTS[command]))
]


def asks_for_a_person(source: Path) -> bool:
    return any(
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and (node.value.id, node.attr.split("_")[0]) == ("person_check", "ask")
        for node in ast.walk(ast.parse(source.read_text()))
    )


def test_every_command_that_asks_for_a_person_is_in_the_table_and_the_reverse():
    asking = {
        source.stem.removesuffix("_command")
        for source in (PACKAGE / "cli" / "commands").glob("*_command.py")
        if asks_for_a_person(source)
    }

    assert asks_for_a_person(Path(requirement_config.__file__))  # `req init`
    assert asking == set(ACTS) & set(COMMANDS)


def test_every_verb_of_such_a_command_is_the_persons_or_everybodys():
    for command in set(ACTS) & set(COMMANDS):
        known = set(ACTS[command]) | FREE.get(command, frozenset())

        assert verbs_of(command) <= known, command
    assert {command for command, verbs in ACTS.items() if WHOLE not in verbs} == set(FREE)


def test_both_names_of_the_rules_are_alike():
    assert ACTS["rules"] == ACTS["constraints"]
    assert FREE["rules"] == FREE["constraints"]
    assert persons_act(["rules", "keep", "4f1c"]) == "rules keep"
    assert persons_act(["constraints", "keep", "4f1c"]) == "constraints keep"


@pytest.mark.parametrize(("command", "verb"), HERE, ids=lambda word: word or "whole")
def test_an_agent_is_refused_what_the_table_calls_the_persons(
    door: Door, repo: Path, tmp_path: Path, monkeypatch, capsys, command, verb
):
    (repo / ".claude").mkdir()
    (repo / ".claude" / "requirements.yaml").write_text("requirements: {planned: {}}\n")
    door.send("SessionStart.startup", session_id=SESSION)
    export = tmp_path / "all.jsonl"
    monkeypatch.chdir(repo)
    assert main(["export", str(export)]) == 0
    assert main(["contract", "set", "--goal", "All", "--evidence", "tests"]) == 0
    monkeypatch.setenv("CLAUDECODE", "1")
    act = " ".join(filter(None, (command, verb)))
    words = WORDS.get(act.replace("constraints", "rules"), "")
    words = words.replace("SESSION", SESSION[:8]).replace("EXPORT", str(export))
    capsys.readouterr()

    code = main([*act.split(), *words.split()])

    is_free = verb in FREE.get(command, frozenset()) and act != "contract set"
    assert ("only a person may" in capsys.readouterr().err) is not is_free
    assert is_free or code == 1


def test_what_undoes_an_act_is_a_command_that_is_there():
    for command, verbs in ACTS.items():
        for verb in verbs:
            words = undoing(f"{command} {verb}".strip()).split()
            if words and command in COMMANDS:
                assert (words[0], words[1] in COMMANDS) == ("holdfast", True)
                is_option = words[-1].startswith("--")
                assert not words[2:] or is_option or words[2] in {*ACTS[words[1]], *FREE[words[1]]}


@pytest.mark.parametrize(
    ("line", "act"),
    [
        ("goal --json set Write", "goal set"),
        ("contract --session 4f1c clear", "contract clear"),
        ("--json req satisfy planned", "req satisfy"),
        ("goal set -- --dry-run", "goal set"),
        ("-- pause", "pause"),
        ("uninstall --dry-run", ""),
        ("req init --preview", ""),
        ("pause --help", ""),
        ("contract set --goal clear", ""),
        ("remember --rule", ""),
        ("decide Push at will", ""),
        ("", ""),
    ],
)
def test_an_act_is_told_from_its_words(line, act):
    assert persons_act(line.split()) == act
