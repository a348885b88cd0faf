from __future__ import annotations

import pytest
from identity.lives import TASK, Lives

from holdfast.hook.belief import CONFIDENCE, decay, is_told
from holdfast.rooms.work import restoration
from holdfast.rooms.work.relevance import THRESHOLD, choose, overlap, recency, score

MINUTE = 1 / 60


@pytest.mark.promise("C7")
@pytest.mark.parametrize(
    ("hours", "topics", "keywords", "tasks", "expected"),
    [
        pytest.param(0, [], [], 0, 0.4, id="recency alone"),
        pytest.param(84, [], [], 0, 0.2, id="half the lookback"),
        pytest.param(168, [], [], 0, 0.0, id="the whole lookback"),
        pytest.param(1000, [], [], 0, 0.0, id="older than the lookback"),
        pytest.param(168, ["a"], ["a"], 0, 0.35, id="overlap alone"),
        pytest.param(168, ["a", "b"], ["b", "c"], 0, 0.35 / 3, id="one word of three"),
        pytest.param(168, [], [], 1, 0.0625, id="one task"),
        pytest.param(168, [], [], 4, 0.25, id="four tasks"),
        pytest.param(168, [], [], 40, 0.25, id="forty tasks weigh as four"),
        pytest.param(0, ["a"], ["a"], 4, 1.0, id="everything"),
        pytest.param(-5, [], [], 0, 0.4, id="a clock that jumped"),
        pytest.param(168, [], [], -1, 0.0, id="tasks cannot count against it"),
    ],
)
def test_a_score_weighs_recency_words_and_tasks(hours, topics, keywords, tasks, expected):
    assert score(hours, topics, keywords, tasks) == pytest.approx(expected)


@pytest.mark.promise("C7")
@pytest.mark.parametrize(
    ("topics", "keywords", "expected"),
    [
        pytest.param([], [], 0.0, id="both empty"),
        pytest.param(["cart"], [], 0.0, id="no keywords"),
        pytest.param(["Cart", "tax"], ["cart", "TAX"], 1.0, id="case does not matter"),
        pytest.param(["cart", "CART"], ["cart"], 1.0, id="said twice is said once"),
        pytest.param(["cart"], ["tax"], 0.0, id="nothing shared"),
        pytest.param(["cart", "tax", "vat"], ["cart"], 1 / 3, id="shared of all"),
    ],
)
def test_overlap_is_what_is_shared_of_all_words(topics, keywords, expected):
    assert overlap(topics, keywords) == pytest.approx(expected)


@pytest.mark.promise("C7")
def test_a_longer_lookback_stretches_recency():
    assert recency(168, lookback_hours=336) == 0.5
    assert score(168, [], [], 0, lookback_hours=336) == pytest.approx(0.2)


@pytest.mark.promise("C7")
def test_three_tasks_at_141_and_three_quarter_hours_score_exactly_a_quarter():
    assert score(141.75, [], [], 3) == THRESHOLD == 0.25


@pytest.mark.promise("C7")
def test_three_tasks_a_minute_later_fall_under_a_quarter():
    assert score(141.75 + MINUTE, [], [], 3) < THRESHOLD


@pytest.mark.promise("C7")
@pytest.mark.parametrize("hours", [0, 141.75, 168, 10_000])
def test_four_tasks_give_a_quarter_at_any_age(hours):
    assert score(hours, [], [], 4) >= THRESHOLD


@pytest.mark.promise("C7")
def test_without_tasks_and_overlap_a_session_qualifies_up_to_63_hours_only():
    scored = [("at 63 h", score(63, [], [], 0)), ("later", score(63 + MINUTE, [], [], 0))]

    assert choose(scored) == [("at 63 h", 0.25)]


@pytest.mark.promise("C7")
def test_a_session_under_the_threshold_is_not_restored():
    young = score(24, [], [], 3)

    assert choose([("weak", 0.249999), ("three tasks", young)]) == [("three tasks", young)]


@pytest.mark.promise("C7")
def test_the_best_three_are_chosen_and_equals_are_told_apart_by_id():
    scored = [("d", 0.5), ("b", 0.5), ("a", 0.3), ("c", 0.5), ("e", 0.9)]

    assert choose(scored) == [("e", 0.9), ("b", 0.5), ("c", 0.5)]
    assert choose(list(reversed(scored))) == choose(scored)


@pytest.mark.promise("C7")
@pytest.mark.parametrize(
    ("threshold", "limit", "expected"),
    [
        (0.25, 0, []),
        (0.25, -1, []),
        (0.25, 1, ["a"]),
        (0.25, 10, ["a", "b"]),
        (0.1, 10, ["a", "b", "c"]),
        (1.0, 10, ["a"]),
    ],
)
def test_threshold_and_limit_are_settings(threshold, limit, expected):
    scored = [("a", 1.0), ("b", 0.25), ("c", 0.1), ("d", 0.0)]

    assert [session for session, _ in choose(scored, threshold, limit)] == expected


@pytest.mark.promise("C8")
def test_full_confidence_decays_in_48_hours_to_about_0_886():
    assert decay(1.0, 48) == pytest.approx(0.885714, abs=1e-6)
    assert round(decay(1.0, 48), 2) == 0.89  # as the seed says


@pytest.mark.promise("C8")
@pytest.mark.parametrize(
    ("confidence", "hours", "floor", "expected"),
    [
        pytest.param(1.0, 0, 0.3, 1.0, id="new"),
        pytest.param(1.0, -10, 0.3, 1.0, id="a clock that jumped"),
        pytest.param(1.0, 168, 0.3, 0.6, id="a week takes two fifths"),
        pytest.param(1.0, 294, 0.3, 0.3, id="where the floor is reached"),
        pytest.param(1.0, 295, 0.3, 0.3, id="beyond the floor"),
        pytest.param(0.5, 10_000, 0.3, 0.15, id="the floor is a share, not a value"),
        pytest.param(1.0, 10_000, 0.9, 0.9, id="a high floor"),
        pytest.param(1.0, 420, 0.1, 0.1, id="a low floor"),
        pytest.param(0.0, 0, 0.3, 0.0, id="nothing to lose"),
    ],
)
def test_confidence_decays_to_its_floor(confidence, hours, floor, expected):
    assert decay(confidence, hours, floor) == pytest.approx(expected)


@pytest.mark.promise("C8")
@pytest.mark.parametrize(
    ("source", "last_hour"),
    [("grounded", 280), ("agent", 210), ("unsupported", 140)],
)
def test_what_was_believed_less_is_dropped_sooner(source, last_hour):
    confidence = CONFIDENCE[source]

    assert is_told(confidence, last_hour - MINUTE)
    assert not is_told(confidence, last_hour + MINUTE)


@pytest.mark.promise("C8")
def test_what_the_user_said_is_inherited_at_any_age():
    assert is_told(CONFIDENCE["user"], 1e9)


@pytest.mark.promise("C8")
def test_a_confidence_of_0_3_is_kept_and_less_is_dropped():
    assert is_told(0.3, 0)
    assert not is_told(0.3, MINUTE)


@pytest.mark.promise("C8")
def test_a_lower_floor_drops_even_what_the_user_said():
    assert not is_told(CONFIDENCE["user"], 1e9, floor=0.1)


@pytest.mark.promise("C7")
def test_the_session_of_a_moment_ago_is_restored_with_its_next_steps(workspace, repo, monkeypatch):
    monkeypatch.setattr(restoration, "LIMIT_S", 600.0)  # however busy the machine is
    lives = Lives(workspace, str(repo))
    todo = {"content": "Write the parser", "status": "pending", "activeForm": "Writing it"}
    lives.begin("a")
    lives.say("a", TASK)
    lives.tell("PostToolUse", "a", tool_name="TodoWrite", tool_input={"todos": [todo]})
    lives.end("a")

    told = lives.begin("b")

    ((restored,),) = (body["sessions"] for body in lives.bodies("state_inherited"))
    assert restored["session"] == "a"
    assert "> Write the parser" in told.partition("Next steps, from the agent's list:")[2]
