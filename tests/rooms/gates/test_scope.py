from __future__ import annotations

import json

import pytest

from holdfast.config import requirement
from holdfast.rooms.gates import scopes
from holdfast.rooms.gates.scopes import (
    State,
    carried,
    cleared,
    expiry,
    is_approved,
    is_satisfied,
    is_triggered,
    kept_with,
    mirror,
    of_session,
)
from holdfast.system import clock

START_S = 1_700_000_000
SCOPES = ["session", "branch", "permanent", "single_use"]


def at(seconds: float) -> str:
    """A moment, in seconds since the story began."""
    return clock.iso(START_S + seconds)


def demanded(**fields: dict) -> dict[str, dict]:
    compiled, problems = requirement.compile_all([("r.yaml", {"requirements": fields})])
    assert problems == []
    return compiled


def done(
    session: str, *, name: str = "r", by: str = "skill", when: float = 0, until: float | None = None
) -> State:
    return State(
        name,
        session,
        satisfied=True,
        triggered=True,
        satisfied_at=at(when),
        satisfied_by=by,
        expires_at=None if until is None else at(until),
    )


def test_the_words_are_those_of_the_configuration():
    assert scopes.SCOPES == requirement.SCOPES
    assert scopes.GUARD == requirement.GUARD


# The sheet, row by row: scope, cleared when, kept where


@pytest.mark.promise("G1")
def test_session_is_kept_with_the_session_that_satisfied_it():
    assert kept_with("session", "abc12345", "skill") == "abc12345"
    assert is_satisfied("session", [done("abc12345")], "abc12345", at(9))


@pytest.mark.promise("G1")
def test_session_is_cleared_by_a_new_session_on_the_same_branch():
    states = [done("abc12345")]

    assert not is_satisfied("session", states, "def45678", at(9))
    assert is_satisfied("session", states, "abc12345", at(9))


@pytest.mark.promise("G1")
def test_branch_is_kept_at_the_root():
    assert kept_with("branch", "abc12345", "skill") == ""
    assert is_satisfied("branch", [done("")], "abc12345", at(9))


@pytest.mark.promise("G1")
def test_branch_is_not_cleared_by_a_new_session_nor_by_its_trigger_action():
    states = [done("")]

    assert is_satisfied("branch", states, "def45678", at(10**8))
    assert cleared("branch", states, "abc12345") == []


@pytest.mark.promise("G4")
def test_single_use_is_kept_with_the_session_until_its_trigger_action_succeeded():
    states = [done("abc12345"), done("def45678"), done("")]

    assert kept_with("single_use", "abc12345", "skill") == "abc12345"
    assert cleared("single_use", states, "abc12345") == [done("abc12345")]


@pytest.mark.promise("G4")
def test_single_use_has_to_be_satisfied_again_after_it_was_cleared():
    states = [done("abc12345")]
    left = [state for state in states if state not in cleared("single_use", states, "abc12345")]

    assert is_satisfied("single_use", states, "abc12345", at(9))
    assert not is_satisfied("single_use", left, "abc12345", at(9))
    assert not is_triggered(left, "abc12345")


@pytest.mark.promise("G4")
def test_single_use_of_another_session_is_left_alone():
    states = [done("abc12345"), done("def45678")]
    left = [state for state in states if state not in cleared("single_use", states, "abc12345")]

    assert is_satisfied("single_use", left, "def45678", at(9))


@pytest.mark.promise("G4")
@pytest.mark.parametrize("kind", ["session", "branch", "permanent"])
def test_a_trigger_action_clears_no_other_scope(kind):
    assert cleared(kind, [done("abc12345"), done("")], "abc12345") == []


@pytest.mark.promise("G1")
def test_permanent_is_kept_at_the_root_and_never_cleared_by_itself():
    states = [done("", until=10)]

    assert kept_with("permanent", "abc12345", "cli") == ""
    assert is_satisfied("permanent", states, "def45678", at(10**9))
    assert cleared("permanent", states, "abc12345") == []


# What a session sees


@pytest.mark.promise("G1")
@pytest.mark.parametrize("kind", SCOPES)
def test_nothing_is_satisfied_where_nothing_was_done(kind):
    assert not is_satisfied(kind, [], "abc12345", at(0))
    assert not is_satisfied(
        kind, [State("r", "abc12345", triggered=True), State("r")], "abc12345", at(0)
    )


@pytest.mark.promise("G1")
@pytest.mark.parametrize(
    ("kind", "seen"),
    [("session", False), ("single_use", False), ("branch", True), ("permanent", True)],
)
def test_a_new_session_sees_what_is_kept_at_the_root_alone(kind, seen):
    states = [done(kept_with(kind, "abc12345", "skill"))]

    assert is_satisfied(kind, states, "def45678", at(9)) is seen


@pytest.mark.promise("G1")
def test_what_a_session_triggered_no_other_session_has_triggered():
    states = [State("r", "abc12345", triggered=True)]

    assert is_triggered(states, "abc12345")
    assert not is_triggered(states, "def45678")


@pytest.mark.promise("G3")
@pytest.mark.parametrize("kind", ["session", "single_use"])
def test_a_person_satisfies_every_session_of_a_branch_whatever_the_scope(kind):
    kept = kept_with(kind, "abc12345", "cli", whole_branch=True)

    assert kept == ""
    assert is_satisfied(kind, [done(kept, by="cli")], "def45678", at(9))


@pytest.mark.promise("G3")
@pytest.mark.parametrize("kind", ["session", "single_use", "branch"])
def test_a_whole_branch_is_satisfied_for_the_time_that_was_given_and_no_longer(kind):
    states = [done("", by="cli", until=60)]

    assert is_satisfied(kind, states, "def45678", at(59))
    assert not is_satisfied(kind, states, "def45678", at(60))


# Time


@pytest.mark.promise("G3")
@pytest.mark.parametrize("kind", SCOPES)
def test_an_approval_counts_for_its_session_and_its_time_whatever_the_scope(kind):
    kept = kept_with(kind, "abc12345", "approval", whole_branch=True)
    states = [done(kept, by="approval", until=300)]

    assert kept == "abc12345"
    assert is_satisfied(kind, states, "abc12345", at(299))
    assert not is_satisfied(kind, states, "abc12345", at(300))
    assert not is_satisfied(kind, states, "def45678", at(299))


@pytest.mark.promise("G3")
def test_an_approval_without_an_end_is_none():
    assert is_approved([done("abc12345", by="approval", until=300)], "abc12345", at(9))
    assert not is_approved([done("abc12345", by="approval")], "abc12345", at(9))
    assert not is_approved([done("abc12345", by="skill", until=300)], "abc12345", at(9))


@pytest.mark.promise("G3")
@pytest.mark.parametrize(
    ("fields", "by", "asked", "ends"),
    [
        pytest.param({}, "skill", None, None, id="a skill's work has no end"),
        pytest.param({"replan_ttl": 60}, "skill", None, 60, id="unless it is to be renewed"),
        pytest.param({"replan_ttl": 60}, "cli", 10, 10, id="or the person gave a time"),
        pytest.param({}, "approval", None, 300, id="an approval ends after 300 s"),
        pytest.param({"approval_ttl": 900}, "approval", None, 900, id="or as configured"),
        pytest.param({}, "approval", 30, 30, id="or as the person said"),
        pytest.param(
            {"scope": "permanent", "replan_ttl": 60}, "skill", 5, None, id="permanent never ends"
        ),
        pytest.param(
            {"scope": "permanent"}, "approval", None, 300, id="but an approval of it does"
        ),
    ],
)
def test_a_satisfaction_ends_when_its_way_says(fields, by, asked, ends):
    r = demanded(r=fields)["r"]

    assert expiry(r, by, at(0), asked) == (None if ends is None else at(ends))


# Carry-over


DEMANDED = {
    "plan": {},
    "review": {"scope": "single_use"},
    "design": {"scope": "branch"},
    "main": {"type": "guard", "guard_type": "protected_branch"},
}


def handed_on(states: list[State], now: float, *, window_s: int = 300, scopes=("session",)):
    return carried(
        states, window_s, at(now), scopes, requirements=demanded(**DEMANDED), session="new"
    )


@pytest.mark.promise("G3")
def test_a_cleared_session_hands_on_what_it_satisfied_a_moment_ago():
    before = [done("old", name="plan", when=0, until=900)]

    [state] = handed_on(before, 299)

    assert state == State(
        "plan",
        "new",
        satisfied=True,
        satisfied_at=at(0),
        satisfied_by="carry_over",
        expires_at=at(900),
    )
    assert is_satisfied("session", [*before, state], "new", at(300))


@pytest.mark.promise("G3")
@pytest.mark.parametrize(
    ("states", "now"),
    [
        pytest.param([done("old", name="plan")], 301, id="too long ago"),
        pytest.param([done("old", name="plan", when=900)], 0, id="by a clock that was set back"),
        pytest.param([done("old", name="plan", until=100)], 100, id="expired at its source"),
        pytest.param([State("plan", "old", triggered=True)], 1, id="never satisfied"),
        pytest.param([done("new", name="plan")], 1, id="the session's own"),
        pytest.param([done("", name="plan")], 1, id="kept at the root: it counts anyway"),
        pytest.param([done("old", name="main", by="approval", until=300)], 1, id="a guard"),
        pytest.param([done("old", name="review")], 1, id="a scope that is not handed on"),
        pytest.param([done("old", name="design", by="approval", until=300)], 1, id="a branch's"),
        pytest.param([done("old", name="gone")], 1, id="no longer demanded"),
    ],
)
def test_a_cleared_session_does_not_hand_on(states, now):
    assert handed_on(states, now) == []


@pytest.mark.promise("G3")
def test_one_clear_after_the_other_does_not_make_it_last():
    first = handed_on([done("old", name="plan")], 200)
    first[0].session = "between"

    assert handed_on(first, 400) == []


@pytest.mark.promise("G3")
def test_the_window_and_the_scopes_of_what_is_handed_on_can_be_set():
    states = [done("old", name="review"), done("old", name="plan", when=50)]

    found = handed_on(states, 80, window_s=40, scopes=("session", "single_use"))
    wider = handed_on(states, 80, window_s=90, scopes=("session", "single_use"))

    assert [state.requirement for state in found] == ["plan"]
    assert [state.requirement for state in wider] == ["review", "plan"]


@pytest.mark.promise("G3")
def test_of_two_sessions_the_newer_satisfaction_is_handed_on():
    states = [
        done("b", name="plan", when=20, until=500),
        done("a", name="plan", when=10, until=900),
    ]

    assert [state.expires_at for state in handed_on(states, 30)] == [at(500)]


@pytest.mark.promise("G1")
def test_an_ending_session_clears_its_own_state_and_nobody_elses():
    states = [done("abc12345"), done("def45678"), done("")]

    assert of_session(states, "abc12345") == [done("abc12345")]
    assert of_session(states, "") == []


# The workflows of the seed


@pytest.mark.promise("G1")
def test_two_sessions_on_a_branch_plan_each_for_itself():
    states = [done("abc123")]
    assert not is_satisfied("session", states, "def456", at(1))

    states.append(done("def456"))
    assert not is_satisfied("session", states, "ghi789", at(2))
    assert is_satisfied("session", states, "abc123", at(2))


# The mirror


@pytest.mark.promise("G1")
def test_the_mirror_is_in_the_format_of_the_design():
    demands = demanded(
        commit_plan={},
        architecture_reviewed={"scope": "branch"},
        pre_commit_review={"scope": "single_use"},
        security_audit_passed={"scope": "permanent"},
        protected={"type": "guard", "guard_type": "protected_branch"},
    )
    states = [
        done("abc12345-6789-4abc-8def-000000000000", name="commit_plan", when=1),
        done("", name="architecture_reviewed", when=2, by="cli"),
        State("pre_commit_review", "abc12345-6789-4abc-8def-000000000000", triggered=True),
        done("", name="security_audit_passed", when=3),
    ]

    assert mirror(demands, states, "feature/auth") == {
        "version": "1.0",
        "branch": "feature/auth",
        "requirements": {
            "commit_plan": {
                "scope": "session",
                "sessions": {
                    "abc12345": {
                        "satisfied": True,
                        "triggered": True,
                        "satisfied_at": START_S + 1,
                        "satisfied_by": "skill",
                        "expires_at": None,
                    }
                },
            },
            "architecture_reviewed": {
                "scope": "branch",
                "satisfied": True,
                "satisfied_at": START_S + 2,
                "satisfied_by": "cli",
            },
            "pre_commit_review": {
                "scope": "single_use",
                "sessions": {
                    "abc12345": {
                        "satisfied": False,
                        "triggered": True,
                        "satisfied_at": None,
                        "satisfied_by": None,
                        "expires_at": None,
                    }
                },
            },
            "security_audit_passed": {
                "scope": "permanent",
                "satisfied": True,
                "satisfied_at": START_S + 3,
                "satisfied_by": "skill",
            },
        },
    }


def test_sessions_that_share_eight_characters_keep_their_whole_ids_in_the_mirror():
    states = [done("session-12"), done("session-19"), done("other-session")]

    found = mirror(demanded(r={}), states, "main")["requirements"]["r"]["sessions"]

    assert sorted(found) == ["otherses", "session-12", "session-19"]


def test_the_mirror_keeps_what_is_no_longer_demanded_and_says_where_it_was_kept():
    found = mirror({}, [done("s1", name="a"), done("", name="b")], "main")["requirements"]

    assert {name: each["scope"] for name, each in found.items()} == {"a": "session", "b": "branch"}


def test_the_mirror_shows_what_was_satisfied_for_a_whole_branch_and_until_when():
    found = mirror(demanded(r={}), [done("", by="cli", until=60)], "main")["requirements"]["r"]

    assert found == {
        "scope": "session",
        "sessions": {},
        "satisfied": True,
        "satisfied_at": START_S,
        "satisfied_by": "cli",
        "expires_at": START_S + 60,
    }


def test_the_mirror_of_a_branch_scope_shows_an_approval_and_no_mere_trigger():
    states = [State("r", "s1", triggered=True), done("s2", by="approval", until=300)]

    found = mirror(demanded(r={"scope": "branch"}), states, "main")["requirements"]["r"]

    assert list(found["sessions"]) == ["s2"]
    assert found["satisfied"] is False


def test_the_mirror_is_json():
    states = [done("s1", until=5), done("")]

    assert json.loads(json.dumps(mirror(demanded(r={}), states, "main")))["version"] == "1.0"
