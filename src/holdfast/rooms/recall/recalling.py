"""A question put to what was kept: the index is brought up to date, asked, and its hits are read.

The index is filled from where it ends, when somebody asks: no hook waits for it. What was kept
since is taken in by batches, a transaction each, so that hooks get their turn between two.

Laws: a hit is read from its entry, never from the index; what has no body any more is not found;
what says the same is found once; an answer has a line of each of the best sessions first, and one
session has at most half of it; whoever asks says of each entry how it stands (`Standing`), and what
no longer stands is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from holdfast.ledger import queries as ledger
from holdfast.ledger.entry import Entry
from holdfast.rooms.recall import projection, queries
from holdfast.rooms.recall.documents import AUTHORS, READERS, WHO, Indexed, documents, indexed
from holdfast.rooms.recall.passage import Found
from holdfast.rooms.recall.ranking import Question, Scored, Search
from holdfast.store.sqlite import Store

REACH = 4  # entries on each side of a hit
SHORT = 6
OF_ONE_SESSION = 2  # the share of an answer that one session may have: one in so many hits

FAINT = 0.3  # of the best session's score: what has less is no line of its own

# A hit as it stands now: changed, or None where it is not to be hit.
Standing = Callable[[Entry, Found], Found | None]


def as_it_is(_: Entry, hit: Found) -> Found:
    return hit


def recall(
    store: Store, question: Question, limit: int, standing: Standing = as_it_is
) -> list[Found]:
    """What is about a question, the best first; nothing where nothing is."""
    fill(store)
    search = Search(store, question)
    if not search.is_about():
        return []
    answer = _Answer(store, limit, standing)
    ranked = search.documents()
    by_session: dict[int, list[Scored]] = {}
    for scored in ranked:
        by_session.setdefault(scored.session, []).append(scored)
    strength = search.session_scores
    leaders = sorted(by_session, key=lambda each: (-strength.get(each, 0.0), -each))[:limit]
    for session in leaders:
        if strength.get(session, 0.0) >= FAINT * strength.get(leaders[0], 0.0):
            any(answer.take(scored) for scored in by_session[session])
    for scored in ranked:
        if answer.of_session[scored.session] < max(limit // OF_ONE_SESSION, 1):
            answer.take(scored)
    return list(answer.hits.values())


class _Answer:
    """Hits, as many as were asked for."""

    def __init__(self, store: Store, limit: int, standing: Standing) -> None:
        self.hits: dict[str, Found] = {}
        self.of_session: Counter[int] = Counter()
        self._store, self._limit, self._standing = store, limit, standing

    def take(self, scored: Scored) -> bool:
        """Whether a document became a hit: not where there are enough, it cannot be read, or
        another says the same."""
        if len(self.hits) >= self._limit:
            return False
        for place in queries.places(self._store, (scored.id,)):
            hit = _read(self._store, place.place, place.part, self._standing)
            text = " ".join(hit.text.lower().split()) if hit else ""
            if hit is not None and text not in self.hits:
                self.hits[text] = hit
                self.of_session[scored.session] += 1
                return True
        return False


def around(store: Store, number: int, standing: Standing = as_it_is) -> list[Found]:
    """The entry of this number and those before and after it in its session, in order."""
    fill(store)
    place = queries.place_of_number(store, number)
    if place is None:
        return []
    read = (whole(store, each, standing) for each in queries.beside(store, place, REACH))
    return [hit for hit in read if hit is not None]


def has_number(store: Store, number: int) -> bool:
    return queries.place_of_number(store, number) is not None


def by_number(store: Store, number: int, standing: Standing = as_it_is) -> Found | None:
    place = queries.place_of_number(store, number)
    return None if place is None else whole(store, place, standing)


def whole(store: Store, place: int, standing: Standing = as_it_is) -> Found | None:
    """Everything that an entry says."""
    return _read(store, place, None, standing)


def _read(store: Store, place: int, part: int | None, standing: Standing) -> Found | None:
    entry = queries.entry_at(store, place)
    read = documents(entry) if entry is not None else []
    if entry is None or not read:
        return None
    chosen = [each for each in read if part in (None, each.part)]
    if not chosen:
        return None
    sort, text = chosen[0].sort, "\n".join(each.text for each in chosen)
    ref = entry.id[:SHORT] if sort in ("decision", "rule", "choice", "question") else ""
    if sort == "commit":
        ref, _, text = text.partition(" ")
    hit = Found(
        sort,
        ref,
        entry.at,
        text,
        session=entry.session,
        who=WHO.get(sort) or AUTHORS.get(entry.body.get("author", ""), ""),
        number=str(entry.seq),
        branch=str(entry.body.get("branch") or ""),
    )
    stood = standing(entry, hit) if hit.text else None
    if stood is not None:
        stood.number = hit.number  # whoever says how it stands need not know by what it is named
    return stood


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
