"""Which regular expressions are quick on every text: told from how they are written.

Python's `re` tries one way of matching after the other. A pattern is linear when, from any place
of any text, the ways that it has to try are bounded by the length of that text: no repetition
inside of another that can split the same text differently, no two repetitions one after the other
that can share a text, no reference back to a group.

How it is told: the characters of the pattern become the states of an automaton (Glushkov's). It is
not linear exactly where a state comes back to itself by one text in two ways (the work doubles with
each round), or where one text goes round in a state, round in another, and from the first to the
second (the work is the square of the text, or worse). What is simplified on the way makes a pattern
look slower than it is, never quicker: `(?:ab){3}` counts as a repetition without an end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from holdfast.system.value import Record

TOO_LONG = "it is too long"
NESTED = "a repetition in it repeats something that can be split in more than one way"
ADJACENT = "two repetitions in it can share one text"
REFERENCE = "it refers back to a group"

STATES, STEPS = 400, 200_000  # what is checked of a pattern; more is refused
WIDE = 3  # x{2,5} is few ways; with more between least and most it is a repetition like x*
COPIES = 64  # of x{m}

_ASCII = 128
# Characters beyond ASCII are told apart by what \\d, \\w and \\s say of them, and by nothing else.
_DIGITS, _LETTERS, _BLANKS, _SIGNS = (1 << _ASCII + number for number in range(4))
_OTHER = _DIGITS | _LETTERS | _BLANKS | _SIGNS
_ALL = (1 << _ASCII + 4) - 1


def why_not_linear(pattern: str, flags: int = 0) -> str:
    """Why a regular expression can take long on some text, "" when it cannot."""
    import re
    import warnings
    from re import _parser  # type: ignore[attr-defined]

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = _parser.parse(pattern, flags)
        automaton = _Automaton(tree.state.flags | flags)
        automaton.sequence(_without_end(list(tree)))
        return automaton.fault()
    except re.error as error:
        return f"it is no regular expression: {error}"
    except (RecursionError, OverflowError):
        return TOO_LONG
    except _Refused as refused:
        return str(refused)


class _Refused(Exception):
    """Found while reading a pattern."""


class _Part(Record):
    """A piece of a pattern: the states it may begin and end with, in how many ways each, and in how
    many ways it is empty."""

    first: dict[int, int]
    last: dict[int, int]
    empty: int


class _Automaton:
    def __init__(self, flags: int) -> None:
        self._ignores_case = self._all_lines = self._is_ascii = False
        self._add_flags(flags)
        self._signs: list[int] = []  # of each state, the characters that lead into it, as bits
        self._next: list[dict[int, int]] = []  # the states that follow one, and in how many ways
        self._steps = 0

    # Reading

    def sequence(self, items: Iterable[tuple[Any, Any]]) -> _Part:
        read = _Part({}, {}, 1)
        for kind, value in items:
            part = self._item(str(kind), value)
            self._join(read.last, part.first)
            read = _Part(
                read.first | {state: ways * read.empty for state, ways in part.first.items()}
                if read.empty
                else read.first,
                part.last | {state: ways * part.empty for state, ways in read.last.items()}
                if part.empty
                else part.last,
                min(read.empty * part.empty, 2),
            )
        return read

    def _item(self, kind: str, value: Any) -> _Part:
        if kind in ("LITERAL", "NOT_LITERAL", "ANY", "IN"):
            return self._state(self._characters(kind, value))
        if kind == "SUBPATTERN":
            self._add_flags(value[1])
            return self.sequence(value[3])
        if kind == "ATOMIC_GROUP":
            return self.sequence(value)
        if kind == "BRANCH":
            return self._either([self.sequence(branch) for branch in value[1]])
        if kind in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            return self._repeated(*value)
        if kind in ("ASSERT", "ASSERT_NOT"):
            # What is looked for ahead is one more way to go, which leads to nothing. Looking back
            # takes as many steps as the pattern says.
            ahead = self.sequence(value[1]) if value[0] > 0 else _Part({}, {}, 1)
            return _Part(ahead.first, {}, 1)
        if kind in ("GROUPREF", "GROUPREF_EXISTS", "GROUPREF_IGNORE"):
            raise _Refused(REFERENCE)
        return _Part({}, {}, 1)  # ^, $, \b: no character

    def _add_flags(self, flags: int) -> None:
        """(?i:...): what counts for a group is taken to count for all that follows."""
        import re

        self._ignores_case |= bool(flags & re.IGNORECASE)
        self._all_lines |= bool(flags & re.DOTALL)
        self._is_ascii |= bool(flags & re.ASCII)

    def _state(self, characters: int) -> _Part:
        if len(self._signs) >= STATES:
            raise _Refused(TOO_LONG)
        state = len(self._signs)
        self._signs.append(characters)
        self._next.append({})
        return _Part({state: 1}, {state: 1}, 0)

    def _either(self, parts: list[_Part]) -> _Part:
        read = _Part({}, {}, min(sum(part.empty for part in parts), 2))
        for part in parts:
            read.first |= part.first
            read.last |= part.last
        return read

    def _repeated(self, least: int, most: Any, items: Any) -> _Part:
        most = int(most)
        body = list(items)
        if most <= 1:
            part = self.sequence(body)
            return _Part(part.first, part.last, min(part.empty + (not least), 2))
        is_one_character = len(body) == 1 and str(body[0][0]) in (
            "LITERAL", "NOT_LITERAL", "ANY", "IN",
        )  # fmt: skip
        if is_one_character and most - least <= WIDE:
            optional: list[tuple[Any, Any]] = []
            for _ in range(most - least):
                optional = [("MAX_REPEAT", (0, 1, [*body, *optional]))]
            return self.sequence([*body * min(least, COPIES), *optional])
        part = self.sequence(body)
        if part.empty:
            raise _Refused(NESTED)
        self._join(part.last, part.first)
        return _Part(part.first, part.last, 0 if least else 1)

    def _join(self, lasts: dict[int, int], firsts: dict[int, int]) -> None:
        for last, ways in lasts.items():
            follows = self._next[last]
            for first, more in firsts.items():
                follows[first] = min(follows.get(first, 0) + ways * more, 2)

    def _characters(self, kind: str, value: Any) -> int:
        if kind == "LITERAL":
            return self._folded(_bit(value))
        if kind == "NOT_LITERAL":
            return self._other_than(_bit(value))
        if kind == "ANY":
            return _ALL if self._all_lines else _ALL & ~_bit(10)
        bits = whole = 0  # `whole`: what is in it without exception
        for sort, given in value:
            name = str(sort)
            if name == "CATEGORY":
                category = _category(str(given))
                bits |= category | _OTHER if self._is_ascii else category
                whole |= category & ~_OTHER if self._is_ascii else category
            elif name != "NEGATE":
                bits |= _bit(given) if name == "LITERAL" else _range(*given)
        is_negated = str(value[0][0]) == "NEGATE"
        return self._other_than(bits, whole) if is_negated else self._folded(bits)

    def _other_than(self, bits: int, whole: int = 0) -> int:
        """Every other character. Of those beyond ASCII some are left, unless `whole` has all."""
        return _ALL & ~self._folded(bits) | _OTHER & ~whole

    def _folded(self, bits: int) -> int:
        if self._ignores_case:
            letters = (bits >> ord("a") | bits >> ord("A")) & (1 << 26) - 1
            bits |= letters << ord("a") | letters << ord("A")
            if letters:
                bits |= _LETTERS  # the Kelvin sign is a k
        return bits

    # Judging

    def fault(self) -> str:
        """What makes some text slow, "" when nothing does."""
        reach = [self._reachable(state) for state in range(len(self._signs))]
        homes = _homes(reach)
        rounds = [state for state, home in enumerate(homes) if home is not None]
        for state in rounds:
            if self._doubles(state, homes):
                return NESTED
        for early in rounds:
            for late in rounds:
                if early != late and late in reach[early] and self._shares(early, late, homes):
                    return ADJACENT
        return ""

    def _reachable(self, start: int) -> set[int]:
        reached: set[int] = set()
        waiting = [start]
        while waiting:
            for state in self._next[waiting.pop()]:
                self._count_step()
                if state not in reached:
                    reached.add(state)
                    waiting.append(state)
        return reached

    def _doubles(self, start: int, homes: list[int | None]) -> bool:
        """Whether one text leads from a state back to it in two ways."""
        home = homes[start]
        for state in (each for each, its in enumerate(homes) if its == home):
            if any(ways > 1 and homes[after] == home for after, ways in self._next[state].items()):
                return True
        seen = {(start, start, False)}
        waiting = [(start, start, False)]
        while waiting:
            left, right, parted = waiting.pop()
            for near, far in self._pairs(left, right):
                if homes[near] != home or homes[far] != home:
                    continue
                now = (near, far, parted or near != far)
                if now == (start, start, True):
                    return True
                if now not in seen:
                    seen.add(now)
                    waiting.append(now)
        return False

    def _shares(self, early: int, late: int, homes: list[int | None]) -> bool:
        """Whether one text leads from a state back to it, from it to another, and from that back
        to itself."""
        begin, end = (early, early, late), (early, late, late)
        seen = {begin}
        waiting = [begin]
        while waiting:
            stays, goes, is_there = waiting.pop()
            for left, middle in self._pairs(stays, goes):
                if homes[left] != homes[early]:
                    continue
                shared = self._signs[left] & self._signs[middle]
                for right in self._next[is_there]:
                    self._count_step()
                    if homes[right] != homes[late] or not shared & self._signs[right]:
                        continue
                    now = (left, middle, right)
                    if now == end:
                        return True
                    if now not in seen:
                        seen.add(now)
                        waiting.append(now)
        return False

    def _pairs(self, left: int, right: int) -> Iterator[tuple[int, int]]:
        for near in self._next[left]:
            for far in self._next[right]:
                self._count_step()
                if self._signs[near] & self._signs[far]:
                    yield near, far

    def _count_step(self) -> None:
        self._steps += 1
        if self._steps > STEPS:
            raise _Refused(TOO_LONG)


def _without_end(items: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """A repetition at the end that may be empty always matches: nothing is tried again for it."""
    while items and str(items[-1][0]) in ("MAX_REPEAT", "MIN_REPEAT") and not items[-1][1][0]:
        items = items[:-1]
    return items


def _homes(reach: list[set[int]]) -> list[int | None]:
    """Of each state the circle that it lies in, by one of its states; None where none does."""
    return [
        min(other for other in reached if state in reach[other]) if state in reached else None
        for state, reached in enumerate(reach)
    ]


def _bit(code: int) -> int:
    if code < _ASCII:
        return 1 << code
    sign = chr(code)
    if sign.isspace():
        return _BLANKS
    return _DIGITS if sign.isdecimal() else _LETTERS if sign.isalnum() else _SIGNS


def _range(low: int, high: int) -> int:
    bits = _OTHER if high >= _ASCII else 0
    if low < _ASCII:
        bits |= (1 << min(high, _ASCII - 1) + 1) - (1 << low)
    return bits


def _category(name: str) -> int:
    """\\d, \\w, \\s, or what is none of them."""
    digits = _range(ord("0"), ord("9")) | _DIGITS
    letters = _range(ord("a"), ord("z")) | _range(ord("A"), ord("Z")) | _bit(ord("_")) | _LETTERS
    blanks = _range(9, 13) | _range(28, 32) | _BLANKS
    bits = {"DIGIT": digits, "WORD": digits | letters, "SPACE": blanks}[name.rpartition("_")[2]]
    return _ALL & ~bits if "NOT" in name else bits
