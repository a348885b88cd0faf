"""The sessions at work in this project: `holdfast req sessions`."""

from __future__ import annotations

from typing import TypedDict

from holdfast.cli.helpers import gates_here
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.session_rows import SessionRow, line, session_data
from holdfast.rooms.sessions import acting_session, queries


class SeenSession(SessionRow):
    """A session at work, and whether its process is seen."""

    seen: bool


class SessionsAtWork(TypedDict):
    """The sessions at work in this project."""

    sessions: list[SeenSession]


def report() -> Report[SessionsAtWork]:
    place = gates_here.place()
    still_open = [
        session
        for session in queries.still_open(place.workspace.store)
        if session.project == place.project
    ]
    still_open.sort(key=lambda session: session.active, reverse=True)
    places = {session.worktree for session in still_open}
    seen = {
        session.id
        for tree in places
        for session in acting_session.at_work(place.workspace.store, tree, but="")
    }
    lines = []
    for session in still_open:
        lines.append(f"{line(session, place.at, named=False)}  {session.id}")
        if session.id not in seen:
            lines[-1] += "  (its process is not seen)"
    rows: list[SeenSession] = [
        {**session_data(session), "seen": session.id in seen} for session in still_open
    ]
    empty = "No session is at work in this project."
    return Report(lines or [empty], {"sessions": rows})
