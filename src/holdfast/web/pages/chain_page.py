"""The chain: sessions across branches and worktrees as a graph; forks and crashes can be seen."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from holdfast.rooms.prompts import queries as prompts
from holdfast.rooms.sessions import queries
from holdfast.rooms.sessions.queries import Session
from holdfast.rooms.work import queries as work
from holdfast.web import drawing
from holdfast.web.drawing import Graph
from holdfast.web.visit import Page, Visit

SHOWN = 30


@dataclass(frozen=True)
class Link:
    session: Session
    task: str
    how: str
    previous: str


@dataclass(frozen=True)
class Chain:
    links: list[Link]
    graph: Graph
    older: str


def page(visit: Visit) -> Page:
    project, store = visit.project(), visit.store
    before = visit.query.get("before", "")
    sessions = queries.listed(store, project=project.id, before=before, limit=SHOWN + 1)
    shown = sessions[:SHOWN]
    names = [session.id for session in shown]
    links = queries.links_among(store, names)
    known = {session: (previous, how) for session, previous, how in links}
    rows = []
    for session in shown:
        goal, done = prompts.goal_of(store, session.id), work.activity(store, session.id)
        previous, how = known.get(session.id, ("", ""))
        task = goal.goal if goal else done.last_prompt if done else ""
        rows.append(Link(session, task, how, previous))
    older = ""
    if len(sessions) > SHOWN:
        older = f"?{urlencode({'before': shown[-1].begun})}"
    view = Chain(rows, drawing.graph(names, links), older)
    return Page("chain.html", "Chain", view, project=project, tab="Chain")
