"""Look whether a feature is in the code: claimed absence is checked, too.

Two different searches over the work tree as it is: for the words of FEATURE in every form that
identifiers have, and for other words with its meaning, yours (--also) among them. Mentions in
documents are counted apart. Says `ghost` (not there), `found` (and where), `ambiguous` (not in the
code, but much written of: a person decides) or `unverified` (one wording only: give --also).
Without FEATURE, the features looked for before are looked for again.

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
    found = look_for(here.root, " ".join(feature), also)
    noticing.ghost_checked(here, found)
    return Report(tuple(_lines(found)), _data(found), exit_code=_code(found.verdict))


def _again(here: Here) -> Report:
    kept = queries.ghosts(here.workspace.store, here.project)
    found = [look_for(here.root, one["feature"], tuple(one["also"])) for one in kept]
    for before, now in zip(kept, found, strict=True):
        if before["verdict"] != now.verdict:
            noticing.ghost_checked(here, now)
    lines = [line for one in found for line in _lines(one)]
    empty = "No feature was looked for yet. `holdfast ghost FEATURE` looks for one."
    code = max((_code(one.verdict) for one in found), default=0)
    data = {"features": [_data(one) for one in found]}
    return Report(tuple(lines) or (empty,), data, exit_code=code)


def _code(verdict: str) -> int:
    return 0 if verdict in (GHOST, FOUND) else 1


def _lines(found: Found) -> list[str]:
    verdict = found.verdict
    state = f"at {found.commit}" if found.commit else "in no commit"
    state += ", with changes" if found.dirty else ""
    lines = [f"{MARKS[verdict]} {verdict}: {verbatim(found.feature)} is {SAID[verdict]}"]
    hits = found.code or found.docs
    lines += [f"    {hit.where()}  {verbatim(hit.text)}" for hit in hits[:SHOWN]]
    if len(hits) > SHOWN:
        lines.append(f"    and {len(hits) - SHOWN} more: --json names them")
    lines.append(
        f"  {plural(len(found.code), 'line')} of code and {plural(len(found.docs), 'mention')} in"
        f" documents, by {plural(len(found.searches), 'search', 'searches')} through"
        f" {plural(found.files, 'file')}, {state}"
    )
    if found.unread:
        lines.append(f"  too large to be read: {', '.join(map(verbatim, found.unread[:SHOWN]))}")
    return lines


def _data(found: Found) -> dict[str, object]:
    return {
        **found.as_body(),
        "standing": ghosts.standing(found.verdict),
        "where": {
            "code": [{"path": hit.path, "line": hit.line} for hit in found.code],
            "docs": [{"path": hit.path, "line": hit.line} for hit in found.docs],
        },
        "files": found.files,
        "unread": list(found.unread),
    }
