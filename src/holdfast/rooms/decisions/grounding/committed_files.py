"""Files as a commit has them. Not on the hook path: git is asked for many at once."""

from __future__ import annotations

from collections.abc import Callable, Collection

from holdfast.errors import NotFound
from holdfast.rooms.decisions.grounding import source_files
from holdfast.system import git

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
