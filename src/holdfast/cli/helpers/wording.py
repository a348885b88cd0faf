"""How times, ages and marks read in every command."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
import time

import click

from holdfast.system import clock

MARGIN = 20  # columns that a text is given at least
UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
LIMIT_S = 366 * UNITS["d"]
MARKS = {"working": "●", "resting": "◐", "ended": "·"}


def ago(at: str, now: str) -> str:
    """An age in the largest unit that fits."""
    seconds = max(0, int(clock.seconds_of(now) - clock.seconds_of(at)))
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size} {unit} ago"
    return f"{seconds} s ago"


def local_time(at: str, now: str) -> str:
    """A time on the person's own clock: of today its hour, of another day that as well."""
    there, here = (time.localtime(clock.seconds_of(each)) for each in (at, now))
    is_today = there[:3] == here[:3]
    return time.strftime("%H:%M" if is_today else "%Y-%m-%d %H:%M", there)


def plural(number: int, singular: str, many: str = "") -> str:
    return f"{number:,} {singular if number == 1 else many or singular + 's'}"


def times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"


def fitted(text: str, notes: str, indent: int) -> str:
    """A text and notes on it, in one line where the terminal is wide enough; else the notes begin
    a line, and lines end with a word. Without a terminal nothing is changed."""
    line = f"{text}  {notes}"
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
    if not width or all(len(part) <= width for part in line.split("\n")):
        return line
    room, margin = max(width - indent, MARGIN), " " * indent
    wrapper = textwrap.TextWrapper(
        room, break_long_words=False, break_on_hyphens=False, replace_whitespace=False
    )
    head, *rest = text[indent:].split("\n")
    parts = [head, *(part.removeprefix(margin) for part in rest), notes]
    lines = [row for part in parts for row in wrapper.wrap(part) or [""]]
    return text[:indent] + f"\n{margin}".join(lines)


def duration(given: str, unit: str = "") -> int:
    """A time such as 45s, 30m, 2h or 1d in seconds, at most a leap year; 0 for any other text.
    `unit` is meant where none is given."""
    match = re.fullmatch(r"([0-9]{1,9})([smhd]?)", given)
    seconds = int(match[1]) * UNITS.get(match[2] or unit, 0) if match else 0
    return seconds if seconds <= LIMIT_S else 0


def since_given(_: click.Context, __: click.Parameter, value: str | None) -> float:
    """A day such as 2026-03-01, or an age such as 7d or 12h, in seconds since 1970; 0 for none."""
    if value is None:
        return 0.0
    age = re.fullmatch(r"([0-9]{1,5})([hd])", value)
    if age:
        return clock.seconds_of(clock.now()) - int(age[1]) * (3_600 if age[2] == "h" else 86_400)
    if re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])", value):
        return clock.seconds_of(f"{value}T00:00:00Z")
    raise click.BadParameter(f"{value} is not a day such as 2026-03-01, or an age such as 7d")
