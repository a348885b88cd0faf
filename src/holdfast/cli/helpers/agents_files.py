"""`init --agents-file` and `uninstall`: the block in an instruction file, and what they say."""

from __future__ import annotations

import difflib
import os
from pathlib import Path

from holdfast.agents.surroundings import INSTRUCTION_FILES
from holdfast.hook import agents_file
from holdfast.hook.agents_file import Change, planned
from holdfast.rooms.sessions import work_tree
from holdfast.system import files, git, paths

__all__ = ["chosen", "difference", "install", "planned", "removal", "renew", "uninstall"]

COMMON = INSTRUCTION_FILES[-1]  # most agents read it


def chosen(root: Path, given: str) -> str:
    """The file that was named; else the one instruction file that is there, else the common one."""
    if given:
        return os.path.join(os.getcwd(), given)
    there = [name for name in INSTRUCTION_FILES if (root / name).exists()]
    return str(root / (there[0] if len(there) == 1 else COMMON))


def install(state: str, root: Path, path: str) -> list[str]:
    agents_file.install(state, str(root), path)
    lines = [f"{path} tells where the work stands; Holdfast brings it up to date."]
    if git.said(str(root), "rev-parse", "--git-dir") and not git.said(
        str(root), "check-ignore", path
    ):
        lines.append("It is not ignored by git: your words in it would be committed with it.")
    return lines


def renew() -> None:
    """Bring the block of this project up to date, where it has one."""
    state, root = paths.state_home(), work_tree.look(os.getcwd()).root
    if files.exists(paths.agents_file(state, root)):
        agents_file.refresh(state, root)


def removal(state: str, root: str) -> list[str]:
    change = agents_file.planned_removal(state, root)
    return difference(change) if change else []


def uninstall(state: str, root: str) -> list[str]:
    change = agents_file.uninstall(state, root)
    if change is None or change.before == change.after:
        return []
    gone = "is gone: Holdfast had made it" if change.after is None else "has no block any more"
    return [f"{change.path} {gone}."]


def difference(change: Change) -> list[str]:
    before, after = ((text or b"").decode().splitlines() for text in (change.before, change.after))
    return list(difflib.unified_diff(before, after, change.path, change.path, lineterm=""))
