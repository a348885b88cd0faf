"""What the pack holds of a module: all that it does, and nothing for its readers."""

from __future__ import annotations

import traceback

import pytest

from holdfast.hook.bundle import build

SOURCE = '''"""A module."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from nowhere import Nothing


class Empty:
    """Nothing else in it."""


class Point:
    """Where."""

    x: int
    y: int = 2


def spoken() -> Nothing:
    """Only words."""


def ratio(a: Nothing, /, b: int, *more: int, c: float = 2.0, **rest: object) -> Nothing:
    """A quotient."""
    total: int = b
    return a / total
'''


@pytest.fixture
def names(tmp_path):
    source = tmp_path / "module.py"
    source.write_text(SOURCE)
    found = {"__name__": "module"}
    exec(build.compiled(source), found)
    return found


def test_it_does_the_same(names):
    assert names["ratio"](6, 3, 1, c=1, d=2) == 2
    assert names["Point"].y == 2
    assert names["Empty"]() is not None
    assert names["spoken"]() is None


def test_nothing_is_left_for_readers(names):
    assert names.get("__doc__") is None
    assert names["ratio"].__doc__ is None
    assert names["ratio"].__annotations__ == {}
    assert "annotations" not in names


def test_a_fault_still_says_its_line(names):
    with pytest.raises(ZeroDivisionError) as raised:
        names["ratio"](1, 0)

    found = traceback.extract_tb(raised.value.__traceback__)[-1]
    assert found.lineno == 1 + SOURCE.splitlines().index("    return a / total")


def test_modules_that_the_same_events_need_are_read_at_once():
    groups = {"a": ("x", "y"), "b": ("y", "x", "z"), "c": ("z",)}

    assert build.together(groups) == {("a", "b"): ["x", "y"], ("b", "c"): ["z"]}
