"""What a session was told, line by line, each with where it came from."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.ledger.timeline_queries import KeptEntry
from holdfast.store.sqlite import Store
from holdfast.web.entry_words import SECTIONS
from holdfast.web.origins import Origin, origin_of


@dataclass(frozen=True)
class ToldLine:
    """One remark that was told."""

    title: str
    tokens: int
    origins: list[Origin]


def told_lines(store: Store, entry: KeptEntry) -> list[ToldLine]:
    """The lines of an entry that says what was told; nothing of any other."""
    if entry.kind != "context_given" or entry.body is None:
        return []
    lines = [line for line in entry.body.get("lines") or [] if isinstance(line, dict)]
    return [
        ToldLine(
            SECTIONS.get(str(line.get("section")), str(line.get("section"))),
            int(line.get("tokens", 0)),
            [
                origin_of(store, source, before=entry.place)
                for source in line.get("sources") or []
                if isinstance(source, str)
            ],
        )
        for line in lines
    ]
