"""What entries make of dreams: what each session used, what was dreamt, which links have faded.

Reads the entry and this room's tables, nothing else: the replay law. What a session used is owned
by that session and is replaced as a whole by its next replay; the rest belongs to the project, and
names memories by id alone.
"""

from __future__ import annotations

from holdfast.system import jsontext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.ledger.entry import Entry
    from holdfast.store.sqlite import Store

OF_SESSION = ("recalls", "recollections")
OF_DREAM = ("dreams", "faded_links")
TABLES = (*OF_SESSION, *OF_DREAM)


def derive(store: Store, entry: Entry) -> None:
    _DERIVED[entry.kind](store, entry)


def drop(store: Store, session: str, tables: tuple[str, ...] = TABLES) -> None:
    """Forget what was derived from a session's entries."""
    for table in tables:
        store.run(f"delete from {table} where session = ?", session)


def _recalled(store: Store, entry: Entry) -> None:
    drop(store, entry.session, OF_SESSION)
    body = entry.body
    store.run(
        "insert into recalls (session, project, step, until) values (?, ?, ?, ?)",
        entry.session,
        _home_of(store, entry),
        body["step"],
        body["until"],
    )
    for memory in body["memories"]:
        if isinstance(memory, dict):
            store.run(
                "insert or ignore into recollections (session, memory, sort, name, permille)"
                " values (?, ?, ?, ?, ?)",
                entry.session,
                str(memory.get("memory", "")),
                str(memory.get("sort", "")),
                str(memory.get("name", "")),
                int(memory.get("permille", 0)),
            )


def _dreamt(store: Store, entry: Entry) -> None:
    body = entry.body
    store.run(
        "insert into dreams (id, project, session, at, why, ended, step, said)"
        " values (?, ?, ?, ?, ?, ?, ?, ?)",
        entry.id,
        _home_of(store, entry),
        entry.session,
        entry.at,
        body["why"],
        body["ended"],
        body["step"],
        jsontext.dumps(body),
    )
    for pair in body["pruned"]:
        if isinstance(pair, list) and len(pair) == 2:
            store.run(
                "insert or replace into faded_links (project, session, a, b, step)"
                " values (?, ?, ?, ?, ?)",
                entry.project,
                entry.session,
                str(pair[0]),
                str(pair[1]),
                body["step"],
            )


def _home_of(store: Store, entry: Entry) -> str:
    """The entry's project, or what it was merged into: the work's room keeps that."""
    home = "select coalesce((select home from merges where project = ?1), ?1)"
    return str(store.value(home, entry.project))


def _session_forgotten(store: Store, entry: Entry) -> None:
    drop(store, entry.session)


def _projects_merged(store: Store, entry: Entry) -> None:
    for table in ("recalls", *OF_DREAM):
        store.run(
            f"update or replace {table} set project = ? where project = ?",
            entry.body["into"],
            entry.project,
        )


def _project_forgotten(store: Store, entry: Entry) -> None:
    for table in OF_DREAM:
        store.run(f"delete from {table} where project = ?", entry.project)


_DERIVED = {
    "recalled": _recalled,
    "dreamt": _dreamt,
    "session_forgotten": _session_forgotten,
    "projects_merged": _projects_merged,
    "project_forgotten": _project_forgotten,
}
