"""Show how far a session's work can be trusted, from 0 to 100, and what changed that.

Only observed events change the number, by amounts that `--table` prints. A requirement may ask for
a minimum (min_confidence).
"""

from __future__ import annotations

from typing import TypedDict, cast

import click

from holdfast.cli.helpers import gates_here
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.verbs import SESSION, Verb, flag, option
from holdfast.cli.helpers.wording import ago
from holdfast.errors import NotFound
from holdfast.hook.voice import inline
from holdfast.ledger import queries as ledger
from holdfast.rooms.gates import confidence, queries
from holdfast.rooms.gates.gate_commands import Place
from holdfast.rooms.sessions import acting_session
from holdfast.rooms.sessions.life import short


class Confidence(TypedDict):
    """How far a session's work can be trusted, and what changed that."""

    session: str
    confidence: int
    zone: str
    changes: list[ConfidenceChange]


class ConfidenceChange(TypedDict):
    """What moved the number."""

    at: str
    value: int
    change: int
    observation: str
    reason: str


class Observation(TypedDict):
    """What something that is observed changes."""

    change: int
    means: str


Zone = TypedDict("Zone", {"zone": str, "from": int, "to": int})


class ConfidenceTable(TypedDict):
    """What moves the number, and by how much."""

    start: int
    turn_bound: int
    observations: dict[str, Observation]
    zones: list[Zone]


MOVED = "confidence_moved"


def show(*, session: str | None, limit: int, table: bool) -> Report[Confidence | ConfidenceTable]:
    """Show the number, its zone, and what moved it last."""
    return _table() if table else _shown(gates_here.place(session), limit)


def _shown(place: Place, limit: int) -> Report[Confidence]:
    store = place.workspace.store
    newest = None if place.session else acting_session.newest(store, place.project, place.worktree)
    session = place.session or (newest.id if newest else "")
    if not session:
        raise NotFound("no session has been here yet", hint="see `holdfast sessions --all`")
    value = queries.conduct_of(store, session).confidence
    changes = [
        cast("ConfidenceChange", {"at": entry.at, **entry.body})
        for _, entry in ledger.read(store, session=session)
        if entry.kind == MOVED
    ][: -limit - 1 : -1]
    data: Confidence = {
        "session": session,
        "confidence": value,
        "zone": confidence.zone(value),
        "changes": changes,
    }
    lines = [f"Confidence  {value} of 100, {data['zone']}  (session {short(session)})"]
    lines += [_line(change, place.at) for change in changes]
    if not changes:
        lines.append(f"Nothing has moved it yet: a first session starts at {confidence.START}.")
    lines.append("`holdfast confidence --table` prints what moves it.")
    return Report(lines, data)


def _line(change: ConfidenceChange, now: str) -> str:
    # The reason says the change again, after the observation's name.
    reason = change["reason"].partition(": ")[2] or change["reason"]
    name, when = inline(change["observation"], 40), ago(change["at"], now)
    moved = f"{change['change']:+4d} → {change['value']:3d}"
    return f"{moved}  {name:20} {inline(reason, 200)}, {when}"


def _table() -> Report[ConfidenceTable]:
    lines = [
        f"{change:+4d}  {name:20} {meaning}"
        for name, (change, meaning) in confidence.OBSERVATIONS.items()
    ]
    least = 0
    zones: list[Zone] = []
    for top, name in confidence.ZONES:
        zones.append({"zone": name, "from": least, "to": top})
        least = top + 1
    lines += [f"{zone['from']:3d} to {zone['to']:3d}  {zone['zone']}" for zone in zones]
    lines.append(
        f"A session starts where the one before it ended, the first at {confidence.START};"
        f" a turn gains and loses at most"
        f" {confidence.TURN_BOUND}; what comes again in it gains three quarters, a half, a quarter."
    )
    observations: dict[str, Observation] = {
        name: {"change": change, "means": meaning}
        for name, (change, meaning) in confidence.OBSERVATIONS.items()
    }
    data: ConfidenceTable = {
        "start": confidence.START,
        "turn_bound": confidence.TURN_BOUND,
        "observations": observations,
        "zones": zones,
    }
    return Report(lines, data)


VERBS = {
    "show": Verb(
        show,
        SESSION,
        option("--limit", type=click.IntRange(1), default=10, show_default=True),
        flag("--table", help="What moves it, and by how much."),
    ),
}
