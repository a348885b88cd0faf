"""Archive sessions that ended long ago: compressed, out of the store, and restorable.

Open sessions stay, and so do sessions that a newer one was linked to.
"""

from __future__ import annotations

import click

from holdfast.cli.helpers.place_here import place
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.wording import ago, plural
from holdfast.rooms.sessions import archive
from holdfast.rooms.sessions.life import short

PARAMETERS: list[click.Parameter] = [
    click.Option(
        ["--older-than", "days"],
        type=click.FloatRange(0),
        default=None,
        help="Days since a session was last active; unless given, `archive.older_than_days`.",
    ),
    click.Option(["--dry-run"], is_flag=True, help="Show what would go, and change nothing."),
]


def run(*, days: float | None, dry_run: bool) -> Report:
    here = place()
    workspace, now = here.workspace, here.at
    older_than = here.settings["archive.older_than_days"] if days is None else days
    due = archive.due(workspace, older_than_days=older_than, now=now)
    lines, data = [], []
    for item in due:
        path = "" if dry_run else archive.archive(workspace, item.session, now=now)
        size = plural(item.entries, "entry", "entries")
        lines.append(f"· {short(item.session.id)}  {ago(item.session.last_active_at, now)}  {size}")
        data.append({"id": item.session.id, "entries": item.entries, "file": path})
    verb = "would be archived" if dry_run else "archived"
    return Report(
        (*lines, f"{plural(len(due), 'session')} {verb}."), {"sessions": data, "dry_run": dry_run}
    )
