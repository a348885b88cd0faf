"""What an agent told its hooks, or would have: an event of a session that is over, and how the rows
of a file that tells of it are read. Not for hooks: it loads `re` and `json`."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

from holdfast.system import clock

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from holdfast.agents.claude_code.fields import Payload

    Row = Payload

STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")


class Told(NamedTuple):
    """Something that the client told its hooks, or would have, in Claude Code's words."""

    at: float  # seconds since 1970
    name: str  # as the hooks know it
    rows: int  # how many the transcript had
    cwd: str
    branch: str
    fields: Row
    row: str = ""  # the row that says so, by its uuid
    text: str = ""  # of a prompt


class Telling:
    """What a reader of one session's rows knows at each of them, and the events so far."""

    def __init__(self, cwd: str = "") -> None:
        self.events: list[Told] = []
        self._at, self._rows, self._cwd, self._branch, self._turn = 0.0, 0, cwd, "", ""

    def _emit(self, event: str, *, row: str = "", text: str = "", **fields: Any) -> None:
        if self._turn:
            fields["prompt_id"] = self._turn
        about = (self._at, event, self._rows, self._cwd, self._branch)
        self.events.append(Told(*about, fields, row, text))


def text_in(row: Row, name: str) -> str:
    value = row.get(name)
    return value if isinstance(value, str) else ""


def parsed(lines: Iterable[bytes]) -> Iterator[Row]:
    """The rows of a file; a half line, or one that is no object, is passed over."""
    for line in lines:
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict):
            yield row


def seconds(row: Row) -> float | None:
    """When a row was written; None where it does not say so."""
    stamp = row.get("timestamp")
    return clock.seconds_of(stamp) if isinstance(stamp, str) and STAMP.fullmatch(stamp) else None
