from __future__ import annotations

import pytest

from continuity.test_cost import steps
from holdfast import platform
from holdfast.gates import confidence, shelf
from holdfast.workspace import Workspace

QUESTIONS = {
    "acts": lambda store: shelf.acts(store, "s1"),
    "states": lambda store: shelf.states(store, "p", "b1", "s1"),
    "switches": lambda store: shelf.is_off(store, "p", "s1"),
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
                at, key = platform.iso(1_750_000_000 + number), f"met:{number}"
                workspace.keep(
                    "requirement_met", said, key=key, at=at, project="p", session=session
                )
        took.append(steps(workspace, QUESTIONS[name]))
    assert took[1] <= 2 * took[0] + 5, took


def test_a_session_that_did_nothing_yet_has_the_confidence_of_the_start(
    workspace: Workspace,
) -> None:
    assert shelf.conduct_of(workspace.store, "nobody")["confidence"] == confidence.START
