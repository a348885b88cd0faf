"""Rows that were found as they lie on the disk: which of them are ours, and true.

A header is true by its checksum, a body by the digest that its header has. What is neither is
nothing, whatever it looks like.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from holdfast.ledger.entry import checksum
from holdfast.store.salvage import Row

HEADER_TYPES = (str, int, str, str, str, str, str, int, str, str, str)


def headers(rows: Iterable[Row]) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """Headers that are what was written, each with its place."""
    for place, (first, *header) in rows:
        if (
            first is None
            and tuple(map(type, header)) == HEADER_TYPES
            and checksum(*header[:10]) == header[10]
        ):
            yield place, tuple(header)


def bodies(rows: Iterable[Row]) -> Iterator[tuple[int, bytes, str]]:
    """What may be a body: its place, its salt, its text."""
    for place, row in rows:
        if len(row) == 3 and row[0] is None and type(row[1]) is bytes and type(row[2]) is str:
            yield place, row[1], row[2]


def machines(rows: Iterable[Row]) -> Iterator[tuple[str, str, str]]:
    """What may be a machine: its id, its fingerprint, since when it is known."""
    for _, row in rows:
        if len(row) == 3 and all(type(field) is str for field in row) and len(row[1]) == 32:
            yield row[0], row[1], row[2]
