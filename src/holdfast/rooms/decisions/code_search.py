"""Looking for patterns in a work tree, as it is now: no index, no copy.

Which files there are is asked of git, or found by walking with `.gitignore` heeded; other work
trees and repositories inside are left alone, for they are copies. ripgrep only makes reading
faster: it is given the same files, and gives the same lines.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.errors import HoldfastError
from holdfast.rooms.decisions import ghosts
from holdfast.rooms.decisions.ghosts import Found, Hit

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

CAP_BYTES = 4 << 20
FILES = 200_000
LINE_CAP = 300
GIT_TIMEOUT_S = 60
ARGUMENTS = 100_000  # characters of file names that one process is given
OWN = {".git", ".hg", ".svn", ".holdfast"}
DOC_ENDINGS = {
    ".md", ".markdown", ".mdx", ".rst", ".txt", ".adoc", ".asciidoc", ".org", ".tex", ".rdoc",
}  # fmt: skip
DOC_FOLDERS = {"docs", "doc", "documentation"}
DOC_NAMES = {"readme", "changelog", "changes", "news", "license", "licence", "authors", "notice"}

RIPGREP, WALKER = "ripgrep", "walker"


def look_for(root: str, feature: str, also: tuple[str, ...] = (), *, way: str = "") -> Found:
    """Look for a feature by two searches; `way` chooses who reads, ripgrep when it is there."""
    searches = ghosts.searches(feature, also)
    if not searches:
        raise HoldfastError(f"{feature!r} names no feature", hint="say what to look for, in words")
    way = way or (RIPGREP if shutil.which("rg") else WALKER)
    files, unread = _readable(root, listed(root))
    patterns = [pattern for search in searches for pattern in search]
    hits = _by_ripgrep(root, files, patterns) if way == RIPGREP else None
    if hits is None:
        hits = list(_read(root, files, patterns))
    in_order = sorted(set(hits), key=lambda hit: (hit.path, hit.line))
    commit, dirty = _commit(root)
    return Found(
        feature,
        also,
        searches,
        code=tuple(hit for hit in in_order if not is_doc(hit.path)),
        docs=tuple(hit for hit in in_order if is_doc(hit.path)),
        commit=commit,
        dirty=dirty,
        files=len(files),
        unread=tuple(unread),
    )


def is_doc(path: str) -> bool:
    """Whether a file is written for people to read, and not to be run."""
    file = Path(path)
    return (
        file.suffix.lower() in DOC_ENDINGS
        or file.stem.lower() in DOC_NAMES
        or any(part.lower() in DOC_FOLDERS for part in file.parts[:-1])
    )


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


def _readable(root: str, paths: Iterable[str]) -> tuple[list[str], list[str]]:
    """Files proper, and those too large to be read. Links lead to what is listed elsewhere."""
    files: list[str] = []
    unread: list[str] = []
    for path in paths:
        try:
            status = os.lstat(os.path.join(root, path))
        except OSError:
            continue  # gone since it was listed, or deleted and not yet committed
        if not stat.S_ISREG(status.st_mode):
            continue
        (files if status.st_size <= CAP_BYTES else unread).append(path)
    if len(files) > FILES:
        raise HoldfastError(
            f"{len(files)} files are too many to look through: {FILES} are",
            hint="leave out what is generated, in .gitignore",
        )
    return files, unread


# Who reads


def _read(root: str, files: list[str], patterns: list[str]) -> Iterator[Hit]:
    sought = re.compile("|".join(f"(?:{pattern})" for pattern in patterns).encode(), re.IGNORECASE)
    for path in files:
        try:
            content = Path(root, path).read_bytes()
        except OSError:
            continue
        if _is_binary(content) or not sought.search(content):
            continue
        for number, line in enumerate(content.split(b"\n"), 1):
            if sought.search(line):
                yield _hit(path, number, line)


def _by_ripgrep(root: str, files: list[str], patterns: list[str]) -> list[Hit] | None:
    """What ripgrep finds in the very same files; None when it cannot say."""
    try:
        return list(_asked_of_ripgrep(root, files, patterns))
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None


def _asked_of_ripgrep(root: str, files: list[str], patterns: list[str]) -> Iterator[Hit]:
    """Lines as ripgrep tells them. Which files are binary, we say."""
    is_binary: dict[str, bool] = {}
    for names in _chunks(files):
        command = ["rg", "--no-config", "--json", "--ignore-case", "--no-unicode", "--text"]
        command += ["--encoding", "none"]
        command += [part for pattern in patterns for part in ("--regexp", pattern)]
        done = subprocess.run(
            [*command, "--", *(f"./{name}" for name in names)],
            cwd=root,
            capture_output=True,
            timeout=GIT_TIMEOUT_S,
            check=False,
        )
        if done.returncode > 1 and not done.stdout:
            raise OSError(f"ripgrep: {done.stderr.decode(errors='replace').strip()[:200]}")
        for line in done.stdout.splitlines():
            message = json.loads(line)
            if message["type"] != "match":
                continue
            path = _text(message["data"]["path"])[2:]
            if path not in is_binary:
                is_binary[path] = _is_binary(Path(root, path).read_bytes())
            if not is_binary[path]:
                content = _bytes(message["data"]["lines"])
                yield _hit(path, message["data"]["line_number"], content.rstrip(b"\n"))


def _chunks(files: list[str]) -> Iterator[list[str]]:
    chunk: list[str] = []
    size = 0
    for name in files:
        if chunk and size + len(name) > ARGUMENTS:
            yield chunk
            chunk, size = [], 0
        chunk.append(name)
        size += len(name) + 3
    if chunk:
        yield chunk


def _bytes(field: dict[str, str]) -> bytes:
    import base64

    return field["text"].encode() if "text" in field else base64.b64decode(field["bytes"])


def _text(field: dict[str, str]) -> str:
    return os.fsdecode(_bytes(field))


def _is_binary(content: bytes) -> bool:
    return b"\0" in content[:8_000]


def _hit(path: str, number: int, line: bytes) -> Hit:
    return Hit(path, number, line.decode("utf-8", "replace").strip()[:LINE_CAP])


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
    quiet = ["-c", "core.fsmonitor=false", "-c", "core.quotePath=false"]
    try:
        done = subprocess.run(
            ["git", "--no-optional-locks", *quiet, "-C", root, *arguments],
            capture_output=True,
            timeout=GIT_TIMEOUT_S,
            check=False,
            env={**os.environ, "GIT_TERMINAL_PROMPT": "0"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
