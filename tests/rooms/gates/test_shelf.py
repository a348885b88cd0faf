from __future__ import annotations

import random

import pytest
from work.test_cost import steps

from holdfast.ledger.workspace import Workspace
from holdfast.rooms.gates import confidence, queries
from holdfast.rooms.gates.scopes import State
from holdfast.system import clock

QUESTIONS = {
    "acts": lambda store: queries.acts(store, "s1"),
    "states": lambda store: queries.states(store, "p", "b1", "s1"),
    "switches": lambda store: queries.is_off(store, "p", "s1"),
}


@pytest.mark.promise("G2")
@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_costs_the_same_after_many_sessions(workspace: Workspace, name: str) -> None:
    took = []
    for many in (10, 400):
        with workspace.store.transaction():
            for number in range(many):
                session = f"s{number}"
                body = {"requirement": "plan", "branch": f"b{number}", "whose": session}
                said = {**body, "by": "skill", "words": ""}
                at, key = clock.iso(1_750_000_000 + number), f"met:{number}"
                workspace.keep(
                    "requirement_met", said, key=key, at=at, project="p", session=session
                )
        took.append(steps(workspace, QUESTIONS[name]))
    assert took[1] <= 2 * took[0] + 5, took


def test_a_session_that_did_nothing_yet_has_the_confidence_of_the_start(
    workspace: Workspace,
) -> None:
    assert queries.conduct_of(workspace.store, "nobody").confidence == confidence.START


def as_tuples(states: list[State]) -> list[tuple[object, ...]]:
    names = list(State._fields)
    return sorted(tuple(str(getattr(one, name)) for name in names) for one in states)


@pytest.mark.promise("G2")
def test_the_last_act_of_each_sort_tells_the_same_state_as_all_of_them(workspace):
    chance = random.Random(7)
    acts = ("requirement_met", "requirement_triggered", "requirement_cleared")
    with workspace.store.transaction():
        for number in range(300):
            kind, session = chance.choice(acts), f"s{chance.randrange(4)}"
            body = {"requirement": chance.choice(("plan", "test", "review")), "branch": "b"}
            if kind == "requirement_triggered":
                body["tool"] = "Edit"
            else:
                body["whose"] = chance.choice(("", session, "s1"))
                body |= {"by": f"by {number}", "words": ""} if kind == acts[0] else {"why": "w"}
            # Some come late: the order they are kept in is not the order they were made in.
            at = clock.iso(1_750_000_000 + chance.randrange(1_000))
            workspace.keep(kind, body, key=f"{number}", at=at, project="p", session=session)
            everybody = queries.states(workspace.store, "p", "b")
            for asked in ("s1", "s2", "nobody"):
                counts = [one for one in everybody if one.session in ("", asked)]
                found = queries.states(workspace.store, "p", "b", asked)
                assert as_tuples(found) == as_tuples(counts), number


def test_a_branch_that_many_sessions_met_costs_no_more_to_ask_about(workspace):
    took = []
    for many in (20, 800):
        with workspace.store.transaction():
            for number in range(many):
                for whose in ("", f"s{number}"):
                    body = {"requirement": "plan", "branch": "b", "whose": whose}
                    workspace.keep(
                        "requirement_met",
                        {**body, "by": "skill", "words": ""},
                        key=f"met:{whose}",
                        at=clock.iso(1_750_000_000 + number),
                        project="p",
                        session=f"s{number}",
                    )
        took.append(steps(workspace, lambda store: queries.states(store, "p", "b", "s1")))
    assert took[1] <= took[0] + 2, took
