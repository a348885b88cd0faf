"""Links that nobody has made yet, and somebody might: proposals, never facts.

    forgotten  both strongly linked to a third memory, and not to each other
    shortcut   three or more links apart, each used five times or more

Laws: nothing here is random; what is linked is not proposed; a topic may stand between two memories
and is not proposed itself, for words belong to anything; the best come first, and there are few.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from holdfast.rooms.consolidation.links import Link, Memory, Pair

STRONG_TOGETHER, STRONG_CONFIDENCE = 2, 0.5
HOPS, HOPS_CAP = 3, 5
WALKED, SURE = 5, 0.7
NEIGHBOURS = 20  # of one memory, the heaviest
PROPOSED = 10

Near = dict[Memory, list[Memory]]


@dataclass(frozen=True)
class Proposal:
    sort: str  # forgotten, shortcut
    a: Memory
    b: Memory
    by: tuple[Memory, ...]  # the memories between them
    weight: float


def forgotten(links: Mapping[Pair, Link], limit: int = PROPOSED) -> list[Proposal]:
    """Two memories with a strong link to the same third one, and none between them."""
    near = _near(links, STRONG_TOGETHER, STRONG_CONFIDENCE)
    best: dict[Pair, Proposal] = {}
    for middle, around in sorted(near.items()):
        for number, a in enumerate(around):
            for b in around[number + 1 :]:
                pair = (a, b) if a < b else (b, a)
                if pair in links or "topic" in (a[0], b[0]):
                    continue
                weight = min(_link(links, a, middle).weight, _link(links, middle, b).weight)
                if pair not in best or weight > best[pair].weight:
                    best[pair] = Proposal("forgotten", *pair, (middle,), weight)
    return _first(best.values(), limit)


def shortcuts(links: Mapping[Pair, Link], limit: int = PROPOSED) -> list[Proposal]:
    """The ends of a chain of three links or more that is well worn, and has no shorter way."""
    near = _near(links, WALKED, SURE)
    best: dict[Pair, Proposal] = {}
    for start in sorted(near):
        came = {start: start}
        edge, hops = [start], 0
        while edge and hops < HOPS_CAP:
            hops += 1
            edge = _step(near, edge, came)
            for end in edge:
                pair = (start, end)
                if hops < HOPS or start > end or pair in links or "topic" in (start[0], end[0]):
                    continue
                path = _path(came, end)
                weight = 1.0
                for a, b in pairwise(path):
                    weight *= _link(links, a, b).weight
                best[pair] = Proposal("shortcut", start, end, tuple(path[1:-1]), weight)
    return _first(best.values(), limit)


def _near(links: Mapping[Pair, Link], together: int, confidence: float) -> Near:
    """Each memory's strongest neighbours, the heaviest link first."""
    neighbours: dict[Memory, list[tuple[float, Memory]]] = {}
    for (a, b), link in links.items():
        if link.together >= together and link.confidence >= confidence:
            neighbours.setdefault(a, []).append((-link.weight, b))
            neighbours.setdefault(b, []).append((-link.weight, a))
    return {
        memory: [other for _, other in sorted(many)[:NEIGHBOURS]]
        for memory, many in neighbours.items()
    }


def _step(near: Near, edge: list[Memory], came: dict[Memory, Memory]) -> list[Memory]:
    """One hop further, to where nobody has been yet."""
    reached = []
    for memory in edge:
        for other in near.get(memory, ()):
            if other not in came:
                came[other] = memory
                reached.append(other)
    return reached


def _path(came: dict[Memory, Memory], end: Memory) -> list[Memory]:
    path = [end]
    while came[path[-1]] != path[-1]:
        path.append(came[path[-1]])
    return path[::-1]


def _link(links: Mapping[Pair, Link], a: Memory, b: Memory) -> Link:
    return links[(a, b) if a < b else (b, a)]


def _first(proposed: Iterable[Proposal], limit: int) -> list[Proposal]:
    return sorted(proposed, key=lambda proposal: (-proposal.weight, proposal.a, proposal.b))[
        : max(0, limit)
    ]
