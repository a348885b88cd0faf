"""The corpus of commands and the actions in them: its labels are what a real bash does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import command_sandbox
from holdfast.rooms.gates.actions import command_reading
from measure import some_of

CORPUS = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "corpus" / "actions.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
]
# By which call a shim sees an action. Files that change are seen by themselves.
CALLS = {
    "push": "git push",
    "commit": "git commit",
    "add": "git add, git stage",
    "reset_hard": "git reset",
    "stash": "git stash",
    "revert": "git revert",
    "rebase": "git rebase, git pull",
    "switch_branch": "git checkout, git switch, gh pr",
    "publish_package": "npm publish, yarn publish, pnpm publish, twine upload, cargo publish,"
    " poetry publish, uv publish, gem push, docker push",
    "pull_request": "gh pr, glab mr, gh api, hub pull-request",
}
# Whoever calls these does the action, but for a rehearsal.
PLAIN = ("push", "commit", "add", "publish_package")
GLOBALS = ("-C", "-c", "--git-dir", "--work-tree", "--namespace", "-R")


def tags(row: dict) -> set[str]:
    return set(row.get("tags", ()))


def plain(call: list[str]) -> str:
    """A call without git's own options before the verb."""
    program, *words = call
    while program in ("git", "gh") and words and words[0].startswith("-"):
        words = words[1 + (words[0] in GLOBALS) :]
    return " ".join([program, *words])


def fits(action: str, call: list[str]) -> bool:
    return any(f"{plain(call)} ".startswith(f"{each} ") for each in CALLS[action].split(", "))


@pytest.fixture(scope="session")
def path(tmp_path_factory) -> Path:
    return command_sandbox.shims(tmp_path_factory.mktemp("shims"))


RUN = [row for row in CORPUS if not tags(row) & {"unseen", "untaken", "alias"}]


@pytest.mark.parametrize("row", some_of(RUN, 40), ids=lambda row: row["command"][:60])
def test_a_label_is_what_a_real_bash_does(row, path, tmp_path):
    calls, changed = command_sandbox.run(row["command"], path, tmp_path)

    for action in row["actions"]:
        witnesses = (
            [call for call in calls if fits(action["name"], call)]
            if (action["name"] in CALLS)
            else calls
        )
        if action["name"] in ("edit_files", "write") and not witnesses:
            assert action["path"] in changed
        elif action.get("program") not in command_sandbox.REAL and not (
            action["name"] == "delete_recursive" and changed
        ):
            assert witnesses, f"no call for {action}: {calls}"
        if action["name"] in CALLS:
            spelled = "\n".join(" ".join(call) for call in witnesses)
            for name in ("message", "remote", "path"):
                assert str(action.get(name, "")).split("\n")[0].strip(".") in spelled
            if action.get("branch", "*") not in ("*", "feature"):
                switched = "\n".join(" ".join(call) for call in calls)
                assert action["branch"] in switched
    labelled = {action["name"] for action in row["actions"]}
    for name in PLAIN:
        if name not in labelled and not row["opaque"] and "rehearsal" not in tags(row):
            assert not [call for call in calls if fits(name, call)]


def test_each_command_is_there_once():
    assert len({row["command"] for row in CORPUS}) == len(CORPUS) >= 400


@pytest.fixture(scope="session")
def project(tmp_path_factory) -> tuple[Path, Path]:
    return command_sandbox.make(tmp_path_factory.mktemp("sandbox"))


@pytest.mark.promise("G9")
@pytest.mark.parametrize("row", CORPUS, ids=lambda row: row["command"][:60])
def test_a_command_has_the_actions_that_its_label_says(row, project, monkeypatch):
    monkeypatch.setenv("HOME", str(project[1]))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)

    made, opaque = command_reading.in_command(row["command"], str(project[0]))

    shown = [action.as_dict() for action in made if action.is_shown]
    wants_run = any(action["name"] == "run" for action in row["actions"])
    names = {action["name"] for action in shown if wants_run or action["name"] != "run"}
    assert names == {action["name"] for action in row["actions"]}
    for wanted in row["actions"]:
        assert any(wanted.items() <= action.items() for action in shown), shown
    for name in ("push", "commit"):
        count = sum(action["name"] == name for action in shown)
        assert count == sum(action["name"] == name for action in row["actions"])
    assert bool(opaque) is row["opaque"], opaque
