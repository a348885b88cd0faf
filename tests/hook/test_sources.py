"""What a session is told names the entries it came from; what the next would be told is shown."""

from __future__ import annotations

import pytest

from cli.terminal import typed_and_told
from holdfast.hook.preview import next_start
from holdfast.hook.tokens import count
from holdfast.ledger.queries import last_place
from holdfast.ledger.workspace import Workspace
from law import assert_replay_law
from scenarios.story import A, B, C

pytestmark = pytest.mark.promise("A5")


def told_in(story, session):
    """The lines of what a session was told last, by section."""
    body = story.entries("context_given", session)[-1].body
    return {line["section"]: line for line in body["lines"]}


def test_every_line_of_a_briefing_names_the_entries_it_came_from(story):
    story.begin(A, hours=2)
    story.say(A, "Teach fetch.py to retry three times.", hours=1.9)
    story.edit(A, "src/fetch.py", hours=1.8)
    story.fail(A, "pytest -q", "FAILED tests/test_fetch.py::test_retry - assert 1 == 3", hours=1.7)
    story.stop(A, "The retry is written. The test of it fails still.", hours=1.6)
    story.end(A, hours=1.5)
    story.begin(B)
    story.end(B)
    rule = typed_and_told(story.repo, "rules", "add", "Never push to main.")["rule"]["id"]
    pin = typed_and_told(story.repo, "pin", "The server sleeps at night.")["pin"]["id"]
    story.begin(C)

    lines = told_in(story, C)

    assert lines["rules"]["sources"] == [f"rule {rule}"]
    assert lines["pins"]["sources"] == [f"pin {pin}"]
    assert lines["stands"]["sources"] == ["git"]
    assert lines["stopped"]["sources"] == [f"session {A}", f"thread {A}"]
    failed = story.entries("tool_used", A)[-1]
    assert lines["next"]["sources"] == [f"run {A} {failed.at}"]
    assert all(line["tokens"] > 0 for line in lines.values())
    assert_replay_law(story.state, story.repo)


def test_an_item_that_the_budget_drops_is_no_source(story):
    story.begin(A)
    for number in range(30):
        words = f"Never touch module {number} of the accounting, for the auditors are reading it"
        typed_and_told(story.repo, "rules", "add", words)
    story.begin(B)

    rules = told_in(story, B)["rules"]
    counted = story.entries("context_given", B)[-1].body["rules"]
    assert len(rules["sources"]) == len(counted) < 30


def test_what_the_next_session_would_be_told_is_what_it_is_told(story):
    story.begin(A, hours=2)
    story.say(A, "Teach fetch.py to retry three times.", hours=1.9)
    story.edit(A, "src/fetch.py", hours=1.8)
    story.stop(A, "The retry is written. The test of it is next.", hours=1.6)
    story.end(A, hours=1.5)
    story.begin(B, hours=1.2)
    story.end(B, hours=1.1)
    story.tell("SessionStart.startup", "warm-up")  # takes in what waited
    story.end("warm-up")
    typed_and_told(story.repo, "rules", "add", "Never push to main.")
    workspace = Workspace(story.state)
    before = last_place(workspace.store)

    preview = next_start(story.state, str(story.repo))

    assert last_place(workspace.store) == before
    assert "Never push to main" in preview.text()
    assert preview.text() == story.begin(C)
    assert count(preview.text()) == story.entries("context_given", C)[-1].body["tokens"]
    assert_replay_law(story.state, story.repo)
