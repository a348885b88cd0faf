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
    if added > queries.count(store) // 2:  # so that tidying costs what filling did
        with store.transaction():
            projection.tidy(store)
    return added


class Batch:
    """Documents on their way into the index; each project and each session is looked up and
    measured once."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._numbers: dict[str, int] = {}
        self._words: Counter[int] = Counter()
        self._last: dict[str, int] = {}
        self.many = 0

    def add(self, document: Indexed) -> None:
        session = self._numbers.get(document.session)
        if session is None:
            session = projection.numbered(self.store, document.session, document.project)
            self._numbers[document.session] = session
        number = self._last_of(document.project) + 1
        if number % projection.SPAN == 0:
            return  # the numbers of its project are used up
        self._words[session] += document.size
        self._last[document.project] = number
        self.many += 1
        projection.add(self.store, document, number, session)

    def _last_of(self, project: str) -> int:
        last = self._last.get(project) or queries.numbers(self.store, project)[1]
        return last or projection.begin(self.store, project)

    def end(self) -> None:
        for session, words in self._words.items():
            projection.grow(self.store, session, words)
        for project, last in self._last.items():
            projection.reach(self.store, project, last)


def _fill(store: Store) -> tuple[int, bool]:
    cursor = queries.cursor(store, projection.VERSION)
    if cursor is None:
        projection.empty(store)
        cursor = 0
    last = ledger.last_place(store)
    if cursor >= last:
        return 0, True
    homes = queries.merged_projects(store)
    place, taken = last, 0
    batch = Batch(store)
    for place, entry in queries.entries(store, tuple(READERS), cursor, BATCH):
        taken += 1
        for document in indexed(place, entry, homes.get(entry.project, entry.project)):
            batch.add(document)
    batch.end()
    is_done = taken < BATCH
    projection.note(store, last if is_done else place)
    return batch.many, is_done
