"""Find what was said, decided, done and committed before, in this project.

Offline, by words, over prompts, answers, summaries, rules, choices, decisions, errors and fixes,
edits, commands, commits and pull requests. `--level index` gives a line for each hit, `timeline`
what stands around the best one, `full` the whole text. `#NUMBER` instead of words names an entry of
an earlier answer. Says so when nothing is relevant.
"""

from __future__ import annotations

import click

from holdfast.cli.helpers import recall_views
from holdfast.cli.helpers.place_here import misuse
from holdfast.cli.helpers.project_files import files_here
from holdfast.cli.helpers.recall_views import INDEX, LEVELS, Filters
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.verbs import argument, option
from holdfast.cli.helpers.wording import since_given
from holdfast.rooms.recall.documents import SORTS

PARAMETERS = [
    argument("words", nargs=-1, required=True),
    option("--level", type=click.Choice(LEVELS), default=INDEX, help="How much to show."),
    option("--kind", "kinds", multiple=True, metavar="KIND", help=f"One of: {', '.join(SORTS)}."),
    option("--since", callback=since_given, metavar="DATE", help="2026-03-01, or 7d."),
    option("--file", metavar="PATH", help="Only of sessions that changed this file."),
    option("--branch", metavar="NAME", help="Only of sessions on this branch."),
]


def run(
    *,
    words: tuple[str, ...],
    level: str,
    kinds: tuple[str, ...],
    since: float,
    file: str | None,
    branch: str | None,
) -> Report[recall_views.Recalled]:
    for kind in kinds:
        if kind not in SORTS:
            misuse(f"there is no kind {kind}: {', '.join(SORTS)}")
    filters = Filters(kinds, since, file or "", branch or "")
    return recall_views.recall(files_here(), " ".join(words), level, filters)
