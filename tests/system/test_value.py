"""Frozen values: each field is given once, and none is set again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.hook.bundle.build import compiled_text
from holdfast.system.value import Record, Value


class Point(Value):
    y: int
    x: int
    name: str = "here"


def test_fields_are_given_in_order_or_by_name():
    assert Point(1, 2) == Point(x=2, y=1) == Point(1, 2, "here")
    assert list(Point(x=2, y=1).as_dict().items()) == [("y", 1), ("x", 2), ("name", "here")]


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ((1,), {}),
        ((1, 2, "a", 4), {}),
        ((1, 2), {"x": 2}),
        ((1, 2, "a"), {"x": 2}),
        ((), {"y": 1}),
        ((1,), {"z": 2}),
        ((1, 2), {"z": 2}),
    ],
)
def test_a_field_that_is_missing_doubled_or_unknown_is_refused(values, named):
    with pytest.raises(TypeError, match="Point has the fields y, x, name"):
        Point(*values, **named)


def test_a_value_is_changed_only_in_a_copy():
    point = Point(1, 2)

    moved = point.changed(x=3)

    assert (point.x, moved.x, moved.y) == (2, 3, 1)
    with pytest.raises(AttributeError):
        point.x = 3


def test_a_record_is_changed_in_place():
    class Tally(Record):
        count: int = 0

    tally = Tally()
    tally.count += 1

    assert tally == Tally(1)
    assert tally.as_dict() == {"count": 1}


def test_a_value_has_the_same_fields_in_the_bundle_where_types_are_left_out():
    source = (
        "from holdfast.system.value import Value\n"
        "class Base(Value):\n    a: int\n"
        "class More(Base):\n    b: str\n    c: str = 'x'\n"
    )
    stripped: dict = {"__name__": "stripped"}
    exec(compiled_text(source, "stripped"), stripped)

    assert stripped["More"](1, "b").as_dict() == {"a": 1, "b": "b", "c": "x"}
    assert "__annotations__" not in vars(stripped["Base"])


def test_types_check_what_a_constructor_is_given(tmp_path):
    wrong = tmp_path / "wrong.py"
    wrong.write_text(
        "from holdfast.rooms.prompts.queries import Goal\nGoal('only one', 3, nonsense=True)\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "mypy", str(wrong)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    assert "[call-arg]" in done.stdout
    assert "[arg-type]" in done.stdout
