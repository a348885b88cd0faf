"""What an agent is told of its identity: when it wanders off, when the user changes the task."""

from __future__ import annotations

import json

import pytest

from holdfast.agents.claude_code import payloads
from holdfast.hook import brief_file
from holdfast.hook.event import Answer
from holdfast.hook.voice import ours
from holdfast.rooms.identity import brief, lookup, queries
from holdfast.system import environment as system_environment
from identity.conftest import REMARKS
from identity.lives import OTHER, TASK, Lives

A, B = "aaaa-1", "bbbb-2"
DRIFTED = "has little to do with the task the user gave"


@pytest.mark.promise("I6")
def test_an_agent_that_keeps_to_its_task_is_told_nothing(lives: Lives):
    lives.settle_in(A)

    assert lives.work(A, 10) == []
    assert lives.reading(A).klass in brief.SOUND
    assert lives.bodies("identity_told") == []
    lives.ends_well()


@pytest.mark.promise("I6")
def test_an_agent_that_wanders_off_is_told_once_with_the_goal(lives: Lives):
    lives.settle_in(A)
    said = lives.wander(A)
    said += [one for one in (lives.stray(A, number) for number in range(900, 912)) if one]

    assert 1 <= len(said) <= 2, "once for a warning, once for a crisis"
    assert all(DRIFTED in one and f"> {TASK[:60]}" in one for one in said)
    classes = [one["class"] for one in lives.bodies("identity_told")]
    assert classes in (["warning", "degraded"], ["degraded"])
    lives.ends_well()


@pytest.mark.promise("I6")
@pytest.mark.promise("W9")
def test_without_the_setting_nobody_is_told_of_drift_and_the_status_line_shows_it(
    lives: Lives, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delitem(system_environment.system.environ, REMARKS)
    lives.settle_in(A)

    assert lives.wander(A) == []
    assert lives.bodies("identity_told") == []
    assert lives.reading(A).klass not in brief.SOUND
    lives.ends_well()


@pytest.mark.promise("I6")
def test_a_user_who_gives_another_task_moves_the_anchor_and_raises_no_alarm(lives: Lives):
    lives.settle_in(A)
    said = lives.say(A, OTHER)

    assert said.count(brief.ANCHORED) == 1
    for number in range(4):
        new = f"<p>Veelgestelde vragen over de agenda {number}</p>"
        assert lives.edit(A, "help/calendar/nl.html", "<p>Questions</p>", new) == ""
        assert lives.run(A, "npx i18n-check help/calendar") == ""
    assert lives.reading(A).klass in brief.SOUND
    assert lives.bodies("identity_told") == []
    lives.ends_well()


@pytest.mark.promise("I6")
def test_the_first_task_of_all_is_no_change(lives: Lives):
    lives.begin(A)

    assert brief.ANCHORED not in lives.say(A, TASK)


@pytest.mark.promise("I6")
def test_a_subagent_that_looks_elsewhere_is_told_nothing_and_tells_nothing(lives: Lives):
    lives.settle_in(A)
    before = lives.reading(A).ic
    for number in range(30):
        new = f"<article>{number}</article>"
        path = f"web/calendar/page{number}.html"
        assert lives.edit(A, path, "<article>", new, agent_id="sub-1") == ""

    assert lives.reading(A).ic == before
    lives.ends_well()


@pytest.mark.promise("I6")
@pytest.mark.parametrize("verdict", ["accept", "keep"])
def test_a_person_settles_a_doubt_and_it_is_not_told_again(lives: Lives, verdict: str):
    lives.settle_in(A)
    assert not lookup.is_in_doubt(lives.store, A)
    lives.wander(A)
    assert lookup.is_in_doubt(lives.store, A)
    lookup.settle_doubt(lives.workspace, A, verdict, at="2027-01-15T09:00:00.000Z")

    assert not lookup.is_in_doubt(lives.store, A)
    assert queries.kept(lives.store, A).told_class == ""
    if verdict == "keep":
        assert lives.work(A, 3) == []
        assert lives.reading(A).klass in brief.SOUND
    lives.ends_well()


@pytest.mark.promise("I8")
def test_recovery_is_a_change_of_class_and_told_at_the_next_prompt(lives: Lives):
    lives.settle_in(A)
    lives.wander(A)
    for _ in range(60):
        lives.work(A, 1)
        if lives.reading(A).klass in brief.SOUND:
            break
    said = lives.say(A, "Go on with it.")

    assert all(line in said for line in brief.block(lives.reading(A))[:1])
    assert queries.kept(lives.store, A).told_class == ""
    lives.ends_well()


@pytest.mark.promise("I8")
def test_nothing_is_said_at_a_prompt_as_long_as_the_class_is_the_same(lives: Lives):
    lives.settle_in(A)

    assert "[System Consciousness]" not in lives.say(A, "And the timeout of the uploader, too?")


@pytest.mark.promise("I8")
def test_a_setting_brings_the_block_to_every_prompt(lives: Lives, monkeypatch):
    monkeypatch.setitem(environment(), b"HOLDFAST_IDENTITY_ALWAYS", b"1")
    lives.settle_in(A)
    said = lives.say(A, "And the timeout of the uploader, too?")

    assert "\n".join(brief.block(lives.reading(A))) in said


@pytest.mark.promise("I8")
def test_switched_off_it_is_silent_and_the_sheet_is_cold(lives: Lives, monkeypatch):
    monkeypatch.setitem(environment(), b"HOLDFAST_IDENTITY_ENABLED", b"0")
    lives.settle_in(A)

    assert lives.wander(A) == []
    assert brief_file.format_brief(A) == brief_file.COLD
    lives.ends_well()


@pytest.mark.parametrize("name", ["PostToolUse", "PostToolUseFailure"])
def test_what_is_said_after_a_tool_names_the_event_it_answers(name: str):
    said = payloads.write(Answer(ours("Turn back.")), "tool_used", name)

    assert json.loads(said)["hookSpecificOutput"] == {
        "hookEventName": name,
        "additionalContext": "Turn back.",
    }


def environment() -> dict[bytes, bytes]:
    from holdfast.system import environment as system_environment

    found: dict[bytes, bytes] = system_environment.system.environ
    return found


@pytest.mark.promise("I8")
def test_the_sheet_says_what_the_mind_reads_after_every_event(lives: Lives):
    lives.begin(A)
    assert brief_file.format_brief(A) == brief_file.COLD
    lives.say(A, TASK)
    assert brief_file.format_brief(A) == brief.of(lives.reading(A))
    lives.work(A, 1)

    assert brief_file.format_brief(A) == brief.of(lives.reading(A))
    assert brief_file.read(A)[0] == brief.of(lives.reading(A))
    lives.end(A)
    assert brief_file.read(A) == (brief_file.COLD, {})


@pytest.mark.promise("I4")
@pytest.mark.promise("I8")
def test_a_session_that_begins_says_whose_identity_it_goes_on_with(lives: Lives):
    lives.whole(A)
    said = lives.begin(B)
    reading = lives.reading(B)

    assert f"Identity restored from {A}. IC: {reading.ic:.2f} ({reading.klass})" in said
    assert "provisional, by branch and changed files" in said
    assert brief_file.format_brief(B) == brief.of(reading)


def test_a_session_that_follows_an_empty_one_is_told_nothing_of_identity(lives: Lives):
    lives.begin(A)
    lives.end(A)

    assert "Identity" not in lives.begin(B)
    lives.ends_well()


@pytest.mark.promise("I4")
def test_a_purpose_goes_through_a_session_in_which_nothing_happened(lives: Lives):
    lives.whole(A)
    lives.begin("empty")
    lives.end("empty")
    lives.begin(B)
    lives.say(B, TASK)
    lives.work(B)
    going_on = queries.kept(lives.store, B).crossed()
    lives.end(B)
    lives.begin("stray")
    for number in range(8):
        lives.stray("stray", number)

    assert queries.kept(lives.store, "stray").crossed() < going_on
    lives.ends_well()
