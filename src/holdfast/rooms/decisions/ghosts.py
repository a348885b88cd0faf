"""Ghosts: features that are spoken of and are not in the code.

A search goes through the identifiers of a work tree as it is, each with its parts (`RateLimiter`:
rate, limiter), for the words of the feature, and another for each other name of it (`also`). A
place is some lines of code together with the file's path.

    found        a place has most of its words, or a whole other name, and where
    ghost        not found by two searches or more: no place has more than a third of it, inside
                 longer and shorter names (auth: authentication) and twice as far apart either, and
                 two of its words are in no name
    ambiguous    anything between, with the place that comes nearest; and without another name

Laws: comments, sentences, documents, tests and data are not searched, so they never make a feature
found; where several lines of documents and tests have it, it is ambiguous. Where not everything was
read, or there is no code at all, nothing is called a ghost.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.errors import HoldfastError
from holdfast.rooms.decisions.decision import BROKEN, GROUNDED, UNSUPPORTED
from holdfast.rooms.decisions.stems import EMPTY, LIGHT, stem
from holdfast.system import git

if TYPE_CHECKING:
    from holdfast.ledger.kinds import Body

GHOST, AMBIGUOUS, FOUND = "ghost", "ambiguous", "found"
NEAR = 6  # lines from which the words of one place may come
MOST, THIRD = 0.6, 0.34  # of a feature's words
MENTIONS = 3  # lines of documents and tests from which on a person is asked
SHOWN, LINE_CAP = 20, 300
CAP_BYTES, TREE_BYTES = 1 << 20, 64 << 20  # of a file, of all files: what is beyond is not read
GIT_TIMEOUT_S = 60
NOBODY = frozenset("people somebody someone something".split())  # they name no feature
# By their paths: what is not read, and what is beside the code.
DATA = re.compile(
    r"(^|/)(\.|fixtures?/|testdata/|corpus/|snapshots/|vendor/|node_modules/|third_party/|dist/)"
    r"|\.(json[lc]?|ndjson|csv|tsv|svg|map|pot?|log|ipynb|patch|diff|pem|lock\w*|sum|snap|ya?ml)$"
    r"|\.min\.\w+$"
)
BESIDE = re.compile(
    r"(^|/)(docs?|tests?|specs?|__tests__|e2e|testing|bench\w*)/|(^|/)(test_|conftest)"
    r"|[._](test|spec)s?\.|\.(md|markdown|mdx|rst|txt|adoc|org|tex)$"
    r"|(^|/)(readme|change\w*|news|licen[cs]e|todo)[^/]*$"
)
# What is no name: comments, and strings with blanks in them.
PROSE = re.compile(
    r'"""[\s\S]*?(?:"""|\Z)|\'\'\'[\s\S]*?(?:\'\'\'|\Z)'
    r"|/\*[\s\S]*?(?:\*/|\Z)|<!--[\s\S]*?(?:-->|\Z)"
    r"""|(?<!\S)(?:#[ \t!]|//|--[ \t])[^\n]*|"[^"\n]*"|'[^'\n]*'"""
)
A_STRING = re.compile(r"""(["'])(?!\1)\S*\1""")
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+")


@dataclass(frozen=True, slots=True)
class Hit:
    """One place: a line of a file."""

    path: str
    line: int
    text: str = ""

    def where(self) -> str:
        return f"{self.path}:{self.line}"


@dataclass(frozen=True, slots=True)
class Look:
    """What came of looking for a feature, and in which state of the work tree."""

    feature: str
    also: list[str]
    searches: list[list[str]]
    verdict: str
    why: str
    code: list[Hit]
    docs: list[Hit]
    seen: list[Hit]  # what comes nearest, where it is not found
    commit: str
    dirty: bool
    files: int
    unread: list[str]

    def as_body(self) -> Body:
        """As it is kept."""
        kept = ("feature", "also", "verdict", "searches", "commit", "dirty")
        places = [hit.where() for hit in (*self.code, *self.docs)[:SHOWN]]
        counts = {"code": len(self.code), "docs": len(self.docs), "where": places}
        return {name: getattr(self, name) for name in kept} | counts


@dataclass(frozen=True, slots=True)
class Source:
    """A file that was read: its lines, and on which of them each part of a name stands, those of
    its path on line 0."""

    path: str
    is_code: bool
    lines: list[str]
    parts: dict[str, list[int]]


def standing(verdict: str) -> str:
    """How a claim of absence stands, in the words of grounding: as long as nothing is found."""
    return {GHOST: GROUNDED, FOUND: BROKEN}.get(verdict, UNSUPPORTED)


def look_for_each(root: str, features: Iterable[tuple[str, Sequence[str]]]) -> list[Look]:
    """Look for features, each with other names that it may have; the work tree is read once."""
    files, unread = _read(root)
    head = _git(root, "rev-parse", "--verify", "--quiet", "HEAD").decode().strip()[:12]
    is_dirty = bool(head) and bool(_git(root, "status", "--porcelain", "-z"))
    state = (head, is_dirty, len(files), unread)
    return [_look(files, feature, list(also), state) for feature, also in features]


def words_of(feature: str) -> list[str]:
    """The stems of the words that say something, else of those that say little."""
    words = [word for word in map(str.lower, PART.findall(feature)) if word not in EMPTY | NOBODY]
    telling = [word for word in words if word not in LIGHT] or words
    return list(dict.fromkeys(stem(word) for word in telling if len(word) > 1))


def _look(
    files: list[Source], feature: str, also: list[str], state: tuple[str, bool, int, list[str]]
) -> Look:
    """The searches, and what they say together."""
    words = words_of(feature)
    if not words:
        hint = "say what it does in a few words, as in `holdfast ghost 'rate limiting'`"
        raise HoldfastError(f"{feature!r} names no feature", hint=hint)
    searches = [words, *filter(None, map(words_of, also))]
    code = [file for file in files if file.is_code]
    docs = _places([file for file in files if not file.is_code], words, MOST, near=1)
    named_at = [
        hit for search in searches for hit in _places(code, search, MOST if search is words else 1)
    ]
    nearest = [
        hit
        for search in searches
        for hit in _places(code, search, THIRD, near=2 * NEAR, is_loose=True)
    ]
    seen = [] if named_at else nearest or _places(code, words, 0, is_loose=True)
    doubts = [
        ("part of it is there, or all of it in other spelling", nearest),
        ("its words are there, in several places", not all(_absent(code, s) for s in searches)),
        ("it is written about, and no code has it", len(docs) >= MENTIONS),
        ("not everything could be read", state[-1]),
        ("there is no code here", not code),
        ("only your own words were looked for", len(searches) == 1),
    ]
    why = "" if named_at else next((doubt for doubt, holds in doubts if holds), "")
    verdict = FOUND if named_at else AMBIGUOUS if why else GHOST
    return Look(feature, also, searches, verdict, why, named_at, docs, seen, *state)


def _absent(code: list[Source], words: list[str]) -> bool:
    """Whether two of the words, or the only one, are in no name."""
    names = {part for file in code for part in file.parts}
    missing = [word for word in words if not any(_reads(word, part, True) for part in names)]
    return len(missing) >= min(2, len(words))


def _reads(word: str, part: str, is_loose: bool) -> bool:
    """Whether part of a name is a word in any of its forms; loosely also within a longer name, and
    cut short."""
    if stem(part) == word or not is_loose:
        return stem(part) == word
    return (len(word) > 3 and word in part) or (len(part) > 3 and word.startswith(part))


def _places(
    files: list[Source], words: list[str], share: float, near: int = NEAR, is_loose: bool = False
) -> list[Hit]:
    """Where a share of the words stands together, the fullest places first, none within another."""
    ranked = []
    for file in files:
        lines: dict[int, set[str]] = {}
        for part, numbers in file.parts.items():
            here = {word for word in words if _reads(word, part, is_loose)}
            for number in numbers if here else ():
                lines.setdefault(number, set()).update(here)
        end = 0
        for first in sorted(lines):
            window = [lines.get(line, set()) for line in (0, *range(first, first + near))]
            many = len(set().union(*window))
            if first >= end and many >= share * len(words):
                end, line = first + near, max(first, 1)
                hit = Hit(file.path, line, file.lines[line - 1].strip()[:LINE_CAP])
                ranked.append((-many, file.path, first, hit))
    return [hit for *_, hit in sorted(ranked, key=lambda place: place[:3])]


def _read(root: str) -> tuple[list[Source], list[str]]:
    """The files that say something, and the code beyond a bound. Which there are is asked of git:
    none that is ignored, binary, a link or of another repository."""
    listed = _git(root, "grep", "--untracked", "-Ilz", "")
    listed = listed or _git(root, "grep", "--no-index", "--exclude-standard", "-Ilz", "")
    files, unread, total = [], [], 0
    paths = map(os.fsdecode, sorted(filter(None, listed.split(b"\0"))))
    for path in (path for path in paths if not DATA.search(path.lower())):
        file, is_code = Path(root, path), not BESIDE.search(path.lower())
        total += (size := file.stat().st_size)
        if size <= CAP_BYTES and total <= TREE_BYTES:
            files.append(_source(path, is_code, file.read_text("utf-8", "replace")))
        elif is_code:
            unread.append(path)
    return files, unread


def _source(path: str, is_code: bool, text: str) -> Source:
    names = PROSE.sub(_without_prose, text) if is_code else text
    parts = {part.lower(): [0] for part in PART.findall(path.rpartition(".")[0] or path)}
    for number, line in enumerate(names.split("\n"), 1):
        for part in PART.findall(line):
            parts.setdefault(part.lower(), []).append(number)
    return Source(path, is_code, text.split("\n"), parts)


def _without_prose(match: re.Match[str]) -> str:
    return match[0] if A_STRING.fullmatch(match[0]) else "\n" * match[0].count("\n")


def _git(root: str, *arguments: str) -> bytes:
    """What git says, nothing where it cannot say anything."""
    return git.run(root, *arguments, limit_s=GIT_TIMEOUT_S) or b""
