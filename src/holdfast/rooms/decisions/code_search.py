"""Looking for features in a work tree, as it is now: what is indexed is thrown away.

Which files there are is asked of git, or found by walking with `.gitignore` heeded; other work
trees and repositories inside are left alone, for they are copies.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.errors import HoldfastError
from holdfast.rooms.decisions import ghosts, name_index
from holdfast.rooms.decisions.ghosts import Hit, Look
from holdfast.rooms.decisions.name_index import OWN
from holdfast.system import git

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

LINE_CAP = 300
GIT_TIMEOUT_S = 60
HINT = "say what it does in a few words, as in `holdfast ghost 'rate limiting'`"


def look_for(root: str, feature: str, also: tuple[str, ...] = ()) -> Look:
    """Look for a feature by two searches over the names of a work tree."""
    return look_for_each(root, [(feature, also)])[0]


def look_for_each(root: str, features: Iterable[tuple[str, tuple[str, ...]]]) -> list[Look]:
    """Look for features; the work tree is read once."""
    queries = [(feature, also, ghosts.query(feature, also)) for feature, also in features]
    for feature, _, sought in queries:
        if not sought.words:
            raise HoldfastError(f"{feature!r} names no feature", hint=HINT)
    index = name_index.build(root, listed(root))
    commit, dirty = _commit(root)
    looks = []
    for feature, also, sought in queries:
        judgement = ghosts.judge(index, sought)
        looks.append(
            Look(
                feature,
                also,
                sought.searches(),
                judgement.verdict,
                code=_with_text(root, judgement.code),
                docs=_with_text(root, judgement.docs),
                seen=_with_text(root, judgement.seen),
                why=judgement.why,
                commit=commit,
                dirty=dirty,
                files=len(index.files),
                unread=index.unread,
            )
        )
    return looks


def _with_text(root: str, hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
    """Hits with the lines they stand for, as far as they are shown."""
    shown = [replace(hit, text=_line(root, hit)) for hit in hits[: ghosts.SHOWN]]
    return (*shown, *hits[ghosts.SHOWN :])


def _line(root: str, hit: Hit) -> str:
    try:
        lines = Path(root, hit.path).read_bytes().split(b"\n")
    except OSError:
        return ""
    line = lines[hit.line - 1] if hit.line <= len(lines) else b""
    return line.decode("utf-8", "replace").strip()[:LINE_CAP]


# Which files there are


def listed(root: str) -> list[str]:
    """The files of a work tree that are not ignored, by their path from its root."""
    stdout = _git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    if stdout is None:
        return sorted(_walked(root))
    paths = {os.fsdecode(path) for path in stdout.split(b"\0") if path}
    # A repository inside is listed as a folder: it is a copy, or somebody else's.
    return sorted(path for path in paths if path[-1] != "/" and path.split("/")[0] not in OWN)


def _walked(root: str) -> Iterator[str]:
    """Without git: every file but what a `.gitignore` on the way says."""
    from pathspec import GitIgnoreSpec

    specs: dict[str, GitIgnoreSpec] = {}
    for folder, folders, names in os.walk(root):
        here = os.path.relpath(folder, root).replace(os.sep, "/")
        here = "" if here == "." else here
        if here and ".git" in {*folders, *names}:
            folders.clear()  # another repository, or a work tree of one: a copy
            continue
        if ".gitignore" in names:
            lines = Path(folder, ".gitignore").read_text(encoding="utf-8", errors="replace")
            specs[here] = GitIgnoreSpec.from_lines(lines.splitlines())
        inside = f"{here}/" if here else ""
        folders[:] = [
            name
            for name in sorted(folders)
            if name not in OWN and not _is_ignored(f"{inside}{name}/", specs)
        ]
        for name in names:
            if not _is_ignored(f"{inside}{name}", specs):
                yield f"{inside}{name}"


def _is_ignored(path: str, specs: dict[str, GitIgnoreSpec]) -> bool:
    """The innermost `.gitignore` that says anything of a path decides."""
    folder = path.rstrip("/")
    while folder:
        folder = folder.rpartition("/")[0]
        spec = specs.get(folder)
        if spec is not None:
            below = path[len(folder) + 1 :] if folder else path
            is_ignored = spec.check_file(below).include
            if is_ignored is not None:
                return bool(is_ignored)
    return False


# Where the work tree stands


def _commit(root: str) -> tuple[str, bool]:
    """What is checked out, and whether the work tree differs from it."""
    head = _git(root, "rev-parse", "--verify", "--quiet", "HEAD")
    if not head:
        return "", False
    changed = _git(root, "status", "--porcelain", "-z", "--untracked-files=normal")
    return head.decode().strip()[:12], bool(changed)


def _git(root: str, *arguments: str) -> bytes | None:
    """What git says, None where it cannot say anything."""
    return git.run(root, *arguments, limit_s=GIT_TIMEOUT_S)
