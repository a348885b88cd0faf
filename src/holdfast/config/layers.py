"""The files of a configuration as layers, weakest first, each with how far it counts.

Laws: what is committed lies below everything that is the person's own, so that a repository never
overrides its reader. Until the person trusts its content, only demands are read of it
(`config/demands.py`). A file that cannot be read is left out, with one clear line.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from holdfast.config import demands, trust, yaml_file
from holdfast.config.compiled import stamps_of
from holdfast.config.field import key_of

if TYPE_CHECKING:
    from holdfast.config.field import Table

PERSONAL, TRUSTED, DEMANDING = "yours", "trusted", "demands only"


@dataclass(frozen=True)
class Problem:
    """What is wrong with a file, and where."""

    file: str
    message: str
    # In words that a repository brought along: a session that begins is not told them.
    is_foreign: bool = False

    def __str__(self) -> str:
        return f"{self.file}: {self.message}"


@dataclass(frozen=True)
class Layer:
    """One file: which level of the cascade it is, what it says, and how far that counts."""

    name: str  # user, project, local
    path: str
    standing: str
    table: Table
    waiting: tuple[str, ...] = ()  # what is not read of it until it is trusted
    whole: Table | None = None  # all that it says, where that is more
    content: bytes = b""


@dataclass(frozen=True)
class Layers:
    """Every file that is there and reads, weakest first; what is wrong with the others."""

    layers: tuple[Layer, ...]
    problems: tuple[Problem, ...]

    def waiting(self) -> int:
        return sum(len(layer.waiting) for layer in self.layers)

    def committed(self) -> str:
        """One digest of what is committed, trusted or not; "" when nothing is."""
        contents = [each.content for each in self.layers if each.standing != PERSONAL]
        return trust.digest(b"\0".join(contents)) if contents else ""

    def is_foreign(self, path: str) -> bool:
        return any(each.path == path and each.standing != PERSONAL for each in self.layers)


def read(state: str, root: str, places: list[tuple[str, str]]) -> Layers:
    """Read the files afresh."""
    problems: list[Problem] = []
    present: list[Layer] = []
    stamps = stamps_of(state, root, places)
    trusted = trust.digests(state, root) if any(map(_is_committed, stamps[: len(places)])) else {}
    for (name, path), stamp in zip(places, stamps, strict=False):
        if not stamp:
            continue
        try:
            content = yaml_file.content_of(path)
            table = yaml_file.table_of(content)
        except yaml_file.Unreadable as error:
            problems.append(Problem(path, f"{error}; it is left out"))
            continue
        standing = PERSONAL
        if _is_committed(stamp):
            is_trusted = trusted.get(path[len(root) + 1 :]) == trust.digest(content)
            standing = TRUSTED if is_trusted else DEMANDING
        present.append(Layer(name, path, standing, table, content=content))
    own = {name for each in present if each.standing == PERSONAL for name in _requirements(each)}
    committed = [_apart(each, own) for each in present if each.standing != PERSONAL]
    personal = [each for each in present if each.standing == PERSONAL]
    return Layers((*committed, *personal), tuple(problems))


def _is_committed(stamp: list[int] | None) -> bool:
    """The stamp of a file in the work tree ends with whether it is committed."""
    return bool(stamp and stamp[3:] == [1])


def _requirements(layer: Layer) -> set[str]:
    table = layer.table.get("requirements")
    return {key_of(name) for name in table} if isinstance(table, dict) else set()


def _apart(layer: Layer, own: set[str]) -> Layer:
    if layer.standing == TRUSTED:
        return layer
    kept, waiting = demands.apart(layer.table, own)
    return replace(layer, table=kept, waiting=tuple(waiting), whole=layer.table)
