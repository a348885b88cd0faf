"""Show the chain of a session: which sessions came before it, and which after.

Without an argument it starts from the newest session of this project.
"""

from __future__ import annotations

from typing import TypedDict

import apsw
import click

from holdfast.cli.commands.sessions_command import SessionRow, line, project_here, session_data
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.session_names import session_named
from holdfast.errors import NotFound, StoreError
from holdfast.ledger.workspace import Workspace, existing
from holdfast.rooms.sessions import chain, queries
from holdfast.rooms.sessions.queries import Session
from holdfast.rooms.work import commands
from holdfast.rooms.work.commands import Place
from holdfast.rooms.work.queries import heirs
from holdfast.system import clock


class ChainLink(SessionRow):
    """A session of the chain, and how it came to be linked."""

    how: str
    asked: bool
    continued_by: list[str]


class UnknownLink(TypedDict):
    """A session that is named by another one and not known here."""

    id: str
    how: str
    asked: bool
    continued_by: list[str]


class Chain(TypedDict):
    """The sessions before and after one."""

    session: str
    chain: list[ChainLink | UnknownLink]


# A walk is worth an entry, and not worth waiting for: who looks gets an answer all the same.
PATIENCE_S = 0.2
UNWRITABLE = (
    *(apsw.BusyError, apsw.LockedError, apsw.ReadOnlyError, apsw.FullError, apsw.IOError),
    *(apsw.CantOpenError, apsw.PermissionsError, StoreError),
)

PARAMETERS: list[click.Parameter] = [
    click.Argument(["session"], required=False),
    click.Option(["--depth"], type=click.IntRange(1, 1000), default=10, show_default=True),
]


def run(*, session: str | None, depth: int) -> Report[Chain]:
    workspace = existing()
    if session:
        middle = session_named(workspace, session)
    else:
        newest = queries.of_project(workspace.store, project_here(workspace), 1)
        if not newest:
            raise NotFound("no session of this project", hint="see `holdfast sessions --all`")
        middle = newest[0]
    before = chain.before(workspace.store, middle.id, depth)
    after = chain.after(workspace.store, middle.id, depth)
    now = clock.now()
    lines: list[str] = []
    data: list[ChainLink | UnknownLink] = []
    for link in (*reversed(before), chain.Link(middle.id, ""), *after):
        linked = queries.find(workspace.store, link.session)
        pointer = "→" if link.session == middle.id else " "
        shown = line(linked, now, named=False) if linked else f"· {link.session or 'unknown'}"
        lines.append(f"{pointer} {shown}" + (f"  ({link.how})" if link.how else ""))
        bare: UnknownLink = {
            "id": link.session,
            "how": link.how,
            "asked": link.session == middle.id,
            "continued_by": heirs(workspace.store, link.session) if link.session else [],
        }
        data.append({**session_data(linked), **bare} if linked else bare)
    _keep(workspace, middle, depth=depth, links=len(before) + len(after))
    return Report(tuple(lines), {"session": middle.id, "chain": data})


def _keep(workspace: Workspace, session: Session, *, depth: int, links: int) -> None:
    place = Place(workspace, session.project, "", "", clock.now(), {})
    workspace.store.wait(PATIENCE_S)
    try:
        commands.walked(place, session.id, depth=depth, reached=links)
    except UNWRITABLE:
        pass
