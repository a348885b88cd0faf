"""Check whether a feature is in the code.

Say what it does in a few words, and with --also what else code may call it: `holdfast ghost
'locking an account after wrong logins' --also lockout`. The names in the code of this work tree are
searched for your words, and once more for each other name; comments, documents, tests, trackers and
data are not searched. The answer is `found` (and where), `ghost` (not found by two searches) or
`ambiguous` (part of it is there, or no other name was given: what was seen is shown, and you
decide). Without FEATURE, earlier questions are checked again.

Exits with 0 when the question is settled (ghost, found), with 1 when it is not.
"""

from __future__ import annotations

from typing import TypedDict, cast

from holdfast.cli.helpers import decision_views
from holdfast.cli.helpers.place_here import misuse, verbatim
from holdfast.cli.helpers.report import Report, shaped
from holdfast.cli.helpers.verbs import argument, option
from holdfast.cli.helpers.wording import plural
from holdfast.rooms.decisions import ghosts
from holdfast.rooms.decisions.deciding import Here
from holdfast.rooms.decisions.ghosts import AMBIGUOUS, FOUND, GHOST, Look, look_for_each
from holdfast.rooms.decisions.noticed import noticing, queries


class PlaceRow(TypedDict):
    """A line of a file."""

    path: str
    line: int


class GhostPlaces(TypedDict):
    """Where a feature's names were seen."""

    code: list[PlaceRow]
    docs: list[PlaceRow]
    seen: list[PlaceRow]


class GhostRow(TypedDict):
    """Whether a feature is in the code, and where it was looked for."""

    feature: str
    also: list[str]
    verdict: str
    searches: list[list[str]]
    code: int
    docs: int
    where: GhostPlaces
    commit: str
    dirty: bool
    standing: str
    why: str
    files: int
    unread: list[str]


class GhostsListed(TypedDict):
    """Every feature that was looked for."""

    features: list[GhostRow]


PARAMETERS = [
    argument("feature", nargs=-1),
    option("--also", multiple=True, metavar="WORDS", help="Another name for it; repeatable."),
]
MARKS = {GHOST: "·", FOUND: "●", AMBIGUOUS: "◐"}
OUTCOMES = {
    GHOST: "is not found by two searches",
    FOUND: "is in the code",
    AMBIGUOUS: "cannot be settled by names",
}
SHOWN = 5


def run(*, feature: tuple[str, ...], also: tuple[str, ...]) -> Report[GhostRow | GhostsListed]:
    if also and not feature:
        misuse("--also is of a FEATURE")
    here = decision_views.here()
    if not feature:
        return _again(here)
    search = look_for_each(here.root, [(" ".join(feature), also)])[0]
    noticing.ghost_checked(here, search)
    return Report(_lines(search), _data(search), exit_code=_code(search.verdict))


def _again(here: Here) -> Report[GhostsListed]:
    kept = queries.ghosts(here.workspace.store, here.project)
    searches = look_for_each(here.root, [(row["feature"], row["also"]) for row in kept])
    for before, now in zip(kept, searches, strict=True):
        if before["verdict"] != now.verdict:
            noticing.ghost_checked(here, now)
    lines = [line for search in searches for line in _lines(search)]
    empty = "No feature was looked for yet. `holdfast ghost FEATURE` looks for one."
    code = max((_code(search.verdict) for search in searches), default=0)
    data: GhostsListed = {"features": [_data(search) for search in searches]}
    return Report(lines or [empty], data, exit_code=code)


def _code(verdict: str) -> int:
    return 0 if verdict in (GHOST, FOUND) else 1


def _lines(search: Look) -> list[str]:
    verdict = search.verdict
    state = f"at {search.commit}" if search.commit else "in no commit"
    state += ", with changes" if search.dirty else ""
    why = f": {search.why}" if search.why else ""
    lines = [f"{MARKS[verdict]} {verdict}: {verbatim(search.feature)} {OUTCOMES[verdict]}{why}"]
    hits = search.code or search.seen
    lines += [f"    {hit.where()}  {verbatim(hit.text)}" for hit in hits[:SHOWN]]
    if len(hits) > SHOWN:
        lines.append(f"    and {len(hits) - SHOWN} more: --json names them")
    lines.append(
        f"  {plural(len(search.code), 'place')} in code and {plural(len(search.docs), 'mention')}"
        f" in documents and tests, of {plural(search.files, 'file')}, {state}"
    )
    if verdict == AMBIGUOUS:
        look = "look at these places, or " if hits else ""
        lines.append(f"  {look}say with --also WORDS what else code may call it")
    if search.unread:
        names = ", ".join(map(verbatim, search.unread[:SHOWN]))
        lines.append(
            f"  {plural(len(search.unread), 'file')} of code beyond what is read, so nothing is"
            f" called a ghost: {names}"
        )
    return lines


def _data(search: Look) -> GhostRow:
    looked = {
        **search.as_body(),
        "standing": ghosts.standing(search.verdict),
        "where": {
            name: [shaped(PlaceRow, hit) for hit in getattr(search, name)]
            for name in ("code", "docs", "seen")
        },
        "why": search.why,
        "files": search.files,
        "unread": search.unread,
    }
    return cast("GhostRow", looked)
