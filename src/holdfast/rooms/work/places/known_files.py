"""Which of the files that earlier sessions touched a prompt means: sure ones alone.

A name with its ending, or one of several words, is written by nobody by chance. A single word may
be a file's name or a word of the language: it counts where somebody quoted it like a command, or
where several sessions changed that file and sessions whose prompts had the word came to it.

Laws: of files that are called alike the one that was changed far more often is meant, or none; a
test, a file that the agent reads by itself and one outside of the project are meant by their whole
names alone.
"""

from __future__ import annotations

from holdfast.rooms.work.places.prompt_names import is_compound, singular
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from holdfast.rooms.work.places.prompt_names import PromptNames

FILES = 3
# A file that is changed so many times as often as its namesakes is the one that is meant.
FAR_MORE = 2
# Sessions that changed a file before a plain word may mean it.
CHANGED_BY = 2
# Of sessions whose prompts had the word, the share that came to the file: below the first the word
# is common here; from the second on it means the file even when that was long ago.
COMMON, USUAL = 0.25, 0.5
ASKED_OF = 2  # fewer sessions prove nothing
LATELY_DAYS = 2.0
TESTS = frozenset({"test", "tests", "spec", "specs"})


class KnownFile(Value):
    """A file that sessions of this project touched, by its path from the worktree's root."""

    __slots__ = ("edits", "last_at", "path", "reads")
    if TYPE_CHECKING:
        edits: int  # sessions that changed it
        last_at: str
        path: str
        reads: int  # sessions that only read it


class Tie(Value):
    """How a word and a file went together in earlier sessions."""

    __slots__ = ("asked", "came")
    if TYPE_CHECKING:
        asked: int  # sessions whose prompts had the word
        came: int  # of them, those that touched the file


def stems_of(names: PromptNames) -> set[str]:
    """What the files that a prompt can mean are called, as `stem_of` has it."""
    given = {*names.commands, *names.words, *(stem_of(file) for file in names.files)}
    return given | {name.lower() for name in names.identifiers}


def named(file: str, paths: Iterable[str]) -> list[str]:
    """The paths that end with a name as it was given."""
    return [path for path in paths if path == file or path.endswith(f"/{file}")]


def meant(
    names: PromptNames,
    known: list[KnownFile],
    tie: Callable[[str, str], Tie],
    days_since: Callable[[str], float],
) -> list[KnownFile]:
    """The files whose names without an ending the prompt has, the surest first. `tie` tells of a
    word and a path, `days_since` how long ago something was."""
    sure: dict[str, KnownFile] = {}
    by_stem: dict[str, list[KnownFile]] = {}
    for file in known:
        if file.edits and not is_test(file.path):
            by_stem.setdefault(stem_of(file.path), []).append(file)
    for name in filter(is_compound, names.identifiers):
        candidate = _foremost(by_stem.get(name.lower(), []))
        if candidate is not None:
            sure.setdefault(candidate.path, candidate)
    for word in dict.fromkeys((*names.commands, *names.words)):
        candidate = _foremost(by_stem.get(word, []))
        if candidate is None:
            continue
        together = tie(word, candidate.path)
        share = together.came / together.asked if together.asked else 0.0
        if together.asked >= ASKED_OF and share < COMMON:
            continue
        is_usual = together.asked > 0 and share >= USUAL
        is_lately = days_since(candidate.last_at) <= LATELY_DAYS
        is_often = candidate.edits >= CHANGED_BY and is_usual and is_lately
        if word in names.commands or is_often:
            sure.setdefault(candidate.path, candidate)
    return list(sure.values())[:FILES]


def stem_of(path: str) -> str:
    """A file's name without its ending, as words are compared."""
    stem = path.rpartition("/")[2].lstrip(".").partition(".")[0]
    return stem.lower() if is_compound(stem) else singular(stem)


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
