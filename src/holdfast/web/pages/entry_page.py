"""One entry as it was kept: its header, its body, and what it says in a line."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.errors import NotFound
from holdfast.ledger import timeline_queries as timeline
from holdfast.ledger.timeline_queries import KeptEntry
from holdfast.rooms.sessions import queries
from holdfast.web.entry_words import Words, summary_of
from holdfast.web.pages.told_lines import ToldLine, told_lines
from holdfast.web.visit import Page, ProjectPlace, Visit


@dataclass(frozen=True)
class Shown:
    entry: KeptEntry
    words: Words
    lines: list[ToldLine]


def page(visit: Visit) -> Page:
    number = visit.names["number"]
    is_number = number.isascii() and number.isdecimal() and len(number) < 16
    entry = timeline.numbered(visit.store, int(number)) if is_number else None
    if entry is None:
        raise NotFound("there is no such entry", hint="a session's timeline lists its entries")
    row = queries.project(visit.store, entry.project) if entry.project else None
    return Page(
        "entry.html",
        f"Entry {entry.seq}",
        Shown(entry, summary_of(entry), told_lines(visit.store, entry)),
        project=ProjectPlace(*row) if row else None,
        tab="Sessions",
    )
