"""Finished sessions of the agents we know, as the events that their hooks would have brought.

Of Claude Code only: how other agents write their histories has not been verified.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from holdfast.agents.claude_code import history, payloads
from holdfast.hook.event import Event
from holdfast.system import clock

if TYPE_CHECKING:
    from holdfast.agents.claude_code.fields import Payload

    Row = Payload

AGENT = payloads.NAME

parsed = history.parsed
seconds = history.seconds


class Recorded(NamedTuple):
    """An event of the past, the branch of its time, and how many rows there were by then."""

    event: Event
    branch: str
    rows: int


def events(session: str, path: str, rows: list[Row], known: int = 0) -> list[Recorded]:
    """A session's events in order, beyond the rows that are known already."""
    recorded = history.Reader().read(rows)
    if not any(each.name != "SessionStart" for each in recorded):
        return []
    return list(_read(session, path, _going_on(recorded, known) if known else recorded))


def _read(session: str, path: str, recorded: Iterable[history.Told]) -> Iterator[Recorded]:
    """What was told as the hook reads it: its kinds, its fields, its natural keys."""
    for each in recorded:
        payload = {
            **each.fields,
            "hook_event_name": each.name,
            "session_id": session,
            "cwd": each.cwd,
            "transcript_path": path,
        }
        # What has no key of its own is known by where it stands.
        raw = f"{each.name}:{each.row}:{each.rows}".encode()
        event = payloads.read(
            payload, raw=raw, at=clock.iso(each.at), process=(0, ""), size=lambda _: 0
        )
        if event is not None:
            yield Recorded(event, each.branch, each.rows)


def _going_on(recorded: list[history.Told], known: int) -> list[history.Told]:
    """What a transcript has beyond the rows that were taken in: the session was resumed."""
    rest = [each for each in recorded if each.rows >= known]
    if not rest or rest[0].name == "SessionStart":
        return rest
    return [rest[0]._replace(name="SessionStart", fields={"source": "resume"}, row=""), *rest]
