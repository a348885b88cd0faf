"""Sessions, newest first, page by page; of one project or of all."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from holdfast.rooms.prompts import queries as prompts
from holdfast.rooms.sessions import queries
from holdfast.rooms.sessions.queries import Session
from holdfast.rooms.work import queries as work
from holdfast.rooms.work.queries import Activity
from holdfast.web.visit import Page, ProjectPlace, Visit

SHOWN = 40


@dataclass(frozen=True)
class Listed:
    session: Session
    project: str
    task: str
    done: Activity | None


@dataclass(frozen=True)
class Sessions:
    listed: list[Listed]
    older: str


def page(visit: Visit) -> Page:
    store = visit.store
    row = queries.project(store, visit.query.get("project", ""))
    project = row[0] if row else ""
    sessions = queries.listed(
        store, project=project, before=visit.query.get("before", ""), limit=SHOWN + 1
    )
    names: dict[str, str] = {}
    listed = []
    for session in sessions[:SHOWN]:
        if session.project not in names:
            known = queries.project(store, session.project)
            names[session.project] = known[1] if known else ""
        goal, done = prompts.goal_of(store, session.id), work.activity(store, session.id)
        task = goal.goal if goal else done.last_prompt if done else ""
        listed.append(Listed(session, names[session.project], task, done))
    older = ""
    if len(sessions) > SHOWN:
        last = listed[-1].session
        query = {"before": last.begun} | ({"project": project} if project else {})
        older = f"?{urlencode(query)}"
    place = ProjectPlace(*row) if row else None
    return Page("sessions.html", "Sessions", Sessions(listed, older), project=place, tab="Sessions")
