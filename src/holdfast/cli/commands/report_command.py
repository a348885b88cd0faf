"""Write up a session for a colleague or a pull request: Markdown, or one HTML file.

What was asked, done and decided, how each decision stands, what is open, and its compactions and
crashes. Redacted, and without paths of this machine outside the project. --html writes one file
that loads nothing from elsewhere; without it Markdown is printed.
"""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import NotRequired, TypedDict, cast

import click

from holdfast.cli.helpers import report_pages, session_report
from holdfast.cli.helpers.place_here import misuse
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.session_names import session_named
from holdfast.cli.helpers.session_report import SessionReport
from holdfast.errors import HoldfastError
from holdfast.ledger.workspace import existing


class Reported(TypedDict):
    """A session's report, and the file that it was written to."""

    report: SessionReport
    file: NotRequired[str]


PARAMETERS: list[click.Parameter] = [
    click.Argument(["session"]),
    click.Option(
        ["--html", "file"], type=click.Path(dir_okay=False), metavar="FILE", help="Write HTML."
    ),
    click.Option(["--force"], is_flag=True, help="With --html: write over a file that is there."),
    click.Option(["--markdown"], is_flag=True, help="Print Markdown, which is the default."),
]


def run(*, session: str, file: str | None, force: bool, markdown: bool) -> Report[Reported]:
    if file and markdown:
        misuse("--html and --markdown do not go together")
    if file and not force and os.path.lexists(file):
        raise HoldfastError(f"{file} is there already", hint="name a new file, or give --force")
    workspace = existing()
    report = session_report.gather(workspace, session_named(workspace, session))
    data: Reported = {"report": cast("SessionReport", asdict(report))}  # the same fields, as JSON
    if not file:
        return Report(report_pages.markdown(report).split("\n"), data)
    path = Path(file)
    try:
        path.write_text(report_pages.page(report), encoding="utf-8")
    except OSError as error:
        hint = "name a file that you can write"
        raise HoldfastError(f"{path} cannot be written: {error.strerror}", hint=hint) from error
    data["file"] = file
    return Report((f"{path} has the report of {report.title.lower()}.",), data)
