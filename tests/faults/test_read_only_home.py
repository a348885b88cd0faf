"""A state home that cannot be written to: a session is told what is known, and that nothing of it
is kept; gates hold; nothing in the home is touched."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from around import event, fill, kept, keys, small_disk, tree, waiting

from conftest import Door
from holdfast.store.sqlite import Store

pytestmark = [
    pytest.mark.promise("X4"),
    pytest.mark.promise("O2"),
    pytest.mark.skipif(os.geteuid() != 0, reason="mounting needs root"),
]
RULE = "From now on never push to main"
DEMANDED = "requirements:\n  planned: {trigger_tools: [Edit], satisfied_by_skill: plan}\n"
UNKEPT = "Unless that is mended before the next restart, nothing of this session is kept."


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "small") as disk:
        yield disk


@pytest.fixture
def home_state(disk: Path, door: Door, repo: Path) -> str:
    """The home after a session in which the user gave a rule."""
    (repo / ".claude").mkdir()
    (repo / ".claude" / "requirements.yaml").write_text(DEMANDED)
    for name, said in (
        ("SessionStart.startup", {}),
        ("UserPromptSubmit", {"prompt": f"Mend the login form. {RULE}.", "prompt_id": "p1"}),
        ("Stop", {}),
        ("SessionEnd.other", {}),
    ):
        send(door, str(disk), name, session_id="s1", **said)
    assert "rule_given" in [entry.kind for entry in kept(str(disk))]
    return str(disk)


def lock(disk: str, how: str = "ro") -> None:
    subprocess.run(["mount", "-o", f"remount,{how}", disk], check=True, timeout=30)


def send(door: Door, state: str, name: str, **said: Any) -> dict[str, Any]:
    done = door.run(json.dumps(event(door, name, **said)).encode(), HOLDFAST_STATE_HOME=state)
    assert (done.returncode, done.stderr) == (0, b"")
    answer: dict[str, Any] = json.loads(done.stdout or b"{}")
    return answer


def begin(door: Door, state: str, source: str = "startup") -> tuple[str, str]:
    """What a session that begins is told, and what the person sees."""
    whole = send(door, state, f"SessionStart.{source}", session_id="s2")
    shown = str(whole.get("systemMessage", ""))
    return whole["hookSpecificOutput"]["additionalContext"], shown.removeprefix("Holdfast: ")


def as_it_stands(state: str) -> None:
    """With the log that hooks leave, and what SQLite keeps beside it."""


def closed(state: str) -> None:
    Store(f"{state}/store.db").close()
    assert not Path(state, "store.db-wal").exists()


@pytest.mark.parametrize("left", [as_it_stands, closed])
def test_a_read_only_home_tells_its_rules_and_that_nothing_is_kept(
    door: Door, home_state: str, left: Callable[[str], None]
):
    left(home_state)
    lock(home_state)
    before = tree(Path(home_state))

    context, shown = begin(door, home_state)

    assert f"> {RULE}  (the user" in context
    line = f'"The file system is read-only: {home_state}." {UNKEPT} "Make it writable, or set '
    assert context.count(line) == 1
    assert shown.startswith(line)
    assert shown.count("\n") == 0
    assert tree(Path(home_state)) == before
    assert [said["kind"] for said in waiting(home_state)] == ["session_began"]


def test_the_session_is_kept_after_all_once_the_home_can_be_written(door: Door, home_state: str):
    lock(home_state)
    begin(door, home_state)
    send(door, home_state, "UserPromptSubmit", session_id="s2", prompt="Go on", prompt_id="p2")
    lock(home_state, "rw")
    send(door, home_state, "Stop", session_id="s2")

    of_second = [entry.kind for entry in kept(home_state) if entry.session == "s2"]
    assert of_second[0] == "session_began"
    assert "prompt_given" in of_second
    assert len(keys(home_state, "session_began")) == 2
    assert waiting(home_state) == []


def test_after_a_compaction_it_is_not_said_again(door: Door, home_state: str):
    lock(home_state)
    begin(door, home_state)

    context, shown = begin(door, home_state, "compact")

    assert RULE in context
    assert (UNKEPT in context, shown) == (False, "")


def test_gates_hold_in_a_read_only_home(door: Door, home_state: str, repo: Path):
    lock(home_state)
    begin(door, home_state)
    edit = {"tool_name": "Edit", "tool_input": {"file_path": f"{repo}/a.py"}}

    answer = send(door, home_state, "PreToolUse", session_id="s2", **edit)

    assert answer["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_on_a_full_disk_a_session_is_told_its_rules_too(door: Door, home_state: str):
    fill(Path(home_state))

    context, shown = begin(door, home_state)

    assert f"> {RULE}  (the user" in context
    assert shown.startswith(f'"The disk is full: {home_state}." {UNKEPT} "Make room')


def test_where_there_is_no_store_either_only_that_is_said(door: Door, disk: Path):
    lock(str(disk))

    context, shown = begin(door, str(disk))

    assert context.endswith(shown)
    assert UNKEPT in shown
