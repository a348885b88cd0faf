"""Whose act a command is: the agent's own session when it runs inside one, else the newest open one
of this worktree whose process is not gone, else nobody's but the project's."""

from __future__ import annotations

from holdfast.agents import surroundings
from holdfast.hook.event import session_id
from holdfast.rooms.sessions import liveness, queries
from holdfast.rooms.sessions.queries import Session
from holdfast.store.sqlite import Store
from holdfast.system import files, processes

LOOKED_AT = 50


def inside(store: Store) -> Session | None:
    """The session of the agent that runs this command, if it is one we know. What outlives a
    `/clear`, as a server does, was told the session before: its agent is in another one by now."""
    named = session_id(surroundings.session_id())
    own = queries.find(store, named) if named else None
    if own is None or not own.ended_at:
        return own
    same = (
        session
        for session in queries.still_open(store)
        if _process(session) == _process(own) and session.pid
    )
    return max(same, key=lambda session: (session.started_at, session.id), default=own)


def _process(session: Session) -> tuple[int, str, str, str]:
    return session.pid, session.process_started, session.boot, session.host


def acting(store: Store, project: str, worktree: str) -> Session | None:
    own = inside(store)
    if own is not None and own.project == project:
        return own
    open_here = [
        session
        for session in queries.still_open(store)
        if (session.project, session.worktree) == (project, worktree)
        and standing(session) != liveness.GONE
    ]
    return max(open_here, key=lambda session: session.begun, default=None)


def newest(store: Store, project: str, worktree: str) -> Session | None:
    """The session that began here last. If none did in this worktree, the last one that is over in
    another: what goes on elsewhere is not told as what goes on here."""
    sessions = queries.of_project(store, project, LOOKED_AT)
    over = (each for each in sessions if each.ended_at or not files.exists(each.worktree))
    return next(
        (session for session in sessions if session.worktree == worktree),
        next(over, None),
    )


def at_work(store: Store, worktree: str, *, but: str) -> list[Session]:
    """The open sessions of a worktree whose processes are there, the one that was active last
    first."""
    live = [
        session
        for session in queries.still_open(store)
        if session.worktree == worktree
        and session.id != but
        and standing(session) == liveness.ALIVE
    ]
    return sorted(live, key=lambda session: session.active, reverse=True)


def standing(session: Session) -> str:
    """Whether an open session's process is there; one that cannot be looked at may be."""
    return liveness.standing(
        liveness.Process(
            session.pid, session.process_started, session.boot, session.host, session.namespace
        ),
        liveness.Process(0, "", processes.boot(), processes.host(), processes.namespace()),
        started_now=processes.process_started(session.pid),
        silent_s=0.0,
        silence_limit_s=1.0,
    )


def has_crashed(session: Session) -> bool:
    """Whether a session did not end and its process is gone; the next one that begins writes it
    down."""
    if session.ended_at:
        return session.end_reason == "crashed"
    return standing(session) == liveness.GONE


def live_in(store: Store, project: str) -> list[Session]:
    """The open sessions of a project, in any worktree, whose processes are there."""
    trees = {
        session.worktree for session in queries.still_open(store) if session.project == project
    }
    return [session for tree in sorted(trees) for session in at_work(store, tree, but="")]
