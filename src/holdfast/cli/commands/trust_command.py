"""Trust what this repository's committed configuration asks for.

Until you do, its committed files only add requirements. What else they say waits, and
--show names it. You trust the files as they are now, on this machine; a file that changes waits
again. What they demanded before and no longer do counts until then. --revoke takes it back. An
agent cannot run this.
"""

from __future__ import annotations

import os
from typing import TypedDict

from holdfast.cli.helpers import person_check
from holdfast.cli.helpers.place_here import misuse
from holdfast.cli.helpers.report import Report, shaped
from holdfast.cli.helpers.verbs import flag
from holdfast.cli.helpers.wording import plural
from holdfast.config.layers import DEMANDING
from holdfast.rooms.gates import repository_trust
from holdfast.rooms.gates.repository_trust import Asked
from holdfast.rooms.sessions import work_tree


class AskedFile(TypedDict):
    """A committed file, how it stands, and what of it waits for trust."""

    file: str
    standing: str
    digest: str
    waiting: list[str]


class TrustShown(TypedDict):
    """What waits for trust."""

    files: list[AskedFile]
    waiting: int


class TrustGiven(TypedDict):
    """The files that are trusted as they are now."""

    trusted: list[AskedFile]
    allowed: int


class TrustRevoked(TypedDict):
    """The files that are no longer trusted."""

    revoked: list[str]


PARAMETERS = [
    flag("--show", help="Show what waits, and change nothing."),
    flag("--revoke", help="Take your trust in this repository back."),
]


def run(*, show: bool, revoke: bool) -> Report[TrustShown | TrustGiven | TrustRevoked]:
    root = work_tree.look(os.getcwd()).root
    if show and revoke:
        misuse("trust takes --show or --revoke")
    if show:
        return _shown(repository_trust.asked(root))
    here = person_check.ask_here("trust")
    if revoke:
        names = repository_trust.revoke(here.workspace, here.project, root)
        lines = [f"· {name} is not trusted any more" for name in names]
        return Report(lines or ["Nothing of it was trusted."], {"revoked": names})
    repository_trust.confirm(here.workspace.state, root)
    files = repository_trust.asked(root)
    many = sum(len(each.waiting) for each in files)
    if files:
        repository_trust.give(here.workspace, here.project, root, files)
    lines = [line for file in files for line in _lines(file, trusted=True)]
    lines.append(
        f"{plural(many, 'thing')} that waited: allowed from now on."
        " `holdfast trust --revoke` takes it back."
        if files
        else "This repository has no configuration of its own."
    )
    return Report(lines, {"trusted": [_data(each) for each in files], "allowed": many})


def _shown(files: list[Asked]) -> Report[TrustShown]:
    lines = [line for file in files for line in _lines(file)]
    many = sum(len(each.waiting) for each in files)
    if many:
        lines.append(f"{plural(many, 'thing')} wait for `holdfast trust`.")
    else:
        lines.append("Nothing waits for `holdfast trust`.")
    return Report(lines, {"files": [_data(each) for each in files], "waiting": many})


def _lines(file: Asked, *, trusted: bool = False) -> list[str]:
    standing = "trusted" if trusted else file.standing
    mark = "○" if file.standing == DEMANDING and not trusted else "●"
    return [
        f"{mark} {file.name} ({standing}, {file.digest[:12]})",
        *(f"    {line}" for line in file.waiting),
    ]


def _data(file: Asked) -> AskedFile:
    return shaped(AskedFile, file, file=file.name)
