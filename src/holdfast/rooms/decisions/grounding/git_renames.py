"""Where git says a file went, and when it must be asked again."""

from __future__ import annotations

import time

from holdfast.system import git
from holdfast.system.environment import system
from holdfast.system.files import read_text

LIMIT_S = 5.0  # of one question
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
        return git.said(self._root, *words, limit_s=LIMIT_S)


def _pairs(stdout: str) -> list[tuple[str, str]]:
    """Of `R100\\0old\\0new\\0...` each old and new."""
    words = [word for word in stdout.split("\0") if word]
    return [(words[at + 1], words[at + 2]) for at in range(0, len(words) - 2, 3)]
