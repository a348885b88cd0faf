"""Claims, and how many of them are grounded.

A claim is what a session cited, and what it decided. It is grounded by a quote that can be read, or
by the user's own word. An assumption is not, and counts against the ratio all the same: to call a
claim one does not make it better. No claims is no ratio, and not a perfect one.
"""

from __future__ import annotations

from holdfast.rooms.decisions.decision import (
    ASSUMPTION,
    CITATION,
    GROUNDED,
    MOVED,
    PERSON,
    UNSUPPORTED,
    USER,
    holds,
    standing,
)
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from holdfast.rooms.decisions.decision import Decision, Standing

NOTHING = "nothing"  # what an agent's decision without evidence rests on
STRICT, WARN, OFF = MODES = ("strict", "warn", "off")


class Claim(Value):
    """A claim as it stands now."""

    id: str
    text: str
    grounding: str
    standing: str
    why: str

    def is_grounded(self) -> bool:
        return self.grounding == USER or holds(self.standing)

    def as_dict(self) -> dict[str, Any]:
        return {**super().as_dict(), "grounded": self.is_grounded()}


def weighed(claim: Decision, grounding: str, standings: Mapping[str, Standing]) -> Claim:
    """A claim, with what is wrong with it."""
    name = standing(claim.evidence, standings)
    why = ""
    if grounding == ASSUMPTION:
        why = "an assumption"
    elif grounding != USER and name != GROUNDED:
        why = _why(claim, name, standings)
    return Claim(claim.id, claim.text, grounding, name, why)


def _why(claim: Decision, name: str, standings: Mapping[str, Standing]) -> str:
    if name == UNSUPPORTED:
        return "nothing was cited"
    cited = next(each for each in claim.evidence if standings[each.id].name == name)
    now = standings[cited.id]
    return f"{cited.where()}: {f'now {now.where()}' if name == MOVED else now.why}"


def grounding_of(decision: Decision) -> str:
    """What a decision rests on: without evidence a person's is the user's word."""
    if decision.evidence:
        return CITATION
    return USER if decision.source == PERSON else NOTHING


def ratio(claims: Iterable[Claim]) -> tuple[int, int]:
    """How many are grounded, of how many."""
    judged = [claim.is_grounded() for claim in claims]
    return sum(judged), len(judged)


def is_enough(grounded: int, claims: int, threshold: float) -> bool:
    """Whether the share is reached; where nothing is claimed there is nothing to reach."""
    return grounded >= threshold * claims


def told(grounded: int, claims: int) -> str:
    """The ratio as people read it, cut and not rounded: 0.949 has not reached 0.95."""
    if not claims:
        return "no claims"
    return f"{grounded * 100 // claims / 100:.2f}"
