"""Where a work tree's repository lies, read from git's own files."""

from __future__ import annotations

from holdfast.system import files


def gitdir_of(place: str) -> str:
    """The repository of the work tree whose root this is, "" when it is the root of none."""
    git = f"{place.rstrip('/')}/.git"
    if files.is_folder(git):
        return git
    content = files.read_text(git, 4096) or ""
    if not content.startswith("gitdir:"):
        return ""
    gitdir = content[7:].strip()
    if not gitdir.startswith("/") or "/.." in gitdir or files.is_link(gitdir):
        import os

        gitdir = os.path.realpath(os.path.join(place, gitdir))
    return gitdir if files.is_folder(gitdir) else ""


def common_of(gitdir: str) -> str:
    """What the worktrees of a repository share."""
    relative = (files.read_text(f"{gitdir}/commondir", 4096) or "").strip()
    if not relative:
        return gitdir
    import os

    return os.path.realpath(os.path.join(gitdir, relative))
