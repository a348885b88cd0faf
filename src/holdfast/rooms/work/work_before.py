"""The work before a beginning: which sessions are told of, whose work, and whether it goes on.

Laws: the last session that did work is told of, however many the branch has seen; one that left
nothing open does not hide the one before it that did; whoever begins on a branch that many tasks
share mostly begins something else, so there no more is told of than that, and only what has just
ended goes on; a session that a person named, or that crashed, always does.
"""

from __future__ import annotations

from holdfast.hook import belief
from holdfast.rooms.prompts.queries import thread_of
from holdfast.rooms.work import (
    command_queries,
    fading,
    handoff,
    open_failures,
    queries,
    session_queries,
)
from holdfast.rooms.work.summary import InheritedList, open_todos
from holdfast.system import clock
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.hook.event_context import EventContext
    from holdfast.rooms.work.session_queries import LastSession
    from holdfast.store.sqlite import Store

PASSED_OVER = 5  # sessions in a row that left nothing
TOLD = 3  # sessions that have a line
WORKERS = 3  # sessions that did work, among which the unfinished one is looked for
CRASHED, JUST_S, DAY_S = "crashed", 3_600, 86_400


class WorkBefore(Value):
    """What a session that begins finds."""

    about: str  # the session whose work is told of, "" for none
    goes_on: bool  # whoever begins here goes on with it
    is_dirty: bool  # files that it changed are not committed
    is_here: bool  # its last words are about this branch
    is_named: bool  # a person said to go on from it
    sessions: list[LastSession]  # that have a line each, newest first


def own(context: EventContext) -> WorkBefore:
    """Of a session that goes on by itself."""
    return WorkBefore(context.event.session, True, False, True, False, [])


def of(context: EventContext, *, is_named: bool) -> WorkBefore:
    """Of a session that follows others; by threads, if that is set: their room tells it."""
    if context.settings["briefing.threads"]:
        about = context.goes_on_with
        return WorkBefore(about, bool(about), _is_dirty(context, about), True, is_named, [])
    store, project, branch = context.store, context.project, context.event.body["branch"]
    session, now = context.event.session, context.event.at
    sessions = session_queries.known(store, project, branch, but=session, now=now)
    workers = [each for each in sessions if _left_something(store, each.id)][:WORKERS]
    is_sure = is_named or bool(context.crashed)
    if sessions and not is_sure:
        about = _unfinished(context, workers) or (workers or sessions)[0].id
    else:
        about = _worker(store, context.inherited_from or context.previous())
    is_shared = session_queries.is_shared(store, project, branch)
    has_just_ended = bool(sessions) and _has_just_ended(sessions[0], now)
    latest = sessions[:TOLD]
    if is_shared:
        latest = sessions[:1] if has_just_ended else workers[:1]
    rest = [each for each in sessions if each.id == about and each not in latest]
    latest = [*latest[: TOLD - len(rest)], *rest]
    return WorkBefore(
        about=about,
        goes_on=is_sure or has_just_ended or not is_shared,
        is_dirty=_is_dirty(context, about),
        is_here=is_sure
        or any(each.id == about for each in latest)
        or (not is_shared and session_queries.branch_of(store, about) == branch),
        is_named=is_named,
        sessions=session_queries.with_work(store, latest),
    )


def _has_just_ended(session: LastSession, now: str) -> bool:
    """Within the hour, or crashed within the day."""
    long = DAY_S if session.end_reason == CRASHED else JUST_S
    return session.at > clock.iso(clock.seconds_of(now) - long)


def _unfinished(context: EventContext, workers: list[LastSession]) -> str:
    """The latest session of which something is open by what can be seen, else by what it said."""
    names = [worker.id for worker in workers]
    store, project, now = context.store, context.project, context.event.at
    for name in names:
        if (
            _is_dirty(context, name)
            or is_believed(context, InheritedList(name, open_todos(store, name)))
            or open_failures.of_session(store, project, name, now)
        ):
            return name
    return next((name for name in names if _has_next_step(store, name)), "")


def is_unfinished(store: Store, project: str, session: str, now: str, dirty: list[str]) -> bool:
    """Whether something of a session is open, however old it is; `dirty` files are not committed
    where it worked."""
    return bool(
        (dirty and queries.has_changed(store, session, dirty))
        or open_todos(store, session)
        or open_failures.of_session(store, project, session, now, is_dirty=True)
        or _has_next_step(store, session)
    )


def _has_next_step(store: Store, session: str) -> bool:
    """Whether it named what comes next."""
    written, done = queries.last_handoff(store, session), queries.activity(store, session)
    words = (done.last_message, done.summary) if done else ("", "")
    return bool(handoff.next_steps(written, [], *words)[0])


def is_believed(context: EventContext, left: InheritedList) -> bool:
    """Whether what a session left on its list is still told; it stays where it is."""
    if not left.todos:
        return False
    floor = context.settings["continuity.decay_min_floor"]
    confidence = fading.of_list(context.store, left, context.event.at, floor)
    return confidence >= belief.DROPPED_UNDER


def _is_dirty(context: EventContext, session: str) -> bool:
    """Whether a file that a session changed is not committed."""
    dirty = context.event.body.get("files", ())
    return bool(dirty) and queries.has_changed(context.store, session, dirty)


def _worker(store: Store, session: str) -> str:
    """The session before, or when that left nothing of its own (opened and closed, or only asked
    something) the one whose task it had taken over."""
    for _ in range(PASSED_OVER):
        if not session or _left_something(store, session):
            break
        thread = thread_of(store, session)
        sources = [origin.source for origin in queries.inheritances(store, session)]
        known = [queries.activity(store, source) for source in sources]
        same = [done for done in known if done and thread_of(store, done.session) == thread]
        if not same:
            break
        session = max(same, key=lambda done: (done.last_prompt_at, done.session)).session
    return session


def _left_something(store: Store, session: str) -> bool:
    return bool(
        queries.count_changed(store, session)
        or command_queries.last_command(store, session)
        or queries.tasks(store, session)
        or queries.last_handoff(store, session)
    )
