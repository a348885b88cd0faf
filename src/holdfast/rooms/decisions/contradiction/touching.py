"""Which decisions a statement or a change touches: those that whoever is at it should read.

They are shown, and nothing is said about whether they are kept to: that is for who reads them. Rare
words count for more; a file that a decision rests on touches it, and so does a name of a kind
that it chose from.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from holdfast.rooms.decisions.contradiction.claim import Claim, read
from holdfast.rooms.decisions.contradiction.stems import ACTS, stems_of

__all__ = ["MOST", "touched"]

MOST = 5
LEAST_SHARE = 0.34  # of the weight of a decision's words


def touched(decisions: Sequence[str], statement: str) -> list[tuple[int, str]]:
    """Of decisions, by their place, those that share what they are about with a statement, the
    nearest first, each with what it shares."""
    stated = read(statement)
    claims = [read(decision) for decision in decisions]
    acts = stems_of(ACTS)
    many = {word: sum(word in claim.words for claim in claims) for word in stated.words - acts}
    scored = []
    for place, claim in enumerate(claims):
        own = claim.subject - acts
        shared = own & stated.words
        share = _weight(shared, many, len(claims)) / max(_weight(own, many, len(claims)), 0.01)
        kinds = (claim.chosen.keys() | claim.denied.keys()) & (
            stated.chosen.keys() | stated.denied.keys()
        )
        if (shared and share >= LEAST_SHARE) or (kinds and (shared or len(own) < 3)):
            scored.append((-share - bool(kinds), place, _spelt(claim, shared)))
    return [(place, what) for _, place, what in sorted(scored)[:MOST]]


def _weight(words: frozenset[str], many: dict[str, int], total: int) -> float:
    return sum(log((total + 2) / (many.get(word, 0) + 1)) for word in words)


def _spelt(claim: Claim, shared: frozenset[str]) -> str:
    return ", ".join(sorted(claim.spelt[word] for word in shared))
