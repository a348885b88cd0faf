"""Sessions, newest first, page by page, of one project or of all; and the chain: sessions across
branches and worktrees as a graph, in which forks and crashes can be seen."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from holdfast.rooms.prompts import queries as prompts
from holdfast.rooms.sessions import queries
from holdfast.rooms.sessions.queries import Session
from holdfast.rooms.work import queries as work
from holdfast.rooms.work.queries import Activity
from holdfast.store.sqlite import Store
from holdfast.web import drawing
from holdfast.web.visit import Page, ProjectPlace, Visit

SHOWN, LINKED = 40, 30


@dataclass(frozen=True)
class Listed:
    session: Session
    project: str
    task: str
    done: Activity | None


def listed_as(store: Store, session: Session) -> Listed:
    goal, done = prompts.goal_of(store, session.id), work.activity(store, session.id)
    known = queries.project(store, session.project)
    task = goal.goal if goal else done.last_prompt if done else ""
    return Listed(session, known[1] if known else "", task, done)


def page(visit: Visit) -> Page:
    store = visit.store
    row = queries.project(store, visit.query.get("project", ""))
    project = row[0] if row else ""
    sessions = queries.listed(
        store, project=project, before=visit.query.get("before", ""), limit=SHOWN + 1
    )
    listed = [listed_as(store, session) for session in sessions[:SHOWN]]
    older = ""
    if len(sessions) > SHOWN:
        last = listed[-1].session
        query = {"before": last.begun} | ({"project": project} if project else {})
        older = f"?{urlencode(query)}"
    place = ProjectPlace(*row) if row else None
    return Page(
        "sessions.html",
        "Sessions",
        {"listed": listed, "older": older},
        project=place,
        tab="Sessions",
    )


@dataclass(frozen=True)
class Link:
    session: Session
    task: str
    how: str
    previous: str


def chain(visit: Visit) -> Page:
    project, store = visit.project(), visit.store
    before = visit.query.get("before", "")
    sessions = queries.listed(store, project=project.id, before=before, limit=LINKED + 1)
    shown = sessions[:LINKED]
    names = [session.id for session in shown]
    links = queries.links_among(store, names)
    known = {session: (previous, how) for session, previous, how in links}
    rows = []
    for session in shown:
        previous, how = known.get(session.id, ("", ""))
        rows.append(Link(session, listed_as(store, session).task, how, previous))
    older = ""
    if len(sessions) > LINKED:
        older = f"?{urlencode({'before': shown[-1].begun})}"
    view = {"links": rows, "graph": drawing.graph(names, links), "older": older}
    return Page("chain.html", "Chain", view, project=project, tab="Chain")
