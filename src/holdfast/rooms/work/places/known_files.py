"""Which of the files that earlier sessions touched a prompt means: sure ones alone.

A name with its ending, one of several words and one that is marked as code are written by nobody by
chance. A plain word names no file.

Laws: of files that are called alike the one that was changed far more often is meant, or none; a
test, a file that the agent reads by itself and one outside of the project are meant by their whole
names alone.
"""

from __future__ import annotations

from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.rooms.work.places.prompt_names import PromptNames

FILES = 3
# A file that is changed so many times as often as its namesakes is the one that is meant.
FAR_MORE = 2
TESTS = frozenset({"test", "tests", "spec", "specs"})


class KnownFile(Value):
    """A file that sessions of this project touched, by its path from the worktree's root."""

    edits: int  # sessions that changed it
    last_at: str
    path: str


def stems_of(names: PromptNames) -> set[str]:
    """What the files that a prompt can mean are called, as `stem_of` has it."""
    files = {stem_of(file) for file in names.files}
    return files | {name.lower() for name in names.identifiers}


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


def _foremost(files: list[KnownFile]) -> KnownFile | None:
    """The one that was changed far more often than all others of its name."""
    ordered = sorted(files, key=lambda file: file.edits, reverse=True)
    if len(ordered) > 1 and ordered[0].edits < FAR_MORE * ordered[1].edits:
        return None
    return ordered[0] if ordered else None
