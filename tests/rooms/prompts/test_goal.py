"""What a prompt does to the goal."""

from __future__ import annotations

import pytest

from holdfast.rooms.prompts.understanding import CHANGED, KEPT, SEQUEL, judge_goal

pytestmark = pytest.mark.promise("C1")


class Heard:
    def __init__(self, goal: str = "", *, is_change=False, only_opens=False):
        self.goal, self.is_change, self.only_opens = goal, is_change, only_opens


CURRENT = {"goal": "Fix the login", "keywords": ["login"]}
FAR = ["csv", "export", "reports", "page"]


@pytest.mark.parametrize(
    ("heard", "current", "is_first", "is_related", "words", "expected"),
    [
        (Heard(), None, True, False, [], KEPT),
        (Heard("Fix the login"), None, True, False, ["login"], SEQUEL),
        (Heard("login fails", only_opens=True), None, True, False, ["login"], SEQUEL),
        (Heard("Add export", is_change=True), CURRENT, False, True, FAR, CHANGED),
        (Heard("Fix the login page"), CURRENT, True, True, ["login"], SEQUEL),
        (Heard("Add export"), CURRENT, True, False, FAR, CHANGED),
        (Heard("Add export"), CURRENT, False, False, FAR, SEQUEL),
        (Heard("Add export to the login"), CURRENT, False, True, FAR, SEQUEL),
        (Heard("export is slow", only_opens=True), CURRENT, False, False, FAR, KEPT),
        (Heard("Add it"), CURRENT, False, False, ["csv"], KEPT),
    ],
    ids=[
        "no task", "the first task", "a report opens", "said outright",
        "a new session's first task, of the same subject",
        "a new session's first task is another one", "an unrelated task within a session",
        "a task of the same subject", "a report changes none", "a step in few words",
    ],
)  # fmt: skip
def test_a_task_becomes_the_goal_when_it_is_another_one(
    heard, current, is_first, is_related, words, expected
):
    verdict = judge_goal(heard, current, is_first=is_first, is_related=is_related, words=words)

    assert verdict == expected
