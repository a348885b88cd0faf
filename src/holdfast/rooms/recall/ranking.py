"""Which documents and sessions a question is about, the best first; or none.

Lexical first: every word of the question that is in the index brings the documents that have it,
weighed by how rare it is; a short document counts for more than a long one. A session has what its
best documents have, and what all of it says, measured by its length. Then what else is known is
added to that score, not to its rank: documents beside a good one in the same session, how long ago
it was, files and branch in common.

Laws:
  - what a question costs is bounded, however much was kept and however long it is: of a common
    word only the latest documents are looked at (LATEST), of a rare one all of them, of all words
    together no more than READ;
  - nothing relevant is an answer: where the words that matter are missing, or stand together
    nowhere, nothing is found (`is_about`);
  - the same question in the same store gives the same answer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import log
from typing import NamedTuple

from holdfast.rooms.recall import queries
from holdfast.rooms.recall.documents import (
    ASKING,
    SORTS,
    file_word,
    often_word,
    sort_word,
    words,
)
from holdfast.rooms.recall.queries import Posting
from holdfast.store.sqlite import Store

LATEST = 2_000  # documents of one word
PROBED = 200  # of them, by which words are told to be rare before more is read
WORDS = 40  # of a question: those that are rarest
READ = 12_000  # documents of all of its words: a long question is read by its rarest ones
CANDIDATES = 200  # documents whose neighbours are looked at; sessions that are read as a whole


@dataclass(frozen=True)
class Weights:
    """How much each thing counts, beside the words: chosen by benchmarks/recall.py."""

    length: float = 0.4  # how much a long document loses
    typical: float = 20.0  # words of a document of usual length
    empty: float = 0.6  # of a word that says little
    often: float = 2.0  # of a word that a document says often, beside the first time
    neighbour: float = 0.7  # of the best document beside it
    reach: int = 2
    session: float = 1.0  # of what its session has
    breadth: float = 0.4  # of a session's further documents
    whole: float = 0.75  # of what a session says as a whole
    full: float = 10.0  # how slowly it is enough that a session says a word again
    # What an agent did says less than what was said.
    sorts: dict[str, float] = field(
        default_factory=lambda: {
            "prompt": 1.2,
            "command": 0.4,
            "error": 0.6,
            "summary": 0.8,
            "plan": 0.5,
            "errand": 0.5,
        }
    )


WEIGHTS = Weights()


@dataclass(frozen=True)
class Question:
    """What is asked for, and where."""

    text: str
    project: str
    but: str = ""  # the session that asks
    until: float = 0.0  # only what was said before, in seconds since 1970
    since: float = 0.0
    kinds: tuple[str, ...] = ()
    file: str = ""  # only of sessions that changed it
    branch: str = ""  # only of sessions on it


@dataclass(frozen=True)
class Scored:
    """A document and how much speaks for it."""

    id: int
    session: int
    at: int
    sort: str
    score: float
    lexical: float
    matched: frozenset[str]


class Search:
    """One question, on its way through the index."""

    def __init__(self, store: Store, question: Question, weights: Weights = WEIGHTS) -> None:
        self.store = store
        self.question = question
        self.weights = weights
        self.postings: dict[int, Posting] = {}
        self.matched: dict[int, list[str]] = {}
        self.often: dict[str, set[int]] = {}
        self.value: dict[str, float] = {}  # of each word
        self._span = queries.numbers(store, question.project)
        self._all = self._span[1] - self._span[0]
        self._look_up()

    def _look_up(self) -> None:
        question = self.question
        kinds = " OR ".join(f'"{sort_word(kind)}"' for kind in question.kinds)
        scope = f" AND ({kinds})" if kinds else ""
        total = self._many(self._numbers(kinds, LATEST), LATEST) if kinds else self._all
        self.unheard = log(2 * total + 2)
        self._but = queries.session_number(self.store, question.but) if question.but else None
        self._admitted = self._sessions_admitted()
        probes = {}
        for word in words(question.text)[: WORDS * 2]:
            ids = self._numbers(f'"{word}"{scope}', PROBED)
            if ids or word not in ASKING:  # that nobody asked before does not matter
                probes[word] = (not ids, self._many(ids, PROBED), ids)
        read = 0
        for word in sorted(probes, key=lambda word: probes[word][:2])[:WORDS]:
            ids, limit = probes[word][2], min(LATEST, READ - read)
            if ids and limit < PROBED:
                continue  # what is rarer has said enough
            if len(ids) == PROBED:
                ids = self._numbers(f'"{word}"{scope}', limit)
            many = self._many(ids, limit)
            read += len(ids)
            rarity = log(1 + max(total - many + 0.5, 0.1) / (many + 0.5))
            self.value[word] = rarity * (self.weights.empty if word in ASKING else 1.0)
            if ids:
                self.often[word] = set(self._numbers(f'"{often_word(word)}"{scope}', LATEST))
            for id_ in ids:
                self.matched.setdefault(id_, []).append(word)
        for row in queries.postings(self.store, self.matched):
            if self._is_admitted(row):
                self.postings[row.id] = row
        self.matched = {id_: self.matched[id_] for id_ in self.postings}

    def _numbers(self, match: str, limit: int) -> list[int]:
        return queries.documents_with(self.store, match, self._span, limit)

    def _many(self, ids: list[int], limit: int) -> float:
        """How many documents there are, where only the latest were counted: the rest is taken to be
        as dense as these."""
        if not ids or len(ids) < limit:
            return float(len(ids))
        return len(ids) * self._all / max(ids[0] - ids[-1], 1)

    def _sessions_admitted(self) -> set[int] | None:
        """The sessions that the question is limited to; None for all of them."""
        question, admitted = self.question, None
        if question.file:
            admitted = self._changed(question.file)
        if question.branch:
            on_branch = queries.sessions_on(self.store, question.project, question.branch)
            admitted = on_branch if admitted is None else admitted & on_branch
        return admitted

    def _changed(self, path: str) -> set[int]:
        """The sessions that changed a file."""
        rows = queries.postings(self.store, self._numbers(f'"{file_word(path)}"', LATEST))
        return {row.session for row in rows if self._is_in_time(row)}

    def _is_admitted(self, row: Posting) -> bool:
        is_of_these = self._admitted is None or row.session in self._admitted
        return row.session != self._but and is_of_these and self._is_in_time(row)

    def _is_in_time(self, row: Posting) -> bool:
        question = self.question
        return row.at >= question.since and (not question.until or row.at < question.until)

    @cached_property
    def lexical(self) -> dict[int, float]:
        """By words alone."""
        weights = self.weights
        scores = {}
        for id_, matched in self.matched.items():
            row = self.postings[id_]
            norm = 1.2 * (1 - weights.length + weights.length * row.size / weights.typical)
            score = 0.0
            for word in matched:
                times = self._times(word, id_)
                score += self.value[word] * times * 2.2 / (times + norm)
            scores[id_] = score * weights.sorts.get(SORTS[row.sort], 1.0)
        return scores

    def _times(self, word: str, id_: int) -> float:
        return 1 + self.weights.often if id_ in self.often[word] else 1.0

    def signs(self) -> Signs | None:
        """What tells whether anything here is about the question; None where nothing is asked."""
        asked = sum(self.value.values())
        if not asked:
            return None
        known, covered, together = set[str](), 0.0, list[str]()
        for matched in self.matched.values():
            known.update(matched)
            worth = sum(self.value[word] for word in matched)
            if worth > covered:
                covered, together = worth, matched
        unknown = sum(value for word, value in self.value.items() if word not in known)
        return Signs(
            unknown=unknown / asked,
            strong=log(1 + sum(word not in ASKING for word in self.value)),
            asked=log(asked / self.unheard),
            covered=covered / self.unheard,
            score=max(self.lexical.values(), default=0.0) / self.unheard,
            together=log(1 + sum(word not in ASKING for word in together)),
            known=len(known) / len(self.value),
        )

    def is_about(self) -> bool:
        """Whether anything here is about the question at all."""
        signs = self.signs()
        return signs is not None and is_about(signs)

    def documents(self) -> list[Scored]:
        """Documents, the best first."""
        weights = self.weights
        lexical = self.lexical
        best = sorted(lexical, key=lambda id_: (-lexical[id_], -id_))[:CANDIDATES]
        of_session = self.session_scores
        top = max(of_session.values(), default=1.0)
        scores: dict[int, float] = {}
        for id_ in best:
            for row in queries.around(self.store, id_, weights.reach) if weights.neighbour else ():
                if row.session == self.postings[id_].session and self._is_neighbour(row):
                    self.postings.setdefault(row.id, row)
                    if row.id != id_:
                        gift = weights.neighbour * lexical[id_] / abs(row.id - id_)
                        scores[row.id] = max(scores.get(row.id, 0.0), gift)
        scored = []
        for id_ in {*best, *scores}:
            row = self.postings[id_]
            score = lexical.get(id_, 0.0) + scores.get(id_, 0.0)
            score += weights.session * of_session.get(row.session, 0.0) / top * score
            scored.append(
                Scored(
                    id_,
                    row.session,
                    row.at,
                    SORTS[row.sort],
                    score,
                    lexical.get(id_, 0.0),
                    frozenset(self.matched.get(id_, ())),
                )
            )
        return sorted(scored, key=lambda each: (-each.score, -each.id))

    def _is_neighbour(self, row: Posting) -> bool:
        kinds = self.question.kinds
        return self._is_in_time(row) and (not kinds or SORTS[row.sort] in kinds)

    @cached_property
    def session_scores(self) -> dict[int, float]:
        """What each session has: its best documents, and all that it says."""
        best = self._best_of(self.lexical)
        chosen = sorted(best, key=lambda session: (-best[session], -session))[:CANDIDATES]
        whole = self._whole(set(chosen))
        top, most = max(best.values(), default=1.0), max(whole.values(), default=1.0)
        return {
            session: score / top + self.weights.whole * whole.get(session, 0.0) / most
            for session, score in best.items()
        }

    def _best_of(self, lexical: dict[int, float]) -> dict[int, float]:
        """The best document of each session, and a share of its others."""
        by_session: dict[int, list[float]] = {}
        for id_, score in lexical.items():
            by_session.setdefault(self.postings[id_].session, []).append(score)
        together = {}
        for session, scores in by_session.items():
            scores.sort(reverse=True)
            more = sum(score / (place + 1) for place, score in enumerate(scores[1:6], 1))
            together[session] = scores[0] + self.weights.breadth * more
        return together

    def _whole(self, sessions: set[int]) -> dict[int, float]:
        """Sessions as one text each: what is asked for, measured by their length."""
        weights = self.weights
        said_by: dict[int, dict[str, float]] = {session: {} for session in sessions}
        for id_, matched in self.matched.items():
            row = self.postings[id_]
            times = said_by.get(row.session)
            if times is not None:
                weight = weights.sorts.get(SORTS[row.sort], 1.0)
                for word in matched:
                    times[word] = times.get(word, 0.0) + weight * self._times(word, id_)
        sizes = queries.session_sizes(self.store, sessions)
        usual = sum(sizes.values()) / max(len(sizes), 1)
        scores = {}
        for session, times in said_by.items():
            slow = weights.full * sizes[session] / usual
            scores[session] = sum(
                self.value[word] * many * (weights.full + 1) / (many + slow)
                for word, many in times.items()
            )
        return scores

    def sessions(self) -> list[tuple[int, float]]:
        """Sessions, the best first."""
        scores = self.session_scores
        top = max(scores.values(), default=1.0) or 1.0
        scores = {session: score / top for session, score in scores.items()}
        scores.pop(self._but or 0, None)
        return sorted(scores.items(), key=lambda pair: (-pair[1], -pair[0]))


class Signs(NamedTuple):
    """What a question and the index have to do with each other. Words are worth more the rarer
    they are; `unheard` is what a word is worth that was never said here."""

    unknown: float  # the share of the question's worth in words that were never said
    strong: float  # log(1 + words that say what it is about)
    asked: float  # log(what all of its words are worth / unheard)
    covered: float  # what the words are worth that one document has / unheard
    score: float  # of the best document / unheard
    together: float  # log(1 + strong words that one document has)
    known: float  # the share of its words that were ever said


SILENCE_WEIGHTS = Signs(6.4, 0.5, -3.0, -2.5, 4.6, 4.7, 12.3)
SILENCE_BIAS = -16.5


def is_about(signs: Signs, weights: Signs = SILENCE_WEIGHTS, bias: float = SILENCE_BIAS) -> bool:
    return bias + sum(w * sign for w, sign in zip(weights, signs, strict=True)) >= 0
