"""The files of a configuration as layers, weakest first, each with how far it counts.

Laws:
  - what is committed lies below everything that is the person's own, so that a repository never
    overrides its reader. Until the person trusts its content, only demands are read of it
    (`config/demands.py`);
  - a file that cannot be read is left out, with one clear line;
  - a file is bounded in bytes, in depth, in nodes and in aliases, and a node counts wherever an
    alias repeats it: a small file is never a large table. Nothing but plain values is built.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import yaml

from holdfast.config import demands, trust
from holdfast.config.compiled import stamps_of
from holdfast.config.field import key_of
from holdfast.system import files

if TYPE_CHECKING:
    from holdfast.config.field import Table

BYTES = 64 * 1024
DEPTH = 20
NODES = 20_000
ALIASES = 100


class Unreadable(Exception):
    """Why a file is left out, in words that follow its name."""


class _TooMuch(yaml.YAMLError):
    """A bound was passed; what it is."""


class _Bounded(yaml.SafeLoader):
    """Counts what it composes, and what aliases repeat of it."""

    def __init__(self, content: bytes) -> None:
        super().__init__(content)
        self.depth = 0
        self.nodes = 0
        self.aliases = 0
        self.sizes: dict[str, int] = {}  # of what an alias may name

    def compose_node(self, parent: Any, index: Any) -> Any:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        anchor, before = event.anchor, self.nodes
        if isinstance(event, yaml.AliasEvent):
            self.aliases += 1
            if self.aliases > ALIASES:
                raise _TooMuch(f"more than {ALIASES} aliases")
            if anchor in self.anchors and anchor not in self.sizes:
                raise _TooMuch("a value that holds itself")
            self._count(self.sizes.get(anchor, 1))
            return super().compose_node(parent, index)
        self._count(1)
        self.depth += 1
        if self.depth > DEPTH:
            raise _TooMuch(f"deeper than {DEPTH} levels")
        node = super().compose_node(parent, index)
        self.depth -= 1
        if anchor:
            self.sizes[anchor] = self.nodes - before
        return node

    def _count(self, more: int) -> None:
        self.nodes += more
        if self.nodes > NODES:
            raise _TooMuch(f"more than {NODES} values")


def content_of(path: str) -> bytes:
    """A file as it lies there; Unreadable when it cannot be read, or is large."""
    content = files.read_bytes(path, BYTES + 1)
    if content is None:
        raise Unreadable("cannot be read")
    if len(content) > BYTES:
        raise Unreadable(f"too large for a configuration (over {BYTES // 1024} KiB)")
    return content


def table_of(content: bytes) -> Table:
    """The table that a file holds, {} for an empty one; Unreadable when it holds none."""
    try:
        table = _Bounded(content).get_single_data()
    except _TooMuch as error:
        raise Unreadable(f"too much for a configuration ({error})") from error
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError, ValueError) as error:
        raise Unreadable(f"not readable as YAML{_place(error)}") from error
    if table is None:
        return {}
    if not isinstance(table, dict):
        raise Unreadable("not a table of settings")
    return table


def content_with(table: Table) -> bytes:
    """A file that holds a table."""
    return yaml.safe_dump(table, encoding="utf-8", allow_unicode=True, sort_keys=False)


def _place(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    return f" (line {mark.line + 1}, column {mark.column + 1})" if mark else ""


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
            content = content_of(path)
            table = table_of(content)
        except Unreadable as error:
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
