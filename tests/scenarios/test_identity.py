"""Identity through the real hook command: the sheet, the beginnings, and a damaged mind."""

from __future__ import annotations

import pytest
from story import A, B, Story

from holdfast.ledger import faults
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.identity import brief, lookup, queries

TASK = (
    "Fix the retry loop of the uploader in src/upload/retry.py: it gives up after the first timeout"
)


def at_work(story: Story, session: str) -> None:
    story.begin(session)
    story.say(session, TASK)
    for number in range(3):
        story.edit(session, "src/upload/retry.py", "retries = 1", f"retries = {number}")
        story.run(session, "python -m pytest tests/upload/test_retry.py")


def brief_of(story: Story, session: str) -> str:
    done = story.door.run(b"", errand=f"brief {session}")
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode().strip()


@pytest.mark.promise("I8")
def test_the_launcher_prints_the_brief_and_the_status_line_where_the_session_stands(story: Story):
    assert brief_of(story, A) == "[C:? r=? IC=?]"
    at_work(story, A)
    workspace = Workspace(story.state)
    told = brief.of(lookup.reading_of(workspace.store, A))
    workspace.store.close()

    assert brief_of(story, A) == told
    line = story.door.run(f'{{"session_id": "{A}"}}'.encode(), errand="statusline")
    assert line.stdout.decode() == f"{told} feature/auth\n"
    story.end(A)
    assert brief_of(story, A) == "[C:? r=? IC=?]"
    story.ends_well()


@pytest.mark.promise("I4")
def test_the_next_session_is_measured_by_branch_and_files_until_it_has_done_something(story: Story):
    story.door.environment["HOLDFAST_IDENTITY_REMARKS"] = "1"
    at_work(story, A)
    story.stop(A)
    story.end(A)
    told = story.begin(B)
    assert f"Identity restored from {A[:8]}. IC: " in told
    assert "provisional, by branch and changed files, until the fifth event" in told
    found = story.holdfast("consciousness", session=B)
    assert (found["provisional"], found["events"], found["restored_from"]) == (True, 0, A)
    story.say(B, TASK)
    for number in range(5):
        story.edit(B, "src/upload/retry.py", "retries = 1", f"retries = {number}")
    found = story.holdfast("consciousness", session=B)
    assert not found["provisional"]
    assert found["class"] in brief.SOUND
    assert story.holdfast("status")["identity"]["class"] == found["class"]
    story.ends_well()


@pytest.mark.promise("I4")
def test_compaction_resume_and_clear_are_three_different_beginnings_of_identity(story: Story):
    at_work(story, A)
    before = brief_of(story, A)
    story.compact(A)
    assert brief_of(story, A) == before
    story.end(A)
    story.begin(A, "resume")
    assert brief_of(story, A) == before
    story.clear(A, B)
    assert brief_of(story, B) == "[C:? r=? IC=?]"
    assert story.bodies("identity_inherited") == []
    story.ends_well()


@pytest.mark.promise("I7")
def test_a_damaged_mind_costs_a_notice_and_no_event_and_repair_brings_it_back(story: Story):
    at_work(story, A)
    story.end(A)
    workspace = Workspace(story.state)
    workspace.store.run("update minds set mind = x'0102'")
    workspace.store.close()
    told = story.begin(B)
    assert "The identity of the session before cannot be read" in told
    assert "repair --cf session_identity" in told
    assert [one["kind"] for one in faults.all_of(story.state)] == ["not done"]
    story.holdfast("repair", "--cf", "session_identity")
    workspace = Workspace(story.state)
    assert queries.mind_of(workspace.store, A) is not None
    workspace.store.close()
