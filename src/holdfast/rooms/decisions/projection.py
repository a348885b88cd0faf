"""What entries make of decisions, claims and what is open.

Reads the entry and this room's tables, nothing else: the replay law. Every row is owned by the
session of its entry. How a quote stands is no fact of the ledger but of a work tree: standings are
caches, and may be thrown away at any time.
"""

from __future__ import annotations

from holdfast.system import jsontext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdfast.ledger.entry import Entry
    from holdfast.store.sqlite import Store

NOTICED_OF_WORK = ("forks",)
NOTICED_OF_WORDS = ("ghosts",)


def _fork_noticed(store: Store, entry: Entry, id_: str, home: str) -> None:
    body = entry.body
    store.run(
        "insert into forks (id, project, session, at, seq, sort, decision, citation, said, why,"
        " went_on) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        id_,
        home,
        entry.session,
        entry.at,
        entry.seq,
        body["sort"],
        body["decision"],
        body.get("citation", ""),
        body["said"],
        body["why"],
        int(body["went_on"]),
    )


def _ghost_checked(store: Store, entry: Entry, id_: str, home: str) -> None:
    body = entry.body
    store.run(
        "insert into ghosts (id, project, session, at, seq, feature, also, verdict, code, docs,"
        " commit_, is_dirty) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        id_,
        home,
        entry.session,
        entry.at,
        entry.seq,
        body["feature"],
        jsontext.dumps(body["also"]),
        body["verdict"],
        body["code"],
        body["docs"],
        body["commit"],
        int(body["dirty"]),
    )


DERIVED = {"fork_noticed": _fork_noticed, "ghost_checked": _ghost_checked}


# What a session claimed goes with its archive; what was decided in it stays.
OF_WORK = ("claims", *NOTICED_OF_WORK)
OF_WORDS = (*"decisions scenarios items resolutions".split(), *NOTICED_OF_WORDS)
OWNED = (*OF_WORK, *OF_WORDS, "citations")
TABLES = (*OWNED, "decision_homes")
# Exempt from the replay law: filled when somebody looks, and filled anew when they are gone.
CACHES = ("standings",)


def derive(store: Store, entry: Entry) -> None:
    if entry.kind == "session_archived":
        drop(store, entry.session, OF_WORK)
    elif entry.kind == "session_forgotten":
        drop(store, entry.session)
    else:
        _DERIVED[entry.kind](store, entry)


def drop(store: Store, session: str, tables: Any = OWNED) -> None:
    """Forget what was derived from a session's entries, and how its quotes stood."""
    resolved = list(store.rows("select item from resolutions where session = ?", session))
    for table in tables:
        store.run(f"delete from {table} where session = ?", session)
    for (item,) in resolved:  # what only this session had resolved is open again
        _mark_open(store, item)
    _drop_unowned(store, session)


def _decision_made(store: Store, entry: Entry) -> None:
    id_, home, body = entry.id, _home_of(store, entry), entry.body
    store.run(
        "insert into decisions (id, project, session, at, seq, text, because, source, supersedes)"
        " values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        id_,
        home,
        entry.session,
        entry.at,
        entry.seq,
        body["text"],
        body["because"],
        body["source"],
        body.get("supersedes", ""),
    )
    for place, scenario in enumerate(body["scenarios"]):
        store.run(
            "insert into scenarios (decision, place, session, project, kind, name, expected)"
            " values (?, ?, ?, ?, ?, ?, ?)",
            id_,
            place,
            entry.session,
            home,
            *(_field(scenario, name, "") for name in ("kind", "name", "expected")),
        )
    _cite(store, entry, id_, home)


def _claim_made(store: Store, entry: Entry) -> None:
    id_, home = entry.id, _home_of(store, entry)
    store.run(
        "insert into claims (id, project, session, at, seq, text, grounding)"
        " values (?, ?, ?, ?, ?, ?, ?)",
        id_,
        home,
        entry.session,
        entry.at,
        entry.seq,
        entry.body["text"],
        entry.body["grounding"],
    )
    _cite(store, entry, id_, home)


def _cite(store: Store, entry: Entry, owner: str, home: str) -> None:
    for place, citation in enumerate(entry.body["evidence"]):
        store.run(
            "insert into citations (id, owner, place, session, project, path, line, last, quote,"
            " part, around, commit_) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            f"{owner}:{place}",
            owner,
            place,
            entry.session,
            home,
            _field(citation, "path", ""),
            _field(citation, "line", 1),
            _field(citation, "last", 1),
            _field(citation, "quote", ""),
            int(_field(citation, "part", False)),
            jsontext.dumps(_field(citation, "around", {})),
            _field(citation, "commit", ""),
        )


def _field(member: Any, name: str, default: Any) -> Any:
    """What a list's member says: lists of an entry that came from elsewhere may hold anything."""
    value = member.get(name) if isinstance(member, dict) else None
    return value if type(value) is type(default) else default


def _item_opened(store: Store, entry: Entry) -> None:
    id_ = entry.id
    store.run(
        "insert into items (id, project, session, at, seq, sort, text, source)"
        " values (?, ?, ?, ?, ?, ?, ?, ?)",
        id_,
        _home_of(store, entry),
        entry.session,
        entry.at,
        entry.seq,
        entry.body["sort"],
        entry.body["text"],
        entry.body["source"],
    )
    _mark_open(store, id_)


def _mark_open(store: Store, item: str) -> None:
    """Have an item say whether it is open: by an index of those, none of the others is read."""
    store.run(
        "update items set is_open = not exists (select 1 from resolutions where item = items.id)"
        " where id = ?",
        item,
    )


def _item_resolved(store: Store, entry: Entry) -> None:
    store.run(
        "insert into resolutions (id, item, project, session, at, words) values (?, ?, ?, ?, ?, ?)",
        entry.id,
        entry.body["item"],
        _home_of(store, entry),
        entry.session,
        entry.at,
        entry.body["words"],
    )
    _mark_open(store, entry.body["item"])


def _noticed(store: Store, entry: Entry) -> None:
    DERIVED[entry.kind](store, entry, entry.id, _home_of(store, entry))


def _projects_merged(store: Store, entry: Entry) -> None:
    into = entry.body["into"]
    store.run(
        "insert or replace into decision_homes (project, home) values (?, ?)", entry.project, into
    )
    store.run("update decision_homes set home = ? where home = ?", into, entry.project)
    for table in OWNED:
        store.run(f"update {table} set project = ? where project = ?", into, entry.project)


def _project_forgotten(store: Store, entry: Entry) -> None:
    """What a person said of it outside of any session; its sessions are forgotten one by one."""
    resolved = list(
        store.rows("select item from resolutions where project = ? and session = ''", entry.project)
    )
    for table in OWNED:
        store.run(f"delete from {table} where project = ? and session = ''", entry.project)
    for (item,) in resolved:
        _mark_open(store, item)
    store.run(
        "delete from decision_homes where project = ? or home = ?", entry.project, entry.project
    )
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
    """The entry's project, or what it was merged into."""
    home = "select coalesce((select home from decision_homes where project = ?1), ?1)"
    return str(store.value(home, entry.project))


_DERIVED = {
    "decision_made": _decision_made,
    "claim_made": _claim_made,
    "item_opened": _item_opened,
    "item_resolved": _item_resolved,
    "projects_merged": _projects_merged,
    "project_forgotten": _project_forgotten,
    **dict.fromkeys(DERIVED, _noticed),
}
