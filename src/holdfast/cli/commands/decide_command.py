"""Record a decision: what, why, and the lines of code it rests on.

The quote is read from the file. If it cannot be read, nothing is recorded, unless you pass
--unsupported. A decision is never edited: `holdfast decisions supersede ID TEXT` replaces it. One
that contradicts a decision in force is not recorded, unless you pass --anyway. The decisions
nearest to it are shown.
"""

from __future__ import annotations

from typing import TypedDict, cast

from holdfast.cli.helpers import decision_views
from holdfast.cli.helpers.decision_views import DecisionRow, ForkRow
from holdfast.cli.helpers.place_here import SHORT, verbatim
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.verbs import argument
from holdfast.rooms.decisions import deciding as decisions_deciding
from holdfast.rooms.decisions.decision import standing
from holdfast.rooms.decisions.decision_wording import standing_words
from holdfast.rooms.decisions.grounding import standing as grounding_standing
from holdfast.rooms.decisions.noticed import noticing as noticed


class Decided(TypedDict):
    """The decision that was kept, what of its evidence was left out, what it goes against, and the
    decisions nearest to it."""

    decision: DecisionRow
    left_out: list[str]
    forks: list[ForkRow]
    near: list[ForkRow]


PARAMETERS = [
    argument("text", nargs=-1, required=True),
    *decision_views.REASONS,
]


def run(*, text: tuple[str, ...], **reasons: object) -> Report[Decided]:
    return kept("", " ".join(text), **reasons)  # type: ignore[arg-type]


def kept(
    old: str,
    text: str,
    *,
    because: str,
    evidence: tuple[str, ...],
    scenarios: tuple[str, ...],
    quote: tuple[str, ...] = (),
    unsupported: bool = False,
    anyway: bool = False,
) -> Report[Decided]:
    """A decision, in place of another one where that is named."""
    here = decision_views.here()
    read, bad = decision_views.evidence_of(here, evidence, quote, spare=unsupported)
    forks = noticed.weigh(here, text, but=old, anyway=anyway)
    near = noticed.besides(noticed.near(here, text, but=old), forks)
    made = decisions_deciding.decide(
        here,
        text,
        because=because,
        evidence=read,
        scenarios=decision_views.scenarios_of(scenarios),
        supersedes=old,
    )
    standings = grounding_standing.judge(here.workspace.store, here.root, [made])
    opening = f"Decided, in place of {made.supersedes[:6]}:" if made.supersedes else "Decided:"
    lines = [opening, decision_views.line_of(made, standing(made.evidence, standings))]
    lines += decision_views.evidence_lines(made, standings) + bad
    lines += [f"beside {fork.decision.id[:6]}, which holds too: this {fork.why}" for fork in forks]
    for fork in near:
        held = verbatim(fork.decision.text, SHORT + 4)
        lines.append(f"near: {fork.decision.id[:SHORT]}  {held}  ({standing_words(fork.standing)})")
    data: Decided = {
        "decision": decision_views.as_dict(made, standings),
        "left_out": bad,
        "forks": [cast("ForkRow", fork.as_dict()) for fork in forks],
        "near": [cast("ForkRow", fork.as_dict()) for fork in near],
    }
    return Report(lines, data)
