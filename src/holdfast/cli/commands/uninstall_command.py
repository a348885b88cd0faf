"""Remove Holdfast's hooks from this project's settings; what was kept stays.

The file becomes what it was before, with everything that others added since; a status line of your
own comes back. So does a file with a block of `init --agents-file`. A file that Holdfast made is
removed. An agent cannot run this, except with --dry-run.
"""

from __future__ import annotations

import click

from holdfast.cli.commands.init_command import (
    SettingsChanged,
    block_difference,
    difference,
    root_of,
    settings_changed,
)
from holdfast.cli.helpers import person_check
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.verbs import argument, flag
from holdfast.hook import agents_file
from holdfast.setup import install
from holdfast.system import paths

PARAMETERS = [
    flag("--user", help="Remove the hooks from your home's settings."),
    flag("--dry-run", help="Show what would change, and change nothing."),
    argument("project", required=False, type=click.Path(file_okay=False)),
]


def run(*, user: bool, dry_run: bool, project: str | None) -> Report[SettingsChanged]:
    if not dry_run:
        person_check.ask_outside("uninstall")
    state = paths.state_home()
    root = root_of(project)
    path = install.settings_path(None if user else root)
    if dry_run:
        lines = difference(install.plan_uninstall(state, path))
        lines += [] if user else _removal(state, str(root))
    else:
        change = install.uninstall(state, path)
        gone = "is gone: Holdfast had made it" if change.after is None else "is as it was"
        lines = [] if change.is_none else [f"{path} {gone}."]
        lines += [] if user else _without_block(state, str(root))
        lines += [f"What was kept is in {state}."] if lines else []
    return Report(
        lines or [f"{path} has no hooks of Holdfast."],
        settings_changed(path, changes=bool(lines), dry_run=dry_run),
    )


def _removal(state: str, root: str) -> list[str]:
    change = agents_file.planned_removal(state, root)
    return block_difference(change) if change else []


def _without_block(state: str, root: str) -> list[str]:
    change = agents_file.uninstall(state, root)
    if change is None or change.before == change.after:
        return []
    gone = "is gone: Holdfast had made it" if change.after is None else "has no block any more"
    return [f"{change.path} {gone}."]
