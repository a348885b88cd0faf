"""A sketch: which features activity had, how much of each, the older the less.

Laws:
  - the same words give the same numbers in every process: nothing here asks `hash()`;
  - weights are whole numbers, so what is packed and unpacked again is equal;
  - a sketch never holds more than its cap; the lightest features go first, ties by number.

Decay runs forward: what is kept is never touched, what is added weighs more with every event.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

PRIME = 4294967291  # the largest below 2 ** 32
FIRST_UNIT, LAST_UNIT = 1 << 12, 1 << 16
SHIFT = 4
ROOM = 1 << 30  # no weight grows beyond it


def number(word: str) -> int:
    """A feature's number: the word's own bytes, divided."""
    return int.from_bytes(word.encode("utf-8", "replace"), "little") % PRIME


class Sketch:
    """Feature -> weight, with the weight that the next event will have."""

    __slots__ = ("cap", "unit", "weights")

    def __init__(self, cap: int, unit: int = FIRST_UNIT) -> None:
        self.cap = cap
        self.unit = unit
        self.weights: dict[int, int] = {}

    def age(self, step: int) -> None:
        """Let one event pass: `step` thousandths are what a weight loses by it."""
        self.unit += self.unit * step // 1000
        if self.unit >= LAST_UNIT:
            self.unit >>= SHIFT
            self.weights = {f: w >> SHIFT for f, w in self.weights.items() if w >> SHIFT}

    def add(self, features: Iterable[tuple[int, int]]) -> None:
        """Add features with how much of them there was, in quarters of an event."""
        weights, unit = self.weights, self.unit
        for feature, much in features:
            weights[feature] = min(weights.get(feature, 0) + unit * much // 4, ROOM)
        if len(weights) > self.cap + self.cap // 2:
            self.cut()

    def cut(self) -> None:
        if len(self.weights) > self.cap:
            kept = sorted(self.weights.items(), key=lambda item: (-item[1], item[0]))
            self.weights = dict(kept[: self.cap])

    def copy(self, cap: int) -> Sketch:
        other = Sketch(cap, self.unit)
        other.weights = dict(self.weights)
        other.cut()
        return other
