"""List the decisions in force, newest first, and whether their evidence still holds.

The cited files are opened: ● grounded, ◐ moved, ○ broken, · unsupported or superseded.
"""

from __future__ import annotations

from typing import TypedDict

import click

from holdfast.cli.helpers import decision_views
from holdfast.cli.helpers.decision_views import DecisionRow
from holdfast.cli.helpers.place_here import SHORT
from holdfast.cli.helpers.progress import progress
from holdfast.cli.helpers.report import Report
from holdfast.rooms.decisions import queries
from holdfast.rooms.decisions.decision import BROKEN, standing
from holdfast.rooms.decisions.grounding import standing as grounding_standing


class DecisionsListed(TypedDict):
    """Decisions, the newest first, as the files are now or `at` a commit."""

    at: str | None
    decisions: list[DecisionRow]


PARAMETERS: list[click.Parameter] = [
    click.Option(["--all", "every"], is_flag=True, help="Superseded ones, too."),
    click.Option(["--limit"], type=click.IntRange(1), default=20, show_default=True),
    click.Option(["--at", "rev"], default="", metavar="REV", help="As a commit has the files."),
    click.Option(["--check"], is_flag=True, help="Exit with 1 when one of them is broken."),
]
EMPTY = "No decisions yet. `holdfast decide TEXT --evidence PATH:LINE` keeps one."


def run(*, every: bool, limit: int, rev: str, check: bool) -> Report[DecisionsListed]:
    here = decision_views.here(to_act=False)
    store = here.workspace.store
    listed = (queries.history if every else queries.current)(store, here.project, limit=limit)
    with progress("Grounding") as tell:
        count = grounding_standing.Count(tell)
        standings = grounding_standing.judge(store, here.root, listed, at_rev=rev, count=count)
    names = [standing(decision.evidence, standings) for decision in listed]
    broken = [
        decision.id
        for decision, name in zip(listed, names, strict=True)
        if name == BROKEN and not decision.superseded_by
    ]
    lines = []
    for decision, name in zip(listed, names, strict=True):
        lines.append(decision_views.line_of(decision, name))
        if decision.id in broken:
            lines += decision_views.broken_lines(decision, standings)
    if broken:
        lines.append(
            f"`holdfast decision show {broken[0][:SHORT]}` shows what was quoted where it broke."
        )
    left = queries.count_current(store, here.project) - limit
    if left > 0 and not every:
        lines.append(f"({left} more: --limit {limit + left})")
    data: DecisionsListed = {
        "at": rev or None,
        "decisions": [decision_views.as_dict(decision, standings) for decision in listed],
    }
    return Report(tuple(lines) or (EMPTY,), data, exit_code=int(check and bool(broken)))
