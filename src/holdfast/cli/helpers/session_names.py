"""Sessions as people name them: the whole id, or the start of it when that is unambiguous."""

from __future__ import annotations

from holdfast.errors import Ambiguous, NotFound
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.sessions import queries
from holdfast.rooms.sessions.queries import Session


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
