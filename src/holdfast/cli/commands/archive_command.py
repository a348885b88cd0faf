"""Archive sessions that ended long ago: compressed, out of the store, and restorable.

Open sessions stay, and so do sessions that a newer one was linked to.
"""

from __future__ import annotations

from typing import TypedDict

import click

from holdfast.cli.helpers import place_here
from holdfast.cli.helpers.report import Report, progress
from holdfast.cli.helpers.verbs import flag, option
from holdfast.cli.helpers.wording import ago, plural
from holdfast.rooms.sessions import archive
from holdfast.rooms.sessions.life import short


class ArchivedSession(TypedDict):
    """A session that goes, or went, into a file."""

    id: str
    entries: int
    file: str


class Archived(TypedDict):
    """What was archived, or would be."""

    sessions: list[ArchivedSession]
    dry_run: bool


PARAMETERS = [
    option(
        "--older-than",
        "days",
        type=click.FloatRange(0),
        default=None,
        help="Days since a session was last active; unless given, `archive.older_than_days`.",
    ),
    flag("--dry-run", help="Show what would go, and change nothing."),
]


def run(*, days: float | None, dry_run: bool) -> Report[Archived]:
    place = place_here.place()
    workspace, now = place.workspace, place.at
    older_than = place.settings["archive.older_than_days"] if days is None else days
    due = archive.due(workspace, older_than_days=older_than, now=now)
    lines: list[str] = []
    data: list[ArchivedSession] = []
    with progress("Archiving") as tell:
        for number, item in enumerate(due, 1):
            path = "" if dry_run else archive.archive(workspace, item.session, now=now)
            tell(number, len(due))
            if not (path or dry_run):
                continue
            size, when = plural(item.entries, "entry", "entries"), item.session.last_active_at
            lines.append(f"· {short(item.session.id)}  {ago(when, now)}  {size}")
            data.append({"id": item.session.id, "entries": item.entries, "file": path})
    verb = "would be archived" if dry_run else "archived"
    return Report(
        (*lines, f"{plural(len(data), 'session')} {verb}."), {"sessions": data, "dry_run": dry_run}
    )
