"""Files as a commit has them, and where git says a file went.

Not on the hook path: git is asked for many at once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection

from holdfast.errors import NotFound
from holdfast.rooms.decisions.grounding import source_files
from holdfast.system import git
from holdfast.system.environment import system
from holdfast.system.files import read_text

LIMIT_S = 60
ASKED = 20_000  # files of one commit
HELD_BYTES = 32 << 20  # of files that are read together


def resolved(root: str, rev: str) -> str:
    """The commit that a revision names."""
    stdout = _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{rev}^{{commit}}")
    if stdout is None:
        raise NotFound(f"git knows no commit {rev} here", hint="see `git log --oneline`")
    return stdout.decode().strip()


def changed(root: str, commit: str) -> list[str]:
    """The paths, from the root, in which the work tree differs from a commit."""
    stdout = _git(root, "diff", "--name-only", "-z", "--no-renames", "--relative", commit)
    return sorted(filter(None, (stdout or b"").decode("utf-8", "surrogateescape").split("\0")))


def blobs(root: str, commit: str, paths: Collection[str]) -> Callable[[str], str | None]:
    """Reads a file of a commit. Those that are named before are read a good many at a time, for who
    asks in their order."""
    named = sorted(paths)[:ASKED]
    sizes = _sizes(root, commit, named)
    absent = set(named) - sizes.keys()
    held: dict[str, str | None] = {}

    def read(path: str) -> str | None:
        if path in absent:
            return None
        if path in sizes and path not in held:
            held.clear()
            held.update(_read(root, commit, _some(sizes, path)))
        if path not in held:  # where a file went, which nobody could name before
            return _read(root, commit, [path])[path]
        return held[path]

    return read


def _some(sizes: dict[str, int], first: str) -> list[str]:
    """A path and those after it, as many as are held at once."""
    taken: list[str] = []
    left = HELD_BYTES
    for path in sorted(sizes):
        if path >= first:
            left -= sizes[path]
            if taken and left < 0:
                break
            taken.append(path)
    return taken


def _sizes(root: str, commit: str, paths: list[str]) -> dict[str, int]:
    """Of files that are there and no larger than a source is."""
    asked = [path for path in paths if "\n" not in path]
    stdout = _git(root, "cat-file", "--batch-check", names=[f"{commit}:{path}" for path in asked])
    sizes = {}
    for path, line in zip(asked, (stdout or b"").splitlines(), strict=False):
        words = line.split()
        if words[1:2] == [b"blob"] and int(words[2]) <= source_files.CAP_BYTES:
            sizes[path] = int(words[2])
    return sizes


def _read(root: str, commit: str, paths: list[str]) -> dict[str, str | None]:
    contents: dict[str, str | None] = dict.fromkeys(paths)
    small = list(_sizes(root, commit, paths))
    stdout = _git(root, "cat-file", "--batch", names=[f"{commit}:{path}" for path in small]) or b""
    at = 0
    for path in small:
        end = stdout.find(b"\n", at)
        header = stdout[at:end].split()
        if len(header) != 3 or header[1] != b"blob":
            break
        size = int(header[2])
        contents[path] = source_files.decoded(stdout[end + 1 : end + 1 + size])
        at = end + 1 + size + 1
    return contents


def _git(root: str, *words: str, names: list[str] | None = None) -> bytes | None:
    given = "".join(f"{name}\n" for name in names or []).encode("utf-8", "surrogateescape")
    return git.run(root, *words, given=given, limit_s=LIMIT_S)


ONE_LIMIT_S = 5.0  # of one question
BUDGET_S = 10.0  # of all of them in one judgement
UNTRACKED = 500
STEPS = 5_000  # commits that are walked for a file that was renamed and then rewritten


def head(root: str) -> str:
    """The commit that is checked out, "" without one."""
    commit = git.said(root, "rev-parse", "--verify", "--quiet", "HEAD")
    return commit if commit.isalnum() else ""


def stamp(root: str) -> str:
    """What changes whenever git could answer otherwise: what is checked out, and the index."""
    gitdir = f"{root}/.git"
    pointer = read_text(gitdir, 4096)
    if pointer and pointer.startswith("gitdir:"):
        named = pointer[7:].strip()
        gitdir = named if named.startswith("/") else f"{root}/{named}"
    parts = [(read_text(f"{gitdir}/HEAD", 4096) or "").strip()]
    for name in ("index", "logs/HEAD"):
        try:
            status = system.stat(f"{gitdir}/{name}")
        except OSError:
            continue
        parts.append(f"{status.st_mtime_ns}.{status.st_size}.{status.st_ino}")
    return " ".join(parts)


class Renames:
    """Renames since each commit, asked once each. `to` is a commit, "" the work tree. After a while
    git is asked no more: `is_cut` says that some files may have gone where nobody looked."""

    def __init__(self, root: str, to: str = "") -> None:
        self._root = root
        self._to = to
        self._until = time.monotonic() + BUDGET_S
        self.is_cut = False
        self._asked: dict[str, dict[str, str]] = {}
        self._walked: dict[str, dict[str, str]] = {}

    def of(self, path: str, commit: str) -> list[str]:
        """Where a file may have gone since a commit, the likeliest first."""
        candidates = []
        if commit:
            candidates = [self._since(commit).get(path, "")]
            if not candidates[0]:
                candidates.append(self._along(path, commit))
        if not any(candidates) and not self._to:
            candidates += self._unknown_to_git(path)
        return list(dict.fromkeys(new for new in candidates if new and new != path))

    def _since(self, commit: str) -> dict[str, str]:
        """Between two trees, whatever lies between."""
        if commit not in self._asked:
            words = ("diff", "--name-status", "--diff-filter=R", "-M", "-z", commit)
            stdout = self._git(*words, *([self._to] if self._to else []), "--")
            self._asked[commit] = dict(_pairs(stdout))
        return self._asked[commit]

    def _along(self, path: str, commit: str) -> str:
        """Step by step: a file that was renamed and then rewritten is like none of before."""
        if commit not in self._walked:
            words = (
                "log",
                "--format=",
                "--name-status",
                "--diff-filter=R",
                "-M",
                "-z",
                "--reverse",
            )
            until = self._to or "HEAD"
            stdout = self._git(*words, f"-n{STEPS}", f"{commit}..{until}", "--")
            steps: dict[str, str] = {}
            for old, new in _pairs(stdout):
                for first, last in list(steps.items()):
                    if last == old:
                        steps[first] = new
                steps[old] = new
            self._walked[commit] = steps
        return self._walked[commit].get(path, "")

    def _unknown_to_git(self, path: str) -> list[str]:
        """Files of the same name that git has not been told of yet."""
        if "" not in self._asked:
            stdout = self._git("ls-files", "--others", "--exclude-standard", "-z")
            self._asked[""] = dict.fromkeys(stdout.split("\0")[:UNTRACKED], "")
        name = path.rpartition("/")[2]
        return [other for other in self._asked[""] if other.rpartition("/")[2] == name]

    def _git(self, *words: str) -> str:
        if time.monotonic() > self._until:
            self.is_cut = True
            return ""
        return git.said(self._root, *words, limit_s=ONE_LIMIT_S)


def _pairs(stdout: str) -> list[tuple[str, str]]:
    """Of `R100\\0old\\0new\\0...` each old and new."""
    words = [word for word in stdout.split("\0") if word]
    return [(words[at + 1], words[at + 2]) for at in range(0, len(words) - 2, 3)]
