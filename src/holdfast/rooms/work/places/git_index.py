"""Tracked files by their names, from git's own list of them, without a process.

The list (`index`) holds each path with its length before it, in a form that git documents. A name
is looked for as bytes, so a large repository costs one read. Laws: what is in another form, is too
large or is not there gives no paths; nothing here raises for what the file holds.
"""

from __future__ import annotations

from holdfast.system import files

SIGNATURE = b"DIRC"
PLAIN_VERSIONS = (2, 3)  # the fourth shortens paths by the one before
READ_BYTES = 8 << 20
LONGEST_PATH = 1_000
HEADER = 12
LENGTH = 0xFFF  # of the flags before a path, the bits that tell its length
PLACES = 20  # as many of a name tell that it means none of them


def tracked(gitdir: str, names: list[str]) -> dict[str, list[str]]:
    """The paths of tracked files that end with each name; a name may have folders before it."""
    content = files.read_bytes(f"{gitdir}/index", READ_BYTES) if gitdir and names else None
    if not content or len(content) >= READ_BYTES or content[:4] != SIGNATURE:
        return {}
    if int.from_bytes(content[4:8], "big") not in PLAIN_VERSIONS:
        return {}
    return {name: _paths(content, name) for name in names}


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
