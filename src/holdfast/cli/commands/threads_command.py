"""List the threads of work here: what was asked, where it stopped, what is left.

A thread is one piece of work, over sessions, branches and days. Holdfast links a session to one by
facts (its branch, files that are not committed) and by the words of its first prompt. What you say
counts before that; run `rename`, `merge`, `split`, `move`, `close` and `reopen` yourself, in a
terminal outside the agent.
"""

from __future__ import annotations

from typing import TypedDict

from holdfast.cli.helpers import person_check, thread_rows
from holdfast.cli.helpers.place_here import place
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.thread_rows import PrintedThread, drawn_here, printed, thread_named
from holdfast.cli.helpers.verbs import ID, Verb, argument, flag
from holdfast.errors import NotFound
from holdfast.rooms.threads import by_word, queries
from holdfast.rooms.threads.thread_state import DONE
from holdfast.rooms.work.commands import Place, keep

SHOWN = 20


class ThreadsListed(TypedDict):
    """The threads of this project."""

    threads: list[PrintedThread]


class ThreadShown(TypedDict):
    """One thread."""

    thread: PrintedThread


def listed(*, every: bool) -> Report[ThreadsListed]:
    """List the threads here, open ones first."""
    here = place()
    threads = [printed(here.workspace.store, each) for each in drawn_here(here)]
    shown = threads if every else [each for each in threads if each["state"] != DONE][:SHOWN]
    lines = [line for each in shown for line in thread_rows.lines(each)]
    left_out = len(threads) - len(shown)
    if left_out:
        lines.append(f"{left_out} more: `holdfast threads --all`")
    return Report(lines or ["No thread of work is known here yet."], {"threads": shown})


def show(*, id_: str) -> Report[ThreadShown]:
    """Show a thread, by its id or by one of its sessions: where it stopped, why it is open or done,
    and for each session why it belongs to it: the reason, how strong that is, and its facts."""
    here = place()
    report = _shown(here, id_)
    links = [f"  {thread_rows.link_line(each)}" for each in report.data["thread"]["sessions"]]
    return Report([*report.lines, "", *links], report.data)


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
    thread, other = thread_named(here, id_).id, thread_named(here, into).id
    if thread == other:
        raise NotFound("a thread cannot be merged into itself", hint="see `holdfast threads --all`")
    _keep_turn(here, thread, "merged", other)
    return _shown(here, other)


def split(*, session: str) -> Report[ThreadShown]:
    """Take a session out of its thread, into one of its own."""
    return _moved("split", session, "")


def move(*, session: str, into: str) -> Report[ThreadShown]:
    """Move a session into another thread."""
    return _moved("move", session, into)


def _moved(act: str, session: str, into: str) -> Report[ThreadShown]:
    here = person_check.ask_here(f"threads {act}")
    ids = [each.id for thread in drawn_here(here) for each in thread.sessions]
    moved = next((id_ for id_ in ids if id_.startswith(session)), "")
    if not moved:
        raise NotFound(f"no thread has a session {session}", hint="see `holdfast threads --all`")
    target = thread_named(here, into).id if into else moved
    with here.workspace.store.transaction():
        by_word.link(here, moved, target, author=queries.PERSON, facts=[])
    return _shown(here, target)


def _turned(act: str, id_: str, turn: str, text: str) -> Report[ThreadShown]:
    here = person_check.ask_here(f"threads {act}")
    thread = thread_named(here, id_).id
    _keep_turn(here, thread, turn, text)
    return _shown(here, thread)


def _keep_turn(here: Place, thread: str, turn: str, text: str) -> None:
    with here.workspace.store.transaction():
        keep(here, "thread_turned", {"thread": thread, "turn": turn, "words": text}, session="")


def _shown(here: Place, id_: str) -> Report[ThreadShown]:
    thread = printed(here.workspace.store, thread_named(here, id_))
    return Report(thread_rows.lines(thread), {"thread": thread})


_SESSION, _INTO = argument("session"), argument("into")
VERBS = {
    "list": Verb(listed, flag("--all", "every", help="Those that are done, too.")),
    "show": Verb(show, ID),
    "why": Verb(show, ID),
    "rename": Verb(rename, ID, argument("name", nargs=-1, required=True)),
    "merge": Verb(merge, ID, _INTO),
    "split": Verb(split, _SESSION),
    "move": Verb(move, _SESSION, _INTO),
    "close": Verb(close, ID),
    "reopen": Verb(reopen, ID),
}
