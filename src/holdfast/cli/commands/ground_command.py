"""Show how many claims are grounded, and name each one that is not.

Counts the session at work here, else the whole project. The cited files are opened, from the work
tree or, with --at, from a commit. A quote that moved is still grounded. Exits with 1 when the share
is below `grounding.threshold`, unless `grounding.mode` is off.
"""

from __future__ import annotations

from typing import TypedDict, cast

from holdfast.cli.helpers import decision_views
from holdfast.cli.helpers.decision_views import ClaimRow
from holdfast.cli.helpers.place_here import SHORT, verbatim
from holdfast.cli.helpers.report import Report, progress
from holdfast.cli.helpers.session_rows import session_named
from holdfast.cli.helpers.verbs import flag, option
from holdfast.rooms.decisions.grounding import standing
from holdfast.rooms.decisions.grounding.ratio import OFF, is_enough, told
from holdfast.rooms.sessions.life import short


class Grounded(TypedDict):
    """How much of what was claimed is grounded; `ratio` is None without a claim."""

    session: str | None
    at: str | None
    grounded: int
    claims: int
    ratio: float | None
    threshold: float
    mode: str
    enough: bool
    ungrounded: list[ClaimRow]
    moved: list[ClaimRow]


PARAMETERS = [
    option("--at", "rev", default="", metavar="REV", help="As a commit has the files."),
    option("--session", default="", metavar="ID", help="Only this session."),
    flag("--all", "every", help="Of the whole project."),
]


def run(*, rev: str, session: str, every: bool) -> Report[Grounded]:
    here = decision_views.here(to_act=False)
    settings = here.workspace.settings(here.root)
    threshold, mode = settings["grounding.threshold"], settings["grounding.mode"]
    whose = session_named(here.workspace, session).id if session else "" if every else here.session
    store = here.workspace.store
    with progress("Grounding") as tell:
        count = standing.Count(tell)
        listed = standing.claims(
            store, here.project, here.root, session=whose, at_rev=rev, count=count
        )
    grounded, claims = standing.ratio(listed)
    share = told(grounded, claims)
    counted = f"{share}: {grounded} of {claims}" if claims else share
    of = f"of session {short(whose)}" if whose else "of the project"
    lines = [f"Grounded {of}: {counted} (threshold {threshold:g}, {mode})"]
    lines += [
        f"{'◐' if claim.is_grounded() else '○'} {claim.id[:SHORT]}"
        f"  {verbatim(claim.text, SHORT + 4)}  ({claim.why})"
        for claim in listed
        if claim.why
    ]
    enough = is_enough(grounded, claims, threshold)
    data: Grounded = {
        "session": whose or None,
        "at": rev or None,
        "grounded": grounded,
        "claims": claims,
        "ratio": grounded / claims if claims else None,
        "threshold": threshold,
        "mode": mode,
        "enough": enough,
        "ungrounded": [
            cast("ClaimRow", claim.as_dict()) for claim in listed if not claim.is_grounded()
        ],
        "moved": [
            cast("ClaimRow", claim.as_dict())
            for claim in listed
            if claim.is_grounded() and claim.standing == "moved"
        ],
    }
    return Report(lines, data, exit_code=int(not enough and mode != OFF))
