"""Install Holdfast's hooks into this project, for Claude Code.

Writes .claude/settings.local.json of the project you are in, which is personal and not meant to be
committed (with --user: ~/.claude/settings.json, for every project). Existing hooks and keys stay as
they are. Running it again changes nothing. --plugin writes no settings, only what the hooks of the
Claude Code plugin run.
"""

from __future__ import annotations

import difflib
from pathlib import Path

import click

from holdfast.agents import surroundings
from holdfast.cli.helpers import transcript_import
from holdfast.cli.helpers.place_here import misuse
from holdfast.cli.helpers.report import Report
from holdfast.errors import NotFound
from holdfast.rooms.sessions import work_tree
from holdfast.setup import install
from holdfast.system import git, paths

PARAMETERS: list[click.Parameter] = [
    click.Option(["--user"], is_flag=True, help="Install for all projects of this user."),
    click.Option(["--dry-run"], is_flag=True, help="Show what would change, and change nothing."),
    click.Option(["--plugin"], is_flag=True, help="Prepare for the plugin: no settings file."),
    click.Argument(["project"], required=False, type=click.Path(file_okay=False)),
]


def run(*, user: bool, dry_run: bool, plugin: bool, project: str | None) -> Report:
    state = paths.state_home()
    if plugin:
        if user or dry_run or project:
            misuse("--plugin goes alone")
        install.prepare(state)
        file = paths.plugin_launcher(state)
        return Report((f"{file} is there for the plugin's hooks.",), {"file": file})
    path = install.settings_path(None if user else root_of(project))
    if dry_run:
        change, _ = install.plan_install(state, path)
        return Report(
            tuple(difference(change)) or (f"{path} is up to date.",),
            {"file": str(path), "changes": not change.is_none, "dry_run": True},
        )
    change = install.install(state, path)
    done = "is up to date" if change.is_none else "has Holdfast's hooks"
    lines = [f"{path} {done}."]
    if not user and is_exposed(path):
        lines.append(
            "It holds paths of this machine, and git does not ignore it: add it to .gitignore."
        )
    lines.append(
        f"Restart {surroundings.AGENTS[0].NAME}; then `holdfast status` shows its sessions."
    )
    lines.append("`holdfast uninstall` takes the hooks out again.")
    if not user:
        lines += transcript_import.offered(str(root_of(project)))
    return Report(
        tuple(lines),
        {"file": str(path), "changes": not change.is_none, "dry_run": False},
    )


def is_exposed(path: Path) -> bool:
    """Whether a repository would offer the file for a commit."""
    folder = str(path.parent)
    if not git.said(folder, "rev-parse", "--git-dir"):
        return False
    return not git.said(folder, "check-ignore", str(path))


def root_of(project: str | None) -> Path:
    """The root of the project a folder belongs to."""
    folder = Path(project or ".").resolve()
    if not folder.is_dir():
        raise NotFound(f"there is no folder {folder}", hint="name a project's folder")
    return Path(work_tree.look(str(folder)).root)


def difference(change: install.Change) -> list[str]:
    return list(
        difflib.unified_diff(
            (change.before or "").splitlines(),
            (change.after or "").splitlines(),
            str(change.path) if change.before is not None else "no such file",
            str(change.path) if change.after is not None else "no such file",
            lineterm="",
        )
    )
