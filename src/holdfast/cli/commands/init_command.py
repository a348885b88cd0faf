"""Install Holdfast's hooks into this project, for Claude Code.

Writes .claude/settings.local.json of the project you are in, which is personal and not meant to be
committed (with --user: ~/.claude/settings.json, for every project). Existing hooks and keys stay as
they are. Running it again changes nothing. --plugin writes no settings, only what the hooks of the
Claude Code plugin run.
"""

from __future__ import annotations

import difflib
import sys
from pathlib import Path
from typing import TypedDict

import click

from holdfast.agents import surroundings
from holdfast.agents.surroundings import INSTRUCTION_FILES
from holdfast.cli.helpers import agents_files, transcript_import
from holdfast.cli.helpers.place_here import misuse
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.verbs import argument, flag, option
from holdfast.errors import NotFound
from holdfast.rooms.sessions import work_tree
from holdfast.setup import install
from holdfast.system import git, paths


class SettingsChanged(TypedDict):
    """The settings file, and whether it is another than before."""

    file: str
    changes: bool
    dry_run: bool


class PluginPrepared(TypedDict):
    """The file that the plugin's hooks call."""

    file: str


PARAMETERS = [
    flag("--user", help="Install for all projects of this user."),
    option(
        "--statusline/--no-statusline",
        default=None,
        help="Show where the work stands in the status line, after one of your own; asked at a"
        " terminal.",
    ),
    option(
        "--agents-file",
        is_flag=False,
        flag_value="",
        metavar="[PATH]",
        help="Keep what a session would be told in the project's instruction file as well"
        f" ({' or '.join(INSTRUCTION_FILES)}, or PATH), for agents without hooks.",
    ),
    flag("--dry-run", help="Show what would change, and change nothing."),
    flag("--plugin", help="Prepare for the plugin: no settings file."),
    argument("project", required=False, type=click.Path(file_okay=False)),
]

NO_REPOSITORY = "warning: no git repository here: branches and worktrees are not known"
OFFER = (
    f"Show task, branch, context and rules in the status line of {surroundings.AGENTS[0].NAME}"
    " (a status line of your own stays)?"
)


def run(
    *,
    user: bool,
    statusline: bool | None,
    agents_file: str | None,
    dry_run: bool,
    plugin: bool,
    project: str | None,
) -> Report[SettingsChanged | PluginPrepared]:
    state = paths.state_home()
    if plugin:
        others = (user, dry_run, project, agents_file is not None, statusline is not None)
        if any(others):
            misuse("--plugin goes alone")
        install.prepare(state)
        file = paths.plugin_launcher(state)
        return Report((f"{file} is there for the plugin's hooks.",), {"file": file})
    if user and agents_file is not None:
        misuse("--agents-file is for one project, --user for all")
    root = root_of(project)
    path = install.settings_path(None if user else root)
    block_path = agents_files.chosen(root, agents_file) if agents_file is not None else ""
    warnings = () if user or work_tree.look(str(root)).gitdir else (NO_REPOSITORY,)
    if dry_run:
        change = install.plan_install(state, path, status_line=statusline).change
        lines = difference(change)
        if block_path:
            lines += agents_files.difference(agents_files.planned(state, str(root), block_path))
        return Report(
            lines or [f"{path} is up to date."],
            settings_changed(path, changes=bool(lines), dry_run=True),
            warnings=warnings,
        )
    if statusline is None and not install.has_status_line(path) and _is_at_terminal():
        statusline = click.confirm(OFFER, default=True, err=True)
    change = install.install(state, path, status_line=statusline)
    lines = [f"{path} is up to date." if change.is_none else f"Hooks installed in {path}."]
    if not user and is_exposed(path):
        lines.append(
            "It holds paths of this machine, and git does not ignore it: add"
            f" {path.relative_to(root)} to .gitignore."
        )
    if block_path:
        lines += agents_files.install(state, root, block_path)
    lines.append(
        f"Restart {surroundings.AGENTS[0].NAME}; then `holdfast status` shows its sessions."
    )
    if not install.has_status_line(path):
        lines.append("`holdfast init --statusline` shows where the work stands in its status line.")
    lines.append("`holdfast uninstall` takes all of it out again.")
    if not user:
        lines += transcript_import.offer(str(root))
    data = settings_changed(path, changes=not change.is_none)
    return Report(lines, data, warnings=warnings)


def settings_changed(path: Path, *, changes: bool, dry_run: bool = False) -> SettingsChanged:
    return {"file": str(path), "changes": changes, "dry_run": dry_run}


def _is_at_terminal() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


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
