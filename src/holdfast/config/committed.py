"""Which files of a project are committed: git's own list (its index) has them.

What is committed came with the repository and may be anybody's; what git does not track was put
there on this machine. Laws: a file counts as committed when it is in the index, when a folder on
its way is (as a link or a module), or when the file behind its link is; and when git cannot be
asked. Letters count in either case, as they do to some file systems. While git is at work on the
index, a file that is new or changed counts as committed: it may just be coming. Without a
repository everything is: a folder may have been unpacked. What once was committed stays so when it
is taken out of the index, until its content is trusted.
"""

from __future__ import annotations

from holdfast.errors import StoreError
from holdfast.system import files, jsontext, paths, repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Stamp = list[int] | None

SIGNATURE = b"DIRC"
PLAIN_VERSIONS = (2, 3)  # the fourth shortens paths by the one before
READ_BYTES = 64 << 20
HEADER = 12
LENGTH = 0xFFF  # of the flags before a path, the bits that tell its length


def committed(state: str, root: str, places: Sequence[str], stamps: Sequence[Stamp]) -> list[bool]:
    """Of each file whether it is committed; `stamps` tell when one has changed. What was found is
    kept beside the compiled settings until the index or a file changes."""
    many = len(places)
    gitdir = repository.gitdir_of(root)
    index = files.stamp(f"{gitdir}/index") if gitdir else None
    memo = paths.tracked(state, root)
    of_index, of_stamps, before = _remembered(memo)
    is_as_before = of_stamps == list(stamps) and before.keys() >= set(places)
    is_locked = bool(gitdir) and files.exists(f"{gitdir}/index.lock")
    if is_as_before and (is_locked or of_index == index):
        return [before[place] for place in places]
    answer = None if is_locked else _tracked(gitdir, root, places) if index else [not gitdir] * many
    if answer is None:
        return [True] * many
    answer = [each or before.get(place, False) for place, each in zip(places, answer, strict=True)]
    try:
        files.own_folder(paths.compiled_folder(state), within=state)
        text = jsontext.dumps(
            [index, list(stamps), {**before, **dict(zip(places, answer, strict=True))}]
        )
        files.write_whole(memo, f"{paths.mark(text):08x}{text}".encode(), sync=False)
    except (OSError, StoreError):
        pass  # looked up again at the next event
    return answer


def _remembered(memo: str) -> tuple[Stamp, list[Stamp], dict[str, bool]]:
    text = files.read_text(memo) or ""
    if text[:8] != f"{paths.mark(text[8:]):08x}":
        return None, [], {}
    index, stamps, answer = jsontext.loads(text[8:])
    return index, stamps, answer if isinstance(answer, dict) else {}


def _tracked(gitdir: str, root: str, places: Sequence[str]) -> list[bool] | None:
    """None when nobody can tell."""
    ways = [_ways_to(root, place) for place in places]
    listed = _listed(gitdir, root, {name for names in ways for name in names})
    return None if listed is None else [not listed.isdisjoint(names) for names in ways]


def _ways_to(root: str, place: str) -> set[str]:
    """The paths whose being tracked makes a file a committed one, as git spells them."""
    inside = f"{root.rstrip('/')}/"
    if not place.startswith(inside):
        return set()
    import os

    names = set()
    for path in (place, os.path.realpath(place)):
        if path.startswith(inside):
            name = path[len(inside) :]
            names.add(name)
            while "/" in name:
                name = name.rpartition("/")[0]
                names |= {name, f"{name}/"}  # a link or a module; a folder that is left out
    return names


def _listed(gitdir: str, root: str, names: set[str]) -> set[str] | None:
    """Those of the names that are in the index."""
    content = files.read_bytes(f"{gitdir}/index", READ_BYTES) or b""
    is_plain = content[:4] == SIGNATURE and len(content) < READ_BYTES
    is_whole = not any(name.startswith("sharedindex.") for name in files.names_in(gitdir))
    if is_plain and is_whole and int.from_bytes(content[4:8], "big") in PLAIN_VERSIONS:
        lowered = content.lower()
        return {name for name in names if _has(content, lowered, name)}
    from holdfast.system import git

    wanted = sorted(name for name in names if not name.endswith("/"))
    asked = [f":(literal,icase,top){name}" for name in wanted]
    answer = git.heard(root, "ls-files", "-z", "--", *asked)
    if answer is None:
        return None
    listed = {path.lower() for path in answer.split("\0")}
    return {name for name in names if name.lower() in listed}


def _has(content: bytes, lowered: bytes, name: str) -> bool:
    path = name.encode("utf-8", "surrogateescape")
    length = min(LENGTH, len(path))
    ending = path.lower() + b"\0"
    at = lowered.find(ending, HEADER)
    while at >= 0:
        # Before a path stand two bytes of flags, and two more where the first say so.
        if length in (_length(content, at - 2), _length(content, at - 4)):
            return True
        at = lowered.find(ending, at + 1)
    return False


def _length(content: bytes, at: int) -> int:
    return int.from_bytes(content[at : at + 2], "big") & LENGTH
