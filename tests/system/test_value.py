"""Frozen values: each field is given once, and none is set again."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import holdfast
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


def test_the_types_of_a_values_fields_stand_in_the_order_of_its_slots():
    unlike = []
    for source in Path(holdfast.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and any(
                isinstance(base, ast.Name) and base.id == "Value" for base in node.bases
            ):
                slots, typed = fields_of(node)
                if slots != typed:
                    unlike.append(f"{source.name}: {node.name}")

    assert unlike == []


def fields_of(node: ast.ClassDef) -> tuple[list[str], list[str]]:
    slots, typed = [], []
    for statement in node.body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "__slots__":
            slots = list(eval(ast.unparse(statement.value), {"tuple": tuple}))
        if isinstance(statement, ast.If):
            typed = [ast.unparse(each.target) for each in statement.body if hasattr(each, "target")]
    return slots, typed


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
