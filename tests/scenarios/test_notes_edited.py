"""NOTES.md that somebody edits between two sessions is read before the next one is briefed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cli.terminal import told
from conftest import Door
from scenarios.story import A, B, C, Story

pytestmark = pytest.mark.promise("D5")
ADDED = """#### Sign with one key
**Decision**: Sign with one key
**Rationale**: two keys were never rotated together

"""


@pytest.fixture
def story(door: Door, repo: Path, tmp_path: Path) -> Story:
    """A has decided, and ended: the notes are rendered."""
    story = Story(door, repo, tmp_path)
    story.begin(A)
    story.say(A, "Rotate the tokens of the app")
    story.holdfast("decide", "Rotate tokens daily", "--because", "replay", session=A)
    story.stop(A)
    story.end(A)
    return story


def notes(story: Story) -> Path:
    return story.repo / ".holdfast" / "NOTES.md"


def edit(story: Story, old: str, new: str) -> bytes:
    text = notes(story).read_text()
    assert old in text
    notes(story).write_text(text.replace(old, new))
    return notes(story).read_bytes()


def decisions(story: Story) -> list[Any]:
    return list(told(story.repo, "decisions", "--all")["decisions"])


def test_a_reworded_decision_is_in_the_briefing_of_the_very_next_start(story):
    edited = edit(story, "n**: Rotate tokens daily", "n**: Rotate tokens hourly")

    briefing = story.begin(B)

    assert "> - Rotate tokens hourly [edited in NOTES.md]" in briefing
    assert "> - Rotate tokens daily" not in briefing
    assert notes(story).read_bytes() == edited, "a start only reads it"
    kept = [(each.session, each.body["source"]) for each in story.entries("decision_made")]
    assert kept == [(A, "agent"), ("", "file")]
    story.say(B, "Go on")
    story.stop(B)
    assert "CONFLICT" not in notes(story).read_text()
    assert "Moved out" not in notes(story).read_text()
    assert len(story.entries("decision_made")) == 2, "it is taken in once"
    story.ends_well()


def test_a_decision_that_was_added_by_hand_is_in_it_too_and_taken_in_once(story):
    edit(story, "### Decision Log\n\n", f"### Decision Log\n\n{ADDED}")

    briefing = story.begin(B)

    assert "> - Sign with one key [edited in NOTES.md]" in briefing
    assert "> - Rotate tokens daily" in briefing
    story.say(B, "Go on")
    newest = next(each for each in decisions(story) if each["text"] == "Sign with one key")
    assert (newest["because"], newest["source"]) == ("two keys were never rotated together", "file")
    story.holdfast("supersede", newest["id"], "Sign with two keys", session=B)
    story.stop(B)
    rendered = notes(story).read_text()
    assert "Moved out" not in rendered
    assert "**Decision**: Sign with two keys" in rendered
    assert "**Decision**: Sign with one key" not in rendered
    story.end(B)
    assert "Sign with two keys" in story.begin(C)
    texts = sorted(each["text"] for each in decisions(story))
    assert texts == ["Rotate tokens daily", "Sign with one key", "Sign with two keys"]
    story.ends_well()


@pytest.mark.promise("W8")
def test_a_resumed_session_is_told_what_the_file_says_now(story):
    edit(story, "n**: Rotate tokens daily", "n**: Rotate tokens hourly")

    assert "> Rotate tokens hourly  (unsupported; edited in NOTES.md, " in story.begin(A, "resume")
    assert "hourly" not in story.say(A, "Go on")
    story.ends_well()


def test_a_secret_that_is_written_there_is_neither_kept_nor_told(story):
    token = "ghp_" + "fakefakefake" * 3
    edit(story, "n**: Rotate tokens daily", f"n**: Rotate {token} daily")

    assert token not in story.begin(B)
    assert "Rotate " in story.entries("decision_made")[-1].body["text"]
    story.stop(B)
    assert "CONFLICT" not in notes(story).read_text()
    assert token not in notes(story).read_text()
    story.ends_well()


def test_notes_that_are_a_link_or_switched_off_are_not_read(story, tmp_path):
    edit(story, "n**: Rotate tokens daily", "n**: Rotate tokens hourly")
    (tmp_path / "elsewhere.md").write_bytes(notes(story).read_bytes())
    whole = notes(story).read_bytes()
    notes(story).unlink()
    notes(story).symlink_to(tmp_path / "elsewhere.md")

    assert "hourly" not in story.begin(B)
    story.end(B)
    notes(story).unlink()
    notes(story).write_bytes(whole)
    (story.repo / ".holdfast" / "config.yaml").write_text("notes: {enabled: false}\n")
    assert "hourly" not in story.begin(C)
    story.ends_well()


def items(story: Story) -> list[tuple[str, str, str]]:
    return [
        (each["sort"], each["text"], each["source"])
        for each in told(story.repo, "decision", "open")["open"]
    ]


@pytest.fixture
def steps(story: Story) -> Story:
    """B has left a step, a question and a blocker open."""
    story.begin(B)
    story.say(B, "Go on")
    for sort, text in (("next", "Skew of a second"), ("ask", "Per client?")):
        story.holdfast("decision", sort, text, session=B)
    story.stop(B)
    story.end(B)
    return story


def test_a_step_that_is_ticked_is_done_before_the_next_start_and_can_be_unticked(steps):
    assert "- [ ] Skew of a second" in notes(steps).read_text()
    edit(steps, "- [ ] Skew of a second", "- [x] Skew of a second")

    briefing = steps.begin(C)

    assert "Skew of a second" not in briefing
    assert items(steps) == [("question", "Per client?", "agent")]
    steps.say(C, "Go on")
    steps.stop(C)
    assert "- [x] Skew of a second" in notes(steps).read_text()
    assert "Moved out" not in notes(steps).read_text()
    edit(steps, "- [x] Skew of a second", "- [ ] Skew of a second")
    steps.stop(C)
    assert ("next_step", "Skew of a second", "file") in items(steps)
    assert "- [ ] Skew of a second" in notes(steps).read_text()
    assert "- [x] Skew of a second" not in notes(steps).read_text()
    steps.ends_well()


@pytest.mark.parametrize("seen_at", ["stop", "start"])
def test_a_tick_that_is_taken_back_before_the_first_stop_is_taken_back(steps, seen_at):
    rendered = notes(steps).read_bytes()
    edit(steps, "- [ ] Skew of a second", "- [x] Skew of a second")
    steps.begin(C)
    assert items(steps) == [("question", "Per client?", "agent")]

    edit(steps, "- [x] Skew of a second", "- [ ] Skew of a second")
    assert notes(steps).read_bytes() == rendered, "as if nobody had touched it"
    if seen_at == "stop":
        steps.say(C, "Go on")
        steps.stop(C)
    else:
        steps.begin(C, "resume")

    assert ("next_step", "Skew of a second", "file") in items(steps)
    assert "- [ ] Skew of a second" in notes(steps).read_text()
    steps.ends_well()


def test_an_older_file_that_comes_back_opens_nothing_again(steps):
    rendered = notes(steps).read_bytes()
    edit(steps, "- [ ] Skew of a second", "- [x] Skew of a second")
    steps.begin(C)
    steps.say(C, "Go on")
    steps.stop(C)
    notes(steps).write_bytes(rendered)  # as git checkout does
    steps.begin(C, "resume")

    assert items(steps) == [("question", "Per client?", "agent")]
    steps.ends_well()


def test_a_tick_that_was_taken_back_speaks_once(steps):
    edit(steps, "- [ ] Skew of a second", "- [x] Skew of a second")
    steps.begin(C)
    edit(steps, "- [x] Skew of a second", "- [ ] Skew of a second")
    steps.say(C, "Go on")
    steps.stop(C)
    item = next(
        each
        for each in told(steps.repo, "decision", "open")["open"]
        if each["text"] == "Skew of a second"
    )
    steps.holdfast("decision", "resolve", item["id"], session=C)
    steps.begin(C, "resume")

    assert items(steps) == [("question", "Per client?", "agent")]
    steps.ends_well()


def test_a_question_a_step_and_a_blocker_that_are_added_are_the_files(steps):
    edit(steps, "- [ ] Per client?\n", "- [ ] Per client?\n- [ ] Per tenant?\nask Kim\n")
    edit(steps, "- [ ] Skew of a second\n", "- [ ] Skew of a second\n- [ ] Log out everywhere\n")
    edit(steps, "### Pending", "### Blockers\n- [ ] No clock\n\n### Pending")

    briefing = steps.begin(C)
    assert "Open questions: 2" in briefing
    assert "Blocker: No clock [edited in NOTES.md]" in briefing
    assert "Next: Log out everywhere [edited in NOTES.md]" in briefing
    assert "Next: Skew of a second\n" in briefing
    steps.say(C, "Go on")
    steps.stop(C)

    assert [each for each in items(steps) if each[2] == "file"] == [
        ("next_step", "Log out everywhere", "file"),
        ("blocker", "No clock", "file"),
        ("question", "Per tenant?", "file"),
    ]
    rendered = notes(steps).read_text()
    assert rendered.endswith("## Moved out of the block above\n\nask Kim\n")
    assert rendered.count("Per tenant?") == 1
    assert len(steps.entries("item_opened")) == 5, "each is taken in once"
    steps.ends_well()


def test_what_the_ledger_resolved_meanwhile_is_not_opened_again_by_an_older_line(steps):
    item = next(each for each in told(steps.repo, "decision", "open")["open"])
    steps.holdfast("decision", "resolve", item["id"], session=B)
    edit(steps, "n**: Rotate tokens daily", "n**: Rotate tokens hourly")

    steps.begin(C)

    assert item["text"] not in [text for _, text, _ in items(steps)]
    steps.ends_well()
