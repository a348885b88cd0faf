"""The index is filled from where it ends, when somebody asks: no hook waits for it.

What was kept since is taken in, in one transaction per batch, so that hooks get their turn between
two. An index that another version of the rule filled is emptied first.
"""

from __future__ import annotations

from holdfast.ledger import queries as ledger
from holdfast.rooms.recall import projection, queries
from holdfast.rooms.recall.documents import READERS, indexed
from holdfast.store.sqlite import Store

BATCH = 2_000  # entries


def fill(store: Store) -> int:
    """Bring the index up to date; the number of documents that came to it."""
    added = 0
    while True:
        with store.transaction():
            count, is_done = _fill(store)
        added += count
        if is_done:
            return added


def _fill(store: Store) -> tuple[int, bool]:
    cursor = queries.cursor(store, projection.VERSION)
    if cursor is None:
        projection.empty(store)
        cursor = 0
    last = ledger.last_place(store)
    if cursor >= last:
        return 0, True
    homes = queries.merged_projects(store)
    number, place = queries.last_document(store), last
    before, taken = number, 0
    for place, entry in queries.entries(store, tuple(READERS), cursor, BATCH):
        taken += 1
        for document in indexed(place, entry, homes.get(entry.project, entry.project)):
            number += 1
            projection.add(store, document, number)
    is_done = taken < BATCH
    projection.note(store, last if is_done else place)
    return number - before, is_done
