"""Which earlier sessions matter now.

Laws: a score weighs recency, shared words and open tasks, and lies between 0 and 1; a session
exactly on the threshold is taken; equal scores are told apart by id, never by chance; nothing is
rounded here. An age under zero is a clock that jumped, and counts as zero.
"""

from __future__ import annotations

from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

LOOKBACK_HOURS = 168.0
RECENCY_WEIGHT, TOPIC_WEIGHT, TASK_WEIGHT = 0.4, 0.35, 0.25
TASK_STEP = 0.25  # four open tasks weigh as much as any number of them

THRESHOLD = 0.25
SESSIONS = 3


class ScoredSession(Value):
    """A session that ended lately, and how much it has to do with the one that begins."""

    session: str
    worktree: str
    hours: float  # since it was active
    topics: list[str]
    tasks: int  # left undone
    score: float


def score(
    hours: float,
    topics: Iterable[str],
    keywords: Iterable[str],
    tasks: int,
    lookback_hours: float = LOOKBACK_HOURS,
) -> float:
    """How much a session that ended `hours` ago has to do with the one that begins."""
    return (
        RECENCY_WEIGHT * recency(hours, lookback_hours)
        + TOPIC_WEIGHT * overlap(topics, keywords)
        + TASK_WEIGHT * min(1.0, TASK_STEP * max(0, tasks))
    )


def recency(hours: float, lookback_hours: float = LOOKBACK_HOURS) -> float:
    """1 for a session that just ended, 0 from the end of the lookback on."""
    return max(0.0, 1 - max(0.0, hours) / lookback_hours)


def overlap(topics: Iterable[str], keywords: Iterable[str]) -> float:
    """Jaccard's measure of two collections of words, whatever their case; 0 if both are empty."""
    ours = {word.lower() for word in topics}
    theirs = {word.lower() for word in keywords}
    either = ours | theirs
    return len(ours & theirs) / len(either) if either else 0.0


def choose(
    scored: list[tuple[str, float]], threshold: float = THRESHOLD, limit: int = SESSIONS
) -> list[tuple[str, float]]:
    """The sessions worth restoring from, best first."""
    near = [(session, value) for session, value in scored if value >= threshold]
    return sorted(near, key=lambda pair: (-pair[1], pair[0]))[: max(0, limit)]
