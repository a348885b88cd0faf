"""Record a claim and the lines of code that support it.

Without lines, say that it is the user's word (--user) or an assumption (--assumption). Assumptions
lower the session's grounding ratio, which `holdfast ground` prints.
"""

from __future__ import annotations

from typing import TypedDict, cast

from holdfast.cli.helpers import decision_views
from holdfast.cli.helpers.decision_views import ClaimRow, EvidenceRow
from holdfast.cli.helpers.place_here import misuse, with_id
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.verbs import argument, flag
from holdfast.rooms.decisions import deciding as decisions_deciding
from holdfast.rooms.decisions.decision import ASSUMPTION, CITATION, USER
from holdfast.rooms.decisions.grounding import standing
from holdfast.rooms.decisions.grounding.ratio import weighed


class CitedClaim(ClaimRow):
    """A claim with the lines that it rests on."""

    evidence: list[EvidenceRow]


class Cited(TypedDict):
    """The claim that was kept."""

    claim: CitedClaim


PARAMETERS = [
    argument("claim", nargs=-1, required=True),
    *decision_views.EVIDENCE,
    flag("--assumption", help="Nothing supports it."),
    flag("--user", help="The user said so."),
]


def run(
    *,
    claim: tuple[str, ...],
    evidence: tuple[str, ...],
    quote: tuple[str, ...],
    assumption: bool,
    user: bool,
) -> Report[Cited]:
    if bool(evidence) + assumption + user != 1:
        misuse("give one of --evidence, --assumption and --user")
    here = decision_views.here()
    grounding = ASSUMPTION if assumption else USER if user else CITATION
    read, _ = decision_views.evidence_of(here, evidence, quote)
    made = decisions_deciding.cite(here, " ".join(claim), grounding=grounding, evidence=read)
    standings = standing.judge(here.workspace.store, here.root, [made])
    lines = ["Cited:", f"{with_id(made.id, made.text)}  ({grounding})"]
    claim_data: CitedClaim = {
        **cast("ClaimRow", weighed(made, grounding, standings).as_dict()),
        "evidence": [
            decision_views.evidence_as_dict(evidence_read, standings[evidence_read.id])
            for evidence_read in made.evidence
        ],
    }
    return Report((*lines, *decision_views.evidence_lines(made, standings)), {"claim": claim_data})
