"""Show the settings in force here and where they come from, or check the files."""

from __future__ import annotations

import json
import os
from typing import TypedDict

from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.verbs import Verb, flag
from holdfast.config.compiled import sources
from holdfast.config.compiler import cascade
from holdfast.rooms.sessions import work_tree


class ConfigurationFile(TypedDict):
    """A file of the cascade, as `--json` prints it."""

    layer: str
    file: str
    there: bool


def files_of(sources: list[tuple[str, str]]) -> list[ConfigurationFile]:
    """`sources` are layers and paths, weakest first."""
    return [
        {"layer": layer, "file": path, "there": os.path.exists(path)} for layer, path in sources
    ]


def file_lines(files: list[ConfigurationFile]) -> list[str]:
    return [f"{'●' if file['there'] else '·'} {file['layer']:8} {file['file']}" for file in files]


class Configuration(TypedDict):
    """The settings in force, what each comes from, and what in the files is ignored."""

    values: dict[str, object]
    sources: dict[str, str]
    problems: list[str]
    files: list[ConfigurationFile]


def show(*, with_sources: bool) -> Report[Configuration]:
    """Show the settings in force here."""
    read = _read()
    lines = [
        f"{name:26} {json.dumps(value)}" + (f"   ({read['sources'][name]})" if with_sources else "")
        for name, value in read["values"].items()
    ]
    if with_sources:
        lines += file_lines(read["files"])
    return Report((*lines, *_problems(read)), read)


def check() -> Report[Configuration]:
    """Say what in the files is ignored; exits with 1 when anything is."""
    read = _read()
    lines = _problems(read) or ["● The configuration reads."]
    return Report(lines, read, 1 if read["problems"] else 0)


def _read() -> Configuration:
    root = work_tree.look(os.getcwd()).root
    settings = cascade(root)
    problems = [str(problem) for problem in settings.problems]
    problems += [f"{waits}: waits for `holdfast trust`" for waits in settings.waiting]
    return {
        "values": settings.values,
        "sources": settings.origins,
        "problems": problems,
        "files": files_of(sources(root)),
    }


def _problems(read: Configuration) -> list[str]:
    return [f"○ {problem}" for problem in read["problems"]]


VERBS = {
    "show": Verb(show, flag("--sources", "with_sources", help="Where each came from.")),
    "check": Verb(check),
}
