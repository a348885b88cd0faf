"""A store that cannot be read: a session that begins says so, and what needs no state holds."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from conftest import Door, git
from holdfast.ledger import spool
from scenarios.story import A, B, Story

pytestmark = [pytest.mark.promise("X9"), pytest.mark.promise("O2")]

DEMANDED = """
requirements:
  branch:
    type: guard
    guard_type: protected_branch
    protected_branches: [main]
    trigger_tools: [Edit]
  planned: {trigger_tools: [Edit, Write], satisfied_by_skill: plan}
"""
SAYS = "Holdfast cannot read its store"


@pytest.fixture
def story(door: Door, repo: Path, tmp_path: Path) -> Story:
    told = Story(door, repo, tmp_path)
    told.demand(DEMANDED)
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "Demand")
    told.begin(A)
    told.say(A, "Draw the map")
    told.skill(A, "plan")
    told.stop(A)
    return told


def written_by_another(store: Path) -> None:
    """Another program changes a row and copies the log back."""
    with sqlite3.connect(store) as other:
        other.execute("create table theirs (one)")
        other.execute("update sessions set branch = 'theirs'")
    other.execute("pragma wal_checkpoint(truncate)")
    other.close()


def overwritten(store: Path) -> None:
    content = store.read_bytes()
    store.write_bytes(b"\x07" * len(content))


DAMAGES = [written_by_another, overwritten]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_session_that_begins_says_in_one_line_that_the_store_cannot_be_read(story, damage):
    damage(Path(story.state, "store.db"))

    told = story.begin(B)

    assert told.count(SAYS) == 1
    assert "`holdfast repair`" in told
    assert SAYS in story.door.shown
    assert len(story.door.shown.splitlines()) == 1
    assert [event["kind"] for event in map(json.loads, _waiting(story.state))] == ["session_began"]


@pytest.mark.parametrize("damage", DAMAGES)
def test_protected_branches_and_files_hold_and_the_rest_passes_and_says_so(story, damage):
    damage(Path(story.state, "store.db"))

    assert "The branch main is protected" in story.ask_edit(B)
    assert "requirements.yaml" in story.ask_edit(B, ".claude/requirements.yaml")
    git(story.repo, "checkout", "-q", "-b", "mine")
    passed = story.door.send(
        "PreToolUse", tool_name="Edit", session_id=B, tool_input={"file_path": "a.py"}
    )
    assert "passed without a look at: `planned`" in passed
    assert "deny" not in passed


def _waiting(state: str) -> list[str]:
    return [Path(path).read_text() for path in spool.waiting(state)]
