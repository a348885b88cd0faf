"""Where a command is run, and how people name what lies there: ids by their start, texts whole."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NoReturn, TypeVar

import click

from holdfast.cli.helpers.session_rows import project_here
from holdfast.errors import Ambiguous, NotFound
from holdfast.hook.event import Event
from holdfast.hook.event_context import EventContext
from holdfast.ledger import hook_costs
from holdfast.ledger.workspace import Workspace, existing
from holdfast.rooms.sessions import acting_session, work_tree
from holdfast.rooms.sessions.handlers import resolve_project
from holdfast.rooms.sessions.work_tree import Whereabouts
from holdfast.rooms.work.commands import Place
from holdfast.setup import install
from holdfast.system import clock, files, paths
from holdfast.system.jsontext import plain

Row = TypeVar("Row")

SHORT = 6  # characters of an id that are shown
LEAST = 4  # and that must be given


def place(*, to_say: bool = False) -> Place:
    """The project of this folder, and the session that an act here belongs to. With `to_say` a
    project where Holdfast is installed is recorded even before its first session."""
    state = paths.state_home()
    where = work_tree.look(os.getcwd())
    workspace = _opened(state, where, to_say=to_say)
    store, root, now = workspace.store, plain(where.root), clock.now()
    settings = workspace.settings(root)  # with them come patterns of secrets
    own = acting_session.inside(store)
    project = project_here(workspace) or (own.project if own else "")
    if not project and to_say:
        project = _meet(workspace, where, now)
    session = acting_session.acting(store, project, root) if project else None
    about = session or (acting_session.newest(store, project, root) if project else None)
    return Place(
        workspace,
        project,
        session.id if session else "",
        about.id if about else "",
        now,
        settings,
        root,
        plain(where.branch),
    )


def _opened(state: str, where: Whereabouts, *, to_say: bool) -> Workspace:
    is_new = not hook_costs.mark(state) and not files.exists(paths.store(state))
    if is_new and _is_installed(state, where.root):
        if to_say:
            return Workspace(state)
        raise NotFound("nothing has been kept yet", hint="start the agent here, and ask again")
    return existing()


def _is_installed(state: str, root: str) -> bool:
    folders = {str(path.parent.parent) for path in install.installed(state)}
    return bool(folders & {root, paths.home()})


def _meet(workspace: Workspace, where: Whereabouts, now: str) -> str:
    if not _is_installed(workspace.state, where.root):
        raise NotFound(
            f"{where.root} is no project that Holdfast knows",
            hint="go to your project's folder, or run `holdfast init` in this one",
        )
    event = Event(
        agent="", kind="session_began", session="", key="", at=now, cwd=where.root, body={}
    )
    with workspace.store.transaction():
        return resolve_project(EventContext(workspace, event), where)


def named(rows: list[Row], given: str, what: str, see: str) -> Row:
    """The row whose id starts so, or that has this label."""

    def field(row: Row, name: str) -> str:
        return str(row.get(name, "") if isinstance(row, Mapping) else getattr(row, name, ""))

    labelled = [row for row in rows if given and field(row, "label").lower() == given.lower()]
    matches = labelled or [row for row in rows if field(row, "id").startswith(given.lower())]
    if len(given) < LEAST and not labelled:
        message = f"{given} is too short: give at least {LEAST} characters of a {what}'s id"
        raise NotFound(message, hint=f"see `{see}`")
    if not matches:
        raise NotFound(f"no {what} {given}", hint=f"see `{see}`")
    if len(matches) > 1:
        ids = ", ".join(field(row, "id") for row in matches[:3])
        raise Ambiguous(f"{given} fits {len(matches)} of them", hint=f"such as {ids}")
    return matches[0]


def misuse(message: str) -> NoReturn:
    raise click.UsageError(message, ctx=click.get_current_context(silent=True))


def verbatim(text: str, indent: int = 0) -> str:
    """A text word for word, safe for a terminal; lines after the first are indented."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    shown = ["".join(c for c in line if c.isprintable() or c == "\t") for line in lines]
    return f"\n{' ' * indent}".join(shown)


def with_id(id_: str, text: str) -> str:
    """A text behind the part of its id that is shown."""
    return f"{id_[:SHORT]}  {verbatim(text, SHORT + 2)}"


def day(at: str) -> str:
    return at[:10]
