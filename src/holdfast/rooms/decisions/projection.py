"""What entries make of decisions, claims and what is open.

Reads the entry and this room's tables, nothing else: the replay law. Every row is owned by the
session of its entry. How a quote stands is no fact of the ledger but of a work tree: standings are
caches, and may be thrown away at any time.
"""

from __future__ import annotations

from holdfast.ledger import projections
from holdfast.system import jsontext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from holdfast.ledger.entry import Entry
    from holdfast.store.sqlite import Store

# What a session claimed goes with its archive; what was decided in it stays.
OF_WORK = ("claims", "forks")
OF_WORDS = "decisions scenarios items resolutions ghosts".split()
OWNED = (*OF_WORK, *OF_WORDS, "citations")
HOMES = "decision_homes"
TABLES = (*OWNED, HOMES)
# Exempt from the replay law: filled when somebody looks, and filled anew when they are gone.
CACHES = ("standings",)


def derive(store: Store, entry: Entry) -> None:
    if entry.kind == "session_archived":
        drop(store, entry.session, OF_WORK)
    elif entry.kind == "session_forgotten":
        drop(store, entry.session)
    else:
        _DERIVED[entry.kind](store, entry)


def drop(store: Store, session: str, tables: Iterable[str] = OWNED) -> None:
    """Forget what was derived from a session's entries, and how its quotes stood."""
    resolved = store.column("select item from resolutions where session = ?", session)
    projections.drop(store, session, tables)
    for item in resolved:  # what only this session had resolved is open again
        _mark_open(store, item)
    _drop_unowned(store, session)


def _decision_made(store: Store, entry: Entry) -> None:
    home = _home_of(store, entry)
    store.insert(
        "decisions",
        project=home,
        **entry.header("id session at seq"),
        **entry.fields("text because source"),
        supersedes=entry.body.get("supersedes", ""),
    )
    for place, scenario in enumerate(entry.body["scenarios"]):
        store.insert(
            "scenarios",
            decision=entry.id,
            place=place,
            session=entry.session,
            project=home,
            **{name: _field(scenario, name, "") for name in ("kind", "name", "expected")},
        )
    _cite(store, entry, home)


def _claim_made(store: Store, entry: Entry) -> None:
    home = _home_of(store, entry)
    row = entry.header("id session at seq") | entry.fields("text grounding")
    store.insert("claims", project=home, **row)
    _cite(store, entry, home)


def _cite(store: Store, entry: Entry, home: str) -> None:
    for place, citation in enumerate(entry.body["evidence"]):
        store.insert(
            "citations",
            id=f"{entry.id}:{place}",
            owner=entry.id,
            place=place,
            session=entry.session,
            project=home,
            path=_field(citation, "path", ""),
            line=_field(citation, "line", 1),
            last=_field(citation, "last", 1),
            quote=_field(citation, "quote", ""),
            part=_field(citation, "part", False),
            around=jsontext.dumps(_field(citation, "around", {})),
            commit_=_field(citation, "commit", ""),
        )


def _field(member: Any, name: str, default: Any) -> Any:
    """What a list's member says: lists of an entry that came from elsewhere may hold anything."""
    value = member.get(name) if isinstance(member, dict) else None
    return value if type(value) is type(default) else default


def _item_opened(store: Store, entry: Entry) -> None:
    row = entry.header("id session at seq") | entry.fields("sort text source")
    store.insert("items", project=_home_of(store, entry), **row)
    _mark_open(store, entry.id)


def _mark_open(store: Store, item: str) -> None:
    """Have an item say whether it is open: by an index of those, none of the others is read."""
    store.run(
        "update items set is_open = not exists (select 1 from resolutions where item = items.id)"
        " where id = ?",
        item,
    )


def _item_resolved(store: Store, entry: Entry) -> None:
    row = entry.header("id session at") | entry.fields("item words")
    store.insert("resolutions", project=_home_of(store, entry), **row)
    _mark_open(store, entry.body["item"])


def _fork_noticed(store: Store, entry: Entry) -> None:
    store.insert(
        "forks",
        project=_home_of(store, entry),
        **entry.header("id session at seq"),
        **entry.fields("sort decision said why went_on"),
        citation=entry.body.get("citation", ""),
    )


def _ghost_checked(store: Store, entry: Entry) -> None:
    body = entry.body
    store.insert(
        "ghosts",
        project=_home_of(store, entry),
        **entry.header("id session at seq"),
        **entry.fields("feature verdict code docs"),
        also=jsontext.dumps(body["also"]),
        commit_=body["commit"],
        is_dirty=body["dirty"],
    )


def _projects_merged(store: Store, entry: Entry) -> None:
    projections.merge(store, entry, HOMES, OWNED)


def _project_forgotten(store: Store, entry: Entry) -> None:
    """What a person said of it outside of any session; its sessions are forgotten one by one."""
    resolved = store.column(
        "select item from resolutions where project = ? and session = ''", entry.project
    )
    projections.drop_outside(store, entry.project, OWNED)
    for item in resolved:
        _mark_open(store, item)
    projections.forget_home(store, entry.project, HOMES)
    _drop_unowned(store, "")


def _drop_unowned(store: Store, session: str) -> None:
    """Quotes of a claim that is gone, and how quotes stood that are gone."""
    store.run(
        "delete from citations where session = ? and owner not in (select id from decisions)"
        " and owner not in (select id from claims)",
        session,
    )
    store.run("delete from standings where citation not in (select id from citations)")


def _home_of(store: Store, entry: Entry) -> str:
    return projections.home_of(store, entry.project, HOMES)


_DERIVED = {
    "decision_made": _decision_made,
    "claim_made": _claim_made,
    "item_opened": _item_opened,
    "item_resolved": _item_resolved,
    "projects_merged": _projects_merged,
    "project_forgotten": _project_forgotten,
    "fork_noticed": _fork_noticed,
    "ghost_checked": _ghost_checked,
}
