"""What sessions ran, on disk: each command by its last run."""

from __future__ import annotations

from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdfast.store.sqlite import Store


class Command(Value):
    """A command by its last run."""

    command: str
    ok: int
    at: str
    says: str  # the end of what it printed


class MendedCommand(Value):
    """A command that failed once and succeeded when last run."""

    command: str
    at: str
    failed_at: str
    failed_says: str


def all_commands(store: Store, session: str) -> list[Command]:
    """Everything that is still known of what a session ran, in its order."""
    return _commands(store, "session = ? order by seq", session)


def commands_since(store: Store, session: str, since: str) -> list[Command]:
    return _commands(store, "session = ? and at >= ? order by seq", session, since)


def known_from(store: Store, session: str, many: int) -> str:
    """Since when every command that passed is known, if that `many` are kept; "" where none was
    dropped."""
    return store.text(
        "select min(at) from commands where session = ? and ok = 1 having count(*) >= ?",
        session,
        many,
    )


class SessionPlace(Value):
    """Where a session works."""

    branch: str
    worktree: str


def place_of(store: Store, session: str) -> SessionPlace:
    row = store.row("select branch, worktree from sessions where id = ?", session)
    return SessionPlace(*(row or ("", "")))


def commands_beside(
    store: Store, project: str, session: str, *, place: SessionPlace, since: str, sessions: int
) -> list[Command]:
    """What other sessions in the same worktree or on the same branch ran since then."""
    return _commands(
        store,
        "at > ?1 and session in (select id"
        " from sessions where project = ?2 and id <> ?3 and last_active_at > ?1"
        " and (worktree = ?4 or (branch = ?5 and branch <> ''))"
        " order by begun desc limit ?6)",
        since,
        project,
        session,
        place.worktree,
        place.branch,
        sessions,
    )


def mended(store: Store, session: str) -> list[MendedCommand]:
    rows = store.rows(
        "select command, at, failed_at, failed_says from commands where session = ? and ok = 1"
        " and failed_at <> '' order by seq",
        session,
    )
    return [MendedCommand(*row) for row in rows]


def last_command(store: Store, session: str) -> Command | None:
    return next(iter(_commands(store, "session = ? order by seq desc limit 1", session)), None)


def _commands(store: Store, which: str, *values: Any) -> list[Command]:
    rows = store.rows(f"select command, ok, at, says from commands where {which}", *values)
    return [Command(*row) for row in rows]
