"""Level 2: a search by words over what was said, answered, decided, chosen and committed.

Laws: rare words count for more, and words that stand together for more than words far apart; among
equals the newest comes first, and what says the same is shown once; a hit says what it is, when it
was, in which session and whose words it is, and the words themselves are quoted. Everything is
linear in the texts. Not for hooks: it loads `re`.
"""

from __future__ import annotations

import re
from math import log
from typing import TYPE_CHECKING

from holdfast.hook.voice import inline
from holdfast.rooms.decisions.contradiction.stems import EMPTY, LIGHT, stem

if TYPE_CHECKING:
    from collections.abc import Iterable

SHOWN = 50  # hits
PASSAGE = 240  # characters
READ_CAP = 40_000  # characters of one text: what is longer is a paste
_HUMPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_WORDS = re.compile(r"[^\W_]{2,}")
_ENDS = re.compile(r"(?<=[.!?;])\s+|\n+")
# What says nothing about what is asked for; words of asking do not, either.
_SILENT = (EMPTY | LIGHT) | frozenset(
    "again ask asked did does earlier find found know last look looked please previous recall"
    " remember said say show tell told thing things yesterday".split()
)


class Found:
    """Something that may be meant: what it is, when and where it was said, by whom, its words. Of a
    decision how it stands, and what it rests on."""

    __slots__ = ("at", "proof", "ref", "session", "sort", "standing", "text", "who")

    def __init__(
        self,
        sort: str,
        ref: str,
        at: str,
        text: str,
        *,
        session: str = "",
        who: str = "",
        standing: str = "",
        proof: Iterable[str] = (),
    ) -> None:
        self.sort = sort
        self.ref = ref
        self.at = at
        self.text = text
        self.session = session
        self.who = who
        self.standing = standing
        self.proof = list(proof)

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

    def as_dict(self) -> dict[str, str]:
        names = ("sort", "ref", "at", "text", "session", "who", "standing")
        return {name: getattr(self, name) for name in names}


def ranked(query: str, documents: Iterable[Found]) -> list[Found]:
    """What shares words with the query, the best first. Without a query all of it, the newest
    first."""
    newest = sorted(documents, key=lambda document: document.at, reverse=True)
    if not query.strip():
        return newest
    asked = asked_words(query)
    worded = [(each, words(f"{each.sort} {each.ref} {each.text}")) for each in newest]
    shared = [(each, asked & theirs) for each, theirs in worded]
    weights = {
        word: log((len(newest) + 1) / (sum(word in common for _, common in shared) + 0.5))
        for word in asked
    }
    scored = [(_score(each, common, weights), each) for each, common in shared if common]
    hits: dict[str, Found] = {}
    for _, document in sorted(scored, key=lambda pair: -pair[0]):
        hits.setdefault(" ".join(document.text.lower().split())[:READ_CAP], document)
    return list(hits.values())


def _score(document: Found, common: set[str], weights: dict[str, float]) -> float:
    """By the words that it shares, and once more by those that stand together."""
    together = words(passage(document.text, common, PASSAGE)) & common
    return sum(max(weights[word], 0.01) for group in (common, together) for word in group)


def asked_words(query: str) -> set[str]:
    """The words of a question that say what it is about; all of them where none does."""
    pieces = _WORDS.findall(query)
    meant = [piece for piece in pieces if piece.lower() not in _SILENT]
    return words(" ".join(meant or pieces))


def words(text: str) -> set[str]:
    """Stems: `refreshToken` and `refresh_token` are two words, and the whole of them a third."""
    text = text[:READ_CAP]
    whole = _WORDS.findall(text.lower())
    parts = _WORDS.findall(_HUMPS.sub(" ", text).lower())
    return {stem(word) for word in {*whole, *parts}}


def passage(text: str, asked: set[str], width: int) -> str:
    """The sentences of a text that share most words with what is asked, as many as fit."""
    if len(text) <= width or not asked:
        return text if len(text) <= width else f"{text[:width].rstrip()}…"
    pieces = [piece.strip() for piece in _ENDS.split(text[:READ_CAP]) if piece.strip()]
    shared = [words(piece) & asked for piece in pieces]
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
    at = next((match.start() for match in _WORDS.finditer(text) if words(match[0]) & asked), 0)
    begin = max(0, min(at - width // 3, len(text) - width))
    part = text[begin : begin + width].strip()
    return f"{'…' if begin else ''}{part}{'…' if begin + width < len(text) else ''}"
