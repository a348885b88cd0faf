"""The files that a proof covers: how they stood at the run, and which of them differ now.

Git knows most of it: a tree is a commit, and the files that differ from it. Of those is kept what
`lstat` says and a digest of their content. Laws:
  - content counts, not commits and times: what was committed as it was tested, amended, stashed and
    brought back, touched or changed back is as it was;
  - what git tracks or would show as new counts, and a submodule by its commit; what it ignores does
    not. Without a repository the files count that the session edited;
  - git's index and `lstat` come first, and a content is read only where they differ;
  - where git does not answer, or too much differs, nothing is known: None.
"""

from __future__ import annotations

from holdfast.system import files, git, jsontext, paths, processes, repository
from holdfast.system.environment import system
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    Base = tuple[str, str]  # mode and object of a file, as git names them
    Mark = list[Any]  # when written, size, inode; mode and content; of no file nothing
    Kept = dict[str, Any]  # a tree as it is written down: its commit, and the marks of files

NOTHING_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"  # git's own, where no commit is yet
NO_FILE = ("000000", "")
LINK, MODULE = "120000", "160000"
FILES = 5_000  # that may differ
CONTENT_BYTES, ALL_BYTES = 4 << 20, 64 << 20  # beyond them size and time count
COMPARED = 200  # contents that git is asked for at once
RAW = ("--raw", "-z", "--no-renames", "--ignore-submodules=dirty")


class Tree(Value):
    """A commit, and the files that differ from it, each as the commit has it."""

    commit: str  # "" without a repository
    differing: dict[str, Base]


def look(root: str, edited: Iterable[str]) -> Tree | None:
    """How the work tree stands now; `edited` are the files that a session is known to have."""
    gitdir = repository.gitdir_of(root)
    if not gitdir:
        return Tree("", dict.fromkeys([*edited][:FILES], NO_FILE))
    commit = repository.head_of(gitdir, repository.common_of(gitdir)) or NOTHING_TREE
    others = ("ls-files", "-z", "--others", "--exclude-standard")
    question = git.question(root, *others)
    if not question:
        return None
    processes.ask_ahead(question)
    changed = git.heard(root, "diff-index", *RAW, commit)
    new = git.heard(root, *others)
    if changed is None or new is None:
        return None
    differing = {path.rstrip("/"): NO_FILE for path in new.split("\0") if path} | _bases(changed)
    return Tree(commit, differing) if len(differing) <= FILES else None


def _bases(raw: str) -> dict[str, Base]:
    """Of each file in git's raw form what it was before."""
    words = raw.split("\0")
    return {
        path: (words[at][1:7], words[at].split(" ")[2])
        for at, path in zip(range(0, len(words), 2), words[1::2], strict=False)
    }


# What a proof keeps of it


def kept(root: str, tree: Tree) -> Kept:
    """A tree as it is written down."""
    marks = {path: _mark(root, path) for path in tree.differing}
    left = ALL_BYTES
    for path, mark in marks.items():
        if mark:
            left -= mark[1]
            mark.append(_content(root, path, mark) if left > 0 else "")
    return {"commit": tree.commit, "files": marks}


def digest(tree: Kept) -> str:
    return paths.digest(jsontext.dumps(tree).encode("utf-8", "backslashreplace"))


def _mark(root: str, path: str) -> Mark:
    try:
        status = system.lstat(f"{root}/{path}")
    except (OSError, ValueError):
        return []
    kind = status.st_mode >> 12
    mode = {0o12: LINK, 0o04: MODULE}.get(kind, "100755" if status.st_mode & 0o100 else "100644")
    return [status.st_mtime_ns, status.st_size, status.st_ino, mode]


def _content(root: str, path: str, mark: Mark) -> str:
    """What a file holds, in short; "" where that is not looked at."""
    where = f"{root}/{path}"
    if mark[3] == MODULE:
        gitdir = repository.gitdir_of(where)
        return repository.head_of(gitdir, repository.common_of(gitdir)) if gitdir else ""
    if mark[3] == LINK:
        return str(system.readlink(where))
    content = files.read_bytes(where, CONTENT_BYTES + 1)
    return "" if content is None or len(content) > CONTENT_BYTES else paths.digest(content)


# What has changed since


def changed(root: str, before: Kept, now: Tree) -> list[str] | None:
    """The files that are not as they were."""
    marks: dict[str, Mark] = before["files"]
    commit, bases = before["commit"], now.differing
    if commit != now.commit:
        moved = git.heard(root, "diff-tree", "-r", *RAW, commit, now.commit) if commit else None
        if moved is None:
            return None
        bases = {**bases, **_bases(moved)}
    rest = {path: base for path, base in bases.items() if path not in marks}
    gone = [path for path, mark in marks.items() if not _is_same(root, path, mark)]
    return sorted([*gone, *_unlike(root, rest)])


def _is_same(root: str, path: str, before: Mark) -> bool:
    mark = _mark(root, path)
    if not mark or not before or mark[3] != before[3]:
        return bool(mark) is bool(before) and not mark
    is_untouched = mark == before[:4] and mark[3] != MODULE
    return is_untouched or (bool(before[4]) and _content(root, path, mark) == before[4])


def _unlike(root: str, bases: dict[str, Base]) -> list[str]:
    """The files that are not as git has them."""
    unlike, asked = [], {}
    for path, (mode, content) in bases.items():
        mark = _mark(root, path)
        if (mark[3] if mark else NO_FILE[0]) != mode or mode == LINK:
            unlike.append(path)
        elif mode == MODULE:
            unlike += [path] * (_content(root, path, mark) != content)
        elif mark:
            asked[path] = content
    if asked:
        few = len(asked) <= COMPARED
        answer = git.heard(root, "hash-object", "--", *asked) if few else None
        contents = (answer or "").split("\n")
        same = len(contents) == len(asked)
        unlike += [
            path
            for at, (path, content) in enumerate(asked.items())
            if not same or contents[at] != content
        ]
    return unlike
