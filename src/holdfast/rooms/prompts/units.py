"""What belongs together in a text: a sentence, and the lines that give it its meaning.

A part of a sentence can say the opposite of the whole ("use npm" out of "don't use npm"), and so
can a bullet without the line it stands under ("Never:"). `whole` widens a part to all of it.

Laws:
  - what it gives are spans of the text, in order; they hold the part that was asked for;
  - no sentence is cut: not at its condition, its exception or its negation, nor in brackets;
  - a bullet comes with the bullets above it that it belongs to, and with the line above the list
    when that ends in a colon, forbids, orders or says when;
  - reading is linear in the length of the text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from holdfast.rooms.prompts.typed_text import ABBREVIATIONS

CLOSING = ")]}\"'*_`~\u2019\u201d\u00bb"
OPENING = "([{\"'*_`~\u2018\u201c\u00ab"
WRAPPED = 55  # a line that is longer was perhaps broken by its width
REACH = 2_000  # characters: what is announced or stands below goes on for so long
LONG_HEAD = 200  # characters: a longer line is above a list by chance, unless it ends in a colon

# A sentence that begins so belongs to the one before it.
EXCEPTING = (
    "unless ", "except", "but not ", "but never ", "but only ", "but don't ", "but do not ",
    "only if ", "only when ", "other than ", "apart from ", "with the exception", "excluding ",
    "otherwise",
)  # fmt: skip
# A line that begins so goes on with the line before it.
GOING_ON = frozenset(
    "unless except but and or nor if when whenever until because instead rather without than"
    " otherwise".split()
)
# A line that ends so goes on in the next.
HANGING = frozenset(
    "and or nor but not never don't dont always only to the a an of unless except if when whenever"
    " until without instead than with for in on at by from".split()
)
CONDITIONS = frozenset("if when whenever unless while until before after once".split())
# Words of a line that give their meaning to what stands under it.
MEANING = CONDITIONS | frozenset(
    "never don't dont do don'ts donts dos not no avoid without forbidden prohibited mustn't"
    " shouldn't can't cannot stop banned off-limits always must should shall only required rule"
    " rules please during except instead wrong bad rejected dropped declined obsolete deprecated"
    " old previously anti-patterns antipatterns".split()
)
NUMBERED = re.compile(r"\(?[0-9]{1,2}[.)]|\(?[A-Za-z][.)]")
BULLET = re.compile(r"([ \t]*)([-*+\u2022\u2013]|\(?[0-9]{1,2}[.)]|\(?[A-Za-z][.)])[ \t]+(?=\S)")
HEADING = re.compile(r"(#{1,6})[ \t]+\S")
PIECE = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence, or what a line has of one."""

    start: int
    end: int
    mark: int  # where its bullet begins, if it opens one; else its start
    first: int  # line
    last: int


@dataclass(frozen=True, slots=True)
class _Line:
    start: int  # of its words
    end: int
    mark: int  # of its bullet, if it has one; else of its words
    indent: int
    is_bullet: bool
    level: int  # of a heading; 0 is none

    @property
    def is_blank(self) -> bool:
        return self.start == self.end


class Layout:
    """A text as passages, and what each stands under."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = _lines(text)
        self.passages = _passages(text, self.lines)
        self._starts = [min(passage.mark, passage.start) for passage in self.passages]
        self._items, self._parents = _items(self.lines)
        self._heads, self._headings = self._stand_under()

    def passage_at(self, place: int) -> int:
        """The passage that holds a place of the text; -1 before the first."""
        return bisect_right(self._starts, place) - 1

    def words(self, number: int) -> str:
        """A passage in lower case, with plain apostrophes and without marks around it."""
        passage = self.passages[number]
        text = self.text[passage.start : passage.end].lower().replace("\u2019", "'")
        return text.strip(f"{OPENING}{CLOSING} #")

    def whole(self, first: int, last: int) -> list[tuple[int, int]]:
        """The spans of everything that the passages from first to last need to be understood."""
        first, last = self._with_exceptions(first, last)
        last = self._with_what_follows(last)
        above = self._above(first)
        passages = self.passages
        is_alone = not above and passages[first].first == passages[last].last
        start = passages[first].start
        if not is_alone or NUMBERED.match(self.text, passages[first].mark):
            start = passages[first].mark
        spans = [(passages[number].mark, passages[number].end) for number in above]
        return _joined(self.text, [*spans, (start, passages[last].end)])

    def _with_exceptions(self, first: int, last: int) -> tuple[int, int]:
        while first and self._opens_with_exception(first):
            first -= 1
        while last + 1 < len(self.passages) and self._opens_with_exception(last + 1):
            last += 1
        return first, last

    def _opens_with_exception(self, number: int) -> bool:
        return self.words(number).startswith(EXCEPTING)

    def _with_what_follows(self, last: int) -> int:
        """Up to the end of what hangs on the last passage: bullets under it, or what its colon
        announces."""
        item = self._items[self.passages[last].last]
        announces = self._announces(last)
        head = last
        limit = self.passages[last].start + REACH
        while last + 1 < len(self.passages) and self.passages[last].end < limit:
            after = self.passages[last + 1]
            is_below = item >= 0 and item in self._ancestors(after.first)
            is_announced = announces and self._heads[last + 1] == head
            if not is_below and not is_announced:
                break
            last += 1
        return last

    def _announces(self, number: int) -> bool:
        return self.words(number).endswith(":")

    def _ancestors(self, line: int) -> list[int]:
        """The lines of the bullets that a line belongs to, the outermost first."""
        chain: list[int] = []
        item = self._items[line]
        if item >= 0 and item != line:
            chain.append(item)
        while item >= 0 and self._parents[item] >= 0:
            item = self._parents[item]
            chain.append(item)
        return chain[::-1]

    def _above(self, first: int) -> list[int]:
        """The passages above that give this one its meaning."""
        line = self.passages[first].first
        above = {number for number in self._headings[first] if self._gives_meaning(number)}
        ancestors = self._ancestors(line)
        head = self._heads[first]
        if head >= 0:
            above.add(head)
        if ancestors:
            lines = set(ancestors)
            number = first - 1
            while number >= 0 and self.passages[number].last >= ancestors[0]:
                if self.passages[number].first in lines:
                    above.add(number)
                number -= 1
        return sorted(above - {first})

    def _gives_meaning(self, number: int) -> bool:
        words = self.words(number)
        return not MEANING.isdisjoint(
            word.strip(f"{CLOSING}{OPENING}.,;:!?") for word in words.split()
        )

    def _stand_under(self) -> tuple[list[int], list[tuple[int, ...]]]:
        """Of each passage the passage that announces it, or -1; and the headings above it."""
        heads: list[int] = []
        headings: list[tuple[int, ...]] = []
        open_headings: list[tuple[int, int]] = []
        head, used = -1, False
        for number, passage in enumerate(self.passages):
            line = self.lines[passage.first]
            in_list = self._items[passage.first] >= 0
            before = self.passages[number - 1] if number else None
            if line.level:
                open_headings = [each for each in open_headings if each[0] < line.level]
                head, used = -1, False
            elif before is not None:
                was_in_list = self._items[before.last] >= 0
                has_gap = passage.first - before.last > 1
                if (was_in_list and not in_list) or (has_gap and used and not was_in_list):
                    head = -1
                if in_list and not was_in_list and self._gives_meaning_below(number - 1):
                    head = number - 1
            heads.append(head)
            headings.append(tuple(each for _, each in open_headings))
            used = True
            if line.level:
                open_headings.append((line.level, number))
            elif not in_list and self._announces(number) and self._ends_line(number):
                head, used = number, False
        return heads, headings

    def _ends_line(self, number: int) -> bool:
        after = number + 1
        return after == len(self.passages) or (
            self.passages[after].first > self.passages[number].last
        )

    def _gives_meaning_below(self, number: int) -> bool:
        """Whether the passage right above a list gives the list its meaning, without a colon."""
        above = self.passages[number]
        is_near = self.passages[number + 1].first - above.last == 1
        is_short = above.end - above.start <= LONG_HEAD
        return is_near and is_short and self._gives_meaning(number)


def _lines(text: str) -> list[_Line]:
    lines: list[_Line] = []
    offset = 0
    for raw in text.split("\n"):
        bullet = BULLET.match(raw)
        heading = HEADING.match(raw)
        bare = raw.strip()
        start = raw.find(bare) if bare else 0
        mark = start
        if bullet and not heading:
            start = bullet.end()
        end = start if not bare else len(raw.rstrip())
        indent = len(raw[:mark].expandtabs(4))
        level = len(heading.group(1)) if heading else 0
        is_bullet = bool(bullet and not heading)
        lines.append(_Line(offset + start, offset + end, offset + mark, indent, is_bullet, level))
        offset += len(raw) + 1
    return lines


def _items(lines: list[_Line]) -> tuple[list[int], list[int]]:
    """Of each line the bullet it belongs to, and of each bullet the one it is under; -1 is none."""
    items: list[int] = []
    parents = [-1] * len(lines)
    open_items: list[int] = []
    for number, line in enumerate(lines):
        if line.is_blank:
            items.append(-1)
            continue
        while open_items and lines[open_items[-1]].indent >= line.indent:
            open_items.pop()
        if line.is_bullet:
            parents[number] = open_items[-1] if open_items else -1
            open_items.append(number)
            items.append(number)
        else:
            items.append(open_items[-1] if open_items else -1)
    return items, parents


def _passages(text: str, lines: list[_Line]) -> list[Passage]:
    passages: list[Passage] = []
    start = -1  # of the passage that is open
    first = last = 0
    end = 0
    for number, line in enumerate(lines):
        if line.is_blank:
            continue
        if start >= 0 and not _goes_on(text, lines, last, number, is_first=first == last):
            passages.append(Passage(start, end, _mark(lines[first], start), first, last))
            start = -1
        depth = 0
        pieces = list(PIECE.finditer(text, line.start, line.end))
        for place, piece in enumerate(pieces):
            if start < 0:
                start, first = piece.start(), number
            end, last = piece.end(), number
            word = piece.group()
            depth = max(0, depth + word.count("(") - word.count(")"))
            after = pieces[place + 1].group() if place + 1 < len(pieces) else ""
            if not depth and _ends(word, after, is_first=piece.start() == start):
                passages.append(Passage(start, end, _mark(lines[first], start), first, last))
                start = -1
    if start >= 0:
        passages.append(Passage(start, end, _mark(lines[first], start), first, last))
    return passages


def _mark(line: _Line, start: int) -> int:
    return line.mark if line.start == start else start


def _ends(word: str, after: str, *, is_first: bool) -> bool:
    """Whether a sentence ends with a word, given the word after it on its line."""
    core = word.rstrip(CLOSING)
    if not core or core[-1] not in ".!?\u2026":
        return False
    if not after:
        return True
    if is_first and NUMBERED.fullmatch(word):
        return False
    if core.endswith(("..", "\u2026")):
        return not after.lstrip(OPENING)[:1].islower()
    return core.lower().lstrip(OPENING) not in ABBREVIATIONS and any(map(str.isalnum, core))


def _goes_on(text: str, lines: list[_Line], before: int, after: int, *, is_first: bool) -> bool:
    """Whether a line goes on with a sentence that the line before it left open. `is_first`: the
    sentence began on that line."""
    upper, lower = lines[before], lines[after]
    if after != before + 1 or lower.is_bullet or lower.level or upper.level:
        return False
    opening = text[lower.start : lower.end].split(None, 1)[0]
    words = text[upper.start : upper.end].lower().replace("\u2019", "'").split()
    if words[-1].rstrip(CLOSING).endswith(":"):
        return False
    if opening.lower().strip(",;:") in GOING_ON or words[-1].strip(",;") in HANGING:
        return True
    if words[-1].endswith(("\u2014", "\u2013", "-", ",")):
        return True
    if is_first and words[0] in CONDITIONS and "," not in text[upper.start : upper.end]:
        return True
    return upper.end - upper.start > WRAPPED and opening[0].islower()


def _joined(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans with nothing between them are the same span."""
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and not text[joined[-1][1] : start].strip():
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined
