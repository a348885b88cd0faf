"""What was said twice, and is told once after a dream.

Laws: only what says the same is put together, and the same is the same words in the same order, for
"use A, not B" and "use B, not A" have the same words; nothing is deleted: a learning stands behind
its twin and comes back when the twin is forgotten; rules and pins are never touched; inside of a
session's own rows only that session's words are read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from holdfast.rooms.work import queries as work_queries
from holdfast.rooms.work.queries import FoundWork, Learning
from holdfast.store.sqlite import Store

if TYPE_CHECKING:
    from holdfast.ledger.kinds import Body

TOPICS_READ = 200
LEARNINGS_READ = 2_000
WORK_READ = 500
WHOLE = 1_000
QUOTES = "`\"'\u201c\u201d\u2018\u2019"
SOURCES = ("command", "mcp", "fix")  # whose words are kept, of two that say the same


def _always(_: Store) -> bool:
    return True


@dataclass(frozen=True)
class Change:
    """An entry that a dream would keep, if what it rests on still `stands` when it is kept. One of
    a session is kept only while the session is there, in this project, and not archived."""

    kind: str
    body: Body
    key: str
    session: str = ""
    counts: dict[str, int] = field(default_factory=dict)  # what it adds to the report
    stands: Callable[[Store], bool] = _always


def repeated(store: Store, project: str, sessions: list[str], now: str) -> list[Change]:
    """What puts together that which a project's learnings, and some sessions' topics and found
    work, say twice."""
    learnings = work_queries.learnings(store, project, LEARNINGS_READ)
    changes = [_merged(learning, twin, now) for learning, twin in told_twice(learnings)]
    for session in sessions:
        topics = same_words(work_queries.weights(store, session, TOPICS_READ))
        work = found_twice(work_queries.found_work(store, session, WORK_READ))
        changes += _tidied(session, topics, work, now)
    return changes


def told_twice(learnings: list[Learning]) -> list[tuple[str, str]]:
    """(id, id of the one that says the same and stays): what a person said before what was seen,
    then the newest."""
    first: dict[str, str] = {}
    pairs = []
    newest = sorted(learnings, key=lambda learning: (learning.at, learning.id), reverse=True)
    for learning in sorted(newest, key=lambda learning: _rank(learning.source)):
        text = plainly(learning.text)
        if text in first:
            pairs.append((learning.id, first[text]))
        elif text:
            first[text] = learning.id
    return pairs


def _rank(source: str) -> int:
    return SOURCES.index(source) if source in SOURCES else len(SOURCES)


def same_words(topics: dict[str, int]) -> list[tuple[str, str]]:
    """A word and its plural: the lighter one, and the heavier one that it goes into."""
    pairs = []
    for word in sorted(topics):
        plural = f"{word}es" if word.endswith(("ss", "x", "ch", "sh")) else f"{word}s"
        if plural in topics and len(word) > 3:
            lighter, heavier = sorted(
                (plural, word), key=lambda each: (topics[each], each != plural)
            )
            pairs.append((lighter, heavier))
    return pairs


def found_twice(work: list[FoundWork]) -> list[tuple[str, str]]:
    """(sort, description) of work that a newer find says in the same words, whatever the marks."""
    seen: set[tuple[str, str]] = set()
    repeated = []
    for item in sorted(work, key=lambda each: (each.at, each.description), reverse=True):
        place, _, text = item.description.partition(": ")
        words = "".join(letter if letter.isalnum() else " " for letter in text.lower()).split()
        key = (item.sort, f"{place}: {' '.join(words)}")
        if words and key in seen:
            repeated.append((item.sort, item.description))
        seen.add(key)
    return repeated


def plainly(text: str) -> str:
    """A text without what does not change what it says: spaces, quotes, the last full stop, and
    whether its first letter is a capital."""
    bare = "".join(letter for letter in text if letter not in QUOTES)
    plain = " ".join(bare.split()).rstrip(". ")
    return plain[:1].lower() + plain[1:]


def _merged(learning: str, twin: str, now: str) -> Change:
    return Change(
        "turned",
        {"subject": learning, "turn": "merged", "how": "dream", "words": twin},
        key=f"merged:{learning}:{now}",
        counts={"learnings_merged": 1},
        stands=lambda store: (
            work_queries.is_learning(store, learning) and work_queries.is_learning(store, twin)
        ),
    )


def _tidied(
    session: str, topics: list[tuple[str, str]], work: list[tuple[str, str]], now: str
) -> list[Change]:
    if not topics and not work:
        return []
    body = {"topics": [list(pair) for pair in topics], "permille": WHOLE}
    return [
        Change(
            "tidied",
            {**body, "work": [list(pair) for pair in work]},
            key=f"tidied:{now}",
            session=session,
            counts={"topics_merged": len(topics), "work_merged": len(work)},
        )
    ]
