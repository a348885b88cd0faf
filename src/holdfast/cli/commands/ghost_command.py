"""Check whether a feature is in the code, also when somebody claims that it is not.

Two searches go through the work tree as it is: one for the words of FEATURE in every form that
identifiers take, one for other words with the same meaning, including yours (--also). Mentions in
documents are counted separately. The answer is `ghost` (not there), `found` (and where),
`ambiguous` (not in the code, but much written about: a person decides) or `unverified` (only one
wording was tried: give --also). Without FEATURE, earlier questions are checked again.

Exits with 0 when the question is settled (ghost, found), with 1 when it is not.
"""

from __future__ import annotations

import click

from holdfast.cli.helpers import decision_views
from holdfast.cli.helpers.place_here import misuse, verbatim
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.wording import plural
from holdfast.rooms.decisions import ghosts
from holdfast.rooms.decisions.code_search import look_for
from holdfast.rooms.decisions.deciding import Here
from holdfast.rooms.decisions.ghosts import AMBIGUOUS, FOUND, GHOST, UNVERIFIED, Found
from holdfast.rooms.decisions.noticed import noticing, queries

PARAMETERS: list[click.Parameter] = [
    click.Argument(["feature"], nargs=-1),
    click.Option(
        ["--also"], multiple=True, metavar="WORDS", help="Other words for it; repeatable."
    ),
]
MARKS = {GHOST: "·", FOUND: "●", AMBIGUOUS: "◐", UNVERIFIED: "○"}
SAID = {
    GHOST: "not in the code",
    FOUND: "in the code",
    AMBIGUOUS: "not in the code, but much is written of it: a person decides",
    UNVERIFIED: "not found, by one wording only: give other words with --also",
}
SHOWN = 5


def run(*, feature: tuple[str, ...], also: tuple[str, ...]) -> Report:
    if also and not feature:
        misuse("--also is of a FEATURE")
    here = decision_views.here()
    if not feature:
        return _again(here)
    search = look_for(here.root, " ".join(feature), also)
    noticing.ghost_checked(here, search)
    return Report(tuple(_lines(search)), _data(search), exit_code=_code(search.verdict))


def _again(here: Here) -> Report:
    kept = queries.ghosts(here.workspace.store, here.project)
    searches = [look_for(here.root, row["feature"], tuple(row["also"])) for row in kept]
    for before, now in zip(kept, searches, strict=True):
        if before["verdict"] != now.verdict:
            noticing.ghost_checked(here, now)
    lines = [line for search in searches for line in _lines(search)]
    empty = "No feature was looked for yet. `holdfast ghost FEATURE` looks for one."
    code = max((_code(search.verdict) for search in searches), default=0)
    data = {"features": [_data(search) for search in searches]}
    return Report(tuple(lines) or (empty,), data, exit_code=code)


def _code(verdict: str) -> int:
    return 0 if verdict in (GHOST, FOUND) else 1


def _lines(search: Found) -> list[str]:
    verdict = search.verdict
    state = f"at {search.commit}" if search.commit else "in no commit"
    state += ", with changes" if search.dirty else ""
    lines = [f"{MARKS[verdict]} {verdict}: {verbatim(search.feature)} is {SAID[verdict]}"]
    hits = search.code or search.docs
    lines += [f"    {hit.where()}  {verbatim(hit.text)}" for hit in hits[:SHOWN]]
    if len(hits) > SHOWN:
        lines.append(f"    and {len(hits) - SHOWN} more: --json names them")
    lines.append(
        f"  {plural(len(search.code), 'line')} of code and {plural(len(search.docs), 'mention')} in"
        f" documents, by {plural(len(search.searches), 'search', 'searches')} through"
        f" {plural(search.files, 'file')}, {state}"
    )
    if search.unread:
        lines.append(f"  too large to be read: {', '.join(map(verbatim, search.unread[:SHOWN]))}")
    return lines


def _data(search: Found) -> dict[str, object]:
    return {
        **search.as_body(),
        "standing": ghosts.standing(search.verdict),
        "where": {
            "code": [{"path": hit.path, "line": hit.line} for hit in search.code],
            "docs": [{"path": hit.path, "line": hit.line} for hit in search.docs],
        },
        "files": search.files,
        "unread": list(search.unread),
    }
