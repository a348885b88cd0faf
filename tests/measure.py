"""How much of a thing a test does, and how many steps something takes, without a clock."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable

import pytest


def some_or_all(some: object, all_: object) -> pytest.MarkDecorator:
    """Give a test `amount`: some of it in `make test`, all of it in `make prove`."""
    return pytest.mark.parametrize(
        "amount",
        [
            pytest.param(some, id="some"),
            pytest.param(all_, id="all", marks=pytest.mark.exhaustive),
        ],
    )


def some_of(values: Iterable[object], some: int) -> list[object]:
    """Parameters of which the first few are tried in `make test`, and the rest in `make prove`."""
    return [
        value if number < some else pytest.param(value, marks=pytest.mark.exhaustive)
        for number, value in enumerate(values)
    ]


def steps(act: Callable[[], object]) -> int:
    """How many functions are called, ours and the interpreter's, once everything is loaded."""
    called = 0

    def note(frame: object, event: str, argument: object) -> None:
        nonlocal called
        called += event in ("call", "c_call")

    act()
    sys.setprofile(note)
    try:
        act()
    finally:
        sys.setprofile(None)
    return called
