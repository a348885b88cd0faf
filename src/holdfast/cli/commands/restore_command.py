"""Bring an archived session back into the store."""

from __future__ import annotations

from typing import TypedDict

from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.session_rows import session_named
from holdfast.cli.helpers.verbs import argument, flag
from holdfast.cli.helpers.wording import plural
from holdfast.errors import NotFound
from holdfast.ledger.workspace import existing
from holdfast.rooms.sessions import archive
from holdfast.rooms.sessions.life import short
from holdfast.system import clock


class SessionRestored(TypedDict):
    """The session that came back, or would, and its entries."""

    id: str
    entries: int
    dry_run: bool


PARAMETERS = [
    argument("session"),
    flag("--dry-run", help="Say what would come back, change nothing."),
]


def run(*, session: str, dry_run: bool) -> Report[SessionRestored]:
    workspace = existing()
    archived = session_named(workspace, session)
    if not archived.archived:
        raise NotFound(
            f"{short(archived.id)} is not archived", hint="see `holdfast sessions --all`"
        )
    if dry_run:
        count = archive.size(workspace, archived)
    else:
        count = archive.restore(workspace, archived.id, now=clock.now())
    verb = "would come back" if dry_run else "restored"
    line = f"{short(archived.id)}: {plural(count, 'entry', 'entries')} {verb}."
    return Report((line,), {"id": archived.id, "entries": count, "dry_run": dry_run})
