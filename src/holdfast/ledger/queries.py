"""The ledger on disk: headers in `entries`, bodies in `bodies`, nothing ever updated."""

from __future__ import annotations

from holdfast.errors import Damaged, EntryRefused
from holdfast.ledger.entry import Draft, Entry, Head, check, checksum
from holdfast.ledger.kinds import HELD_OF
from holdfast.redaction.gate import Gated
from holdfast.system import jsontext
from holdfast.system.environment import system
from holdfast.system.paths import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from holdfast.store.sqlite import Store

HEADER = "machine, seq, at, project, session, agent, kind, version, key, digest, checksum"
FIELDS = tuple(HEADER.split(", "))
_OF_ENTRY = HEADER.replace(" at,", " entries.at,")


class Header(Head):
    """An entry's header, with its place and whether there is a body."""

    key: str
    digest: str
    checksum: str
    place: int
    has_body: int


def append(
    store: Store, draft: Draft, *, skipped: int = 0, by_own_time: bool = False
) -> Entry | None:
    """Keep an entry inside the caller's transaction; None when this event was kept before.
    Numbers of entries that were lost are skipped: none is given twice. What is taken in of the
    past counts from its own time, not from when it was taken in."""
    if type(draft.body) is not Gated:
        raise EntryRefused(f"{draft.kind}: the body did not pass the redaction gate")
    version = check(draft.kind, draft.body.value)
    machine, place = store.machine(), None
    if by_own_time:
        seq, counts_from = _last_seq(store, machine) + 1, ""
    else:
        seq, counts_from = _next(store, machine, draft.at)
    if skipped:
        seq, place = seq + skipped, last_place(store) + 1 + skipped
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
        f"insert into entries (place, {HEADER}) values (?,?,?,?,?,?,?,?,?,?,?,?)"
        " on conflict (session, key) do nothing",
        place,
        *header,
        checksum(*header),
    )
    if not store.changes():
        return None
    store.run(
        "insert into bodies (place, salt, body) values (last_insert_rowid(), ?, ?)", salt, body
    )
    if counts_from:
        store.run("insert into ranks (place, at) values (last_insert_rowid(), ?)", counts_from)
    store.note_row()
    return Entry(*header[:8], draft.body.value, counts_from)


def next_seq(store: Store) -> int:
    """The number that this machine's next entry gets."""
    return _last_seq(store, store.machine()) + 1


def _last_seq(store: Store, machine: str) -> int:
    return store.number("select max(seq) from entries where machine = ?", machine)


def _next(store: Store, machine: str, at: str, before: int = 1 << 62) -> tuple[int, str]:
    """The number that follows a machine's last one, and from when on an entry of this time counts
    that follows it; "" when that is its own time."""
    last = store.row(
        "select seq, max(entries.at, coalesce(ranks.at, '')) from entries left join ranks"
        " using (place) where machine = ? and seq < ? order by seq desc limit 1",
        machine,
        before,
    )
    if last is None:
        return 1, ""
    return last[0] + 1, last[1] if last[1] > at else ""


def counted_last(store: Store) -> str:
    """From when on this machine's last entry counts: no later one counts from before that."""
    return _next(store, store.machine(), "")[1]


def count_from(store: Store, entry: Entry, at: str) -> None:
    """Have an entry, and whatever follows it, count from then on."""
    if at > entry.at:
        place = store.value(
            "select place from entries where machine = ? and seq = ?", entry.machine, entry.seq
        )
        store.run("insert or replace into ranks (place, at) values (?, ?)", place, at)


def _rank(store: Store, place: int, header: tuple[Any, ...]) -> str:
    """Note from when on an entry counts that was kept elsewhere or was found again."""
    counts_from = _next(store, header[0], header[2], header[1])[1]
    if counts_from:
        store.run("insert or replace into ranks (place, at) values (?, ?)", place, counts_from)
    return counts_from


def is_kept(store: Store, session: str, key: str) -> bool:
    return store.holds("select 1 from entries where session = ? and key = ?", session, key)


def read(
    store: Store, *, after: int = 0, session: str | None = None
) -> Iterator[tuple[int, Entry]]:
    """The entries that still have a body, in the order they were kept, each with its place.
    Raises Damaged at one that is not what was written: nothing is derived from it."""
    rows = store.rows(
        f"select place, {_OF_ENTRY}, salt, body, ranks.at from entries join bodies using (place)"
        " left join ranks using (place)"
        f" where place > ? {'and session = ?' if session is not None else ''} order by place",
        after,
        *(() if session is None else (session,)),
    )
    for place, *row in rows:
        header, kept, salt, body, counts_from = row[:10], *row[10:]
        if checksum(*header) != kept or not is_body(header[9], salt, body):
            raise Damaged(f"entry {header[0]}:{header[1]} is not what was written")
        yield place, Entry(*(*header[:8], jsontext.loads(body), counts_from or ""))


def of_project(
    store: Store, project: str, *, after: int, limit: int
) -> Iterator[tuple[int, Entry]]:
    """A project's entries that still have a body, from a place on, each with its place."""
    rows = store.rows(
        f"select place, {HEADER}, body from entries join bodies using (place)"
        " where place > ? and project = ? order by place limit ?",
        after,
        project,
        limit,
    )
    for place, *row in rows:
        yield place, Entry(*(*row[:8], jsontext.loads(row[11])))


def is_body(digest_: str, salt: object, body: object) -> bool:
    """Whether a salt and a body are those that a header speaks of."""
    return type(salt) is bytes and type(body) is str and digest(salt + body.encode()) == digest_


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


def consequences(store: Store, session: str, machine: str, seq: int) -> list[int]:
    """Where entries lie that were made of what another one said: their keys name it."""
    return store.column(
        "select place from entries join bodies using (place) where session = ? and key like ?",
        session,
        f"%:{machine}:{seq}:%",
    )


def held_of(store: Store, session: str) -> list[tuple[int, str]]:
    """Where entries of others lie that hold something of a session, and whose they are."""
    held: list[tuple[int, str]] = []
    for kind, field in HELD_OF.items():
        rows = store.rows(
            "select place, session from entries join bodies using (place) where kind = ?"
            f" and json_extract(body, '$.{field}') = ? and session <> ?",
            kind,
            session,
            session,
        )
        held += [(place, heir) for place, heir in rows]
    return held


def holds_of(store: Store, session: str) -> list[tuple[int, str]]:
    """Where a session's entries lie that hold something of others, and of whom."""
    held: list[tuple[int, str]] = []
    for kind, field in HELD_OF.items():
        rows = store.rows(
            f"select place, json_extract(body, '$.{field}') from entries join bodies using (place)"
            " where session = ? and kind = ?",
            session,
            kind,
        )
        held += [(place, str(source)) for place, source in rows]
    return held


def has_forgotten(store: Store, session: str, kinds: tuple[str, ...]) -> bool:
    """Whether a session, or anything of it, was forgotten."""
    return any(
        store.value("select 1 from entries where session = ? and kind = ? limit 1", session, kind)
        for kind in kinds
    )


def has_body_of_kind(store: Store, places: list[int], kind: str) -> bool:
    return any(
        store.value("select 1 from entries where place = ? and kind = ?", place, kind)
        for place in places
    )


def bodies_of_kind(store: Store, session: str, kind: str) -> list[str]:
    return store.column(
        "select body from entries join bodies using (place) where session = ? and kind = ?"
        " order by place",
        session,
        kind,
    )


def whose(store: Store, session: str) -> tuple[str, str]:
    """A session's project and agent, as its last entry names them; gravestones do, too."""
    row = store.row(
        "select project, agent from entries where session = ? order by place desc limit 1", session
    )
    return ("", "") if row is None else (row[0], row[1])


def has_kind(store: Store, session: str, project: str, kind: str) -> bool:
    return store.holds(
        "select 1 from entries where session = ? and project = ? and kind = ? limit 1",
        session,
        project,
        kind,
    )


def is_of_forgotten_project(store: Store, session: str) -> bool:
    """Whether a project was forgotten, if only once, in which a session has entries."""
    return store.holds(
        "select 1 from entries o join entries e on e.project = o.project"
        " where o.session = '' and o.kind = 'project_forgotten' and e.session = ? limit 1",
        session,
    )


def sessions_of(store: Store, project: str) -> list[str]:
    """Every session with an entry in a project, forgotten ones too."""
    return store.column(
        "select distinct session from entries where project = ? and session <> '' order by session",
        project,
    )


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
    return store.column(
        "select distinct session from entries join bodies using (place) where kind = ?", kind
    )


def all_sessions(store: Store) -> list[str]:
    return store.column("select distinct session from entries where session <> '' order by session")


def machines_like(store: Store, given: str) -> list[str]:
    return store.column(
        "select distinct machine from entries where substr(machine, 1, ?) = ? order by machine",
        len(given),
        given,
    )


def projects_like(store: Store, given: str, limit: int = 10) -> list[str]:
    """Projects whose id begins so, forgotten ones too."""
    return store.column(
        "select distinct project from entries where project <> '' and substr(project, 1, ?) = ?"
        " order by project limit ?",
        len(given),
        given,
        limit,
    )


def grave(store: Store, machine: str, seq: int) -> Header | None:
    """The header of one entry, whether its body is gone or not."""
    row = store.row(
        f"select {HEADER}, place, b.place is not null from entries left join bodies b"
        " using (place) where machine = ? and seq = ?",
        machine,
        seq,
    )
    return None if row is None else Header(*row)


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


def put_in_place(store: Store, place: int, header: tuple[Any, ...]) -> bool:
    """Insert a header that was found again where it lay; False when its place is taken."""
    store.run(
        f"insert or ignore into entries (place, {HEADER}) values (?,?,?,?,?,?,?,?,?,?,?,?)",
        place,
        *header,
    )
    if not store.changes():
        return False
    _rank(store, place, header)
    return True


def give_body(store: Store, place: int, salt: bytes, body: str) -> bool:
    """Insert a body that was found again; False when there is one."""
    store.run(
        "insert or ignore into bodies (place, salt, body) values (?, ?, ?)", place, salt, body
    )
    return bool(store.changes())


def counts_from(store: Store, place: int) -> str:
    """From when on an entry counts, where that is not its own time; else ""."""
    return store.text("select at from ranks where place = ?", place)


def place_with(store: Store, place: int, digest_: str) -> int:
    """Where the entry lies whose body has this digest: most likely at `place`. 0 for nowhere."""
    if store.value("select digest from entries where place = ?", place) == digest_:
        return place
    return store.number("select place from entries where digest = ? limit 1", digest_)


def gaps(store: Store) -> list[tuple[str, int, int]]:
    """Numbers of this store's own machines that no entry has, and of which no entry says that
    they were lost: machine, first, last."""
    rows = store.rows(
        "select machine, before + 1, seq - 1 from (select machine, seq, lag(seq, 1, 0) over"
        " (partition by machine order by seq) as before from entries"
        " where machine in (select id from machines)) where seq > before + 1"
    )
    known_lost = _known_lost(store, "entries")
    return [
        (machine, *part)
        for machine, first, last in rows
        for part in _without(first, last, [lost[1:] for lost in known_lost if lost[0] == machine])
    ]


def bodiless(store: Store, *, after: int = 0) -> list[tuple[str, int]]:
    """Entries of this store's own machines that have no body, where no entry says why. With an
    entry goes what was made of it, which its key names; with a session, or any part of one, what
    others took over of it: of that the gravestone has the kind alone."""
    taken_over = ", ".join(f"'{kind}'" for kind in HELD_OF)
    rows = store.rows(
        "select machine, seq from entries e left join bodies b using (place)"
        " where b.place is null and e.place > ? and machine in (select id from machines)"
        " and not exists (select 1 from entries o where o.session = e.session and o.place > e.place"
        " and o.kind in ('session_archived', 'session_restored', 'session_forgotten'))"
        " and not exists (select 1 from entries o where o.kind = 'project_forgotten'"
        " and o.project = e.project and o.place > e.place)"
        " and not exists (select 1 from entries o where o.kind = 'entry_forgotten'"
        " and o.session = e.session and (o.key = 'forgotten:' || e.machine || ':' || e.seq"
        " or instr(e.key, substr(o.key, length('forgotten:')) || ':')))"
        f" and not (e.kind in ({taken_over}) and exists (select 1 from entries o where o.kind in"
        " ('session_forgotten', 'entry_forgotten') and o.place > e.place))"
        " order by machine, seq",
        after,
    )
    known_lost = _known_lost(store, "texts")
    return [
        (machine, seq)
        for machine, seq in rows
        if not any(machine == owner and first <= seq <= last for owner, first, last in known_lost)
    ]


def _known_lost(store: Store, what: str) -> list[tuple[str, int, int]]:
    """What entries say is lost: machine, first, last; in order."""
    rows = store.rows(
        "select body from entries join bodies using (place) where kind = 'entries_lost'"
    )
    bodies = [jsontext.loads(row[0]) for row in rows]
    return sorted(
        (body["machine"], body["from"], body["to"]) for body in bodies if body["what"] == what
    )


def _without(first: int, last: int, parts: list[tuple[int, ...]]) -> Iterator[tuple[int, int]]:
    """What is left of a range of numbers without some parts of it, which are in order."""
    for begin, end in parts:
        if begin > last:
            break
        if first < begin:
            yield first, begin - 1
        first = max(first, end + 1)
    if first <= last:
        yield first, last


def put_back(store: Store, header: tuple[Any, ...], salt: bytes | None, body: str | None) -> int:
    """Insert an entry that was kept elsewhere, as it is; its place here. It passed the gate
    when it was first kept: whoever calls this has checked its digest instead."""
    store.run(f"insert into entries ({HEADER}) values (?,?,?,?,?,?,?,?,?,?,?)", *header)
    place = store.number("select last_insert_rowid()")
    _rank(store, place, header)
    if body is not None:
        store.run("insert into bodies (place, salt, body) values (?, ?, ?)", place, salt, body)
    return place


def damaged(store: Store) -> list[tuple[int, str]]:
    """Every place whose header or body is not what was written, and what is wrong with it."""
    problems = []
    rows = store.rows(
        f"select e.place, {HEADER}, b.salt, b.body from entries e left join bodies b using (place)"
    )
    for place, *fields in rows:
        header, kept, salt, body = fields[:10], fields[10], fields[11], fields[12]
        if checksum(*header) != kept:
            problems.append((place, "header"))
        elif body is not None and digest(salt + body.encode()) != header[9]:
            problems.append((place, "body"))
    return problems


def last_place(store: Store) -> int:
    return store.number("select coalesce(max(place), 0) from entries")


def tokens_given(store: Store, session: str) -> int:
    """What Holdfast has said to a session, in tokens."""
    return store.number(
        "select coalesce(sum(json_extract(body, '$.tokens')), 0) from entries"
        " join bodies using (place) where session = ? and key >= 'given:' and key < 'given;'",
        session,
    )


def tallies(
    store: Store, kinds: tuple[str, ...], projects: list[str] | None
) -> Iterator[tuple[str, str, str, int, int, int, int]]:
    """Entries of some kinds, counted by kind, session and what tells them apart (a checkpoint's
    cause, the tool Skill); and sums of tokens or pins, of tasks, and of what had decayed. Of an
    entry without a body its header alone counts. No projects means all."""
    return store.rows(
        "select kind, session, case kind when 'checkpoint_taken' then body ->> 'cause'"
        " when 'tool_used' then iif(instr(body, '\"Skill\"') and body ->> 'tool' = 'Skill',"
        " 'Skill', '') else '' end as sort, count(*),"
        " sum(coalesce(case kind when 'context_given' then body ->> 'tokens'"
        " when 'state_inherited' then json_array_length(body, '$.pins') end, 0)),"
        " sum(coalesce(iif(kind in ('state_inherited', 'context_given'), body ->> 'tasks', 0), 0)),"
        " sum(coalesce(iif(kind = 'state_inherited', body ->> 'decayed', 0), 0))"
        " from entries left join bodies using (place)"
        " where kind in (select value from json_each(?))"
        " and (? or project in (select value from json_each(?))) group by kind, session, sort",
        jsontext.dumps(list(kinds)),
        projects is None,
        jsontext.dumps(projects or []),
    )


def latest_at(store: Store) -> str:
    """The time of the latest entry by its own clock."""
    return str(store.value("select coalesce(max(at), '') from entries"))


def count(store: Store) -> int:
    return store.number("select count(*) from entries")


def count_bodies(store: Store) -> int:
    return store.number("select count(*) from bodies")
