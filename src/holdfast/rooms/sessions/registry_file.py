"""Files people read: the registry of live sessions and a session's state, as JSON.

Derived, rendered under a lock from the store as it is then, so that the newest wins; safe to
delete. Rendering never stops an event: what cannot be written is left as it was. A hook that could
not render the registry marks it as due, and the next event renders it.
"""

from __future__ import annotations

from holdfast.errors import StoreError
from holdfast.rooms.sessions import queries
from holdfast.rooms.sessions.life import short
from holdfast.system import clock, environment, files, jsontext, paths, processes
from holdfast.system.environment import system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from holdfast.ledger.workspace import Workspace
    from holdfast.rooms.sessions.queries import Session
    from holdfast.store.sqlite import Store

INSTRUCTIONS = 50  # the latest


def render_registry(workspace: Workspace) -> None:
    """<state home>/sessions.json: who is at work now."""
    with _lock(workspace):
        _write_registry(workspace)


def render_due(workspace: Workspace) -> None:
    """What an earlier event left due; what cannot be written stays due."""
    try:
        with _lock(workspace):
            if files.exists(paths.registry_due(workspace.state)):
                _write_registry(workspace)
    except OSError:
        mark_due(workspace.state)


def mark_due(state: str) -> None:
    """Have the next event render the registry."""
    flags = system.O_WRONLY | system.O_CREAT | system.O_NOFOLLOW | system.O_NONBLOCK
    try:
        system.close(system.open(paths.registry_due(state), flags | system.O_CLOEXEC, 0o600))
    except OSError:
        pass  # no space: then the next turn's end renders it


def _lock(workspace: Workspace) -> processes.Lock:
    return processes.Lock(f"{paths.registry(workspace.state)}.lock")


def _write_registry(workspace: Workspace) -> None:
    try:
        # Before the store is read: what becomes due from here on stays due.
        system.unlink(paths.registry_due(workspace.state))
    except OSError:
        pass
    rows = registry(queries.still_open(workspace.store))
    files.write_whole(paths.registry(workspace.state), f"{jsontext.dumps(rows)}\n".encode())


def registry(sessions: list[Session]) -> dict[str, object]:
    rows: dict[str, dict[str, object]] = {}
    for session in sessions:
        alias = short(session.id)
        rows[session.id if alias in rows else alias] = {
            "pid": session.pid,
            "ppid": session.pid,
            "project_dir": session.worktree,
            "branch": session.branch,
            "started_at": int(clock.seconds_of(session.started_at)),
            "last_active": int(clock.seconds_of(session.last_active_at)),
            "session_id": session.id,
            "agent": session.agent,
        }
    return {"version": "1.0", "sessions": rows}


def at_work_in(state: str, root: str) -> str:
    """The session at work in a worktree as the file has it: one whose process is there, the one
    that was active last; "" for none."""
    try:
        rows = jsontext.loads(files.read_text(paths.registry(state)) or "{}").get("sessions", {})
        here = [
            (_is_there(row["pid"]), row["last_active"], row["session_id"])
            for row in rows.values()
            if row["project_dir"] == root
        ]
        return str(max(here)[2]) if here else ""
    except (AttributeError, KeyError, TypeError, ValueError):
        return ""  # not as we write it: a disk, or somebody else's


def named(state: str, given: str) -> str:
    """The session at work whose id begins so, dashes or not, as the file has it; "" for none, and
    for several."""
    bare = given.replace("-", "")
    try:
        rows = jsontext.loads(files.read_text(paths.registry(state)) or "{}").get("sessions", {})
        ids = {str(row["session_id"]) for row in rows.values()}
    except (AttributeError, KeyError, TypeError, ValueError):
        return ""
    matches = [id_ for id_ in ids if bare and id_.replace("-", "").startswith(bare)]
    return matches[0] if len(matches) == 1 else ""


def _is_there(pid: int) -> bool:
    return bool(processes.process_started(pid))


def render_session(
    store: Store, session: Session, common: str, more: dict[str, Any] | None = None
) -> None:
    """<git common dir>/holdfast/sessions/<id>.json: one session, for people and other tools;
    `more` is what other rooms know of it; without it their part stays as the file has it."""
    path = path_of(common, session.id)
    try:
        ours = paths.project_folder(common)
        files.own_folder(f"{ours}/sessions", within=ours)
        others = _mirror(path) if more is None else more
        content = jsontext.dumps({**others, **state(store, session)})
        files.write_whole(path, f"{content}\n".encode())
    except (OSError, StoreError):
        pass  # somebody else's repository, or no space: the store has it all


def render_again(store: Store, session: Session, more: dict[str, Any] | None = None) -> None:
    """The mirror of another session, which something became of. A repository that is gone stays
    gone, and where nobody knows more a mirror that is not there is not made."""
    from holdfast.rooms.sessions import work_tree

    if not session.gitdir or not files.exists(session.gitdir):
        return
    common = work_tree.common_of(session.gitdir)
    if more is not None or files.exists(path_of(common, session.id)):
        render_session(store, session, common, more)


def path_of(common: str, session: str) -> str:
    return f"{paths.project_folder(common)}/sessions/{paths.as_name(session)}.json"


def rendered(store: Store) -> Iterator[tuple[Session, str, str]]:
    """Sessions that have a mirror, each with its repository and the mirror's path."""
    from holdfast.rooms.sessions import work_tree

    for session in queries.latest(store, 1_000_000):
        common = work_tree.common_of(session.gitdir) if session.gitdir else ""
        path = path_of(common, session.id)
        if common and files.exists(path):
            yield session, common, path


def unreadable(workspace: Workspace) -> list[str]:
    """Mirrors that a disk, or somebody else, has left half written."""
    mirrors = [paths.registry(workspace.state), *(path for *_, path in rendered(workspace.store))]
    return [path for path in mirrors if files.exists(path) and not _reads(path)]


def render_all(workspace: Workspace) -> list[str]:
    """Every mirror that is there, anew; those that could not be written."""
    unwritten = []
    try:
        render_registry(workspace)
    except OSError:
        unwritten.append(paths.registry(workspace.state))
    for session, common, path in rendered(workspace.store):
        before = environment.system.stat(path).st_ino
        render_session(workspace.store, session, common)
        if environment.system.stat(path).st_ino == before:
            unwritten.append(path)
    return unwritten


def _reads(path: str) -> bool:
    try:
        return isinstance(jsontext.loads(files.read_text(path) or ""), dict)
    except ValueError:
        return False


def _mirror(path: str) -> dict[str, Any]:
    """What a mirror shows; nothing where it cannot be read."""
    if not files.exists(path) or not _reads(path):
        return {}
    shown: dict[str, Any] = jsontext.loads(files.read_text(path) or "{}")
    return shown


def state(store: Store, session: Session) -> dict[str, object]:
    before = queries.previous_of(store, session.id)
    after = queries.next_of(store, session.id)
    return {
        "schema_version": 1,
        "session_id": session.id,
        "agent": session.agent,
        "project_dir": session.worktree,
        "branch": session.branch,
        "channel": session.channel,
        "start_time": session.started_at,
        "last_active": session.last_active_at,
        "end_time": session.ended_at,
        "end_reason": session.end_reason,
        "crash_recovered": bool(session.crash_recovered),
        "previous_session_id": before[0] if before else None,
        "continued_by": after[-1][0] if after else None,
        "active_projects": [name for name in (session.worktree.rpartition("/")[2],) if name],
        "sop_interactions": _instructions(store, session.id),
    }


def _instructions(store: Store, session: str) -> list[dict[str, object]]:
    """The instruction files that the agent was given. Whether it took them in nobody can see."""
    return [
        {
            "sop_path": body["path"],
            "injected_at": at,
            "acknowledged": None,
            "tool_call": body["reason"],
        }
        for at, body in queries.instructions_of(store, session, INSTRUCTIONS)
    ]
