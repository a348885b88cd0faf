"""Gates: how each requirement stands on each branch, and who satisfied what when."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.rooms.gates import queries
from holdfast.rooms.sessions import queries as sessions
from holdfast.store.sqlite import Store
from holdfast.system import files
from holdfast.web.visit import Gates, Page, Visit

ACTS, SESSIONS, BRANCHES = 60, 60, 8
MARKS = {"open": "○", "unjudged": "○", "near": "◐", "satisfied": "●", "off": "·"}
TONES = {"open": "warn", "unjudged": "bad", "near": "warn", "satisfied": "ok", "off": "quiet"}


@dataclass(frozen=True)
class BranchState:
    """A branch in a line: how many of its requirements are satisfied, and which are open."""

    branch: str
    session: str
    is_at_work: bool
    is_chosen: bool
    satisfied: int
    total: int
    open: list[str]


def page(visit: Visit) -> Page:
    project = visit.project()
    known = [visit.powers.gates(project.id, each) for each in _latest(visit.store, project.id)]
    asked = visit.query.get("session", "")
    chosen = next((gates for gates in known if gates.session == asked), None)
    chosen = chosen or visit.powers.gates(project.id, "")
    view = {
        "gates": chosen,
        "branches": [_state(gates, chosen) for gates in known],
        "marks": MARKS,
        "tones": TONES,
        "history": queries.latest_acts(visit.store, project.id, ACTS),
    }
    return Page("gates.html", "Gates", view, project=project, tab="Gates")


def _latest(store: Store, project: str) -> list[str]:
    """For each branch the session at work on it, or the last one, where its folder still is."""
    latest: dict[str, str] = {}
    newest_first = sessions.of_project(store, project, SESSIONS)
    for session in sorted(newest_first, key=lambda each: each.ended_at is not None):
        if session.branch not in latest and files.is_folder(session.worktree):
            latest[session.branch] = session.id
    return list(latest.values())[:BRANCHES]


def _state(gates: Gates, chosen: Gates) -> BranchState:
    counted = [gate for gate in gates.listed if gate["standing"] != "off"]
    return BranchState(
        branch=gates.branch,
        session=gates.session,
        is_at_work=gates.is_at_work,
        is_chosen=gates.branch == chosen.branch,
        satisfied=sum(gate["standing"] in ("satisfied", "near") for gate in counted),
        total=len(counted),
        open=[str(gate["name"]) for gate in counted if gate["standing"] in ("open", "unjudged")],
    )
