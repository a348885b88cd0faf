"""Whose act a command is: the agent's own session when it runs inside one, else the newest live
one of this worktree, else nobody's but the project's."""

from __future__ import annotations

from holdfast.hook.event import session_id
from holdfast.rooms.sessions import queries
from holdfast.rooms.sessions.queries import Session
from holdfast.store.sqlite import Store
from holdfast.system import environment, processes

INSIDE = "CLAUDE_CODE_SESSION_ID"
LOOKED_AT = 50


def inside(store: Store) -> Session | None:
    """The session of the agent that runs this command, if it is one we know."""
    own = session_id(environment.env(INSIDE))
    return queries.find(store, own) if own else None


def acting(store: Store, project: str, worktree: str) -> Session | None:
    own = inside(store)
    if own is not None and own.project == project:
        return own
    live = [
        one
        for one in queries.still_open(store)
        if (one.project, one.worktree) == (project, worktree)
    ]
    return max(live, key=lambda one: (one.started_at, one.id), default=None)


def newest(store: Store, project: str, worktree: str) -> Session | None:
    """The session that began here last, in another worktree if none did in this one."""
    found = queries.of_project(store, project, LOOKED_AT)
    return next((one for one in found if one.worktree == worktree), found[0] if found else None)


def at_work(store: Store, worktree: str, *, but: str) -> list[Session]:
    """The open sessions of a worktree whose processes are there, the one that was active last
    first."""
    from holdfast.rooms.sessions import liveness

    here = (processes.boot(), processes.host(), processes.namespace())
    found = []
    for one in queries.still_open(store):
        if one.worktree != worktree or one.id == but:
            continue
        standing = liveness.standing(
            liveness.Process(one.pid, one.process_started, one.boot, one.host, one.namespace),
            liveness.Process(0, "", *here),
            started_now=processes.process_started(one.pid),
            silent_s=0.0,
            silence_limit_s=1.0,
        )
        if standing == liveness.ALIVE:
            found.append(one)
    return sorted(found, key=lambda one: one.last_active_at, reverse=True)


def live_in(store: Store, project: str) -> list[Session]:
    """The open sessions of a project, in any worktree, whose processes are there."""
    trees = {one.worktree for one in queries.still_open(store) if one.project == project}
    return [one for tree in sorted(trees) for one in at_work(store, tree, but="")]
