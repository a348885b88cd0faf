"""Bring back state files that are gone or emptied: the notes, and a tracker's file.

Our block comes from the ledger, people's text from git, else from a template. With --check-only
nothing is changed, and something to mend exits with 1.
"""

from __future__ import annotations

import click

from holdfast.cli.helpers.project_desk import desk
from holdfast.cli.helpers.report import Report
from holdfast.rooms.recovery import healing

PARAMETERS: list[click.Parameter] = [
    click.Option(["--check-only"], is_flag=True, help="Only say what is wrong (exit 1)."),
]


def run(*, check_only: bool) -> Report:
    found = desk()
    if check_only:
        ailing = healing.ailments(found.here, found.copies)
        lines = [f"○ {one.file} is {one.why}" for one in ailing] or ["● Nothing to mend."]
        data = {"ailments": [one.as_dict() for one in ailing], "healed": []}
        return Report(tuple(lines), data, exit_code=int(bool(ailing)))
    mended = healing.heal(found.here, found.active(), found.copies)
    left = healing.ailments(found.here, found.copies)
    lines = [f"● {one.file} was {one.why}; it is back from {one.source}." for one in mended]
    lines += [f"○ {one.file} is {one.why}" for one in left]
    data = {
        "ailments": [one.as_dict() for one in left],
        "healed": [one.as_dict() for one in mended],
    }
    return Report(tuple(lines) or ("● Nothing to mend.",), data, exit_code=int(bool(left)))
