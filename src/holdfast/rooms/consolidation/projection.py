"""What entries make of dreams: the report of each.

Reads the entry and this room's tables, nothing else: the replay law. Earlier versions also linked
what sessions used (`recalled`): those entries stay, and nothing is made of them any more.
"""

from __future__ import annotations

from holdfast.ledger import projections
from holdfast.system import jsontext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.ledger.entry import Entry
    from holdfast.store.sqlite import Store

DREAMS = "dreams"
# The others are filled no more: a rebuild leaves them empty.
TABLES = ("recalls", "recollections", DREAMS, "faded_links")


def derive(store: Store, entry: Entry) -> None:
    _DERIVED[entry.kind](store, entry)


def drop(store: Store, session: str) -> None:
    projections.drop(store, session, TABLES)


def _dreamt(store: Store, entry: Entry) -> None:
    store.insert(
        "dreams",
        project=projections.home_of(store, entry.project, "merges"),  # the work's room keeps that
        **entry.header("id session at"),
        **entry.fields("why ended"),
        step=0,
        said=jsontext.dumps(entry.body),
    )


def _session_forgotten(store: Store, entry: Entry) -> None:
    drop(store, entry.session)


def _projects_merged(store: Store, entry: Entry) -> None:
    into = entry.body["into"]
    store.run("update dreams set project = ? where project = ?", into, entry.project)


def _project_forgotten(store: Store, entry: Entry) -> None:
    store.run("delete from dreams where project = ?", entry.project)


_DERIVED = {
    "dreamt": _dreamt,
    "session_forgotten": _session_forgotten,
    "projects_merged": _projects_merged,
    "project_forgotten": _project_forgotten,
}
