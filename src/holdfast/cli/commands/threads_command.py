"""List the threads of work here: what was asked, where it stopped, what is left.

A thread is one piece of work, over sessions, branches and days. Holdfast links a session to one by
facts (its branch, files that are not committed) and by the words of its first prompt. What you say
counts before that; run `rename`, `merge`, `split`, `move`, `close` and `reopen` yourself, in a
terminal outside the agent.
"""

from __future__ import annotations

from typing import TypedDict

from holdfast.cli.helpers import person_check
from holdfast.cli.helpers.place_here import SHORT, named, place
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.verbs import ID, Verb, argument, flag
from holdfast.errors import NotFound
from holdfast.hook.voice import inline
from holdfast.rooms.threads import linking, queries, thread_view
from holdfast.rooms.threads.thread_state import DONE, OPEN, RESTING
from holdfast.rooms.threads.thread_view import Thread
from holdfast.rooms.work.commands import Place, keep
from holdfast.system import clock
from holdfast.system.git import not_committed

LATEST = 200  # sessions whose threads are listed
SHOWN = 20
TITLE_CAP = 90
REASONS = {
    linking.NAMED: "you said so",
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
    """A session of a thread, and why it is one."""

    session: str
    at: str
    branch: str
    reason: str


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


class ThreadsListed(TypedDict):
    """The threads of this project."""

    threads: list[PrintedThread]


class ThreadShown(TypedDict):
    """One thread."""

    thread: PrintedThread


def listed(*, every: bool) -> Report[ThreadsListed]:
    """List the threads here, open ones first."""
    here = place()
    threads = _all(here)
    shown = threads if every else [each for each in threads if each["state"] != DONE][:SHOWN]
    lines = [line for each in shown for line in _lines(each)]
    left_out = len(threads) - len(shown)
    if left_out:
        lines.append(f"{left_out} more: `holdfast threads --all`")
    return Report(lines or ["No thread of work is known here yet."], {"threads": shown})


def show(*, id_: str) -> Report[ThreadShown]:
    """Show a thread: its sessions, where it stopped, and why each session belongs to it."""
    here = place()
    thread = _named(here, id_)
    lines = [*_lines(thread), ""]
    for link in thread["sessions"]:
        on = f" on {inline(link['branch'])}" if link["branch"] else ""
        reason = REASONS.get(link["reason"], link["reason"])
        lines.append(f"  {link['session'][:8]}  {link['at'][:16]}Z{on}  ({reason})")
    return Report(lines, {"thread": thread})


def rename(*, id_: str, name: tuple[str, ...]) -> Report[ThreadShown]:
    """Give a thread a name of yours."""
    return _turned("rename", id_, "named", " ".join(name))


def close(*, id_: str) -> Report[ThreadShown]:
    """Say that a thread is done."""
    return _turned("close", id_, "closed", "")


def reopen(*, id_: str) -> Report[ThreadShown]:
    """Say that a thread is open again."""
    return _turned("reopen", id_, "reopened", "")


def merge(*, id_: str, into: str) -> Report[ThreadShown]:
    """Make two threads one: the first becomes part of the second."""
    here = person_check.ask_here("threads merge")
    thread, other = _named(here, id_), _named(here, into)
    if thread["id"] == other["id"]:
        raise NotFound("a thread cannot be merged into itself", hint="see `holdfast threads --all`")
    _keep_turn(here, thread["id"], "merged", other["id"])
    return _done(here, other["id"])


def split(*, session: str) -> Report[ThreadShown]:
    """Take a session out of its thread, into one of its own."""
    return _moved("split", session, "")


def move(*, session: str, into: str) -> Report[ThreadShown]:
    """Move a session into another thread."""
    return _moved("move", session, into)


def _moved(act: str, session: str, into: str) -> Report[ThreadShown]:
    here = person_check.ask_here(f"threads {act}")
    link = next(
        (
            link
            for thread in _all(here)
            for link in thread["sessions"]
            if link["session"].startswith(session)
        ),
        None,
    )
    if link is None:
        raise NotFound(f"no thread has a session {session}", hint="see `holdfast threads --all`")
    target = _named(here, into)["id"] if into else link["session"]
    body = {
        "thread": target,
        "permille": 1000,
        "reason": linking.NAMED,
        "facts": [],
        "author": queries.PERSON,
    }
    with here.workspace.store.transaction():
        keep(here, "thread_linked", body, session=link["session"])
    return _done(here, target)


def _turned(act: str, id_: str, turn: str, text: str) -> Report[ThreadShown]:
    here = person_check.ask_here(f"threads {act}")
    thread = _named(here, id_)
    _keep_turn(here, thread["id"], turn, text)
    return _done(here, thread["id"])


def _keep_turn(here: Place, thread: str, turn: str, text: str) -> None:
    with here.workspace.store.transaction():
        keep(here, "thread_turned", {"thread": thread, "turn": turn, "words": text}, session="")


def _done(here: Place, id_: str) -> Report[ThreadShown]:
    thread = named(_all(here), id_, "thread", "holdfast threads --all")
    return Report(_lines(thread), {"thread": thread})


def _named(here: Place, given: str) -> PrintedThread:
    return named(_all(here), given, "thread", "holdfast threads --all")


def _all(here: Place) -> list[PrintedThread]:
    store = here.workspace.store
    dirty = not_committed(here.root) or []
    ids = dict.fromkeys(
        each.thread for each in queries.latest(store, here.project, but="", limit=LATEST)
    )
    drawn = [
        thread_view.drawn(store, here.project, id_, now=clock.now(), dirty=dirty) for id_ in ids
    ]
    threads = [_printed(thread) for thread in drawn if thread]
    return sorted(threads, key=lambda each: ORDER.index(each["state"]))


def _printed(thread: Thread) -> PrintedThread:
    return {
        "id": thread.id,
        "title": thread.title,
        "state": thread.state,
        "why": thread.why,
        "stopped": thread.stopped,
        "left": thread.left,
        "files": thread.files,
        "branches": thread.branches,
        "at": thread.sessions[0].at,
        "sessions": [
            {"session": each.id, "at": each.at, "branch": each.branch, "reason": each.reason}
            for each in thread.sessions
        ],
    }


def _lines(thread: PrintedThread) -> list[str]:
    mark = "●" if thread["state"] == OPEN else "·"
    many = len(thread["sessions"])
    about = [f"{thread['state']}: {thread['why']}", *thread["branches"][:2]]
    about.append(f"{many} session{'s' if many > 1 else ''}, last {thread['at'][:16]}Z")
    lines = [f"{mark} {thread['id'][:SHORT]}  {inline(thread['title'], TITLE_CAP)}"]
    indent = " " * (SHORT + 4)
    lines.append(f"{indent}{inline('; '.join(about), 200)}")
    if thread["stopped"]:
        lines.append(f"{indent}stopped: {inline(thread['stopped'], 400)}")
    if thread["left"]:
        lines.append(f"{indent}left: {inline('; '.join(thread['left']), 300)}")
    return lines


_SESSION, _INTO = argument("session"), argument("into")
VERBS = {
    "list": Verb(listed, flag("--all", "every", help="Those that are done, too.")),
    "show": Verb(show, ID),
    "rename": Verb(rename, ID, argument("name", nargs=-1, required=True)),
    "merge": Verb(merge, ID, _INTO),
    "split": Verb(split, _SESSION),
    "move": Verb(move, _SESSION, _INTO),
    "close": Verb(close, ID),
    "reopen": Verb(reopen, ID),
}
