"""Gates: how each requirement stands on the branch at hand, and who satisfied what when."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.rooms.gates import queries
from holdfast.rooms.gates.queries import GateAct
from holdfast.web.visit import Gates, Page, Visit

ACTS = 60
MARKS = {"open": "○", "unjudged": "○", "near": "◐", "satisfied": "●", "off": "·"}
TONES = {"open": "warn", "unjudged": "bad", "near": "warn", "satisfied": "ok", "off": "quiet"}


@dataclass(frozen=True)
class GatesView:
    gates: Gates
    marks: dict[str, str]
    tones: dict[str, str]
    history: list[GateAct]
    branches: list[str]


def page(visit: Visit) -> Page:
    project = visit.project()
    view = GatesView(
        gates=visit.powers.gates(project.id),
        marks=MARKS,
        tones=TONES,
        history=queries.latest_acts(visit.store, project.id, ACTS),
        branches=queries.branches(visit.store, project.id),
    )
    return Page("gates.html", "Gates", view, project=project, tab="Gates")
