"""A sentence read as a claim: what it is about, what it chooses, which amounts, yes or no.

No model: words, names, numbers and negations. Laws:
  - a question, a memory and a weighed alternative claim nothing;
  - reasons are left out ("because ...", "so that ..."): they are not what is claimed;
  - "X instead of Y" claims X and denies Y.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise

from holdfast.rooms.decisions.contradiction import alternatives
from holdfast.rooms.decisions.contradiction.quantity import Amount, amounts
from holdfast.rooms.decisions.contradiction.sentence_signs import (
    CLAUSE,
    CONDITION,
    CONTRAST,
    DENYING,
    FROM_TO,
    MOOT,
    MOVES,
    PIECE,
    PLAIN_NO,
    PREFERS,
    REASON,
    REPLACE,
    ROLES,
    SHOUTED,
    SPELT_OUT,
    TOKEN,
    TURNED,
    UNIVERSAL,
)
from holdfast.rooms.decisions.contradiction.stems import EMPTY, LIGHT, PURE, stem

CAP = 600  # characters of a statement that are read


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause: whether it says yes, and its words in order."""

    is_yes: bool
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Claim:
    """What a sentence says; nothing, when it is moot."""

    clauses: tuple[Clause, ...] = ()
    stems: tuple[str, ...] = ()
    chosen: dict[int, frozenset[str]] = field(default_factory=dict)
    denied: dict[int, frozenset[str]] = field(default_factory=dict)
    named: dict[int, frozenset[str]] = field(default_factory=dict)
    amounts: tuple[Amount, ...] = ()
    spelt: dict[str, str] = field(default_factory=dict)
    slots: tuple[tuple[str, str], ...] = ()
    is_universal: bool = False
    is_additive: bool = False
    is_moot: bool = False

    @property
    def subject(self) -> frozenset[str]:
        return frozenset(self.stems)

    @property
    def words(self) -> frozenset[str]:
        """Every stem, of words that say nothing too."""
        return frozenset(self.spelt)

    def names_of(self, kind: int) -> frozenset[str]:
        """The stems of the names of a kind."""
        return self.named.get(kind, frozenset())


def read(text: str) -> Claim:
    """The claim of a sentence. Of a long text its beginning is read."""
    whole = SHOUTED.sub(lambda name: name.group().replace("_", ""), text[:CAP])
    plain = " ".join(whole.lower().replace("\u2019", "'").replace("`", " ").split())
    if not plain or MOOT.search(plain):
        return Claim(is_moot=True)
    for pattern, plainer in SPELT_OUT:
        plain = pattern.sub(plainer, plain)
    shortened = REASON.sub("", plain).strip(" ,.;")
    plain = shortened if len(shortened.split()) >= 2 else plain
    parts = [part for part in _parts(plain) if part[1]]
    return _claim(parts, _shaped(text[:CAP]))


def _shaped(text: str) -> frozenset[str]:
    """Words that look like a name: a capital inside a sentence, or within the word, or a digit."""
    names = set()
    for sentence in re.split(r"(?<=[.!?;:])\s+", text):
        for place, word in enumerate(re.findall(r"[A-Za-z][\w+#]*", sentence)):
            inner = word[1:]
            if (place and word[0].isupper() and word != "I") or inner.lower() != inner:
                names.add(word.lower())
    return frozenset(names)


def _parts(plain: str) -> list[tuple[bool, list[str]]]:
    """The clauses as words, each with whether it is spoken of as given up."""
    parts: list[tuple[bool, list[str]]] = []
    for whole in _split(plain):
        clause = whole
        gone = REPLACE.search(clause) or (FROM_TO.search(clause) if _moves(clause) else None)
        if gone:
            parts.append((True, _words(gone.group(1))))
            clause = f"{clause[: gone.start()]} use {clause[gone.end() :]}"
        over = PREFERS.search(clause)
        if over:
            parts.append((True, _words(clause[over.end() :])))
            clause = clause[: over.end() - len("over")]
        parts.append((False, _words(clause)))
    return parts


def _moves(clause: str) -> bool:
    """Whether a choice is moved, and not a piece of code."""
    return bool(MOVES.search(clause)) and not PIECE.search(clause)


def _split(plain: str) -> list[str]:
    """Clauses; one that follows a word of contrast begins with a "not"."""
    parts: list[str] = []
    for clause in CLAUSE.split(_marked(plain)):
        for number, part in enumerate(clause.split("\0")):
            parts.append(f"not {part}" if number else part)
    return [part for part in parts if part.strip()]


def _marked(plain: str) -> str:
    return CONTRAST.sub("\0", plain)


def _words(clause: str) -> list[str]:
    return TOKEN.findall(clause.replace("-", " ").replace("_", " "))


def _claim(parts: list[tuple[bool, list[str]]], shaped: frozenset[str]) -> Claim:
    clauses: list[Clause] = []
    stems: list[str] = []
    chosen: dict[int, set[str]] = {}
    denied: dict[int, set[str]] = {}
    named: dict[int, set[str]] = {}
    measured: list[Amount] = []
    slots: list[tuple[str, str]] = []
    for is_gone, words in parts:
        names = _names(words)
        taken = {at for places, _ in names if len(places) > 1 for at in places}
        measures = [amount for amount in amounts(words) if not taken & set(amount.at)]
        numbers = {place for amount in measures for place in amount.at}
        nos = any(word in PLAIN_NO for word in _outright(words))
        denials = _denials(words)
        is_yes = (nos + len(denials) + is_gone) % 2 == 0
        content = tuple(
            stem(word)
            for place, word in enumerate(words)
            if place not in numbers | denials and _is_content(word, is_yes=is_yes)
        )
        clauses.append(Clause(is_yes, tuple(words)))
        for places, kinds in names:
            if numbers & set(places):
                continue
            for kind, name in kinds:
                (chosen if is_yes else denied).setdefault(kind, set()).add(name)
                named.setdefault(kind, set()).update(stem(words[at]) for at in places)
        if not (nos or is_gone):
            # "it has 60 lines" describes what is there.
            measured += measures if words[0] not in ("it", "they", "this") else []
            slots += _slots(words, shaped)
        stems += [word for word in content if word not in stems]
    return Claim(
        tuple(clauses),
        tuple(stems),
        _frozen(chosen),
        _frozen(denied),
        _frozen(named),
        tuple(measured),
        {stem(word): word for _, words in parts for word in words},
        tuple(slots),
        any(word in UNIVERSAL for _, words in parts for word in words),
        any(word in ("too", "also", "additionally") for _, words in parts for word in words),
    )


def _slots(words: list[str], shaped: frozenset[str]) -> list[tuple[str, str]]:
    """Names by their shape, each with the role that the word before it gives."""
    return [
        (ROLES[before] or before, word)
        for before, word in pairwise(words)
        if word in shaped and before in ROLES
    ]


def _frozen(sets: dict[int, set[str]]) -> dict[int, frozenset[str]]:
    return {kind: frozenset(names) for kind, names in sets.items()}


def _outright(words: list[str]) -> list[str]:
    """A clause without its condition: "when nothing changed" denies nothing."""
    places = [place for place, word in enumerate(words) if word in CONDITION]
    return words[: places[0]] if places and places[0] else words


def _denials(words: list[str]) -> set[int]:
    """Where verbs deny. The end of a turn is called Stop, what blocks blocks something, and what is
    signed off is not off."""
    denials = set()
    places = [place for place, word in enumerate(words) if word not in EMPTY or word == "off"]
    for number, place in enumerate(places):
        word = words[place]
        if word not in DENYING:
            continue
        is_first, is_last = number == 0, number == len(places) - 1
        if word == "off":
            denies = words[place - 1] in TURNED or (is_last and bool(TURNED & set(words)))
        elif word in ("stop", "drop", "block", "blocks", "blocking"):
            denies = is_first and words[place - 1 : place] != ["to"]
        else:
            denies = not is_last or word.endswith(("ed", "en")) or is_first
        if denies:
            denials.add(place)
    return denials


def _is_content(word: str, *, is_yes: bool = True) -> bool:
    is_empty = word in EMPTY or word in (LIGHT if is_yes else PURE) or len(word) == 1
    return not (is_empty or word[0].isdigit())


def _names(words: list[str]) -> list[tuple[tuple[int, ...], tuple[tuple[int, str], ...]]]:
    """Names of the table in these words, the longest first: where they stand, and their kinds."""
    table = alternatives.spellings()
    taken: set[int] = set()
    names = []
    for size in range(alternatives.longest(), 0, -1):
        for place in range(len(words) - size + 1):
            places = tuple(range(place, place + size))
            kinds = table.get(tuple(words[place : place + size]))
            if kinds and not taken & set(places):
                taken |= set(places)
                names.append((places, kinds))
    return names
