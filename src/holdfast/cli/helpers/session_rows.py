"""Sessions as commands list them, and as people name them: by their id, or the start of it."""

from __future__ import annotations

import os
from typing import TypedDict

from holdfast.cli.helpers.report import shaped
from holdfast.cli.helpers.wording import MARKS, ago
from holdfast.errors import Ambiguous, NotFound
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.sessions import acting_session, project as project_ids, queries, work_tree
from holdfast.rooms.sessions.life import short
from holdfast.rooms.sessions.queries import Session


class SessionRow(TypedDict):
    """A session of the registry."""

    id: str
    alias: str
    agent: str
    project: str
    worktree: str
    branch: str
    channel: str
    phase: str
    source: str
    started_at: str
    last_active_at: str
    ended_at: str | None
    end_reason: str
    pid: int
    crash_recovered: bool
    archived: bool


def project_here(workspace: Workspace) -> str:
    """The project of the current folder, as far as it is known; nothing is made for asking."""
    where = work_tree.look(os.getcwd())
    id_ = project_ids.of_place(workspace.store, where)[0]
    known = queries.project(workspace.store, id_) if id_ else None
    if known is None:
        for project in queries.projects_with(workspace.store, "path", where.root):
            known = queries.project(workspace.store, project)
    return known[0] if known else ""


def line(session: Session, now: str, *, named: bool) -> str:
    state = session.phase
    if acting_session.has_crashed(session):
        state = "crashed"
    elif session.ended_at:
        state = "ended"  # why, in the client's own codes, is for programs
    where = f"{session.worktree}  " if named else ""
    mark = "○" if state == "crashed" else MARKS[session.phase]
    branch = session.branch or "no branch"
    return (
        f"{mark} {short(session.id)}  {where}{branch}  {state}, {ago(session.last_active_at, now)}"
    )


def session_data(session: Session) -> SessionRow:
    return shaped(
        SessionRow,
        session,
        alias=short(session.id),
        crash_recovered=bool(session.crash_recovered),
        archived=bool(session.archived),
    )


def session_named(workspace: Workspace, given: str) -> Session:
    ids = queries.matching(workspace.store, given)
    if not ids:
        raise NotFound(f"no session {given}", hint="see `holdfast sessions --all`")
    if len(ids) > 1:
        raise Ambiguous(
            f"{given} fits {len(ids)} sessions or more", hint=f"such as {', '.join(ids[:3])}"
        )
    session = queries.find(workspace.store, ids[0])
    if session is None:  # gone between two questions
        raise NotFound(f"no session {given}")
    return session
