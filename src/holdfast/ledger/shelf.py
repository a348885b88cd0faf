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

    from holdfast.store.sqlite import Store

HEADER = "machine, seq, at, project, session, agent, kind, version, key, digest, checksum"


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


def count(store: Store) -> int:
    return int(store.value("select count(*) from entries"))
