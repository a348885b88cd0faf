"""Threads as a session is told of them: the one it goes on with, else the open ones by title.

Laws: what was asked is in the user's words, where it stopped in the agent's; what was withdrawn is
struck; a thread that was told in a session is not told there again; open work is told however old
it is and however many sessions came since.
"""

from __future__ import annotations

from holdfast.hook.event import CRASH, STOPPED, Remark
from holdfast.hook.voice import inline, joined, named, ours, word
from holdfast.rooms.identity.drift import ln
from holdfast.rooms.prompts import queries as prompt_queries
from holdfast.rooms.threads import queries, terms, thread_state, where_it_stopped
from holdfast.rooms.work import handoff, queries as work_queries
from holdfast.rooms.work.last_words import opening, without_commits
from holdfast.system import clock
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.hook.event_context import EventContext
    from holdfast.rooms.threads.queries import ThreadSession
    from holdfast.rooms.threads.thread_state import Look
    from holdfast.store.sqlite import Store

HERE = ours("This goes on with earlier work")
NAMED = ours("Earlier work on this")
TITLE_CAP, SHORT_CAP, READ_CAP = 140, 50, 400
FILES = 2
OPEN_ONES = 3
ASKED_S = 86_400
LATELY = 20  # sessions among which the open threads are looked for
SHORT_MESSAGE = 20  # characters: "Done." says where nothing stopped


class Thread(Value):
    """A thread as it is told and listed."""

    id: str
    title: str
    asked: str  # in the session that is told of
    sessions: list[ThreadSession]  # the last first
    shown: ThreadSession  # whose work is told: the last that left something, else the last
    stopped: str  # where the work stopped, in somebody's own words
    left: list[str]
    is_left_by_others: bool
    files: list[str]
    branches: list[str]
    state: str = ""  # where it is listed
    why: str = ""


def drawn(
    look: Look, thread: str, *, but: str = "", shown: str = "", asked: str = ""
) -> Thread | None:
    """What is known of a thread but for one of its sessions; None where no other is left. It is
    told by the session that is `shown`, unless another one left something open, and by its files
    that have most to do with what is asked."""
    store = look.store
    sessions = queries.sessions_of(store, thread, but)
    if not sessions:
        return None
    last = look.judged_by(sessions, shown)
    rest = [each for each in sessions if each.id != last.id and each.at <= last.at]
    messages: list[str] = []
    left: list[str] = []
    left_by = ""
    for each in (last, *rest[: thread_state.UNFINISHED_OF - 1]):
        texts, steps = _stopped(store, each.id)
        messages = messages if any(messages) else texts
        # A list is out of date once a later session has changed the same files.
        later = [other.id for other in sessions if other.at > each.at]
        if steps and not left and not work_queries.changed_by_others(store, each.id, later, 1):
            left, left_by = steps, each.id
    return Thread(
        id=thread,
        title=title_of(store, thread, sessions),
        asked=queries.asked_in(store, last.id),
        sessions=sessions,
        shown=last,
        stopped=where_it_stopped.of(messages),
        left=left,
        is_left_by_others=left_by != last.id,
        files=_files(store, last.id, asked),
        branches=list(dict.fromkeys(each.branch for each in sessions if each.branch)),
    )


def title_of(store: Store, thread: str, sessions: list[ThreadSession]) -> str:
    """Its name by a person, else what was asked in its first session."""
    given = queries.last_turn(store, thread, "named")
    return given[1] if given else queries.asked_in(store, sessions[-1].id)


def _stopped(store: Store, session: str) -> tuple[list[str], list[str]]:
    """The messages that say where a session's work stopped, and what it left to do."""
    done = work_queries.activity(store, session)
    if done is None:
        return [], []
    given = work_queries.last_handoff(store, session)
    messages = [done.message_before, done.last_message]
    if len(done.last_message) < SHORT_MESSAGE and done.message_before:
        messages = messages[:1]
    summary = done.summary
    if given and given.summary:
        messages = [given.summary]
    if work_queries.is_commit_refused(store, session):
        *messages, summary = map(without_commits, (*messages, summary))
    if not any(messages):
        messages = [summary]
    todo = [each for each in work_queries.tasks(store, session) if each.stage != "completed"]
    steps = handoff.next_steps(given, todo, "", "")[0]
    return messages, steps


def _files(store: Store, session: str, asked: str) -> list[str]:
    """Those of the project that a session changed and that a prompt has words of, else those that
    it came back to most."""
    wanted = set(terms.of_text(asked))
    changed = [
        path
        for path in work_queries.worked_on(store, session, FILES * 5)
        if not path.startswith("/") and ":" not in path[:2]
    ]
    return sorted(changed, key=lambda path: -len(wanted.intersection(terms.of_text(path))))[:FILES]


def gone_on_with(context: EventContext, thread: Thread, *, by_words: bool) -> list[Remark]:
    """The thread that a session goes on with, by facts or by what is asked."""
    from holdfast.rooms.work.start_view import all_struck, struck

    gone = prompt_queries.withdrawn_texts(context.store, context.project)
    last = thread.shown
    asked = struck(opening(inline(thread.asked, READ_CAP), TITLE_CAP), gone)
    stopped = struck(inline(thread.stopped, READ_CAP * 2), gone)
    # What the session itself left is told at a start by the restoration, step by step.
    is_told = not by_words and not thread.is_left_by_others
    left = "" if is_told else "; ".join(all_struck(thread.left, gone))
    items = [
        *([f'asked: "{asked}"'] if asked else []),
        *([f'stopped: "{stopped.replace(chr(34), chr(39))}"'] if stopped else []),
        *([f"left: {left}"] if left else []),
    ]
    if not items:
        return []
    facts = [
        ours("session {}, {} {}Z", word(last.id[:8]), word(last.at[5:10]), word(last.at[11:16]))
    ]
    if context.crashed in [each.id for each in thread.sessions]:
        # Said in its place: the notice of the crash says no more than this.
        context.remarks[:] = [each for each in context.remarks if each.priority != CRASH]
    has_crashed = context.crashed == last.id
    facts += [ours("it crashed")] if has_crashed else []
    if last.branch and last.branch != context.branch():
        facts.append(ours("on {}", named(last.branch)))
    if thread.files:
        facts.append(ours("changed {}", joined(", ", map(named, thread.files))))
    text = ours("{} ({}):", NAMED if by_words else HERE, joined("; ", facts))
    sources = [f"session {last.id}", f"thread {thread.id}"]
    return [Remark(CRASH if has_crashed else STOPPED, text, "\n".join(items), sources=sources)]


def open_ones(context: EventContext, look: Look, *, beside: str) -> list[Remark]:
    """The threads in which something is open, the one that was active last first, by title alone;
    what only last words leave open, for a while and where no thread is told."""
    store, branch = context.store, context.branch()
    lines: list[str] = []
    sources: list[str] = []
    lately = clock.iso(clock.seconds_of(context.event.at) - ASKED_S)
    latest = queries.latest(store, context.project, but=context.event.session, limit=LATELY)
    threads: dict[str, ThreadSession] = {}
    for each in latest:
        threads.setdefault(each.thread, each)
    for thread, newest in threads.items():
        if thread == beside or len(lines) == OPEN_ONES:
            continue
        sessions = queries.sessions_of(store, thread)
        if not sessions:
            continue
        if look.is_open(sessions, by_words=newest.at > lately and not beside):
            title = inline(title_of(store, thread, sessions), READ_CAP)
            where = f", {newest.branch}" if newest.branch != branch else ""
            lines.append(f"{opening(title, SHORT_CAP)} ({newest.at[5:10]}{where})")
            sources.append(f"thread {thread}")
    text = ours("Open here (`holdfast threads`):")
    return [Remark(STOPPED, text, items=lines, item_sources=sources)] if lines else []


def worth_by_words(store: Store, project: str, text: str, *, but: str) -> dict[str, float]:
    """Of each thread that has some of the words of a text: how much, by how rare they are."""
    many = queries.count_sessions(store, project)
    worth: dict[str, float] = {}
    for word_ in terms.of_text(text, terms.MOST):
        sessions = queries.having(store, project, word_, but)
        for thread in {queries.thread_of(store, each) for each in sessions} - {""}:
            worth[thread] = worth.get(thread, 0.0) + ln(1 + many / len(sessions))
    return worth
