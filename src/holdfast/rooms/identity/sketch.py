"""A sketch: which features activity had and how much of each, in whole numbers.

Laws:
  - the same word gives the same number in every process: nothing here asks `hash()`;
  - weights are whole numbers, so a sketch that was kept and read again is equal;
  - a sketch holds no more than its cap: the lightest go first, ties by number;
  - a feature that is usual in the project says little, one that nobody met before says most.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    Weights = dict[int, int]

PRIME = 4294967291  # the largest below 2 ** 32
STIRS = 2654435761  # so that words which begin alike are not numbered alike
HEAVIEST = 65535
UNIT = 16  # what a quarter of an event weighs when it is new
RAREST = 64  # how much a feature says that no earlier session had
_NUMBERS: dict[str, int] = {}
NUMBERS_KEPT = 20_000
SHORT = 0xFFFF  # of a feature's number, what the project's vocabulary keeps


def number(word: str) -> int:
    """A feature's number: the word's own bytes, stirred and divided."""
    known = _NUMBERS.get(word)
    if known is None:
        known = int.from_bytes(word.encode("utf-8", "replace"), "little") * STIRS % PRIME
        if len(_NUMBERS) >= NUMBERS_KEPT:
            _NUMBERS.clear()
        _NUMBERS[word] = known
    return known


def pair(first: int, second: int) -> int:
    """The number of two features together, whichever came first."""
    return first * second % PRIME


def add(weights: Weights, features: Iterable[tuple[int, int]], cap: int) -> None:
    """Features with how much of them there was, in quarters of an event."""
    for feature, much in features:
        weights[feature] = min(weights.get(feature, 0) + much * UNIT, HEAVIEST)
    if len(weights) > cap:
        cut(weights, cap)


def cut(weights: Weights, cap: int) -> None:
    kept = sorted(weights.items(), key=_heaviest)[:cap]
    weights.clear()
    weights.update(kept)


def _heaviest(item: tuple[int, int]) -> tuple[int, int]:
    return -item[1], item[0]


def scaled(weights: Weights, share: int) -> Weights:
    """What is left of it: `share` in 256."""
    return {feature: left for feature, w in weights.items() if (left := w * share >> 8)}


def absorb(slow: Weights, fast: Weights, keep: int, gain: int, cap: int) -> Weights:
    """The slow sketch with the fast one taken in; what it keeps of its own, and gains, in 256."""
    mixed = scaled(slow, keep)
    for feature, weight in fast.items():
        got = mixed.get(feature, 0) + (weight * gain >> 8)
        if got:
            mixed[feature] = min(got, HEAVIEST)
    if len(mixed) > cap:
        cut(mixed, cap)
    return mixed


def covered(features: Iterable[tuple[int, int]], recent: Weights, rarity: Weights) -> int:
    """How much of an event its neighbours had as well, in 256."""
    known = every = 0
    for feature, _ in features:
        rare = rarity.get(feature & SHORT, RAREST)
        rare *= rare
        every += rare
        known += rare * min(256, recent.get(feature, 0))
    return known // every if every else 0


def size(weights: Weights, rarity: Weights) -> int:
    """The square of a sketch's length, features counted by how much they say."""
    total = 0
    for feature, weight in weights.items():
        rare = rarity.get(feature & SHORT, RAREST)
        total += weight * rare * rare
    return max(1, total // (RAREST * RAREST)) if total else 0


def likeness(fast: Weights, slow: Weights, slow_size: int, rarity: Weights) -> float:
    """How alike two sketches are, 0 to 1: the cosine of their weights' roots."""
    both = 0.0
    mine = 0
    rarity_of, weight_in = rarity.get, slow.get
    for feature, weight in fast.items():
        rare = rarity_of(feature & SHORT, RAREST)
        rare *= rare
        mine += weight * rare
        other = weight_in(feature)
        if other:
            both += rare * (weight * other) ** 0.5
    if not both:
        return 0.0
    cosine: float = both / RAREST / (mine * slow_size) ** 0.5
    return min(1.0, cosine)
