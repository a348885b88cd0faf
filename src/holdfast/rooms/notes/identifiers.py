"""Lightweight identifiers: a place in the code and what it is for, instead of its content.

Looked at without being loaded: whether the file is there and has so many lines.
"""

from __future__ import annotations

from holdfast.errors import HoldfastError
from holdfast.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.rooms.tracker.queries import Identifier

HERE, SHORT, GONE = "here", "short", "gone"
CAP_BYTES = 16 << 20
PURPOSE_CAP = 200


def parsed(given: str) -> tuple[str, int, int]:
    """`path:line` or `path:line-line`, from the root; HoldfastError for anything else."""
    path, _, lines = given.rpartition(":")
    first, _, last = lines.partition("-")
    if not path or not first.isdecimal() or (last and not last.isdecimal()):
        raise HoldfastError(f"{given} is no place", hint="write it as path:line or path:line-line")
    line, end = int(first), int(last or first)
    if line < 1 or end < line:
        raise HoldfastError(
            f"{given} has no such lines", hint="lines count from 1, the first first"
        )
    path = path.removeprefix("${PROJECT_ROOT}/").removeprefix("./")
    if path.startswith("/") or ".." in path.split("/"):
        raise HoldfastError(
            f"{path} lies outside of the project", hint="name it from the project's root"
        )
    return path, line, end


def looked_at(root: str, identifiers: list[Identifier]) -> dict[str, str]:
    """How each stands: the lines are there, the file is shorter, or it is gone."""
    lengths: dict[str, int] = {}
    standings = {}
    for identifier in identifiers:
        path = identifier["path"]
        if path not in lengths:
            lengths[path] = _length(f"{root}/{path}")
        length = lengths[path]
        standing = GONE if length < 0 else HERE if identifier["last"] <= length else SHORT
        standings[identifier["id"]] = standing
    return standings


def _length(path: str) -> int:
    """How many lines a file has, -1 without one."""
    content = files.read_bytes(path, CAP_BYTES)
    if content is None:
        return -1
    return content.count(b"\n") + (not content.endswith(b"\n") and content != b"")
