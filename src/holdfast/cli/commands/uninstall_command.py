"""Remove Holdfast's hooks from this project's settings; what was kept stays.

The file becomes what it was before, with everything that others added since. A file that Holdfast
made is removed. An agent cannot run this, except with --dry-run.
"""

from __future__ import annotations

import click

from holdfast.cli.commands.init_command import difference, root_of
from holdfast.cli.helpers import person_check
from holdfast.cli.helpers.report import Report
from holdfast.setup import install
from holdfast.system import paths

PARAMETERS: list[click.Parameter] = [
    click.Option(["--user"], is_flag=True, help="Take the hooks out of the home's settings."),
    click.Option(["--dry-run"], is_flag=True, help="Show what would change, and change nothing."),
    click.Argument(["project"], required=False, type=click.Path(file_okay=False)),
]


def run(*, user: bool, dry_run: bool, project: str | None) -> Report:
    if not dry_run:
        person_check.ask_outside("uninstall")
    state = paths.state_home()
    path = install.settings_path(None if user else root_of(project))
    if dry_run:
        change = install.plan_uninstall(state, path)
        lines = tuple(difference(change))
    else:
        change = install.uninstall(state, path)
        gone = "is gone: Holdfast had made it" if change.after is None else "is as it was"
        lines = () if change.is_none else (f"{path} {gone}.", f"What was kept is in {state}.")
    return Report(
        lines or (f"{path} has no hooks of Holdfast.",),
        {"file": str(path), "changes": not change.is_none, "dry_run": dry_run},
    )
