"""Archive sessions that ended long ago: compressed, out of the store, and restorable.

Open sessions stay, and so do sessions that a newer one was linked to.
"""

from __future__ import annotations

import click

from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.wording import ago, plural
from holdfast.ledger.workspace import existing
from holdfast.rooms.sessions import archive
from holdfast.rooms.sessions.life import short
from holdfast.system import clock

PARAMETERS: list[click.Parameter] = [
    click.Option(
        ["--older-than", "days"],
        type=click.FloatRange(0),
        default=archive.RETENTION_DAYS,
        show_default=True,
        help="Days since a session was last active.",
    ),
    click.Option(["--dry-run"], is_flag=True, help="Show what would go, and change nothing."),
]


def run(*, days: float, dry_run: bool) -> Report:
    workspace = existing()
    now = clock.now()
    due = archive.due(workspace, older_than_days=days, now=now)
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
