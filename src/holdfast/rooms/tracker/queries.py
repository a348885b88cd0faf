"""Identifiers, our own list of work, and what items were told, on disk."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdfast.store.sqlite import Store

    # A place in the code: its columns, `verified_at` and `standing`. `line` and `last` are numbers.
    Identifier = dict[str, Any]
    # An item of our own list: item, title, stage, at.
    OwnItem = dict[str, str]
    # What an item was told: item, at, session, tracker, sort, subject, text.
    Note = dict[str, str]

IDENTIFIER = ("id", "at", "session", "path", "line", "last", "purpose")
ITEM = ("item", "title", "stage", "at")
NOTE = ("item", "at", "session", "tracker", "sort", "subject", "text")


def has_content(store: Store, project: str) -> bool:
    """Whether there is anything to note: a decision in force, something open, an identifier."""
    return store.holds(
        "select exists (select 1 from decisions where project = ?1)"
        " or exists (select 1 from items where project = ?1)"
        " or exists (select 1 from identifiers where project = ?1 and purpose <> '')",
        project,
    )


def has_claims(store: Store, session: str) -> bool:
    """Whether a session decided or claimed anything that could be judged."""
    return store.holds(
        "select exists (select 1 from decisions where session = ?1)"
        " or exists (select 1 from claims where session = ?1)",
        session,
    )


def identifiers(store: Store, project: str, limit: int = 100) -> list[Identifier]:
    """Places worth knowing, the newest first: what was said last of a place counts. Each with when
    it was last looked at, and how it stood."""
    rows = store.rows(
        "select id, at, session, path, line, last, purpose, (select c.at || ' ' || c.standing"
        " from identifier_checks c where c.identifier = i.id order by c.at desc, c.session limit 1)"
        " from identifiers i where project = ? order by at desc, id",
        project,
    )
    by_place: dict[tuple[str, int, int], Identifier] = {}
    many = 0
    for *row, check in rows:
        if many == limit:
            break  # the rest is older
        identifier = dict(zip(IDENTIFIER, row, strict=True))
        at, _, standing = (check or "").partition(" ")
        place = (identifier["path"], identifier["line"], identifier["last"])
        if place not in by_place:
            by_place[place] = {**identifier, "verified_at": at, "standing": standing}
            many += bool(identifier["purpose"])
    return [identifier for identifier in by_place.values() if identifier["purpose"]]


def items(store: Store, project: str) -> list[OwnItem]:
    """Our own list as it stands, in the order it was made."""
    rows = store.rows(
        "select item, title, stage, at, min(at) over (partition by item),"
        " row_number() over (partition by item order by at desc, seq desc) from tracked"
        " where project = ? order by 5, item, 6",
        project,
    )
    return [dict(zip(ITEM, row[:4], strict=True)) for row in rows if row[5] == 1]


def at_work(store: Store, project: str) -> list[OwnItem]:
    """Of our own list what is in work now."""
    rows = store.rows(
        "select item, title, stage, at from tracked t indexed by tracked_by_stage"
        " where project = ?1 and stage = 'in_progress'"
        " and not exists (select 1 from tracked later where later.project = ?1"
        " and later.item = t.item and (later.at, later.seq) > (t.at, t.seq)) order by item",
        project,
    )
    return [dict(zip(ITEM, row, strict=True)) for row in rows]


def notes(store: Store, project: str, item: str) -> list[Note]:
    """What an item was told, the oldest first."""
    rows = store.rows(
        "select item, at, session, tracker, sort, subject, text from tracked_words"
        " where project = ? and item = ? order by at, seq",
        project,
        item,
    )
    return [dict(zip(NOTE, row, strict=True)) for row in rows]


def told_to(store: Store, project: str, tracker: str) -> list[Note]:
    """What the items of one tracker were told, the oldest first."""
    rows = store.rows(
        "select item, at, session, tracker, sort, subject, text from tracked_words"
        " where project = ? and tracker = ? order by at, seq",
        project,
        tracker,
    )
    return [dict(zip(NOTE, row, strict=True)) for row in rows]


def is_noted(store: Store, project: str, item: str, sort: str, subject: str) -> bool:
    return store.holds(
        "select 1 from tracked_words where project = ? and item = ? and sort = ? and subject = ?",
        project,
        item,
        sort,
        subject,
    )
