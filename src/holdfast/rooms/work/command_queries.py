"""What sessions ran, on disk: each command by its last run."""

from __future__ import annotations

from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.store.sqlite import Store


class Command(Value):
    """A command by its last run."""

    __slots__ = tuple("command ok at says".split())
    if TYPE_CHECKING:
        command: str
        ok: int
        at: str
        says: str  # the end of what it printed


class MendedCommand(Value):
    """A command that failed once and succeeded when last run."""

    __slots__ = tuple("command at failed_at failed_says".split())
    if TYPE_CHECKING:
        command: str
        at: str
        failed_at: str
        failed_says: str


def all_commands(store: Store, session: str) -> list[Command]:
    """Everything that is still known of what a session ran, in its order."""
    rows = store.rows(
        "select command, ok, at, says from commands where session = ? order by seq", session
    )
    return [Command(*row) for row in rows]


def known_from(store: Store, session: str, many: int) -> str:
    """Since when every command that passed is known, if that `many` are kept; "" where none was
    dropped."""
    at = store.value(
        "select min(at) from commands where session = ? and ok = 1 having count(*) >= ?",
        session,
        many,
    )
    return str(at or "")


class RepeatedCommand(Value):
    """A command as the latest sessions of a project ran it, those that passed apart from those that
    failed."""

    __slots__ = tuple("command ok times first_session last_session at says worktree".split())
    if TYPE_CHECKING:
        command: str
        ok: int
        times: int  # in how many sessions
        first_session: str  # by their ids; the same where there was only one
        last_session: str
        at: str  # the last time
        says: str  # then
        worktree: str


# Most commands check nothing: the rest is looked at more closely.
_OF_CHECKS = " or ".join(
    f"command like '%{word}%'"
    for word in "test lint check type verify build mypy tsc clippy tox spec vet :ci".split()
)


def repeated_commands(
    store: Store, project: str, but: str, *, sessions: int, longest: int, limit: int
) -> list[RepeatedCommand]:
    """What the latest sessions of a project ran, most often first; none that is longer."""
    rows = store.rows(
        "select command, ok, count(*), min(session), max(session), max(at), says, worktree"
        " from commands join (select id, worktree from sessions where project = ? and id <> ?"
        " order by begun desc limit ?) as latest on latest.id = session"
        f" where length(command) <= ? and ({_OF_CHECKS})"
        " group by command, ok order by 3 desc, 6 desc limit ?",
        project,
        but,
        sessions,
        longest,
        limit,
    )
    return [RepeatedCommand(*row) for row in rows]


def has_commands(store: Store, project: str, sessions: int) -> bool:
    """Whether one of the latest sessions of the project ran anything."""
    return bool(
        store.value(
            "select exists (select 1 from (select id from sessions where project = ?"
            " order by begun desc limit ?) as latest join commands on session = latest.id)",
            project,
            sessions,
        )
    )


class SessionPlace(Value):
    """Where a session works."""

    __slots__ = ("branch", "worktree")
    if TYPE_CHECKING:
        branch: str
        worktree: str


def place_of(store: Store, session: str) -> SessionPlace:
    row = store.row("select branch, worktree from sessions where id = ?", session)
    return SessionPlace(*(row or ("", "")))


def commands_beside(
    store: Store, project: str, session: str, *, place: SessionPlace, since: str, sessions: int
) -> list[Command]:
    """What other sessions in the same worktree or on the same branch ran since then."""
    rows = store.rows(
        "select command, ok, at, says from commands where at > ?1 and session in (select id"
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
    return [Command(*row) for row in rows]


def mended(store: Store, session: str) -> list[MendedCommand]:
    rows = store.rows(
        "select command, at, failed_at, failed_says from commands where session = ? and ok = 1"
        " and failed_at <> '' order by seq",
        session,
    )
    return [MendedCommand(*row) for row in rows]


def last_command(store: Store, session: str) -> Command | None:
    row = store.row(
        "select command, ok, at, says from commands where session = ? order by seq desc limit 1",
        session,
    )
    return Command(*row) if row else None
