"""How far a decision is believed when a session begins.

Laws: what was found in the code just now is confirmed by that, and does not fade; neither does what
the user decided, nor that a decision is broken, which is a warning. What rests on nothing fades.
"""

from __future__ import annotations

from holdfast.hook import belief
from holdfast.rooms.decisions.decision import FILE, PERSON, UNSUPPORTED
from holdfast.system import clock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.rooms.decisions.decision import Decision


def source_of(decision: Decision, standing: str) -> str:
    """By what a decision is believed."""
    if decision.source == PERSON:
        return belief.USER
    if standing != UNSUPPORTED:
        return belief.GROUNDED
    return belief.AGENT if decision.source == FILE else belief.UNSUPPORTED


def left(decision: Decision, standing: str, now: str, floor: float) -> float:
    """What is left of the confidence in a decision."""
    source = source_of(decision, standing)
    age = max(0.0, clock.seconds_of(now) - clock.seconds_of(decision.at)) / 3600
    hours = 0.0 if source == belief.GROUNDED else age
    return belief.decay(belief.confidence(source), hours, floor)
