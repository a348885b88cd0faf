"""What a question costs does not grow with a project's past: counted in steps of the database."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from holdfast.ledger.workspace import Workspace
from holdfast.rooms.prompts import queries as prompt_queries
from holdfast.rooms.work import queries as work_queries
from holdfast.system import clock

NOW = 1_750_000_000.0
QUESTIONS: dict[str, Callable[[Any], Any]] = {
    "rules": lambda store: prompt_queries.rules(store, "p", "thread-1"),
    "learnings": lambda store: work_queries.learnings(store, "p", 3),
    "last_checkpoint": lambda store: work_queries.last_checkpoint(store, "p", "none"),
    "goal_of": lambda store: prompt_queries.goal_of(store, "s1"),
    "pins": lambda store: work_queries.pins(store, "p", "s1"),
    "withdrawn_texts": lambda store: prompt_queries.withdrawn_texts(store, "p", 5),
}


def entries(many: int) -> Iterator[tuple[str, str, dict[str, Any]]]:
    tier1 = {"goal": "", "rules": []}
    for number in range(many):
        session = f"s{number}"
        goal = {"goal": "work", "keywords": [], "thread": f"thread-{number}", "how": "prompt"}
        rule = {"text": f"rule {number}", "sort": "forbids", "lasting": number < 3}
        yield session, "goal_set", goal
        yield session, "rule_given", {**rule, "thread": f"thread-{number}", "how": "prompt"}
        yield session, "learnt", {"text": f"{number}", "source": "fix", "categories": []}
        yield session, "pinned", {"content": f"{number}", "label": "", "critical": False}
        taken = {"cause": "delta", "schema": 1, "tokens": 1, "phase": "VERBOSE", "tier1": tier1}
        yield session, "checkpoint_taken", taken


def steps(workspace: Workspace, question: Callable[[Any], Any]) -> int:
    """How many steps the database takes for a question, in twenties."""
    counted = [0]

    def count() -> bool:
        counted[0] += 1
        return False

    workspace.store._db.set_progress_handler(count, 20)
    question(workspace.store)
    workspace.store._db.set_progress_handler(None)
    return counted[0]


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_costs_the_same_after_many_sessions(workspace: Workspace, name: str) -> None:
    took = []
    for many in (10, 400):
        with workspace.store.transaction():
            for number, (session, kind, body) in enumerate(entries(many)):
                at = clock.iso(NOW + number)
                key = f"{kind}:{number}"
                workspace.keep(kind, body, key=key, at=at, project="p", session=session)
        took.append(steps(workspace, QUESTIONS[name]))
    assert took[1] <= 2 * took[0] + 5, took
