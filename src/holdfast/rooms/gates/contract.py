"""A contract: what is to be done, by which criteria, and which evidence must stand before the end.

Each required kind counts once, however often it was shown: proof is a matter of kinds, not of
repetitions. Criteria are kept and shown, never judged: nobody here can see whether they are met.
A contract that stands proved when the next prompt comes, or when the next session begins, is over.
"""

from __future__ import annotations

from holdfast.rooms.gates.evidence.proof import KINDS, RUN, covers, is_valid
from holdfast.rooms.gates.queries import Proof
from holdfast.system import clock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from holdfast.rooms.gates.queries import StoredContract

STRICT, NORMAL, LOOSE = MODES = ("strict", "normal", "loose")
DEFAULT_REQUIRED = ("tests",)
GOAL_CAP = 200
CRITERIA_CAP = 20
NEEDS = {
    "tests": "a passing test run",
    "build": "a build that succeeds",
    "lint": "a clean lint run",
    "types": "a clean type check",
    "review": "a review",
}


class Contract:
    """What was promised: goal, criteria, and the kinds of evidence that the end requires."""

    def __init__(
        self,
        goal: str,
        criteria: Sequence[str] = (),
        evidence_required: Sequence[str] = DEFAULT_REQUIRED,
    ) -> None:
        self.goal = goal
        self.criteria = tuple(criteria)
        self.evidence_required = tuple(dict.fromkeys(evidence_required))

    def as_dict(self) -> dict[str, str | list[str]]:
        return {
            "goal": self.goal,
            "criteria": list(self.criteria),
            "evidence_required": list(self.evidence_required),
        }


def read(given: Mapping[str, Any]) -> tuple[Contract, list[str]]:
    """The contract in a mapping, and a complaint for each part of it that was dropped."""
    complaints: list[str] = []
    goal = given.get("goal")
    if not isinstance(goal, str):
        complaints.append("goal: write it as text")
        goal = ""
    criteria = _texts(given.get("criteria", []), "criteria", complaints)[:CRITERIA_CAP]
    named = given.get("evidence_required", list(DEFAULT_REQUIRED))
    required = _texts(named, "evidence_required", complaints)
    for kind in required:
        if kind not in KINDS:
            # Nothing could ever prove it: left in, it would hold the work for good.
            complaints.append(f"evidence_required: no kind {kind!r}; there are {', '.join(KINDS)}")
    known = [kind for kind in required if kind in KINDS]
    return Contract(goal[:GOAL_CAP], criteria, known), complaints


def of(stored: StoredContract) -> Contract:
    return Contract(stored["goal"], stored["criteria"], stored["evidence_required"])


def shown(stored: StoredContract, evidence: Mapping[str, Proof]) -> dict[str, Proof]:
    """What counts for a contract: the evidence of its session, and of one that was taken over what
    stood when it was handed on; files that are edited here take that away."""
    kinds = stored["evidence_required"] if stored["source"] else ()
    before = {kind: Proof(stored["rank"], True) for kind in kinds if kind not in stored["unproven"]}
    return {**before, **evidence}


def awaits_proof(stored: StoredContract, edits: Sequence[tuple[str, str]]) -> bool:
    """Whether anything was done that is to be proven: without edits nothing is lacking."""
    return stored["edits_wait"] or any(at >= stored["rank"] for _, at in edits)


def is_proved(
    stored: StoredContract,
    evidence: Mapping[str, Proof],
    edits: Sequence[tuple[str, str]],
) -> bool:
    """Whether something was done for it since, and all that it asks for stands."""
    if not stored["evidence_required"] or not awaits_proof(stored, edits):
        return False
    return not unproven(of(stored), shown(stored, evidence), edits)


def _texts(given: Any, name: str, complaints: list[str]) -> list[str]:
    if isinstance(given, (list, tuple)) and all(isinstance(item, str) for item in given):
        return list(given)
    complaints.append(f"{name}: write it as a list of texts")
    return []


def lacking(
    contract: Contract,
    evidence: Mapping[str, Proof],
    edits: Sequence[tuple[str, str]],
) -> list[str]:
    """A sentence for each required kind that is not proven. `evidence`: kind -> (at, passed)."""
    return list(unproven(contract, evidence, edits).values())


def unproven(
    contract: Contract,
    evidence: Mapping[str, Proof],
    edits: Sequence[tuple[str, str]],
) -> dict[str, str]:
    """The required kinds that are not proven, each with a sentence."""
    sentences = {}
    for kind in contract.evidence_required:
        name, need = kind.removeprefix(RUN), NEEDS.get(kind, "a run that succeeds")
        if kind not in evidence:
            sentences[kind] = f"{name}: {need} has not been seen"
        elif not evidence[kind].passed:
            sentences[kind] = f"{name}: the last run failed; {need} is needed"
        else:
            stale = _stale(kind, evidence[kind], edits)
            if stale:
                sentences[kind] = f"{name}{stale}; {need} is needed again"
    return sentences


def _stale(kind: str, proof: Proof, edits: Sequence[tuple[str, str]]) -> str:
    """Why a proof is old, "" while it stands: by the tree where it was looked at, else by what the
    session edited."""
    if proof.outdated_by is None:
        is_old = not is_valid(proof.rank, edits, covers(kind))
        return ": files were edited after the last run" if is_old else ""
    if not proof.outdated_by:
        return ""
    more = f" and {len(proof.outdated_by) - 1} more" if len(proof.outdated_by) > 1 else ""
    return f" ran at {clock.of_day(proof.at)}; since then {proof.outdated_by[0]}{more} changed"


def missing(
    contract: Contract,
    evidence: Mapping[str, Proof],
    edits: Sequence[tuple[str, str]],
    mode: str,
    *,
    blocked: int = 0,
) -> list[str]:
    """What keeps the work from ending, by mode; `blocked` counts the ends refused for it so far.

    strict: all that is lacking. normal: the same, and after one refusal nothing. loose: nothing,
    what is lacking is a note. A mode nobody knows is normal.
    """
    if mode == LOOSE or (mode != STRICT and blocked > 0):
        return []
    return lacking(contract, evidence, edits)


def proven(
    contract: Contract,
    evidence: Mapping[str, Proof],
    edits: Sequence[tuple[str, str]],
) -> int:
    """How much of the required evidence stands, in percent; all of nothing is 100."""
    required = len(contract.evidence_required)
    if not required:
        return 100
    return 100 * (required - len(lacking(contract, evidence, edits))) // required
