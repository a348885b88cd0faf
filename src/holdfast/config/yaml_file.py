"""The one reader of YAML: a file becomes a table, within bounds, or one clear line says why not.

Laws: a file is bounded in bytes, in depth, in nodes and in aliases, and a node counts wherever an
alias repeats it, so that a small file is never a large table; nothing but plain values is built.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

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


def _place(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    return f" (line {mark.line + 1}, column {mark.column + 1})" if mark else ""
