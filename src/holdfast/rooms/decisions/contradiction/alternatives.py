"""What is chosen instead of what: names of one kind, of which a thing has one.

The table is `alternatives.txt`. Two names of one kind are a choice only where the same thing is
spoken of; that is judged by who asks.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("alternatives.txt")


class Kind:
    """One kind of thing: the words for it and the names to choose from."""

    def __init__(
        self, number: int, words: frozenset[str], names: dict[tuple[str, ...], str]
    ) -> None:
        self.number = number
        self.words = words
        self.names = names


@cache
def kinds() -> tuple[Kind, ...]:
    table = []
    for number, line in enumerate(_lines()):
        topic, _, listed = line.partition("=")
        names = {
            tuple(spelling.split()): spellings.split("|")[0].strip()
            for spellings in listed.split(",")
            for spelling in spellings.strip().split("|")
        }
        table.append(Kind(number, frozenset(topic.split()), names))
    return tuple(table)


@cache
def spellings() -> dict[tuple[str, ...], tuple[tuple[int, str], ...]]:
    """Each spelling, with the kinds it belongs to and its name there."""
    by_spelling: dict[tuple[str, ...], tuple[tuple[int, str], ...]] = {}
    for kind in kinds():
        for words, name in kind.names.items():
            by_spelling[words] = (*by_spelling.get(words, ()), (kind.number, name))
    return by_spelling


@cache
def longest() -> int:
    return max(len(words) for words in spellings())


def _lines() -> list[str]:
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if "=" in line and not line.startswith("#")]
