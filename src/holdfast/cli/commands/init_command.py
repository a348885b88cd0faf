"""Install Holdfast's hooks into this project, for Claude Code.

Writes .claude/settings.local.json of the project you are in, which is personal and not meant to be
committed (with --user: ~/.claude/settings.json, for every project). Existing hooks and keys stay as
they are. Running it again changes nothing. --plugin writes no settings, only what the hooks of the
Claude Code plugin run.
"""

from __future__ import annotations

import difflib
import os
import sys
from pathlib import Path
from typing import TypedDict

import click

from holdfast.agents import surroundings
from holdfast.agents.surroundings import INSTRUCTION_FILES
from holdfast.cli.helpers import transcript_import
from holdfast.cli.helpers.place_here import misuse
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.verbs import argument, flag, option
from holdfast.errors import NotFound
from holdfast.hook import agents_file
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
        "block",
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
    block: str | None,
    dry_run: bool,
    plugin: bool,
    project: str | None,
) -> Report[SettingsChanged | PluginPrepared]:
    state = paths.state_home()
    if plugin:
        others = (user, dry_run, project, block is not None, statusline is not None)
        if any(others):
            misuse("--plugin goes alone")
        install.prepare(state)
        file = paths.plugin_launcher(state)
        return Report((f"{file} is there for the plugin's hooks.",), {"file": file})
    if user and block is not None:
        misuse("--agents-file is for one project, --user for all")
    root = root_of(project)
    path = install.settings_path(None if user else root)
    block_path = _chosen(root, block) if block is not None else ""
    warnings = () if user or work_tree.look(str(root)).gitdir else (NO_REPOSITORY,)
    if dry_run:
        change = install.plan_install(state, path, status_line=statusline).change
        lines = difference(change)
        if block_path:
            lines += block_difference(agents_file.planned(state, str(root), block_path))
        return Report(
            lines or [f"{path} is up to date."],
            settings_changed(path, changes=bool(lines), dry_run=True),
            warnings=warnings,
        )
    if statusline is None and not install.has_status_line(path) and _is_at_terminal():
        statusline = click.confirm(OFFER, default=True, err=True)
    change = install.install(state, path, status_line=statusline)
    lines = [f"{path} is up to date." if change.is_none else f"Hooks installed in {path}."]
    if not user and is_exposed(path, path.parent):
        lines.append(
            "It holds paths of this machine, and git does not ignore it: add"
            f" {path.relative_to(root)} to .gitignore."
        )
    if block_path:
        lines += _with_block(state, root, block_path)
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


def is_exposed(path: Path, folder: Path) -> bool:
    """Whether the repository of a folder would offer the file for a commit."""
    if not git.said(str(folder), "rev-parse", "--git-dir"):
        return False
    return not git.said(str(folder), "check-ignore", str(path))


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


# The block of `--agents-file`


def _chosen(root: Path, given: str) -> str:
    """The file that was named; else the one instruction file that is there, else the common one."""
    if given:
        return os.path.join(os.getcwd(), given)
    there = [name for name in INSTRUCTION_FILES if (root / name).exists()]
    return str(root / (there[0] if len(there) == 1 else INSTRUCTION_FILES[-1]))


def _with_block(state: str, root: Path, path: str) -> list[str]:
    agents_file.install(state, str(root), path)
    lines = [f"{path} tells where the work stands; Holdfast brings it up to date."]
    if is_exposed(Path(path), root):
        lines.append("It is not ignored by git: your words in it would be committed with it.")
    return lines


def block_difference(change: agents_file.Change) -> list[str]:
    before, after = ((text or b"").decode().splitlines() for text in (change.before, change.after))
    return list(difflib.unified_diff(before, after, change.path, change.path, lineterm=""))
