"""Which files a prompt means: sure ones alone, of those that earlier sessions touched and of those
that git tracks.

A name with its ending, one of several words and one that is marked as code are written by nobody by
chance. A plain word names no file.

Laws: of files that are called alike the one that was changed far more often is meant, or none; a
test, a file that the agent reads by itself and one outside of the project are meant by their whole
names alone. Git's own list (`index`) holds each path with its length before it, in a form that git
documents, and is searched as bytes without a process: one read, however large the repository; what
is in another form, too large or not there gives no paths, and nothing raises for what it holds.
"""

from __future__ import annotations

from holdfast.system import files
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.rooms.work.places.prompt_names import PromptNames

FILES = 3
# A file that is changed so many times as often as its namesakes is the one that is meant.
FAR_MORE = 2
TESTS = frozenset({"test", "tests", "spec", "specs"})
# Of git's index.
SIGNATURE = b"DIRC"
PLAIN_VERSIONS = (2, 3)  # the fourth shortens paths by the one before
READ_BYTES = 8 << 20
LONGEST_PATH = 1_000
HEADER = 12
LENGTH = 0xFFF  # of the flags before a path, the bits that tell its length
PLACES = 20  # as many of a name tell that it means none of them


class KnownFile(Value):
    """A file that sessions of this project touched, by its path from the worktree's root."""

    edits: int  # sessions that changed it
    last_at: str
    path: str


def stems_of(names: PromptNames) -> set[str]:
    """What the files that a prompt can mean are called, as `stem_of` has it."""
    called = {stem_of(file) for file in names.files}
    return called | {name.lower() for name in names.identifiers}


def named(file: str, paths: Iterable[str]) -> list[str]:
    """The paths that end with a name as it was given."""
    return [path for path in paths if path == file or path.endswith(f"/{file}")]


def meant(names: PromptNames, known: list[KnownFile]) -> list[KnownFile]:
    """The files whose names without an ending the prompt has, in its order."""
    sure: dict[str, KnownFile] = {}
    by_stem: dict[str, list[KnownFile]] = {}
    for file in known:
        if file.edits and not is_test(file.path):
            by_stem.setdefault(stem_of(file.path), []).append(file)
    for name in names.identifiers:
        candidate = _foremost(by_stem.get(name.lower(), []))
        if candidate is not None:
            sure.setdefault(candidate.path, candidate)
    return list(sure.values())[:FILES]


def stem_of(path: str) -> str:
    """A file's name without its ending, as names are compared."""
    return path.rpartition("/")[2].lstrip(".").partition(".")[0].lower()


def is_test(path: str) -> bool:
    name = path.rpartition("/")[2]
    parts = name.lower().replace("-", "_").replace(".", "_").split("_")
    return not TESTS.isdisjoint(parts) or name.partition(".")[0].endswith(("Test", "Tests"))


def _foremost(namesakes: list[KnownFile]) -> KnownFile | None:
    """The one that was changed far more often than all others of its name."""
    ordered = sorted(namesakes, key=lambda file: file.edits, reverse=True)
    if len(ordered) > 1 and ordered[0].edits < FAR_MORE * ordered[1].edits:
        return None
    return ordered[0] if ordered else None


def tracked(gitdir: str, names: list[str]) -> dict[str, list[str]]:
    """The paths of tracked files that end with each name; a name may have folders before it."""
    content = _index(gitdir) if names else b""
    return {name: _paths(content, name) for name in names} if content else {}


def not_tracked(gitdir: str, paths: list[str]) -> list[str]:
    """Those of some paths that git does not track; none where that cannot be told."""
    content = _index(gitdir) if paths else b""
    return [path for path in paths if content and not _is_listed(content, path)]


def _is_listed(content: bytes, path: str) -> bool:
    name = path.encode("utf-8", "surrogateescape")
    at = content.find(name + b"\0")
    while at >= 0 and not _begins(content, at, at + len(name)):
        at = content.find(name + b"\0", at + 1)
    return at >= 0


def _index(gitdir: str) -> bytes:
    """Git's own list, where it is in a form that can be searched."""
    content = files.read_bytes(f"{gitdir}/index", READ_BYTES) if gitdir else None
    if not content or len(content) >= READ_BYTES or content[:4] != SIGNATURE:
        return b""
    return content if int.from_bytes(content[4:8], "big") in PLAIN_VERSIONS else b""


def _paths(content: bytes, name: str) -> list[str]:
    ending = name.encode("utf-8", "surrogateescape") + b"\0"
    paths: list[str] = []
    at = content.find(ending)
    while at >= 0 and len(paths) < PLACES:
        path = _path_around(content, at, at + len(ending) - 1)
        if path:
            paths.append(path)
        at = content.find(ending, at + 1)
    return paths


def _path_around(content: bytes, at: int, end: int) -> str:
    """The whole path of which a name is the end: it begins where its length stands before it."""
    if not _begins(content, at, end) and content[at - 1 : at] != b"/":
        return ""  # the end of another name
    for start in range(at, max(at - LONGEST_PATH, HEADER), -1):
        if _begins(content, start, end):
            return content[start:end].decode("utf-8", "replace")
        if not content[start - 1]:
            break
    return ""


def _begins(content: bytes, start: int, end: int) -> bool:
    """Whether a path begins here. The upper byte of its length is no letter of a path."""
    flags = int.from_bytes(content[start - 2 : start], "big")
    return flags & LENGTH == end - start and not 0x20 <= flags >> 8 < 0x80
