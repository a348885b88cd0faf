"""What the index is asked for, and what was imported before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from holdfast.ledger.entry import Entry
from holdfast.ledger.queries import HEADER
from holdfast.rooms.recall.projection import SPAN
from holdfast.store.sqlite import Store
from holdfast.system import jsontext

SCANNED = 2_000  # documents on each side, among which a session's next ones are looked for


class Posting(NamedTuple):
    """A document that has a word."""

    id: int
    session: int
    size: int
    sort: int
    at: int  # seconds since 1970


class Place(NamedTuple):
    """Where a document is read."""

    id: int
    place: int
    part: int
    sort: int


def cursor(store: Store, version: int) -> int | None:
    """The last entry that the index knows; None for an index that is to be filled anew."""
    row = store.row("select place, version from recall_cursor")
    return row[0] if row is not None and row[1] == version else None


def count(store: Store) -> int:
    """How many documents the index has."""
    return store.number("select coalesce(sum(last % ?), 0) from recalled_projects", SPAN)


def numbers(store: Store, project: str) -> tuple[int, int]:
    """Behind which number a project's documents begin, and the last one's; zeros without any."""
    row = store.row("select id, last from recalled_projects where project = ?", project)
    return (row[0] * SPAN, row[1]) if row else (0, 0)


def merged_projects(store: Store) -> dict[str, str]:
    """Projects that became another one."""
    rows = store.rows("select id, merged_into from projects where merged_into <> ''")
    into = {row[0]: row[1] for row in rows}
    for _ in into:  # one that was merged itself is listed at the end of its chain
        into = {id_: into.get(home, home) for id_, home in into.items()}
    return into


def entries(
    store: Store, kinds: tuple[str, ...], after: int, limit: int
) -> Iterator[tuple[int, Entry]]:
    """Entries of some kinds that still have a body, from a place on, each with its place."""
    marks = ", ".join("?" * len(kinds))
    rows = store.rows(
        f"select place, {HEADER}, body from entries join bodies using (place)"
        f" where place > ? and kind in ({marks}) order by place limit ?",
        after,
        *kinds,
        limit,
    )
    for place, *row in list(rows):
        yield place, Entry(*(*row[:8], jsontext.loads(row[11])))


def documents_with(store: Store, match: str, span: tuple[int, int], limit: int) -> list[int]:
    """The latest documents of a project that match, newest first, by number alone."""
    return store.column(
        "select rowid from recalled_words where recalled_words match ? and rowid > ? and rowid <= ?"
        " order by rowid desc limit ?",
        match,
        *span,
        limit,
    )


def postings(store: Store, ids: Iterable[int]) -> list[Posting]:
    """Documents by their numbers, newest first."""
    listed = ",".join(map(str, sorted(ids, reverse=True)))
    rows = store.rows(
        "select d.id, d.session, d.size, d.sort, d.at from json_each(?) e"
        " cross join recalled_documents d on d.id = e.value",
        f"[{listed}]",
    )
    return [Posting(*row) for row in rows]


def around(store: Store, id_: int, reach: int) -> list[Posting]:
    rows = store.rows(
        "select id, session, size, sort, at from recalled_documents where id between ? and ?",
        id_ - reach,
        id_ + reach,
    )
    return [Posting(*row) for row in rows]


def session_names(store: Store, numbers: Iterable[int]) -> dict[int, str]:
    names = {}
    for number in numbers:
        names[number] = store.value("select session from recalled_sessions where id = ?", number)
    return names


def session_sizes(store: Store, numbers: Iterable[int]) -> dict[int, int]:
    """How many words each session has in the index."""
    return {
        number: store.value("select size from recalled_sessions where id = ?", number)
        for number in numbers
    }


def places(store: Store, ids: Iterable[int]) -> list[Place]:
    listed = []
    for id_ in ids:
        row = store.row("select id, place, part, sort from recalled_documents where id = ?", id_)
        if row is not None:
            listed.append(Place(*row))
    return listed


def entry_at(store: Store, place: int) -> Entry | None:
    """The entry at a place, while it has a body."""
    row = store.row(
        f"select {HEADER}, body from entries join bodies using (place) where place = ?", place
    )
    return None if row is None else Entry(*(*row[:8], jsontext.loads(row[11])))


def place_of_number(store: Store, seq: int) -> int | None:
    """Where an entry of this machine lies."""
    place = store.value(
        "select place from entries where machine = ? and seq = ?", store.machine(), seq
    )
    return None if place is None else int(place)


def beside(store: Store, place: int, reach: int) -> list[int]:
    """Where entries of the same session lie that are in the index, around one."""
    before = store.rows(
        "select distinct d.place from recalled_documents d where d.place < ? and d.session ="
        " (select session from recalled_documents where place = ? limit 1)"
        " and d.id > (select min(id) from recalled_documents where place = ?) - ?"
        " order by d.place desc limit ?",
        place,
        place,
        place,
        SCANNED,
        reach,
    )
    after = store.rows(
        "select distinct d.place from recalled_documents d where d.place > ? and d.session ="
        " (select session from recalled_documents where place = ? limit 1)"
        " and d.id < (select max(id) from recalled_documents where place = ?) + ?"
        " order by d.place limit ?",
        place,
        place,
        place,
        SCANNED,
        reach,
    )
    return [*reversed([row[0] for row in before]), place, *(row[0] for row in after)]


def session_number(store: Store, session: str) -> int | None:
    number = store.value("select id from recalled_sessions where session = ?", session)
    return None if number is None else int(number)


def sessions_on(store: Store, project: str, branch: str) -> set[int]:
    return set(
        store.column(
            "select r.id from sessions s join recalled_sessions r on r.session = s.id"
            " where s.project = ? and s.branch = ?",
            project,
            branch,
        )
    )


class Imported(NamedTuple):
    """How far a session's transcript was taken in."""

    file: str
    rows: int
    bytes: int


def last_import(store: Store, session: str) -> Imported | None:
    row = store.row(
        "select file, rows, bytes from imports where session = ? order by rows desc limit 1",
        session,
    )
    return None if row is None else Imported(*row)


def times_undone(store: Store, session: str) -> int:
    """How often a session's import was undone; -1 where the session itself was forgotten."""
    flags = [
        row[0]
        for row in store.rows(
            "select coalesce(body ->> 'import', 0) from entries join bodies using (place)"
            " where session = ? and kind = 'session_forgotten'",
            session,
        )
    ]
    return len(flags) if all(flags) else -1


def was_seen_live(store: Store, session: str) -> bool:
    """Whether a session has an entry that no transcript gave, since it was last forgotten."""
    return store.holds(
        "select 1 from entries e where session = ?1 and kind <> 'transcript_imported'"
        " and place > coalesce((select max(place) from entries where session = ?1"
        " and kind = 'session_forgotten'), 0)"
        " and not exists (select 1 from imports i where i.session = e.session"
        " and i.machine = e.machine and e.seq between i.first and i.last) limit 1",
        session,
    )


def kinds_since(store: Store, seq: int) -> list[str]:
    """The kinds of this machine's entries from a number on."""
    return store.column(
        "select kind from entries where machine = ? and seq >= ?", store.machine(), seq
    )


def learnt_in(store: Store, sessions: list[str]) -> dict[str, int]:
    """What sessions left that later ones are told or can ask for, by what it is."""
    asked = {
        "rules": "rules where is_order = 1 and stands = 1",
        "candidates": "rules where is_order = 0 and stands = 1",
        "choices": "choices where stands = 1",
        "goals": "goals where how = 'prompt'",
        "fixes": "learnings where 1",
        "pull_requests": "pull_requests where sort = 'pull_request'",
        "summaries": "entries where kind = 'context_compacted'",
        "prompts": "prompts where stands = 1",
    }
    distinct = {"pull_requests": "distinct project || ':' || about"}
    ids = jsontext.dumps(sessions)
    return {
        sort: store.number(
            f"select count({distinct.get(sort, '*')}) from {rows}"
            " and session in (select value from json_each(?))",
            ids,
        )
        for sort, rows in asked.items()
    }


def imported_sessions(store: Store) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Sessions that came from a transcript alone, and those that went on live."""
    known = [row[0] for row in store.rows("select distinct session from imports order by session")]
    mixed = tuple(session for session in known if was_seen_live(store, session))
    return tuple(session for session in known if session not in mixed), mixed
