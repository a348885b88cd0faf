"""What was found, as it is shown: the passage of a text that a question is about.

Laws: a hit says what it is, when it was, in which session and whose words it is, and the words
themselves are quoted. Everything is linear in the texts. Not for hooks: it loads `re`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from holdfast.hook.voice import inline
from holdfast.rooms.recall.documents import ASKING, READ_CAP, words
from holdfast.system.value import Record

PASSAGE = 240  # characters
_WORDS = re.compile(r"[^\W_]{2,}")
_ENDS = re.compile(r"(?<=[.!?;])\s+|\n+")


class Found(Record):
    """Something that may be meant: what it is, when and where it was said, by whom, its words. Of a
    decision how it stands, and what it rests on."""

    sort: str
    ref: str
    at: str
    text: str
    session: str = ""
    who: str = ""
    standing: str = ""
    proof: Iterable[str] = ()
    number: str = ""  # of its entry: names it
    branch: str = ""

    def whole(self) -> str:
        """What it is and all of its words, with what a decision rests on, quoted."""
        return "\n".join(
            [self.lines(10_000), *(f"> | {inline(line, 10_000)}" for line in self.proof)]
        )

    def lines(self, width: int = PASSAGE, query: str = "") -> str:
        """A line that says what it is, and the words that match best, quoted."""
        name = f"{self.sort} {self.ref}".strip()
        about = [
            self.standing,
            self.at[:10],
            self.who,
            f"in {self.session[:8]}" if self.session else "",
        ]
        words = inline(passage(self.text, asked_words(query), width), width + len("……"))
        return f"{name} ({', '.join(part for part in about if part)}):\n> {words}"

    def line(self, width: int, query: str = "") -> str:
        """All of it in one line, the words quoted."""
        where = (
            f"{self.session[:8]} on {inline(self.branch, 60)}" if self.branch else self.session[:8]
        )
        sort = f"{self.sort}, {self.standing}" if self.standing else self.sort
        about = [self.at[:16].replace("T", " "), where, self.who or "", sort]
        words = inline(passage(self.text, asked_words(query), width), width + len("……"))
        return f"> #{self.number} {', '.join(part for part in about if part)}: {words}"

    def as_dict(self) -> dict[str, str]:
        names = ("number", "sort", "ref", "at", "text", "session", "branch", "who", "standing")
        return {name: getattr(self, name) for name in names}


def asked_words(query: str) -> set[str]:
    """The words of a question that say what it is about; all of them where none does."""
    asked = set(words(query))
    return asked - ASKING or asked


def passage(text: str, asked: set[str], width: int) -> str:
    """The sentences of a text that share most words with what is asked, as many as fit."""
    if len(text) <= width or not asked:
        return text if len(text) <= width else f"{text[:width].rstrip()}…"
    pieces = [piece.strip() for piece in _ENDS.split(text[:READ_CAP]) if piece.strip()]
    shared = [asked.intersection(words(piece)) for piece in pieces]
    best, first, last = -1, 0, 0
    start, size = 0, 0
    for end, piece in enumerate(pieces):
        size += len(piece) + 1
        while start < end and size > width:
            size -= len(pieces[start]) + 1
            start += 1
        many = len(set().union(*shared[start : end + 1]))
        if many > best:
            best, first, last = many, start, end
    while first < last and not shared[first]:
        first += 1
    return _cut(" ".join(pieces[first : last + 1]), asked, width)


def _cut(text: str, asked: set[str], width: int) -> str:
    """A text that is still too long, from shortly before its first word that is asked for."""
    if len(text) <= width:
        return text
    at = next(
        (match.start() for match in _WORDS.finditer(text) if asked.intersection(words(match[0]))), 0
    )
    begin = max(0, min(at - width // 3, len(text) - width))
    part = text[begin : begin + width].strip()
    return f"{'…' if begin else ''}{part}{'…' if begin + width < len(text) else ''}"
