"""What entries make of identifiers, of our own list of work, and of what an item was told.

Reads the entry and its own tables, nothing else: the replay law. Every row is owned by the session
of its entry. Of two acts on one thing the later one counts, in whichever order they came.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.ledger.entry import Entry
    from holdfast.store.sqlite import Store

TABLES = ("identifiers", "identifier_checks", "tracked", "tracked_words")


def derive(store: Store, entry: Entry) -> None:
    if entry.kind == "session_archived":
        return  # what was named and listed holds when its session is long over
    if entry.kind == "session_forgotten":
        drop(store, entry.session)
        return
    _DERIVED[entry.kind](store, entry)


def drop(store: Store, session: str) -> None:
    """Forget what was derived from a session's entries."""
    for table in TABLES:
        store.run(f"delete from {table} where session = ?", session)


def _identified(store: Store, entry: Entry) -> None:
    body = entry.body
    store.run(
        "insert or replace into identifiers (id, project, session, at, path, line, last, purpose)"
        " values (?, ?, ?, ?, ?, ?, ?, ?)",
        entry.id,
        _home_of(store, entry),
        entry.session,
        entry.at,
        body["path"],
        body["line"],
        body["last"],
        body["purpose"],
    )


def _verified(store: Store, entry: Entry) -> None:
    for identifier, standing in entry.body["standings"].items():
        if isinstance(standing, str):
            store.run(
                "insert into identifier_checks (identifier, session, project, at, standing)"
                " values (?, ?, ?, ?, ?) on conflict do update"
                " set at = excluded.at, standing = excluded.standing where excluded.at >= at",
                identifier,
                entry.session,
                _home_of(store, entry),
                entry.at,
                standing,
            )


def _item_tracked(store: Store, entry: Entry) -> None:
    body = entry.body
    store.run(
        "insert into tracked (project, item, session, at, seq, title, stage)"
        " values (?, ?, ?, ?, ?, ?, ?) on conflict do update"
        " set at = excluded.at, seq = excluded.seq, title = excluded.title, stage = excluded.stage"
        " where (excluded.at, excluded.seq) >= (at, seq)",
        _home_of(store, entry),
        body["item"],
        entry.session,
        entry.at,
        entry.seq,
        body["title"],
        body["stage"],
    )


def _item_told(store: Store, entry: Entry) -> None:
    body = entry.body
    store.run(
        "insert or replace into tracked_words (id, project, item, session, at, seq, tracker, sort,"
        " subject, text) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        entry.id,
        _home_of(store, entry),
        body["item"],
        entry.session,
        entry.at,
        entry.seq,
        body["tracker"],
        body["sort"],
        body["subject"],
        body["text"],
    )


def _home_of(store: Store, entry: Entry) -> str:
    """The entry's project, or what it was merged into: the room itself keeps that."""
    home = "select coalesce((select home from decision_homes where project = ?1), ?1)"
    return str(store.value(home, entry.project))


def _projects_merged(store: Store, entry: Entry) -> None:
    project, into = entry.project, entry.body["into"]
    for table in TABLES:
        store.run(f"update or replace {table} set project = ? where project = ?", into, project)


def _project_forgotten(store: Store, entry: Entry) -> None:
    """What a person said outside of any session; its sessions are forgotten one by one."""
    for table in TABLES:
        store.run(f"delete from {table} where project = ? and session = ''", entry.project)


_DERIVED = {
    "identified": _identified,
    "identifiers_verified": _verified,
    "item_tracked": _item_tracked,
    "item_told": _item_told,
    "projects_merged": _projects_merged,
    "project_forgotten": _project_forgotten,
}
