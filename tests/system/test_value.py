"""Frozen values: each field is given once, and none is set again."""

from __future__ import annotations

import pytest

from holdfast.system.value import Value


class Point(Value):
    __slots__ = ("y", "x")  # noqa: RUF023 - the order of its columns


def test_fields_are_given_in_order_or_by_name():
    assert Point(1, 2) == Point(y=1, x=2)
    assert Point(1, x=2).as_dict() == {"y": 1, "x": 2}


@pytest.mark.parametrize(
    ("values", "named"), [((1,), {}), ((1, 2, 3), {}), ((1, 2), {"x": 2}), ((), {"y": 1})]
)
def test_a_value_with_a_field_too_few_or_too_many_is_none(values, named):
    with pytest.raises(TypeError):
        Point(*values, **named)


def test_a_field_that_is_not_there_is_refused():
    with pytest.raises(KeyError):
        Point(1, z=2)


def test_a_value_is_changed_only_in_a_copy():
    point = Point(1, 2)

    moved = point.changed(x=3)

    assert (point.x, moved.x, moved.y) == (2, 3, 1)
    with pytest.raises(AttributeError):
        point.x = 3
