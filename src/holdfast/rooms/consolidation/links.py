"""Links: how far two memories belong together, folded from the sessions that used both.

    each session        w' = clamp(w (1 - 0.001) + 0.01 phi_a phi_b, 0.05, 1.0)
    the first together  w  = 0.05 + 0.05 phi_a phi_b
    at the floor        faded

Laws: the same sessions give the same links, in whichever order they are told; a session counts
once; both must have been used for more than a tenth; without the session that alone held it, a
link is not there. A memory is named by (sort, name), so that two ids of one file are one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

DECAY, GAIN, FLOOR, CEILING = 0.001, 0.01, 0.05, 1.0
BORN = 0.05  # over the floor, for two memories that were all of a session
CO_ACTIVE = 0.1
RECENT = 100
RECENCY_WEIGHT, IMPORTANCE_WEIGHT = 0.8, 0.2
IMPORTANCE = {
    "rule": 1.0,
    "decision": 1.0,
    "pin": 0.9,
    "learning": 0.6,
    "file": 0.5,
    "topic": 0.3,
}
# A topic that is in most sessions tells none from another.
COMMON_SHARE, COMMON_FROM = 0.5, 6

Memory = tuple[str, str]  # sort, and its name or id
Pair = tuple[Memory, Memory]


@dataclass(frozen=True)
class Replayed:
    """One session as it was replayed: which memories it used, and how much of it each was."""

    session: str
    step: int
    used: Mapping[Memory, float]


@dataclass(frozen=True)
class Link:
    weight: float
    together: int  # in how many sessions
    confidence: float  # of the sessions that used the rarer one, the share that used both


def weave(
    sessions: Iterable[Replayed], step: int, faded: Mapping[Pair, int] | None = None
) -> dict[Pair, Link]:
    """Every link as it stands at a step. What had faded by then begins anew."""
    faded = faded or {}
    weights: dict[Pair, tuple[float, int, int]] = {}
    uses: dict[Memory, int] = {}
    for session in sorted(sessions, key=lambda each: (each.step, each.session)):
        active = sorted(memory for memory, phi in session.used.items() if phi > CO_ACTIVE)
        for memory in active:
            uses[memory] = uses.get(memory, 0) + 1
        for pair in combinations(active, 2):
            if faded.get(pair, -1) >= session.step:
                continue
            phi = session.used[pair[0]] * session.used[pair[1]]
            weight, since, together = weights.get(pair, (0.0, 0, 0))
            if together:
                weight = clamp(_decayed(weight, session.step - since) + GAIN * phi)
            else:
                weight = FLOOR + BORN * phi
            weights[pair] = (weight, session.step, together + 1)
    return {
        pair: Link(
            _decayed(weight, step - since),
            together,
            together / max(1, min(uses[pair[0]], uses[pair[1]])),
        )
        for pair, (weight, since, together) in weights.items()
    }


def clamp(weight: float) -> float:
    return min(CEILING, max(FLOOR, weight))


def _decayed(weight: float, steps: int) -> float:
    return weight * (1 - DECAY) ** max(0, steps)


def has_faded(link: Link) -> bool:
    return link.weight <= FLOOR


def recent(
    seen: Mapping[Memory, float], limit: int = RECENT, *, but: Collection[Memory] = ()
) -> set[Memory]:
    """The memories to replay, by when each was last used, and by what it is."""
    kept = {memory: at for memory, at in seen.items() if memory not in but}
    if not kept:
        return set()
    first, last = min(kept.values()), max(kept.values())

    def score(memory: Memory) -> float:
        recency = (kept[memory] - first) / (last - first) if last > first else 1.0
        return RECENCY_WEIGHT * recency + IMPORTANCE_WEIGHT * IMPORTANCE.get(memory[0], 0.0)

    return set(sorted(kept, key=lambda memory: (-score(memory), memory))[: max(0, limit)])


def common(sessions: Collection[Collection[Memory]]) -> set[Memory]:
    """Topics that most sessions have."""
    if len(sessions) < COMMON_FROM:
        return set()
    counts: dict[Memory, int] = {}
    for used in sessions:
        for memory in used:
            if memory[0] == "topic":
                counts[memory] = counts.get(memory, 0) + 1
    return {memory for memory, many in counts.items() if many > COMMON_SHARE * len(sessions)}
