"""The ledger on disk: headers in `entries`, bodies in `bodies`, nothing ever updated."""

from __future__ import annotations

from holdfast import jsontext
from holdfast.errors import EntryRefused
from holdfast.ledger.entry import Draft, Entry, check, checksum
from holdfast.paths import digest
from holdfast.platform import system
from holdfast.redaction import Gated

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from holdfast.store.sqlite import Store

HEADER = "machine, seq, at, project, session, agent, kind, version, key, digest, checksum"
FIELDS = tuple(HEADER.split(", "))


def append(store: Store, draft: Draft) -> Entry | None:
    """Keep an entry inside the caller's transaction; None when this event was kept before."""
    if type(draft.body) is not Gated:
        raise EntryRefused(f"{draft.kind}: the body did not pass the redaction gate")
    version = check(draft.kind, draft.body.value)
    machine = store.machine()
    seq = store.value("select coalesce(max(seq), 0) + 1 from entries where machine = ?", machine)
    body = jsontext.dumps(draft.body.value)
    salt = system.urandom(16)
    header = (
        machine,
        seq,
        draft.at,
        draft.project,
        draft.session,
        draft.agent,
        draft.kind,
        version,
        draft.key,
        digest(salt + body.encode()),
    )
    store.run(
        f"insert into entries ({HEADER}) values (?,?,?,?,?,?,?,?,?,?,?)"
        " on conflict (session, key) do nothing",
        *header,
        checksum(*header),
    )
    if not store.changes():
        return None
    store.run(
        "insert into bodies (place, salt, body) values (last_insert_rowid(), ?, ?)", salt, body
    )
    return Entry(*header[:8], draft.body.value)


def is_kept(store: Store, session: str, key: str) -> bool:
    return bool(store.value("select 1 from entries where session = ? and key = ?", session, key))


def read(
    store: Store, *, after: int = 0, session: str | None = None
) -> Iterator[tuple[int, Entry]]:
    """The entries that still have a body, in the order they were kept, each with its place."""
    rows = store.rows(
        "select e.place, e.machine, e.seq, e.at, e.project, e.session, e.agent, e.kind, e.version,"
        " b.body from entries e join bodies b on b.place = e.place"
        f" where e.place > ? {'and e.session = ?' if session is not None else ''} order by e.place",
        after,
        *(() if session is None else (session,)),
    )
    for place, *header, body in rows:
        yield place, Entry(*(*header, jsontext.loads(body)))


def bury(store: Store, places: list[int]) -> None:
    """Delete bodies. The headers stay as gravestones."""
    for place in places:
        store.run("delete from bodies where place = ?", place)


def empty(store: Store, table: str) -> None:
    """Clear a derived table, so that it can be filled anew."""
    store.run(f"delete from {table}")


# What is asked of gravestones and bodies alike: naming, forgetting, export, import


def with_body(store: Store, session: str, but: tuple[str, ...]) -> list[int]:
    """Where a session's entries lie that still have a body, kinds in `but` left out."""
    rows = store.rows(
        "select place, kind from entries join bodies using (place) where session = ?", session
    )
    return [place for place, kind in rows if kind not in but]


def with_body_of_project(store: Store, project: str, but: tuple[str, ...]) -> list[int]:
    """The same for what belongs to a project and to no session."""
    rows = store.rows(
        "select place, kind from entries join bodies using (place)"
        " where session = '' and project = ?",
        project,
    )
    return [place for place, kind in rows if kind not in but]


def has_body_of_kind(store: Store, places: list[int], kind: str) -> bool:
    return any(
        store.value("select 1 from entries where place = ? and kind = ?", place, kind)
        for place in places
    )


def bodies_of_kind(store: Store, session: str, kind: str) -> list[str]:
    rows = store.rows(
        "select body from entries join bodies using (place) where session = ? and kind = ?"
        " order by place",
        session,
        kind,
    )
    return [row[0] for row in rows]


def whose(store: Store, session: str) -> tuple[str, str]:
    """A session's project and agent, as its last entry names them; gravestones do, too."""
    row = store.row(
        "select project, agent from entries where session = ? order by place desc limit 1", session
    )
    return ("", "") if row is None else (row[0], row[1])


def has_kind(store: Store, session: str, project: str, kind: str) -> bool:
    return bool(
        store.value(
            "select 1 from entries where session = ? and project = ? and kind = ? limit 1",
            session,
            project,
            kind,
        )
    )


def sessions_of(store: Store, project: str) -> list[str]:
    """Every session with an entry in a project, forgotten ones too."""
    rows = store.rows(
        "select distinct session from entries where project = ? and session <> '' order by session",
        project,
    )
    return [row[0] for row in rows]


def sessions_like(store: Store, given: str) -> list[str]:
    """Sessions that a person may mean, forgotten ones too: the whole id, else its beginning."""
    if not given:
        return []
    if store.value("select 1 from entries where session = ? limit 1", given):
        return [given]
    bare = given.replace("-", "")
    rows = store.rows(
        "select distinct session from entries where session <> ''"
        " and substr(replace(session, '-', ''), 1, ?) = ? order by session limit 10",
        len(bare),
        bare,
    )
    return [row[0] for row in rows] if bare else []


def sessions_with(store: Store, kind: str) -> list[str]:
    """Sessions that have an entry of a kind, with its body."""
    rows = store.rows(
        "select distinct session from entries join bodies using (place) where kind = ?", kind
    )
    return [row[0] for row in rows]


def all_sessions(store: Store) -> list[str]:
    rows = store.rows("select distinct session from entries where session <> '' order by session")
    return [row[0] for row in rows]


def machines_like(store: Store, given: str) -> list[str]:
    rows = store.rows(
        "select distinct machine from entries where substr(machine, 1, ?) = ? order by machine",
        len(given),
        given,
    )
    return [row[0] for row in rows]


def projects_like(store: Store, given: str, limit: int = 10) -> list[str]:
    """Projects whose id begins so, forgotten ones too."""
    rows = store.rows(
        "select distinct project from entries where project <> '' and substr(project, 1, ?) = ?"
        " order by project limit ?",
        len(given),
        given,
        limit,
    )
    return [row[0] for row in rows]


def grave(store: Store, machine: str, seq: int) -> dict[str, Any] | None:
    """One header, with its place and whether there is a body."""
    row = store.row(
        f"select place, {HEADER}, b.place is not null from entries left join bodies b"
        " using (place) where machine = ? and seq = ?",
        machine,
        seq,
    )
    return None if row is None else dict(zip(("place", *FIELDS, "has_body"), row, strict=True))


def whole(store: Store) -> Iterator[tuple[int, tuple[Any, ...], bytes | None, str | None]]:
    """Every entry in the order it was kept: place, header, salt, body; gravestones too."""
    for place, *row in store.rows(
        f"select place, {HEADER}, salt, body from entries left join bodies using (place)"
        " order by place"
    ):
        yield place, tuple(row[:11]), row[11], row[12]


def holder_of(store: Store, session: str, key: str) -> tuple[str, int] | None:
    """The machine and number of the entry that keeps an event."""
    return store.row("select machine, seq from entries where session = ? and key = ?", session, key)


def put_back(store: Store, header: tuple[Any, ...], salt: bytes | None, body: str | None) -> int:
    """Insert an entry that was kept elsewhere, as it is; its place here. It passed the gate
    when it was first kept: whoever calls this has checked its digest instead."""
    store.run(f"insert into entries ({HEADER}) values (?,?,?,?,?,?,?,?,?,?,?)", *header)
    place = int(store.value("select last_insert_rowid()"))
    if body is not None:
        store.run("insert into bodies (place, salt, body) values (?, ?, ?)", place, salt, body)
    return place


def damaged(store: Store) -> list[tuple[int, str]]:
    """Every place whose header or body is not what was written, and what is wrong with it."""
    found = []
    rows = store.rows(
        f"select e.place, {HEADER}, b.salt, b.body from entries e left join bodies b using (place)"
    )
    for place, *fields in rows:
        header, kept, salt, body = fields[:10], fields[10], fields[11], fields[12]
        if checksum(*header) != kept:
            found.append((place, "header"))
        elif body is not None and digest(salt + body.encode()) != header[9]:
            found.append((place, "body"))
    return found


def last_place(store: Store) -> int:
    return int(store.value("select coalesce(max(place), 0) from entries") or 0)


def tokens_given(store: Store, session: str) -> int:
    """What Holdfast has said to a session, in tokens."""
    return int(
        store.value(
            "select coalesce(sum(json_extract(body, '$.tokens')), 0) from entries"
            " join bodies using (place) where session = ? and key >= 'given:' and key < 'given;'",
            session,
        )
    )


def latest_at(store: Store) -> str:
    """The time of the latest entry by its own clock."""
    return str(store.value("select coalesce(max(at), '') from entries"))


def count(store: Store) -> int:
    return int(store.value("select count(*) from entries"))


def count_bodies(store: Store) -> int:
    return int(store.value("select count(*) from bodies"))
