"""Recall: what was said, decided and done before, found by words; in three levels of detail."""

from __future__ import annotations

from holdfast.rooms.sessions import queries
from holdfast.web.visit import Page, ProjectPlace, Visit

LEVELS = {"index": "Index", "timeline": "Timeline", "full": "Full"}
PROJECTS, WORDS_CAP = 50, 400


def page(visit: Visit) -> Page:
    projects = queries.projects(visit.store, PROJECTS)
    known = {row[0] for row in projects}
    chosen = visit.query.get("project", "")
    chosen = chosen if chosen in known else projects[0][0] if projects else ""
    words = visit.query.get("q", "").strip()[:WORDS_CAP]
    level = visit.query.get("level", "")
    level = level if level in LEVELS else "index"
    answer = visit.powers.recall(chosen, words, level) if words and chosen else None
    row = queries.project(visit.store, visit.query.get("project", ""))
    return Page(
        "recall.html",
        "Recall",
        {
            "words": words,
            "level": level,
            "levels": LEVELS,
            "answer": answer,
            "projects": projects,
            "chosen": chosen,
        },
        project=ProjectPlace(*row) if row else None,
        tab="Recall",
    )
