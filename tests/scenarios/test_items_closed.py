"""`close.items`: the end of a turn closes the item that the session itself began, and proved."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scenarios.story import A, B, Story

pytestmark = pytest.mark.promise("C18")

TASK = "Rotate refresh tokens in auth.py."
TESTS = "python3 -m unittest tests.test_auth"
PASSED = "Ran 3 tests in 0.1s\n\nOK"
SCENARIOS = ("happy_path:used:rotated", "edge_case:reused:refused", "error_handling:none:401")


@pytest.fixture
def story(door, repo, tmp_path) -> Story:
    door.environment["HOLDFAST_CLOSE_ITEMS"] = "1"
    (repo / "auth.py").write_text("def rotate(token):\n    return fresh(token)\n")
    folder = repo / ".beads"
    folder.mkdir()
    issue = {"id": "b-1", "title": "Rotate tokens", "status": "open", "priority": 1}
    (folder / "issues.jsonl").write_text(json.dumps(issue) + "\n")
    return Story(door, repo, tmp_path)


def stage(story: Story) -> str:
    (line,) = (story.repo / ".beads" / "issues.jsonl").read_text().splitlines()
    issue: dict[str, Any] = json.loads(line)
    return str(issue["status"])


def begin(story: Story) -> None:
    story.begin(A)
    story.say(A, TASK)


def start(story: Story, session: str = A) -> None:
    story.holdfast("tracker", "start", "b-1", session=session)


def decide(story: Story, *scenarios: str, evidence: str = "auth.py:1") -> None:
    given = [word for each in scenarios for word in ("--scenario", each)]
    given += ["--evidence", evidence] if evidence else []
    story.holdfast("decide", "Rotate refresh tokens", *given, session=A)


def agree(story: Story) -> None:
    story.holdfast("contract", "set", "--goal", TASK, "--evidence", "tests", session=A)


def prove(story: Story) -> None:
    story.edit(A, "auth.py")
    story.run(A, TESTS, PASSED)


def test_the_item_that_a_session_began_and_proved_is_closed_and_told(story):
    begin(story)
    start(story)
    agree(story)
    decide(story, *SCENARIOS)
    prove(story)

    story.stop(A)

    assert stage(story) == "closed"
    assert '"b-1 (Rotate tokens)" is closed' in story.door.shown
    (told,) = [body for body in story.bodies("item_told") if body["sort"] == "closed"]
    assert (told["item"], told["subject"]) == ("b-1", A)
    story.stop(A)
    assert "is closed" not in story.door.shown
    story.ends_well()


def without_the_setting(story: Story) -> None:
    del story.door.environment["HOLDFAST_CLOSE_ITEMS"]
    start(story)
    agree(story)
    decide(story, *SCENARIOS)
    prove(story)


def begun_by_another(story: Story) -> None:
    story.begin(B)
    start(story, B)
    agree(story)
    decide(story, *SCENARIOS)
    prove(story)


def two_scenarios(story: Story) -> None:
    start(story)
    agree(story)
    decide(story, *SCENARIOS[:2])
    prove(story)


def no_ground(story: Story) -> None:
    start(story)
    agree(story)
    decide(story, *SCENARIOS, evidence="")
    prove(story)


def no_contract(story: Story) -> None:
    start(story)
    decide(story, *SCENARIOS)
    prove(story)


def no_run(story: Story) -> None:
    start(story)
    agree(story)
    decide(story, *SCENARIOS)
    story.edit(A, "auth.py")


def edited_since(story: Story) -> None:
    no_run(story)
    story.run(A, TESTS, PASSED)
    story.edit(A, "auth.py", "b", "c")


LACKING: tuple[Callable[[Story], None], ...] = (
    without_the_setting,
    begun_by_another,
    two_scenarios,
    no_ground,
    no_contract,
    no_run,
    edited_since,
)


@pytest.mark.parametrize("lacking", LACKING)
def test_an_item_that_lacks_anything_stays_open(story, lacking):
    begin(story)
    lacking(story)

    story.stop(A)
    story.stop(A, stop_hook_active=True)

    assert stage(story) == "in_progress"
    assert [body for body in story.bodies("item_told") if body["sort"] == "closed"] == []


def test_an_item_of_our_own_list_is_closed_as_well(story):
    (story.repo / ".beads" / "issues.jsonl").unlink()
    Path(story.repo, ".beads").rmdir()
    begin(story)
    id_ = story.holdfast("tracker", "add", "Rotate tokens", session=A)["id"]
    story.holdfast("tracker", "start", id_, session=A)
    agree(story)
    decide(story, *SCENARIOS)
    prove(story)

    story.stop(A)

    assert story.bodies("item_tracked")[-1]["stage"] == "closed"
    assert story.holdfast("tracker", "ready")["items"] == []
    story.ends_well()
