"""Import what `holdfast export` wrote: a whole file, or nothing of it.

FILE is a file, or - for stdin. Entries keep their machine and number. Entries that are here already
are skipped; conflicting ones are left out and listed. An import never deletes anything, and what
was forgotten here stays forgotten. An agent cannot run this, except with --dry-run.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import BinaryIO

import click

from holdfast.cli.helpers import person_check
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.wording import plural
from holdfast.errors import HoldfastError
from holdfast.ledger import export
from holdfast.ledger.workspace import Workspace
from holdfast.system import paths

STDIN = "-"
SHOWN = 20
PARAMETERS: list[click.Parameter] = [
    click.Argument(["file"]),
    click.Option(["--dry-run"], is_flag=True, help="Check the file, and take in nothing."),
]


def run(*, file: str, dry_run: bool) -> Report:
    lines = read(file)
    if dry_run:
        message = (
            f"{plural(len(lines), 'entry', 'entries')}, all of them sound. Nothing was changed."
        )
        return Report((message,), {"entries": len(lines), "dry_run": True})
    person_check.ask_outside("import")
    taken = export.take_in(Workspace(paths.state_home()), lines)
    text_lines = [
        f"{plural(taken.entries, 'entry', 'entries')} taken in, {taken.duplicates} were here.",
        *(f"Left out, {conflict}." for conflict in taken.conflicts[:SHOWN]),
    ]
    if len(taken.conflicts) > SHOWN:
        text_lines.append(f"... and {len(taken.conflicts) - SHOWN} more were left out.")
    return Report(
        tuple(text_lines),
        {
            "entries": taken.entries,
            "duplicates": taken.duplicates,
            "archives": taken.archives,
            "conflicts": taken.conflicts,
            "dry_run": False,
        },
        1 if taken.conflicts else 0,
    )


def read(file: str) -> list[export.Line]:
    if file == STDIN:
        return export.read(_lines(sys.stdin.buffer))
    try:
        with open(file, "rb") as source:
            return export.read(_lines(source))
    except OSError as error:
        raise HoldfastError(f"cannot read {file}: {error.strerror}", hint="is it there?") from error


def _lines(source: BinaryIO) -> Iterator[bytes]:
    """Lines up to a cap; a longer one comes in pieces, and is refused for that."""
    while line := source.readline(export.LINE_CAP_BYTES):
        yield line
