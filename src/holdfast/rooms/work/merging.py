"""What a dream asks of this room: which memories a session used, and what was said twice.

Laws: only what says the same is put together, and the same is the same words in the same order, for
"use A, not B" and "use B, not A" have the same words; nothing is deleted: a learning stands behind
its twin and comes back when the twin is forgotten; rules and pins are never touched; inside of a
session's own rows only that session's words are read.
"""

from __future__ import annotations

from typing import Any

from holdfast.rooms.consolidation.changes import Change, Scene, Think
from holdfast.rooms.work import queries as work_queries
from holdfast.rooms.work import topics as work_topics
from holdfast.rooms.work.queries import FoundWork, Learning
from holdfast.store.sqlite import Store
from holdfast.system import clock

FILES, TOPICS, SAID = 12, 8, 6  # memories of one session, at most
TOPICS_READ = 200
LEARNINGS_READ = 2_000
WORK_READ = 500
INHERITED_SHARE = 0.5
RENEWED_AFTER_S = 86_400.0
RENEWED_PERMILLE = 500
WHOLE = 1_000
QUOTES = "`\"'\u201c\u201d\u2018\u2019"
SOURCES = ("command", "mcp", "fix")  # whose words are kept, of two that say the same

Row = dict[str, Any]


def memories(store: Store, session: str, at: str) -> list[Row]:
    """What a session used: {"sort", "name", "id", "share", "at"}. `at` is when it was last active,
    for topics, which have no time of their own."""
    files = work_queries.changed_most(store, session, FILES)
    most = max((times for _, times, _ in files), default=1)
    used = [_memory("file", path, "", 0.5 + times / most / 2, when) for path, times, when in files]
    # Names of tools are in every session, and a file's own name says nothing beside the file.
    known = {name.lower() for name in work_queries.tools(store, session)}
    known |= {word for path, _, _ in files for word in work_topics.words(path)}
    words = work_queries.weights(store, session, TOPICS + len(known))
    topics = {word: weight for word, weight in words.items() if word not in known}
    heaviest = max(topics.values(), default=1)
    for word in sorted(topics, key=lambda each: (-topics[each], each))[:TOPICS]:
        used.append(_memory("topic", word, "", topics[word] / heaviest, at))
    for sort, id_, when in work_queries.said_in(store, session, SAID):
        used.append(_memory(sort, "", id_, 1.0, when))
    for pin in work_queries.inherited_pins(store, session)[:SAID]:
        used.append(_memory("pin", "", pin.id, INHERITED_SHARE, at))
    return used


def _memory(sort: str, name: str, id_: str, share: float, at: str) -> Row:
    return {"sort": sort, "name": name, "id": id_, "share": share, "at": at}


def tidy(store: Store, scene: Scene) -> Think:
    """Read what may be told twice; the answer finds it."""
    learnings, now = work_queries.learnings(store, scene.project, LEARNINGS_READ), scene.now
    read = [
        (
            session,
            work_queries.weights(store, session["id"], TOPICS_READ),
            work_queries.found_work(store, session["id"], WORK_READ),
        )
        for session in scene.sessions
    ]

    def think() -> list[Change]:
        changes = [_merged(learning, twin, now) for learning, twin in told_twice(learnings)]
        for session, topics, work in read:
            changes += _tidied(session, same_words(topics), found_twice(work), now)
            changes += _renewed(session, topics, now)
        return changes

    return think


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
    session: Row, topics: list[tuple[str, str]], work: list[tuple[str, str]], now: str
) -> list[Change]:
    if not topics and not work:
        return []
    body = {"topics": [list(pair) for pair in topics], "permille": WHOLE}
    return [
        Change(
            "tidied",
            {**body, "work": [list(pair) for pair in work]},
            key=f"tidied:{now}",
            session=session["id"],
            counts={"topics_merged": len(topics), "work_merged": len(work)},
        )
    ]


def _renewed(session: Row, topics: dict[str, int], now: str) -> list[Change]:
    """A session that is at work for more than a day: half of what its topics weighed, once a day,
    so that what it works on now comes up."""
    open_s = clock.seconds_of(now) - clock.seconds_of(session["started_at"])
    is_old = session["ended_at"] is None and open_s >= RENEWED_AFTER_S
    if not is_old or max(topics.values(), default=1) < 2:
        return []
    return [
        Change(
            "tidied",
            {"topics": [], "permille": RENEWED_PERMILLE, "work": []},
            key=f"renewed:{now[:10]}",
            session=session["id"],
            counts={"topics_renewed": sum(weight > 1 for weight in topics.values())},
        )
    ]
