"""Restore state files that are gone or empty: the notes, and a tracker's file.

Holdfast's block comes from the ledger; people's text comes from git, else from a template. With
--check-only nothing is changed, and the exit code is 1 when something needs repair.
"""

from __future__ import annotations

from typing import TypedDict, cast

import click

from holdfast.cli.helpers.project_files import files_here
from holdfast.cli.helpers.report import Report
from holdfast.rooms.recovery import healing


class AilmentRow(TypedDict):
    """A file that is gone or emptied, why, and what it comes back from."""

    file: str
    why: str
    source: str


class Healed(TypedDict):
    """What is wrong, and what was mended."""

    ailments: list[AilmentRow]
    healed: list[AilmentRow]


PARAMETERS: list[click.Parameter] = [
    click.Option(["--check-only"], is_flag=True, help="Only say what is wrong (exit 1)."),
]


def run(*, check_only: bool) -> Report[Healed]:
    project_files = files_here()
    if check_only:
        ailing = healing.ailments(project_files.here, project_files.copies)
        lines = [f"○ {ailment.file} is {ailment.why}" for ailment in ailing] or [
            "● Nothing to mend."
        ]
        only_said: Healed = {"ailments": _rows(ailing), "healed": []}
        return Report(tuple(lines), only_said, exit_code=int(bool(ailing)))
    mended = healing.heal(project_files.here, project_files.active(), project_files.copies)
    left = healing.ailments(project_files.here, project_files.copies)
    lines = [
        f"● {ailment.file} was {ailment.why}; it is back from {ailment.source}."
        for ailment in mended
    ]
    lines += [f"○ {ailment.file} is {ailment.why}" for ailment in left]
    data: Healed = {"ailments": _rows(left), "healed": _rows(mended)}
    return Report(tuple(lines) or ("● Nothing to mend.",), data, exit_code=int(bool(left)))


def _rows(ailments: list[healing.Ailment]) -> list[AilmentRow]:
    return [cast("AilmentRow", ailment.as_dict()) for ailment in ailments]
