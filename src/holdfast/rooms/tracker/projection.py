"""What entries make of identifiers, of our own list of work, and of what an item was told.

Reads the entry and its own tables, nothing else: the replay law. Every row is owned by the session
of its entry. Of two acts on one thing the later one counts, in whichever order they came.
"""

from __future__ import annotations

from holdfast.ledger import projections

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
    projections.drop(store, session, TABLES)


def _identified(store: Store, entry: Entry) -> None:
    row = entry.header("id session at") | entry.fields("path line last purpose")
    store.replace("identifiers", project=_home_of(store, entry), **row)


def _verified(store: Store, entry: Entry) -> None:
    for identifier, standing in entry.body["standings"].items():
        if isinstance(standing, str):
            store.insert(
                "identifier_checks",
                identifier=identifier,
                project=_home_of(store, entry),
                **entry.header("session at"),
                standing=standing,
                then="on conflict do update"
                " set at = excluded.at, standing = excluded.standing where excluded.at >= at",
            )


def _item_tracked(store: Store, entry: Entry) -> None:
    store.insert(
        "tracked",
        project=_home_of(store, entry),
        **entry.header("session at seq"),
        **entry.fields("item title stage"),
        then="on conflict do update"
        " set at = excluded.at, seq = excluded.seq, title = excluded.title, stage = excluded.stage"
        " where (excluded.at, excluded.seq) >= (at, seq)",
    )


def _item_told(store: Store, entry: Entry) -> None:
    row = entry.header("id session at seq") | entry.fields("item tracker sort subject text")
    store.replace("tracked_words", project=_home_of(store, entry), **row)


def _home_of(store: Store, entry: Entry) -> str:
    return projections.home_of(store, entry.project, "decision_homes")


def _projects_merged(store: Store, entry: Entry) -> None:
    project, into = entry.project, entry.body["into"]
    for table in TABLES:
        store.run(f"update or replace {table} set project = ? where project = ?", into, project)


def _project_forgotten(store: Store, entry: Entry) -> None:
    """What a person said outside of any session; its sessions are forgotten one by one."""
    projections.drop_outside(store, entry.project, TABLES)


_DERIVED = {
    "identified": _identified,
    "identifiers_verified": _verified,
    "item_tracked": _item_tracked,
    "item_told": _item_told,
    "projects_merged": _projects_merged,
    "project_forgotten": _project_forgotten,
}
