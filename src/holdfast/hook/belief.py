"""How far something from an earlier session is still believed, and whether a start is told it.

Laws: it is believed by who said it, and more if it was found in the code; each time it was told and
stood, and each time it was said again, adds a little, up to a bound, and never makes another's
words the user's; confidence decays with the time since it was last said, and only in the reading:
what is kept is never changed. Under the limit it is no longer told at a start, and stays where it
is. An age under zero is a clock that jumped, and counts as zero.
"""

from __future__ import annotations

DECAY_HOURS = 168.0
DECAY_SHARE = 0.4  # what a week takes from a confidence
DECAY_FLOOR = 0.3
DROPPED_UNDER = 0.3

# How far something is believed when it is new, by who said it.
USER, GROUNDED, AGENT, UNSUPPORTED = "user", "grounded", "agent", "unsupported"
CONFIDENCE = {USER: 1.0, GROUNDED: 0.9, AGENT: 0.6, UNSUPPORTED: 0.45}
# What use adds, and how often: told in other sessions, said or pinned again.
TOLD, TOLD_TIMES = 0.05, 3
AGAIN, AGAIN_TIMES = 0.15, 2


def confidence(source: str, *, times_told: int = 0, again: int = 0) -> float:
    """How far something is believed that was said just now."""
    base = CONFIDENCE[source]
    used = TOLD * min(times_told, TOLD_TIMES) + AGAIN * min(again, AGAIN_TIMES)
    return max(base, min(CONFIDENCE[GROUNDED], base + used))


def decay(confidence: float, hours: float, floor: float = DECAY_FLOOR) -> float:
    """What is left of a confidence after some hours; never less than the floor's share of it."""
    return confidence * max(floor, 1 - max(0.0, hours) / DECAY_HOURS * DECAY_SHARE)


def is_told(confidence: float, hours: float, floor: float = DECAY_FLOOR) -> bool:
    """Whether a start is told something of that confidence and age."""
    return decay(confidence, hours, floor) >= DROPPED_UNDER
