"""Show the settings in force here and where they come from, or check the files.

`holdfast config show --sources` names the file or variable behind each value; `holdfast config
check` exits with 1 when anything in the files is ignored.
"""

from __future__ import annotations

import json
import os

import click

from holdfast.cli.helpers import configuration_files
from holdfast.cli.helpers.report import Report
from holdfast.config.compiled import sources
from holdfast.config.compiler import cascade
from holdfast.rooms.sessions import work_tree

PARAMETERS: list[click.Parameter] = [
    click.Argument(["what"], type=click.Choice(["show", "check"]), default="show"),
    click.Option(["--sources", "with_sources"], is_flag=True, help="Where each value came from."),
]


def run(*, what: str, with_sources: bool) -> Report:
    root = work_tree.look(os.getcwd()).root
    settings = cascade(root)
    problems = [str(problem) for problem in settings.problems]
    problems += [f"{waits}: waits for `holdfast trust`" for waits in settings.waiting]
    files = configuration_files.listed(sources(root))
    data = {
        "values": settings.values,
        "sources": settings.origins,
        "problems": problems,
        "files": files,
    }
    if what == "check":
        lines = [f"○ {problem}" for problem in problems] or ["● The configuration reads."]
        return Report(tuple(lines), data, 1 if problems else 0)
    lines = [
        f"{name:26} {json.dumps(value)}"
        + (f"   ({settings.origins[name]})" if with_sources else "")
        for name, value in settings.values.items()
    ]
    if with_sources:
        lines += configuration_files.lines(files)
    return Report((*lines, *(f"○ {problem}" for problem in problems)), data)
