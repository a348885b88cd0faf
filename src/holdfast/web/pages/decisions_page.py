"""Decisions: which are in force, how the lines they rest on stand now, and what superseded what."""

from __future__ import annotations

import os
from dataclasses import dataclass

from holdfast.ledger.workspace import Workspace
from holdfast.rooms.decisions import decision_wording, queries
from holdfast.rooms.decisions.decision import Decision, Standing, standing
from holdfast.rooms.decisions.grounding import source_files, standing as grounding
from holdfast.rooms.decisions.grounding.quotes import lines_of
from holdfast.rooms.sessions import queries as sessions
from holdfast.system import files
from holdfast.web.visit import Page, Visit

SHOWN, AROUND, LINES = 30, 2, 14
MARKS = {"grounded": "●", "moved": "◐", "broken": "○", "unsupported": "·"}
TONES = {"grounded": "ok", "moved": "warn", "broken": "bad", "unsupported": ""}


@dataclass(frozen=True)
class CodeLine:
    number: int
    text: str
    is_cited: bool


@dataclass(frozen=True)
class Cited:
    """One quote: where it was read, how it stands, and the lines around it as they are now."""

    where: str
    now: Standing
    words: str
    quote: str
    code: list[CodeLine]


@dataclass(frozen=True)
class ShownDecision:
    decision: Decision
    mark: str
    tone: str
    words: str
    evidence: list[Cited]


def page(visit: Visit) -> Page:
    project = visit.project()
    is_all = visit.query.get("all") == "1"
    latest = sessions.of_project(visit.store, project.id, 1)
    root = latest[0].worktree if latest else project.root
    root = root if files.is_folder(root) else project.root
    store = Workspace(visit.reading.state).store  # how each stands is kept for the next time
    find = queries.history if is_all else queries.current
    listed = find(store, project.id, limit=SHOWN)
    standings = grounding.judge(store, root, listed)
    view = {
        "listed": [_shown(root, decision, standings) for decision in listed],
        "in_force": queries.count_current(store, project.id),
        "is_all": is_all,
        "is_cut": len(listed) == SHOWN,
        "open_items": queries.open_items(store, project.id),
    }
    return Page("decisions.html", "Decisions", view, project=project, tab="Decisions")


def _shown(root: str, decision: Decision, standings: dict[str, Standing]) -> ShownDecision:
    name = standing(decision.evidence, standings)
    own = {cited.id: standings[cited.id] for cited in decision.evidence}
    is_over = bool(decision.superseded_by)
    return ShownDecision(
        decision=decision,
        mark="·" if is_over else MARKS[name],
        tone="" if is_over else TONES[name],
        words="superseded" if is_over else decision_wording.standing_words(name, own),
        evidence=[
            Cited(
                cited.where(),
                own[cited.id],
                decision_wording.standing_words(own[cited.id].name, {cited.id: own[cited.id]}),
                cited.quote,
                _code(root, own[cited.id]),
            )
            for cited in decision.evidence
        ],
    )


def _code(root: str, now: Standing) -> list[CodeLine]:
    """The lines of a quote as the file has them now, with a few around them; without secrets, and
    of no file that lies outside of the work tree."""
    if not now.path or not now.line or now.name == "broken" or not _is_inside(root, now.path):
        return []
    content = source_files.read(root, now.path)
    if content is None:
        return []
    lines = lines_of(source_files.redacted(content))
    first, last = max(1, now.line - AROUND), min(len(lines), max(now.line, now.last) + AROUND)
    return [
        CodeLine(number, lines[number - 1], now.line <= number <= max(now.line, now.last))
        for number in range(first, min(last, first + LINES) + 1)
        if number <= len(lines)
    ]


def _is_inside(root: str, path: str) -> bool:
    """Whether a path leads to where it says: a link may have taken its place since."""
    whole = os.path.realpath(root)
    return os.path.realpath(f"{whole}/{path}").startswith(f"{whole}/")
