"""How times, ages and marks read in every command."""

from __future__ import annotations

from holdfast.system import clock

MARKS = {"working": "●", "resting": "◐", "ended": "·"}


def ago(at: str, now: str) -> str:
    """An age in the largest unit that fits."""
    seconds = max(0, int(clock.seconds_of(now) - clock.seconds_of(at)))
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size} {unit} ago"
    return f"{seconds} s ago"


def plural(number: int, singular: str, many: str = "") -> str:
    return f"{number} {singular if number == 1 else many or singular + 's'}"
