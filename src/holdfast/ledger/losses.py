"""What a damaged disk took, told by entries: nothing is missing without a word.

A number that was given is never given again. Where it is missing, an entry says so; where only an
entry's text is missing and nobody forgot or archived it, an entry says that, too.
"""

from __future__ import annotations

from typing import NamedTuple

from holdfast.ledger import queries
from holdfast.ledger.entry import Draft
from holdfast.redaction.gate import gate
from holdfast.store.sqlite import Store
from holdfast.system import clock

ENTRIES, TEXTS = "entries", "texts"


class Losses(NamedTuple):
    entries: int = 0
    texts: int = 0


def tell(store: Store, *, after: int = 0, up_to: int = 0) -> Losses:
    """Keep an entry for every range that is missing and untold, in the caller's transaction.
    `up_to` is a place that is known to have been given; texts are looked for behind `after`."""
    behind = max(0, up_to - queries.last_place(store))
    if behind:
        first = queries.next_seq(store)
        _keep(store, ENTRIES, store.machine(), first, first + behind - 1, skipped=behind)
    gaps = queries.gaps(store)
    for machine, first, last in gaps:
        _keep(store, ENTRIES, machine, first, last)
    bodiless = queries.bodiless(store, after=after)
    for machine, seq in bodiless:
        _keep(store, TEXTS, machine, seq, seq)
    return Losses(behind + sum(last - first + 1 for _, first, last in gaps), len(bodiless))


def _keep(
    store: Store, what: str, machine: str, first: int, last: int, *, skipped: int = 0
) -> None:
    draft = Draft(
        "entries_lost",
        at=clock.now(),
        project="",
        session="",
        agent="",
        key=f"lost:{what}:{machine}:{first}-{last}",
        body=gate({"what": what, "machine": machine, "from": first, "to": last}),
    )
    queries.append(store, draft, skipped=skipped)
