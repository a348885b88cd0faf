"""The index is filled from where it ends, when somebody asks: no hook waits for it.

What was kept since is taken in, in one transaction per batch, so that hooks get their turn between
two. An index that another version of the rule filled is emptied first.
"""

from __future__ import annotations

from collections import Counter

from holdfast.ledger import queries as ledger
from holdfast.rooms.recall import projection, queries
from holdfast.rooms.recall.documents import READERS, Indexed, indexed
from holdfast.store.sqlite import Store

BATCH = 2_000  # entries


def fill(store: Store) -> int:
    """Bring the index up to date; the number of documents that came to it."""
    added, is_done = 0, False
    while not is_done:
        with store.transaction():
            count, is_done = _fill(store)
        added += count
    if added > queries.last_document(store) // 2:  # so that tidying costs what filling did
        with store.transaction():
            projection.tidy(store)
    return added


class Batch:
    """Documents on their way into the index; each session is looked up and measured once."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._numbers: dict[str, int] = {}
        self._words: Counter[int] = Counter()

    def add(self, document: Indexed, number: int) -> None:
        session = self._numbers.get(document.session)
        if session is None:
            session = projection.numbered(self.store, document.session, document.project)
            self._numbers[document.session] = session
        self._words[session] += document.size
        projection.add(self.store, document, number, session)

    def end(self) -> None:
        for session, words in self._words.items():
            projection.grow(self.store, session, words)


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
    batch = Batch(store)
    for place, entry in queries.entries(store, tuple(READERS), cursor, BATCH):
        taken += 1
        for document in indexed(place, entry, homes.get(entry.project, entry.project)):
            number += 1
            batch.add(document, number)
    batch.end()
    is_done = taken < BATCH
    projection.note(store, last if is_done else place)
    return number - before, is_done
