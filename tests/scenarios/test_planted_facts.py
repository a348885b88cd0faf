"""What a session was told is there after its context is lost, in each of four ways.

Sessions of planting.py, chosen so that together they hold everything that can stop to hold and
every source of a next step. Their rules are given by command: this guards what comes after a rule
is known. What real sessions are told is measured by benchmarks/field.py.
"""

from __future__ import annotations

from pathlib import Path

import planting
import pytest
from planting import SUMMARISER, WAYS, recall

from conftest import Door
from holdfast.hook.briefing import CHARACTERS, START_TOKENS
from law import assert_nothing_swallowed, assert_replay_law
from measure import some_of

NUMBERS = (83, 141, 152, 157)
RECALL = 0.95


def test_the_sessions_hold_all_that_can_stop_to_hold():
    scripts = [planting.script(number) for number in NUMBERS]

    assert {turn for script in scripts for turn in script.turns} == set(planting.TURNS)
    assert {fact.kind for script in scripts for fact in script.facts} == set(planting.KINDS)
    held = [sum(fact.holds for fact in script.facts) for script in scripts]
    gone = [sum(not fact.holds for fact in script.facts) for script in scripts]
    assert min(held) >= 8
    assert min(gone) >= 1


@pytest.mark.promise("C1")
@pytest.mark.promise("C2")
@pytest.mark.promise("C3")
@pytest.mark.promise("C5")
@pytest.mark.promise("C13")
@pytest.mark.promise("C14")
@pytest.mark.parametrize("way", some_of(WAYS, 2))
def test_what_holds_is_told_word_for_word_and_what_no_longer_holds_is_not(
    door: Door, state: str, tmp_path: Path, way: str
):
    scripts = [planting.script(number) for number in NUMBERS]

    outcomes = [one for script in scripts for one in planting.lose(door, script, way, tmp_path)]

    assert {one.way for one in outcomes} == {way, *([SUMMARISER] if way == "compaction" else [])}
    for outcome in outcomes:
        # What hearing missed is not lost here; everything else must be told, without exception.
        assert [fact for fact in outcome.lost if fact not in outcome.misheard] == []
        assert [fact for fact in outcome.leaked if fact not in outcome.misheard] == []
        assert planting.strangers(outcome, scripts) == []
        assert outcome.tokens <= START_TOKENS
        assert len(outcome.told) < CHARACTERS
    told, held = recall(outcomes)
    assert told / held >= RECALL, [(one.way, fact.text) for one in outcomes for fact in one.lost]
    assert [(one.way, fact.text) for one in outcomes for fact in one.leaked] == []
    assert_nothing_swallowed(state)
    assert_replay_law(state, *(tmp_path / script.project for script in scripts))


@pytest.mark.promise("C14")
@pytest.mark.parametrize("between", ["opened and closed", "asked something"])
def test_a_session_that_left_nothing_does_not_hide_the_work_before_it(
    door: Door, state: str, tmp_path: Path, between: str
):
    script = planting.script(83)
    stage = planting.Stage(door, script, tmp_path)
    stage.play()
    stage.agent.kill()
    idle = door.agent()
    where = {"folder": stage.repo, "transcript_path": ""}
    door.send("SessionStart.startup", agent=idle, session_id="idle", **where)
    if between == "asked something":
        door.send(
            "UserPromptSubmit", agent=idle, session_id="idle", prompt="where were we?", **where
        )
        door.send(
            "PostToolUse.Read",
            agent=idle,
            session_id="idle",
            tool_input={"file_path": f"{stage.repo}/README.md"},
            **where,
        )
    idle.kill()

    told = door.send("SessionStart.startup", agent=door.agent(), session_id="next", **where)

    held = [fact for fact in script.facts if fact.holds and fact.kind != "file"]
    assert [fact for fact in held if not fact.is_in(told)] == []
    assert "; changed " in told
    assert [fact for fact in script.facts if not fact.holds and fact.leaks_into(told)] == []
    assert_replay_law(state, stage.repo)
    assert_nothing_swallowed(state)


@pytest.mark.promise("C2")
def test_however_many_rules_there_are_goal_work_and_pins_are_told(
    door: Door, state: str, tmp_path: Path
):
    script = planting.script(83)
    stage = planting.Stage(door, script, tmp_path)
    stage.play()
    for number in range(80):
        text = f"never call the old billing service {number} directly, go through the gateway"
        body = {"text": text, "sort": "forbids", "lasting": True, "thread": "", "how": "command"}
        stage.keep("rule_given", body)
    stage.agent.kill()

    told = planting.begin(stage, "startup", door.agent())

    ruled = ("lasting rule", "task rule", "correction")
    others = [fact for fact in script.facts if fact.kind not in (*ruled, "file") and fact.holds]
    assert [fact for fact in others if not fact.is_in(told)] == []
    assert "billing service 79 directly" in told
    assert "older ones: see `holdfast rules`" in told
    assert_replay_law(state, stage.repo)
    assert_nothing_swallowed(state)
