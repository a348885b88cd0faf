"""Write what was kept as JSON lines: all of it, a project, or a session.

FILE is a new file, or - for stdout. Archived sessions are included; a forgotten entry appears as a
header without text. The file holds what agents and people said, so only you can read it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import NotRequired, TypedDict, cast

import click

from holdfast.cli.commands.purge_command import HERE, plan_of as project_plan
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.session_rows import session_named
from holdfast.cli.helpers.verbs import argument, option
from holdfast.cli.helpers.wording import plural
from holdfast.errors import HoldfastError, NotFound
from holdfast.ledger import export
from holdfast.ledger.export import Chosen
from holdfast.ledger.workspace import Workspace, existing
from holdfast.system import clock


class Exported(TypedDict):
    """The first line of an export, and the file that it was written to."""

    format: str
    version: int
    at: str
    machine: str
    scope: dict[str, str]
    entries: int
    left_out: list[str]
    file: NotRequired[str]


STDOUT = "-"
PARAMETERS = [
    argument("file", default=STDOUT),
    option(
        "--project",
        is_flag=False,
        flag_value=HERE,
        metavar="[ID]",
        help="Only one project; without an id, that of the current folder.",
    ),
    option("--session", metavar="ID", help="Only one session, with what names its project."),
]


def run(*, file: str, project: str | None, session: str | None) -> Report[Exported]:
    if project is not None and session is not None:
        raise click.UsageError("say --project or --session, one of the two")
    if file != STDOUT and os.path.lexists(file):
        raise HoldfastError(f"{file} is there already", hint="name a new file")
    workspace = existing()
    chosen, scope = choice(workspace, project, session)
    header, lines = export.export(workspace, chosen, at=clock.now(), scope=scope)
    code = 1 if header["left_out"] else 0
    if file == STDOUT:
        return Report(lines, cast("Exported", header), code)
    write(file, lines)
    text_lines = [f"{file}: {plural(header['entries'], 'entry', 'entries')}."]
    text_lines += [f"Left out: {line}" for line in header["left_out"]]
    return Report(text_lines, cast("Exported", {**header, "file": file}), code)


def choice(
    workspace: Workspace, project: str | None, session: str | None
) -> tuple[Chosen, dict[str, str]]:
    if session is not None:
        chosen = session_named(workspace, session)
        return (
            lambda of, whose: whose == chosen.id or (not whose and of == chosen.project),
            {"session": chosen.id},
        )
    if project is not None:
        plan = project_plan(workspace, project)
        sessions, projects = set(plan.sessions), set(plan.projects)
        return (
            lambda of, whose: whose in sessions or (not whose and of in projects),
            {"project": plan.projects[0]},
        )
    return lambda of, whose: True, {}


def write(file: str, lines: Iterable[str]) -> None:
    """A file appears when it is whole, and only its owner can read it."""
    folder = os.path.dirname(os.path.abspath(file))
    if not os.path.isdir(folder):
        raise NotFound(f"there is no folder {folder}", hint="make it first")
    temporary = f"{file}.{os.getpid()}.part"
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(handle, "w", encoding="utf-8") as out:
            out.writelines(f"{line}\n" for line in lines)
            out.flush()
            os.fsync(out.fileno())
        os.rename(temporary, file)
    except OSError as error:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise HoldfastError(f"cannot write {file}: {error.strerror}") from error
