"""The rooms' projections, and by which version of their rule they fill their tables.

A room's `derive` is called in the transaction that keeps the entry. It reads the entry and its
own tables and nothing else (the replay law). Raising a room's version here makes the next hook
start a rebuild beside the old tables.
"""

from __future__ import annotations

from holdfast.ledger.kinds import (
    CONSOLIDATION,
    DECISIONS,
    GATES,
    IDENTITY,
    PROMPTS,
    RECALL,
    SESSIONS,
    THREADS,
    TRACKER,
    WORK,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import ModuleType

    from holdfast.ledger.entry import Entry
    from holdfast.store.sqlite import Store

CALLS = frozenset({"tool_used", "calls_refused", "command_typed"})
# room -> version of its rule
ROOMS = {
    SESSIONS: 3,
    PROMPTS: 3,
    WORK: 6,
    GATES: 5,
    IDENTITY: 4,
    DECISIONS: 1,
    TRACKER: 1,
    CONSOLIDATION: 2,
    RECALL: 1,
    THREADS: 1,
}


def projection_of(room: str) -> ModuleType:
    """The room's module that holds TABLES, derive and drop; imported when it is asked for."""
    module: ModuleType = __import__(f"holdfast.rooms.{room}.projection", fromlist=["derive"])
    return module


def derive(store: Store, entry: Entry, rooms: tuple[str, ...]) -> None:
    """What an entry makes of the tables. A call that the client did not send makes nothing."""
    if entry.kind in CALLS and entry.body.get("unverified"):
        return
    for room in rooms:
        projection_of(room).derive(store, entry)


def drop(store: Store, session: str, tables: Iterable[str]) -> None:
    """Forget what was derived from a session's entries."""
    for table in tables:
        store.run(f"delete from {table} where session = ?", session)


def drop_outside(store: Store, project: str, tables: Iterable[str]) -> None:
    """Forget what was said of a project outside of any session."""
    for table in tables:
        store.run(f"delete from {table} where project = ? and session = ''", project)


def home_of(store: Store, project: str, homes: str) -> str:
    """The project, or what it was merged into, by a room's own table of homes."""
    home = f"select coalesce((select home from {homes} where project = ?1), ?1)"
    return str(store.value(home, project))


def merge(store: Store, entry: Entry, homes: str, tables: Iterable[str]) -> None:
    """What was a project's is from now on that of another one."""
    project, into = entry.project, entry.body["into"]
    store.replace(homes, project=project, home=into)
    store.run(f"update {homes} set home = ? where home = ?", into, project)
    for table in tables:
        store.run(f"update {table} set project = ? where project = ?", into, project)


def forget_home(store: Store, project: str, homes: str) -> None:
    store.run(f"delete from {homes} where project = ? or home = ?", project, project)


def stale(store: Store) -> list[str]:
    """Rooms whose tables were filled by another rule than this program's."""
    filled = dict(store.rows("select room, version from derivations"))
    return [room for room, version in ROOMS.items() if filled.get(room) != version]
