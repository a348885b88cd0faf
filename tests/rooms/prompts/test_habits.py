from __future__ import annotations

import pytest

from holdfast.rooms.prompts.habits import request_in


@pytest.mark.promise("W6")
@pytest.mark.parametrize(
    ("prompt", "request_"),
    [
        ("commit this", "commit this"),
        ("OK, please commit this now.", "commit this"),
        ("Can you run the tests again?", "run the tests"),
        ("let's push", "push"),
    ],
)
def test_a_request_is_known_in_nearly_the_same_words(prompt, request_):
    assert request_in(prompt) == request_


@pytest.mark.promise("W6")
@pytest.mark.parametrize(
    "prompt",
    [
        "yes",
        "1",
        "fix the cart",
        "why does it commit twice?",
        "commit abc123",
        "review src/cart.py",
        "commit this\nand then push",
        "run the tests that you have just written for the cart and its neighbours",
        "",
        "x" * 10_000,
    ],
)
def test_answers_tasks_questions_and_what_names_something_are_none(prompt):
    assert request_in(prompt) == ""
