"""Now: the sessions that are open, as cards, those that ended last, and the projects."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.ledger import timeline_queries as timeline
from holdfast.ledger.entry_words import KINDS, Words, summary_of
from holdfast.ledger.timeline_queries import KeptEntry
from holdfast.rooms.gates import queries as gates
from holdfast.rooms.sessions import acting_session, queries
from holdfast.rooms.sessions.liveness import ALIVE
from holdfast.rooms.sessions.queries import Session
from holdfast.rooms.work import budget, queries as work
from holdfast.rooms.work.branches import queries as branches
from holdfast.rooms.work.branches.queries import KnownPullRequest
from holdfast.rooms.work.queries import Activity
from holdfast.store.sqlite import Store
from holdfast.web.pages.sessions_page import listed_as
from holdfast.web.visit import Page, ProjectPlace, Visit

LATEST, PROJECTS, CARDS, SHARED = 6, 12, 24, 4
# What an act is, for the last line of a card: what somebody did, not what we noted of it.
DONE = tuple(kind for kind, (group, *_) in KINDS.items() if group in ("prompts", "acts"))


@dataclass(frozen=True)
class Card:
    """An open session."""

    session: Session
    is_seen: bool  # its process is there
    project: ProjectPlace | None
    task: str
    done: Activity | None
    percent: int
    phase: str
    pull_request: KnownPullRequest | None
    open_gates: list[str]
    confidence: int
    refused: int
    last: KeptEntry | None
    last_words: Words | None
    shared: list[tuple[str, str]]


def page(visit: Visit) -> Page:
    store = visit.store
    opened = sorted(queries.still_open(store), key=lambda session: session.active, reverse=True)
    names = [session.id for session in opened]
    latest = [each for each in queries.listed(store, limit=LATEST + len(opened)) if each.ended_at]
    view = {
        "cards": [_card(store, session, names) for session in opened[:CARDS]],
        "more": max(0, len(opened) - CARDS),
        "latest": [listed_as(store, session) for session in latest[:LATEST]],
        "projects": queries.projects(store, PROJECTS),
    }
    return Page("now.html", "Now", view, tab="Now")


def _card(store: Store, session: Session, opened: list[str]) -> Card:
    listed = listed_as(store, session)
    done = listed.done
    is_measured = bool(done and done.tokens and done.window)
    conduct = gates.conduct_of(store, session.id)
    last = timeline.last_of(store, session.id, DONE, before=1 << 62)
    row = queries.project(store, session.project)
    return Card(
        session=session,
        is_seen=acting_session.standing(session) == ALIVE,
        project=ProjectPlace(*row) if row else None,
        task=listed.task,
        done=done,
        percent=done.tokens * 100 // done.window if done and is_measured else 0,
        phase=budget.phase(done.tokens, done.window) if done and is_measured else "",
        pull_request=branches.pull_request_of(store, session.project, session.branch),
        open_gates=conduct.left_open,
        confidence=conduct.confidence,
        refused=sum(gates.denials(store, session.id, "requirement").values()),
        last=last,
        last_words=summary_of(last) if last else None,
        shared=work.changed_by_others(store, session.id, opened, SHARED),
    )
