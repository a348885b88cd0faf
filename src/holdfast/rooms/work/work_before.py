"""The work before a beginning: which sessions are told of, whose work, and whether it goes on.

Laws: whoever begins on a branch that many tasks share mostly begins something else, so there only
what has just ended goes on; a session that a person named, or that crashed, always does.
"""

from __future__ import annotations

from holdfast.rooms.prompts.queries import thread_of
from holdfast.rooms.work import command_queries, queries, session_queries
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.hook.event_context import EventContext
    from holdfast.rooms.work.session_queries import LastSession
    from holdfast.store.sqlite import Store

PASSED_OVER = 5  # sessions in a row that left nothing


class WorkBefore(Value):
    """What a session that begins finds."""

    __slots__ = ("about", "goes_on", "is_here", "is_named", "sessions")
    if TYPE_CHECKING:
        about: str  # the session whose work is told of, "" for none
        goes_on: bool  # what it was about is worth telling
        is_here: bool  # its last words are about this branch
        is_named: bool  # a person said to go on from it
        sessions: list[LastSession]  # that have a line each, newest first


def own(context: EventContext) -> WorkBefore:
    """Of a session that goes on by itself."""
    return WorkBefore(context.event.session, True, True, False, [])


def of(context: EventContext, *, is_named: bool) -> WorkBefore:
    """Of one that follows others."""
    store, project, branch = context.store, context.project, context.event.body["branch"]
    session, now = context.event.session, context.event.at
    sessions = session_queries.known(store, project, branch, but=session, now=now)
    is_sure = is_named or bool(context.crashed)
    if sessions and not is_sure:
        names = [each.id for each in sessions]
        about = next((name for name in names if _left_something(store, name)), names[0])
    else:
        about = _worker(store, context.inherited_from or context.previous())
    return WorkBefore(
        about=about,
        goes_on=is_sure or bool(sessions) or not session_queries.is_shared(store, project, branch),
        is_here=is_sure or session_queries.branch_of(store, about) == branch,
        is_named=is_named,
        sessions=sessions,
    )


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
