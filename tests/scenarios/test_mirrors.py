"""A session's mirror: the file beside the repository that people and other tools read."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from conftest import make_repo
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.sessions import registry_file
from scenarios.story import A, B, C, Story

TASK = "Fix the retry loop of the fetcher in src/fetch.py."
FIELDS = (
    "session_id start_time end_time channel working_memory hot_topics active_projects"
    " pending_tasks recent_learnings confidence_updates sop_interactions previous_session_id"
    " continued_by crash_recovered schema_version"
).split()


@pytest.fixture
def story(door, repo, tmp_path) -> Story:
    return Story(door, repo, tmp_path)


def mirror(story: Story, session: str) -> dict[str, Any]:
    path = story.repo / ".git" / "holdfast" / "sessions" / f"{session}.json"
    shown: dict[str, Any] = json.loads(path.read_text())
    return shown


def work(story: Story, session: str) -> None:
    """A session that leaves something in every field."""
    tracker = story.repo / ".beads" / "issues.jsonl"
    tracker.parent.mkdir(exist_ok=True)
    tracker.write_text(json.dumps({"id": "b-1", "title": "Cover it", "status": "open"}) + "\n")
    story.begin(session)
    story.tell("InstructionsLoaded", session, file_path=f"{story.repo}/CLAUDE.md")
    story.say(session, TASK)
    story.pin(session, "TODO: unfinished, the pages after the third", "pages")
    story.plan(session, "Count the first try")
    story.edit(session, "src/fetch.py")
    story.fail(session, "python3 -m unittest tests.test_fetch", "Exit code 1\nFAILED")
    story.run(session, "python3 -m unittest tests.test_fetch", "Ran 3 tests in 0.1s\n\nOK")


def assert_whole(shown: dict[str, Any], story: Story, session: str) -> None:
    assert [name for name in FIELDS if name not in shown] == []
    assert shown["active_projects"] == [story.repo.name]
    by_source = {task["source"]: task["task_id"] for task in shown["pending_tasks"]}
    assert sorted(by_source) == ["beads", "pins", "todos"]
    assert by_source["beads"] == "b-1"
    (given,) = shown["sop_interactions"]
    assert (given["sop_path"], given["tool_call"]) == ("CLAUDE.md", "session_start")
    assert (shown["tool_counts"]["Bash"], shown["tool_counts"]["Edit"]) == (2, 1)
    moves = story.entries("confidence_moved", session)
    assert moves
    assert [update["new_score"] for update in shown["confidence_updates"]] == [
        move.body["value"] for move in moves
    ]
    assert [update["timestamp"] for update in shown["confidence_updates"]] == [
        move.at for move in moves
    ]
    first = shown["confidence_updates"][0]
    assert first["old_score"] == moves[0].body["value"] - moves[0].body["change"]
    assert first["memory_id"] == session


@pytest.mark.promise("C3")
@pytest.mark.promise("C4")
@pytest.mark.promise("C6")
def test_a_mirror_has_every_field_of_the_design_and_all_that_is_open(story):
    work(story, A)
    story.stop(A)

    assert_whole(mirror(story, A), story, A)
    assert mirror(story, A)["end_time"] is None

    story.plan(A, "Count the first try", status="completed")
    story.end(A)

    assert {task["source"] for task in mirror(story, A)["pending_tasks"]} == {"beads", "pins"}
    assert mirror(story, A)["end_time"]
    story.ends_well()


@pytest.mark.promise("S5")
@pytest.mark.parametrize("had_a_stop", [True, False])
def test_the_mirror_of_a_crashed_session_says_so_and_shows_what_it_left(story, had_a_stop):
    work(story, A)
    if had_a_stop:
        story.stop(A)
        assert mirror(story, A)["crash_recovered"] is False
    story.crash(A)

    story.begin(B)

    shown = mirror(story, A)
    assert shown["end_time"] == shown["last_active"]
    assert (shown["end_reason"], shown["crash_recovered"]) == ("crashed", True)
    assert shown["continued_by"] == B
    assert_whole(shown, story, A)
    story.ends_well()


@pytest.mark.promise("S6")
def test_the_mirror_of_a_session_that_ended_names_the_one_that_went_on(story):
    work(story, A)
    story.stop(A)
    story.end(A)
    before = mirror(story, A)
    assert before["continued_by"] is None

    story.begin(B)

    assert mirror(story, A) == {**before, "continued_by": B}
    story.ends_well()


@pytest.mark.promise("S5")
def test_a_crash_in_a_repository_that_is_gone_brings_no_folder_of_it_back(story, tmp_path):
    gone = make_repo(tmp_path / "gone")
    story.begin(A, place=gone)
    story.say(A, TASK, place=gone)
    story.crash(A)
    shutil.rmtree(gone)

    story.begin(C)

    assert story.entries("session_crashed", A)
    assert not gone.exists()


@pytest.mark.promise("C16")
def test_a_mirror_that_is_brought_up_to_date_at_a_prompt_keeps_its_figures(story):
    work(story, A)
    story.fill(A, 9_000)
    story.say(A, "And cover the pages after the third, too.")

    assert story.entries("checkpoint_taken", A)
    assert_whole(mirror(story, A), story, A)
    story.ends_well()


@pytest.mark.promise("O1")
def test_mirrors_that_are_written_anew_lose_nothing(story):
    work(story, A)
    story.stop(A)
    before = mirror(story, A)

    Path(story.state, "sessions.json").write_text("{half")
    workspace = Workspace(story.state)
    assert registry_file.render_all(workspace) == []
    workspace.store.close()

    assert mirror(story, A) == before
