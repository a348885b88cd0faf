"""How a decision is told: the one place that words how it stands.

Law: whoever tells a decision tells its standing, in these words and no others. A broken one is
never told as holding.
"""

from __future__ import annotations

from holdfast.hook import belief
from holdfast.hook.voice import inline
from holdfast.rooms.decisions.decision import BROKEN, FILE, MOVED, PERSON, UNSUPPORTED
from holdfast.system import clock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.rooms.decisions.decision import Decision, Standing

__all__ = ["cut", "line", "proof", "sourced", "standing_words"]

PLACE_CAP = 60
DO_NOT_RELY = "BROKEN, do not rely on it"


def standing_words(name: str, standings: Mapping[str, Standing] | None = None) -> str:
    """How a decision stands, in words; of one that moved, where to."""
    if name == BROKEN:
        return DO_NOT_RELY
    if name == MOVED and standings:
        now = next(each for each in standings.values() if each.name == MOVED)
        return f"moved to {cut(now.where(), PLACE_CAP)}"
    return name


def line(decision: Decision, name: str, standings: Mapping[str, Standing], width: int) -> str:
    """A decision in one line, with how it stands, and that a file says it where one does."""
    text = sourced(decision.text, decision.source, width)
    words = standing_words(name, standings)
    return f"{words}: {text}" if name == BROKEN else f"{text} ({words})"


def sourced(text: str, source: str, width: int) -> str:
    """A text as it is told: that the notes say it, where they do, for anybody may have written
    there."""
    return f"{cut(text, width)} [edited in NOTES.md]" if source == FILE else cut(text, width)


def proof(decision: Decision, standings: Mapping[str, Standing]) -> list[str]:
    """What a decision rests on and what must happen then: each quote with how it stands, and each
    scenario."""
    lines = []
    for cited in decision.evidence:
        now = standings[cited.id]
        words = standing_words(now.name, {cited.id: now})
        lines.append(f"{cited.where()} ({words}): {inline(cited.quote, len(cited.quote) + 1)}")
    lines += [f"{each.kind}: {each.name}: {each.expected}" for each in decision.scenarios]
    return lines


def cut(text: str, width: int) -> str:
    """A text in one harmless line, its end cut off."""
    flat = inline(text, 10_000)
    return flat if len(flat) <= width else f"{flat[:width].rstrip()}…"


def source_of(decision: Decision, standing: str) -> str:
    """By what a decision is believed."""
    if decision.source == PERSON:
        return belief.USER
    if standing != UNSUPPORTED:
        return belief.GROUNDED
    return belief.AGENT if decision.source == FILE else belief.UNSUPPORTED


def confidence_left(decision: Decision, standing: str, now: str, floor: float) -> float:
    """What is left of the confidence in a decision."""
    source = source_of(decision, standing)
    age = max(0.0, clock.seconds_of(now) - clock.seconds_of(decision.at)) / 3600
    hours = 0.0 if source == belief.GROUNDED else age
    return belief.decay(belief.confidence(source), hours, floor)
