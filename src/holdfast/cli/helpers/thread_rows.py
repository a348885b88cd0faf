"""Threads as commands list them, and as people name them: by their id, or that of a session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

from holdfast.cli.helpers.place_here import LEAST, SHORT, named
from holdfast.cli.helpers.report import shaped
from holdfast.hook.voice import inline
from holdfast.rooms.sessions.life import short
from holdfast.rooms.threads import by_word, linking, queries, thread_view
from holdfast.rooms.threads.queries import ThreadSession
from holdfast.rooms.threads.thread_state import DONE, OPEN, RESTING, Look
from holdfast.rooms.threads.thread_view import Thread
from holdfast.rooms.work.commands import Place
from holdfast.store.sqlite import Store
from holdfast.system import clock
from holdfast.system.git import not_committed

LATEST = 200  # sessions whose threads are listed
TITLE_CAP = 90
INDENT = " " * (SHORT + 4)
REASONS = {
    linking.NAMED: "you said so",
    by_word.POINTED: "an agent pointed at it",
    linking.PLAN: "its plan was approved there",
    linking.BRANCH: "on the same branch",
    linking.CRASH: "the one before had crashed",
    linking.CLEARED: "its context was cleared just before",
    linking.FILES: "files were not committed",
    linking.UNFINISHED: "something was left open there",
    linking.FORK: "forked from one of it",
    linking.WORDS: "by the words of its first prompt",
    "": "began it",
}
ORDER = (OPEN, RESTING, DONE)


class PrintedLink(TypedDict):
    """A session of a thread, and why it is one: how strong that is, in thousandths, and what it
    stands on."""

    session: str
    at: str
    branch: str
    reason: str
    permille: int
    facts: list[str]


class PrintedThread(TypedDict):
    """A thread as it is listed."""

    id: str
    title: str
    state: str
    why: str
    stopped: str
    left: list[str]
    files: list[str]
    branches: list[str]
    at: str
    sessions: list[PrintedLink]


def drawn_here(here: Place, ids: list[str] | None = None, but: str = "") -> list[Thread]:
    """Some threads, in their order; else those of the latest sessions, open ones first."""
    store, dirty = here.workspace.store, not_committed(here.root) or []
    look = Look(store, here.project, clock.now(), dirty)
    latest = queries.latest(store, here.project, but=but, limit=LATEST) if ids is None else []
    threads: list[Thread] = []
    for id_ in ids or dict.fromkeys(each.thread for each in latest):
        thread = thread_view.drawn(look, id_, but=but)
        if thread is not None:
            state = look.state(thread.shown)
            threads.append(thread.changed(state=state.name, why=state.why))
    return threads if ids else sorted(threads, key=lambda each: ORDER.index(each.state))


def thread_named(here: Place, given: str) -> Thread:
    """The thread whose id begins so, else that of such a session."""
    threads = drawn_here(here)
    if len(given) >= LEAST and not any(each.id.startswith(given) for each in threads):
        ids = {each.id: thread.id for thread in threads for each in thread.sessions}
        given = next((thread for id_, thread in ids.items() if id_.startswith(given)), given)
    return named(threads, given, "thread", "holdfast threads --all")


def printed(store: Store, thread: Thread) -> PrintedThread:
    links = [_link(store, each) for each in thread.sessions]
    return shaped(PrintedThread, thread, at=thread.sessions[0].at, sessions=links)


def _link(store: Store, session: ThreadSession) -> PrintedLink:
    link = queries.link_of(store, session.id) if session.reason else None
    facts = queries.facts_of(store, session.id) if link else []
    permille = link.permille if link else 1000
    return shaped(PrintedLink, session, session=session.id, permille=permille, facts=facts)


def link_line(link: PrintedLink) -> str:
    on = f" on {inline(link['branch'])}" if link["branch"] else ""
    return f"{short(link['session'])}  {link['at'][:16]}Z{on}  ({reason_words(link)})"


def reason_words(link: Mapping[str, Any]) -> str:
    """Why a session belongs to its thread, how strong that is, and what it stands on."""
    words = REASONS.get(link["reason"], link["reason"])
    facts = f": {inline(', '.join(link['facts']), 200)}" if link["facts"] else ""
    return f"{words}, {link['permille'] / 1000:.2f}{facts}" if link["reason"] else words


def lines(thread: PrintedThread) -> list[str]:
    mark = "●" if thread["state"] == OPEN else "·"
    many = len(thread["sessions"])
    about = [f"{thread['state']}: {thread['why']}", *thread["branches"][:2]]
    about.append(f"{many} session{'s' if many > 1 else ''}, last {thread['at'][:16]}Z")
    shown = [f"{mark} {thread['id'][:SHORT]}  {inline(thread['title'], TITLE_CAP)}"]
    shown.append(f"{INDENT}{inline('; '.join(about), 200)}")
    if thread["stopped"]:
        shown.append(f"{INDENT}stopped: {inline(thread['stopped'], 400)}")
    if thread["left"]:
        shown.append(f"{INDENT}left: {inline('; '.join(thread['left']), 300)}")
    return shown
