"""What a prompt does to the goal."""

from __future__ import annotations

import pytest

from holdfast.rooms.prompts.goal import CHANGED, KEPT, SEQUEL, judge

pytestmark = pytest.mark.promise("C1")


class Heard:
    def __init__(self, goal: str = "", *, is_change: bool = False, continues: bool = False):
        self.goal, self.is_change, self.continues = goal, is_change, continues


CURRENT = {"goal": "Fix the login", "keywords": ["login"]}
FAR = ["csv", "export", "reports", "page"]


@pytest.mark.parametrize(
    ("heard", "current", "is_first", "is_related", "words", "topics", "expected"),
    [
        (Heard(), None, True, False, [], [], KEPT),
        (Heard("Fix it all", continues=True), None, True, False, [], [], KEPT),
        (Heard("Fix the login"), None, True, False, ["login"], [], SEQUEL),
        (Heard("Add export", is_change=True), CURRENT, False, True, FAR, [], CHANGED),
        (Heard("Fix the login page"), CURRENT, True, True, ["login"], [], KEPT),
        (Heard("Add export"), CURRENT, True, False, FAR, [], CHANGED),
        (Heard("Add export"), CURRENT, False, False, FAR, ["login"], SEQUEL),
        (Heard("Add export"), CURRENT, False, False, FAR, ["reports"], KEPT),
        (Heard("Add it"), CURRENT, False, False, ["csv"], [], KEPT),
    ],
    ids=[
        "no task", "going on", "the first task", "said outright", "a new session goes on with it",
        "a new session's first task is another one", "an unrelated task within a session",
        "a task within what the session works on", "a step in few words",
    ],
)  # fmt: skip
def test_a_task_becomes_the_goal_when_it_is_another_one(
    heard, current, is_first, is_related, words, topics, expected
):
    found = judge(
        heard, current, is_first=is_first, is_related=is_related, words=words, topics=topics
    )

    assert found == expected
