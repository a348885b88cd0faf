from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from holdfast.rooms.gates.confidence import (
    GAINS,
    OBSERVATIONS,
    START,
    TURN_BOUND,
    State,
    change_of,
    is_commit,
    observe,
    step,
    zone,
)
from holdfast.rooms.gates.evidence.proof import Evidence

pytestmark = pytest.mark.promise("G6")

NAMES = st.sampled_from(sorted(OBSERVATIONS))


def walked(value: int, names: list[str]) -> list[int]:
    """The values that a turn's observations lead through."""
    values = [value]
    for at, name in enumerate(names):
        value, _ = step(value, name, recent=names[:at])
        values.append(value)
    return values


def ran(command: str, *, ok: bool = True) -> dict[str, object]:
    return {"tool": "Bash", "deed": "run", "ok": ok, "command": command, "input": {}}


def edited(before: str, after: str, path: str = "app.py") -> dict[str, object]:
    given = {"old_string": before, "new_string": after}
    return {"tool": "Edit", "deed": "edit", "ok": True, "path": path, "input": given}


def test_each_change_is_said_with_its_reason():
    assert step(START, "test_pass", recent=[]) == (80, "test_pass +5: the tests passed")
    assert step(START, "tool_failure", recent=[]) == (
        70,
        "tool_failure -5: a tool failed, or said that it did",
    )


def test_the_same_good_news_counts_less_each_time_in_a_turn():
    assert walked(50, ["test_pass"] * 5) == [50, 55, 58, 60, 61, 62]
    assert walked(50, ["file_read"] * 50)[-1] == 51, "reading is worth one point a turn"


def test_bad_news_does_not_wear_off():
    assert walked(50, ["tool_failure"] * 3) == [50, 45, 40, 35]


def test_a_turn_moves_it_by_fifteen_at_most():
    assert walked(75, ["sunk_cost"])[-1] == 60
    assert walked(75, ["tool_failure"] * 9)[-1] == 60
    assert walked(40, ["test_pass", "build_success", "lint_pass", "types_pass", "commit"])[-1] == 55


def test_good_news_after_the_bound_counts_from_the_bound():
    assert walked(75, ["sunk_cost", "tool_failure", "test_pass"]) == [75, 60, 60, 65]


@given(st.integers(0, 100), st.lists(NAMES | st.text(max_size=5), max_size=30))
def test_no_turn_leaves_the_scale_or_the_bound(value, names):
    values = walked(value, names)

    assert all(0 <= each <= 100 for each in values)
    assert all(abs(each - value) <= TURN_BOUND for each in values)


def test_an_observation_nobody_makes_changes_nothing():
    assert step(75, "sycophancy", recent=[]) == (75, "sycophancy: nobody observes that")


@pytest.mark.parametrize(
    ("lowest", "highest", "name"),
    [
        (0, 30, "IGNORANCE"),
        (31, 50, "HYPOTHESIS"),
        (51, 70, "WORKING"),
        (71, 85, "CERTAINTY"),
        (86, 94, "TRUSTED"),
        (95, 100, "EXPERT"),
    ],
)
def test_the_zones_are_those_of_the_design(lowest, highest, name):
    assert {zone(lowest), zone(highest)} == {name}


def test_every_observation_in_the_table_is_given_by_some_event():
    change = change_of(edited("a", "b"))
    back = change_of(edited("b", "a"))
    passed = [Evidence(kind, True, "", "") for kind in GAINS]
    given_by = [
        observe("tool_used", ran("ls", ok=False), State()),
        observe("tool_used", ran("pytest", ok=False), State(failures=2)),
        observe("tool_used", ran("make"), State(evidence=passed)),
        observe("tool_used", ran("git commit -m x"), State()),
        observe("tool_used", ran("git commit -m x"), State(is_unverified=True)),
        observe("tool_used", {"deed": "read", "ok": True}, State()),
        observe("tool_used", edited("a", "b"), State(changes=[change, back])),
        observe("prompt_given", {"prompt": "no, the other file"}, State(turns=1)),
        observe("prompt_given", {"prompt": "Thanks!"}, State(turns=1)),
        observe("turn_ended", {"again": False}, State(is_unverified=True)),
        observe("turn_ended", {"again": False}, State(turns=5, goal_words=["retry"])),
    ]

    assert {name for names in given_by for name in names} == set(OBSERVATIONS)


def test_a_failure_hidden_behind_a_zero_exit_is_a_failure():
    failed = Evidence("tests", False, "pytest", "1 failed in 0.1s")

    assert observe("tool_used", ran("pytest || true"), State(evidence=[failed])) == ["tool_failure"]


def test_the_third_failure_of_a_command_in_a_row_is_sunk_cost_and_the_fourth_is_a_failure():
    said = [
        observe("tool_used", ran("pytest", ok=False), State(failures=before))[0]
        for before in range(6)
    ]

    assert said == ["tool_failure", "tool_failure", "sunk_cost"] * 2


def test_what_the_person_interrupts_is_not_held_against_the_work():
    body = {**ran("pytest", ok=False), "interrupted": True}

    assert observe("tool_used", body, State()) == []


def test_a_subagents_failures_are_not_the_sessions():
    assert observe("tool_used", {**ran("ls", ok=False), "subagent": "a1"}, State()) == []


def test_taking_an_edit_back_once_is_no_oscillation():
    there, back = edited("a", "b"), edited("b", "a")

    assert observe("tool_used", back, State(changes=[change_of(there)])) == []
    assert observe("tool_used", there, State(changes=[change_of(there), change_of(back)])) == [
        "edit_oscillation"
    ]
    elsewhere = [change_of(edited("a", "b", "b.py")), change_of(edited("b", "a", "b.py"))]
    assert observe("tool_used", there, State(changes=elsewhere)) == []


@pytest.mark.parametrize(
    "prompt",
    [
        "No, use the other table",
        "that's wrong, the limit is 3",
        "That’s not what I asked",
        "You broke the build",
        "revert that please",
        "stop! wrong file",
    ],
)
def test_a_correction_is_heard(prompt):
    assert observe("prompt_given", {"prompt": prompt}, State(turns=1)) == ["user_correction"]


@pytest.mark.parametrize(
    "prompt",
    [
        "Fix the wrong total in the invoice",
        "Add a test that no, as an answer, is stored",
        "no problem, go on",
        "nothing works on staging, find out why",
        "notify the user when the job stops",
        "Please undo the migration in a new migration",
        "stopwords should be skipped",
        "great, but the button is missing",
        "thanks. Now add the second page",
        "perfect is the enemy of good: write that into the readme, with a link to the source",
        "does it look good?",
        "nice, is it fast?",
    ],
)
def test_a_task_is_neither_a_correction_nor_praise(prompt):
    assert observe("prompt_given", {"prompt": prompt}, State(turns=1)) == []


@pytest.mark.parametrize("prompt", ["Thanks!", "LGTM", "perfect", "looks good to me, ship it"])
def test_contentment_is_heard(prompt):
    assert observe("prompt_given", {"prompt": prompt}, State(turns=1)) == ["user_ok"]


def test_the_first_prompt_corrects_nothing():
    assert observe("prompt_given", {"prompt": "No, wait"}, State(turns=0)) == []


def test_an_end_that_a_gate_refused_is_counted_once():
    assert observe("turn_ended", {"again": True}, State(is_unverified=True)) == []


@pytest.mark.parametrize(
    ("turns", "heard", "drifted"),
    [
        (4, [], False),
        (5, [], True),
        (6, [], False),
        (10, [], True),
        (5, ["Retry"], False),
    ],
)
def test_a_drift_is_seen_every_fifth_turn_and_not_while_the_goal_is_spoken_of(
    turns, heard, drifted
):
    state = State(turns=turns, goal_words=["retry", "backoff"], recent_words=heard)

    assert observe("turn_ended", {}, state) == (["goal_drift"] if drifted else [])


@pytest.mark.parametrize(
    ("command", "commits"),
    [
        ("git commit -m x", True),
        ("cd app && git -C . -c user.name=me commit -am x", True),
        ("git commit --dry-run", False),
        ("git log --grep commit", False),
        ("echo 'git commit'", False),
        ("cat <<E\ngit commit\nE", False),
    ],
)
def test_a_commit_is_a_command_and_not_a_word(command, commits):
    assert is_commit(command) is commits


ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)
FIELDS = st.sampled_from(
    ["deed", "ok", "command", "input", "prompt", "again", "path", "interrupted", "subagent"]
)


@given(
    st.sampled_from(["tool_used", "prompt_given", "turn_ended", "other"]),
    st.dictionaries(FIELDS, ODD | st.sampled_from(["run", "edit", "read", "git commit"])),
)
def test_no_event_breaks_the_observing(kind, body):
    assert set(observe(kind, body, State(turns=1))) <= set(OBSERVATIONS)
