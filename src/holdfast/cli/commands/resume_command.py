"""Offer the thread of work to go on with, and the agent's command that reopens its session.

Without WORDS first what crashed or was cut off, then what left files that are not committed, then
what the branch is about, then what is open; with WORDS what they name. While Holdfast is paused,
without WORDS, it ends the pause, as `holdfast unpause` does.
"""

from __future__ import annotations

import shlex
from typing import TypedDict

from holdfast.agents import histories
from holdfast.cli.commands import unpause_command
from holdfast.cli.commands.unpause_command import Unpaused
from holdfast.cli.helpers import thread_rows
from holdfast.cli.helpers.place_here import place
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.thread_rows import PrintedThread, drawn_here
from holdfast.cli.helpers.verbs import argument
from holdfast.cli.helpers.wording import ago
from holdfast.config import pause_file
from holdfast.rooms.recall import queries as recall, recalling
from holdfast.rooms.recall.ranking import Question, Search
from holdfast.rooms.sessions import acting_session, queries as sessions
from holdfast.rooms.sessions.queries import Session
from holdfast.rooms.threads import queries, terms, thread_view
from holdfast.rooms.threads.thread_state import OPEN
from holdfast.rooms.threads.thread_view import Thread
from holdfast.rooms.work import queries as work
from holdfast.rooms.work.commands import Place
from holdfast.system import paths
from holdfast.system.git import not_committed


class OfferedThread(TypedDict):
    """A thread to go on with, the session of it to reopen, why, and the agent's command."""

    thread: PrintedThread
    session: str
    why: list[str]
    command: str


class ThreadsOffered(TypedDict):
    """The threads that fit best."""

    threads: list[OfferedThread]


OFFERED = 3
BRANCH = 0.1  # of what words are worth at most
CRASHED, CUT_OFF = "crashed", "cut off"
FILES, OWN_BRANCH = "its files are not committed", "its branch is checked out"
FACTS = (CRASHED, CUT_OFF, FILES, OWN_BRANCH)  # what points to a thread, the strongest first


def offer(here: Place, words: str) -> Report[ThreadsOffered]:
    """The threads that fit best, each with the command that reopens its session."""
    store, lines, offered = here.workspace.store, list[str](), list[OfferedThread]()
    last = acting_session.newest(store, here.project, here.root)
    dirty = not_committed(here.root) or []
    threads = _by_words(here, words) if words else drawn_here(here, but=here.session)
    pointed = [(_facts(here, each, dirty, last), each) for each in threads]
    if not words:
        pointed.sort(key=lambda each: min(map(FACTS.index, each[0]), default=len(FACTS)))
    for facts, thread in pointed[:OFFERED]:
        is_cut = not {CRASHED, CUT_OFF}.isdisjoint(facts)
        session = sessions.find(store, thread.sessions[0].id if is_cut else thread.shown.id)
        if session is None:
            continue
        shown = thread_rows.printed(store, thread)
        why = [*facts, ago(session.last_active_at, here.at)]
        command = _command(here, session)
        offered.append({"thread": shown, "session": session.id, "why": why, "command": command})
        lines += thread_rows.lines(shown)
        lines.append(f"{thread_rows.INDENT}{', '.join(why)}: {command or session.id}")
    nothing = (
        "No thread of work here has these words."
        if words
        else "No earlier work here to go on with."
    )
    return Report(lines or [nothing], {"threads": offered})


def _facts(here: Place, thread: Thread, dirty: list[str], newest: Session | None) -> list[str]:
    """What points to a thread, by FACTS."""
    store, last = here.workspace.store, thread.sessions[0].id
    session = sessions.find(store, last)
    is_open = thread.state == OPEN
    has_crashed = session is not None and acting_session.has_crashed(session)
    holds = {
        CRASHED: has_crashed and (is_open or (newest is not None and newest.id == last)),
        CUT_OFF: is_open and bool(session and session.ended_at) and queries.is_cut_off(store, last),
        FILES: bool(dirty) and work.has_changed(store, thread.shown.id, dirty),
        OWN_BRANCH: not terms.is_shared(here.branch) and here.branch in thread.branches,
    }
    return [fact for fact in FACTS if holds[fact]][:2]


def _by_words(here: Place, words: str) -> list[Thread]:
    """The threads that words name: by their own words, and by what recall finds in sessions."""
    store = here.workspace.store
    recalling.fill(store)
    search = Search(store, Question(words, here.project, but=here.session))
    found_by_recall = search.sessions() if search.is_about() else []
    names = recall.session_names(store, [number for number, _ in found_by_recall])
    recalled: dict[str, float] = {}
    for number, score in found_by_recall:
        thread = queries.thread_of(store, names[number])
        recalled[thread] = max(recalled.get(thread, 0.0), score)
    worth = thread_view.worth_by_words(store, here.project, words, but=here.session)
    most = max(worth.values(), default=1.0)
    worth = {
        each: worth.get(each, 0.0) / most + recalled.get(each, 0.0)
        for each in {*worth, *recalled} - {""}
    }
    best = sorted(worth, key=lambda each: (-worth[each], each))[: OFFERED * 2]
    threads = drawn_here(here, best, but=here.session) if best else []
    return sorted(
        threads, key=lambda each: -worth[each.id] - BRANCH * (here.branch in each.branches)
    )


def _command(here: Place, session: Session) -> str:
    """The agent's own command that reopens a session, in the folder where it was."""
    reopen = histories.REOPEN.get(session.agent, "")
    there = "" if session.worktree == here.root else f"cd {shlex.quote(session.worktree)} && "
    return f"{there}{reopen} {session.id}" if reopen else ""


PARAMETERS = [argument("words", nargs=-1)]


def run(*, words: tuple[str, ...]) -> Report[ThreadsOffered | Unpaused]:
    if pause_file.until(paths.state_home()) and not words:
        return unpause_command.run()
    return offer(place(), " ".join(words))
