"""The full checkpoint: seven steps before a context goes, and what they find.

    1 grounding ratio     2 ghosts     3 decision log     4 tracker item
    5 handoff             6 decay to identifiers           7 scenarios

The steps 1, 2 and 7 judge; the others are done. Laws: in `strict` a finding presses, once in a
turn; in `warn` it is kept and told to the next session; `off` judges nothing; no claims are no
finding.
"""

from __future__ import annotations

from holdfast.ledger import queries as ledger
from holdfast.rooms.decisions import queries as decisions
from holdfast.rooms.decisions.grounding import standing
from holdfast.rooms.decisions.grounding.ratio import OFF, STRICT, is_enough, told
from holdfast.system import jsontext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict

    from holdfast.config.settings import Settings
    from holdfast.ledger.kinds import Body
    from holdfast.store.sqlite import Store

    class Finding(TypedDict):
        """What a step found, and whether the agent is asked about it at once."""

        step: int
        says: str
        presses: bool


STEPS = (
    "grounding",
    "ghosts",
    "decision log",
    "tracker",
    "handoff",
    "identifiers",
    "scenarios",
)
NAMED = 3


class Checkup:
    """What the judging steps found: the ratio, and each finding with whether it presses."""

    def __init__(self, mode: str, grounded: int, claims: int) -> None:
        self.mode = mode
        self.grounded = grounded
        self.claims = claims
        self.findings: list[Finding] = []

    def find(self, step: int, says: str, *, presses: bool) -> None:
        self.findings.append({"step": step, "says": says, "presses": presses})

    def pressing(self) -> list[str]:
        return [finding["says"] for finding in self.findings if finding["presses"]]

    def body(self, cause: str) -> Body:
        return {
            "cause": cause,
            "mode": self.mode,
            "grounded": self.grounded,
            "claims": self.claims,
            "findings": self.findings,
        }

    def ratio(self) -> float | None:
        return self.grounded / self.claims if self.claims else None


def judge(store: Store, project: str, root: str, session: str, settings: Settings) -> Checkup:
    """Steps 1, 2 and 7 for what a session claimed and decided."""
    mode, grounding = settings["checkpoint.mode"], settings["grounding.mode"]
    if mode == OFF:
        return Checkup(mode, 0, 0)
    claims = standing.claims(store, project, root, session=session)
    checkup = Checkup(mode, *standing.ratio(claims))
    is_strict = STRICT in (mode, grounding)
    threshold = settings["grounding.threshold"]
    if grounding != OFF and not is_enough(checkup.grounded, checkup.claims, threshold):
        ratio = told(checkup.grounded, checkup.claims)
        checkup.find(1, f"grounding is {ratio}, below {threshold:g}", presses=is_strict)
        for claim in [each for each in claims if not each.is_grounded()][:NAMED]:
            checkup.find(1, f"{claim.standing}: {claim.text} ({claim.why})", presses=is_strict)
    for feature, verdict in ghosts(store, session):
        checkup.find(2, f"{feature}: {verdict}, not settled by two searches", presses=is_strict)
    _prove(store, project, session, settings["checkpoint.min_scenarios"], checkup)
    return checkup


def _prove(store: Store, project: str, session: str, needed: int, checkup: Checkup) -> None:
    made = [
        decision
        for decision in decisions.of_session(store, project, session)
        if not decision.superseded_by
    ]
    many = sum(len(decision.scenarios) for decision in made)
    if made and many < needed:
        says = f"{many} of {needed} scenarios say how this session's decisions are proved"
        checkup.find(7, says, presses=checkup.mode == STRICT)


def ghosts(store: Store, session: str) -> list[tuple[str, str]]:
    """Features whose absence or presence a session looked into and did not settle."""
    last: dict[str, str] = {}
    for body in ledger.bodies_of_kind(store, session, "ghost_checked"):
        checked = jsontext.loads(body)
        last[str(checked["feature"])] = str(checked["verdict"])
    return [(feature, verdict) for feature, verdict in last.items() if verdict == "ambiguous"]
