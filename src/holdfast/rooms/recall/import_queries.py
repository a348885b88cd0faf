"""What was imported before, and what hooks have seen themselves."""

from __future__ import annotations

from typing import NamedTuple

from holdfast.store.sqlite import Store
from holdfast.system import jsontext


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
    return bool(
        store.value(
            "select 1 from entries e where session = ?1 and kind <> 'transcript_imported'"
            " and place > coalesce((select max(place) from entries where session = ?1"
            " and kind = 'session_forgotten'), 0)"
            " and not exists (select 1 from imports i where i.session = e.session"
            " and i.machine = e.machine and e.seq between i.first and i.last) limit 1",
            session,
        )
    )


def kinds_since(store: Store, seq: int) -> list[str]:
    """The kinds of this machine's entries from a number on."""
    rows = store.rows(
        "select kind from entries where machine = ? and seq >= ?", store.machine(), seq
    )
    return [row[0] for row in rows]


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
        sort: int(
            store.value(
                f"select count({distinct.get(sort, '*')}) from {rows}"
                " and session in (select value from json_each(?))",
                ids,
            )
        )
        for sort, rows in asked.items()
    }


def imported_sessions(store: Store) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Sessions that came from a transcript alone, and those that went on live."""
    known = [row[0] for row in store.rows("select distinct session from imports order by session")]
    mixed = tuple(session for session in known if was_seen_live(store, session))
    return tuple(session for session in known if session not in mixed), mixed
