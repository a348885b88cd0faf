"""Ghosts: features that are spoken of and are not there.

That something is absent is a claim like any other, so it is checked over the names of the code, by
two different searches. Each asks how much of what a feature is called can be read there; rare words
say more than those that are everywhere.

    names        the feature's own words, in any form, within a few lines of one another
    other words  also what means the same, abbreviations and longer names, as far as a function goes

    ghost        neither search sees it, a word of it is nobody's name in any form, no test has all
                 of it, and nobody writes much of it
    found        most of it stands within a few lines of code, and where
    ambiguous    anything else, and what was seen

Laws: prose never decides: a comment, a document or a tracker can only keep a feature from being
called a ghost. Where not everything was read, or there is no code at all, nothing is called one.
The work grows with the size of the work tree, and no faster.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from math import log
from typing import TYPE_CHECKING

from holdfast.rooms.decisions.contradiction.stems import ENDINGS, IRREGULAR
from holdfast.rooms.decisions.decision import BROKEN, GROUNDED, UNSUPPORTED
from holdfast.rooms.decisions.name_index import ASIDE, CODE, DOC, TEST, Index, IndexedFile, parts_of
from holdfast.rooms.decisions.name_index import Words as Names
from holdfast.rooms.decisions.other_words import DROPPED, FAINT_WORDS, MEANINGS, NAMES
from holdfast.system.word_endings import undouble, without_ending

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from holdfast.ledger.kinds import Body

GHOST, AMBIGUOUS, FOUND = "ghost", "ambiguous", "found"
MENTIONS = 3  # lines in documents from which on a person is asked
SHOWN = 20
WORDS = 8  # of a feature that are looked for
NEAR, WIDE = 14, 28  # lines: how far apart the words of one place may be, in each search

# How much of a feature must be read in one place to be found: where each of its words is some
# name's, and where one is nobody's.
ENOUGH, ENOUGH_WITHOUT = 0.55, 0.7
# Below which part it is not there: by its own words, and by others, which stand for less. Chosen so
# that of the features that were looked at none that is there falls below (benchmarks/ghosts.py).
NOTHING, NOTHING_BY_OTHERS = 0.3, 0.38
# How much of it in its own words, or by a name of the whole: with the most telling one among them,
# and without.
SOLID, SOLID_WITHOUT = 0.33, 0.45
# What says in its own words that something is there, however much else is missing: the weight of
# words that stand together.
TOGETHER = 1.2
# What a match is worth: the word itself, a name of the whole, another word, part of a word.
OWN, NAMED, OTHER, LOOSE = 1.0, 0.95, 0.8, 0.45
PATH = 0.9  # a word in a file's path, of what it is worth in its lines
UNNAMED, UNHEARD = 1.0, 1.5  # what a word weighs that no name has, and that nobody even writes
FAINT = 0.25  # a word that says little about which feature is meant
EVERYWHERE = 0.35  # what a word in every file still weighs
FEW = 30  # files: in a smaller project what one of them has is as rare as there
# Of a long ending more must be left: "comment" is not "come".
LONGER = tuple(
    (ending, instead, 4 if len(ending) > 2 and ending not in ("ing", "ies", "ied", "ers") else 3)
    for ending, instead, _ in ENDINGS
)
FORMS = IRREGULAR | {
    "forgotten": "forget", "forgot": "forget", "spoken": "speak", "spoke": "speak",
    "hidden": "hide", "hid": "hide", "broken": "break", "paid": "pay", "sold": "sell",
    "bought": "buy", "frozen": "freeze", "fallen": "fall", "fell": "fall", "undone": "undo",
    "stolen": "steal", "drawn": "draw", "drew": "draw", "grown": "grow", "driven": "drive",
    "thrown": "throw", "told": "tell", "found": "find", "wrote": "write", "children": "child",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Hit:
    """One place: its best line, and how much of the feature can be read there."""

    path: str
    line: int
    text: str = ""
    share: float = 0.0
    solid: float = 0.0  # the part of it that no other words were needed for
    weight: float = 0.0  # what that weighs, of words that say something
    has_head: bool = False  # whether the most telling word is among them

    def where(self) -> str:
        return f"{self.path}:{self.line}"


@dataclass(frozen=True, slots=True)
class Look:
    """What came of looking for a feature, and in which state of the work tree."""

    feature: str
    also: tuple[str, ...]
    searches: tuple[tuple[str, ...], ...]
    verdict: str
    code: tuple[Hit, ...] = ()
    docs: tuple[Hit, ...] = ()
    seen: tuple[Hit, ...] = ()  # what comes nearest, where it is not found
    why: str = ""
    commit: str = ""
    dirty: bool = False
    files: int = 0
    unread: tuple[str, ...] = field(default=())

    def as_body(self) -> Body:
        """As it is kept."""
        return {
            "feature": self.feature,
            "also": list(self.also),
            "verdict": self.verdict,
            "searches": [list(words) for words in self.searches],
            "code": len(self.code),
            "docs": len(self.docs),
            "where": [hit.where() for hit in (*self.code, *self.docs)[:SHOWN]],
            "commit": self.commit,
            "dirty": self.dirty,
        }


def standing(name: str) -> str:
    """How a claim of absence stands, in the words of grounding: as long as nothing is found."""
    return {GHOST: GROUNDED, FOUND: BROKEN}.get(name, UNSUPPORTED)


# What is looked for


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a feature: its stem, and what means the same in all its forms."""

    text: str
    stem: str
    others: frozenset[str]
    is_faint: bool

    def match(self, part: str) -> float:
        """What a part of a name is worth for this word."""
        root = stem(part)
        if root == self.stem:
            return OWN
        if part in self.others:
            return OTHER
        if len(part) >= 4 and len(self.text) >= len(part) + 3 and self.text.startswith(part):
            return LOOSE  # auth: authentication
        if len(self.stem) >= 4 and len(part) >= len(self.stem) + 4:
            return LOOSE if part.startswith(self.stem) or part.endswith(self.text) else 0.0
        return 0.0


@dataclass(frozen=True, slots=True)
class Query:
    """A feature's words, and whole names for some of them: stems -> the words they stand for."""

    words: tuple[Word, ...]
    names: tuple[tuple[frozenset[str], tuple[int, ...]], ...]

    def searches(self) -> tuple[tuple[str, ...], ...]:
        """The two searches, as they are kept."""
        others = {other for word in self.words for other in _meanings().get(word.stem, ())}
        others |= {"_".join(sorted(name)) for name, _ in self.names}
        own = tuple(word.stem for word in self.words)
        return own, (*own, *sorted(others))


@cache
def stem(word: str) -> str:
    """One stem for a word's forms, in either spelling."""
    word = FORMS.get(word, word)
    for _ in range(2):  # so that "delivered" and "deliver" lose as much
        word = word if word.endswith("ss") else without_ending(word, LONGER)
    word = undouble(word)
    word = word[:-1] if len(word) > 3 and word[-1] in "ey" else word
    word = word[:-1] if word.endswith("iz") and len(word) > 5 else word  # "organise" lost its "s"
    return word.replace("our", "or") if len(word) > 5 else word


def forms(word: str) -> set[str]:
    """A word in the forms it takes. Where a stem would be too short to tell words apart."""
    root = word[:-1] if word[-1] in "ey" else word
    endings = ("ed", "ing", "est")
    inflected = {word, f"{word}s", f"{word}es", f"{root}ies", f"{root}ied", f"{root}iest"}
    inflected |= {stem_ + ending for stem_ in (word, root, word + word[-1]) for ending in endings}
    return inflected


@cache
def _meanings() -> dict[str, frozenset[str]]:
    """A word's stem -> what means the same."""
    by_stem: dict[str, set[str]] = {}
    for line in MEANINGS.strip().splitlines():
        words = line.split()
        for word in words:
            by_stem.setdefault(stem(word), set()).update(set(words) - {word})
    return {root: frozenset(others) for root, others in by_stem.items()}


def query(feature: str, also: tuple[str, ...] = ()) -> Query:
    """What to look for. `also` are other names for the whole feature."""
    words = [_word(text) for text in _texts(feature)[:WORDS]]
    by_stem = {word.stem: place for place, word in reversed(list(enumerate(words)))}
    every = {stem(text) for text in _raw(feature)}
    names: list[tuple[frozenset[str], tuple[int, ...]]] = []
    for line in NAMES.strip().splitlines():
        left, _, right = line.partition("=")
        roots = {stem(word) for word in left.split()}
        places = tuple(by_stem[root] for root in roots if root in by_stem)
        if places and roots <= every:
            names += [(_stems(name), places) for name in right.split(",")]
    names += [(_stems(name), tuple(range(len(words)))) for name in also if _stems(name)]
    for place, (word, after) in enumerate(pairwise(words)):
        names.append((frozenset({stem(word.text + after.text)}), (place, place + 1)))
    return Query(tuple(words), tuple(names))


def _raw(text: str) -> list[str]:
    spaced = "".join(letter if letter.isalnum() or letter == "_" else " " for letter in text)
    return [part for name in spaced.split() for part in parts_of(name)]


def _texts(feature: str) -> list[str]:
    """The words that say something, once each; without any such, those that say little."""
    texts = dict.fromkeys(_raw(feature))
    texts = dict.fromkeys(text for text in texts if text not in DROPPED and len(text) > 1)
    by_stem = {stem(text): text for text in reversed(list(texts))}
    return [text for text in texts if by_stem[stem(text)] == text]


def _stems(name: str) -> frozenset[str]:
    return frozenset(stem(part) for part in _raw(name))


def _word(text: str) -> Word:
    root = stem(text)
    is_faint = text in _faint_forms() or (text.endswith("ly") and len(text) > 5)
    others = {form for other in _meanings().get(root, ()) for form in forms(other)}
    return Word(text, root, frozenset(others), is_faint)


@cache
def _faint_forms() -> frozenset[str]:
    return frozenset(form for word in FAINT_WORDS for form in forms(word))


# What is seen

# A word of the query and what a match is worth.
Matches = tuple[tuple[int, float], ...]


class Sight:
    """A query laid over an index: what each name is worth, and what each word weighs here."""

    __slots__ = ("by_part", "code", "query", "weights", "worth")

    def __init__(self, index: Index, sought: Query) -> None:
        self.query = sought
        self.code = [file for file in index.files if file.sort == CODE]
        self.by_part: dict[str, Matches] = {}
        self.worth = tuple(self._worth(name) for name in index.names)
        self._fade(index)
        self.worth = tuple(self._worth(name) for name in index.names)
        self.weights = self._weights(index)

    def _rarity(self, files: int) -> float:
        """1 for what one file has, little for what every file has."""
        every = max(len(self.code), FEW) + 2
        return EVERYWHERE + (1 - EVERYWHERE) * log(every / (files + 1)) / log(every)

    def _fade(self, index: Index) -> None:
        """Another word that is everywhere says nothing, one that is rare says nearly as much as
        the word itself."""
        spread: dict[str, int] = {}
        for file in self.code:
            names = {index.names[name] for name in set(file.code.names) if self.worth[name]}
            for root in {stem(part) for name in names for part in parts_of(name)}:
                spread[root] = spread.get(root, 0) + 1
        for part, matches in self.by_part.items():
            rarity = self._rarity(spread.get(stem(part), 0))
            self.by_part[part] = tuple(
                (place, worth if worth >= NAMED else worth * rarity) for place, worth in matches
            )

    def _weights(self, index: Index) -> list[float]:
        """Rare words weigh more; of those that nobody names, most."""
        spread = [0] * len(self.query.words)
        for file in self.code:
            worths = [pair for name in set(file.code.names) for pair in self.worth[name]]
            worths += self.of_path(file.path).items()
            for place in {place for place, worth in worths if worth >= OWN * PATH}:
                spread[place] += 1
        prose = {name for file in index.files if file.sort != ASIDE for name in file.prose.names}
        written = {p for name in prose for p, worth in self.worth[name] if worth >= NAMED}
        weights = []
        for place, (word, files) in enumerate(zip(self.query.words, spread, strict=True)):
            weight = UNNAMED if place in written else UNHEARD
            weight = self._rarity(files) if files else weight
            weights.append(FAINT * min(weight, EVERYWHERE * 2) if word.is_faint else weight)
        return weights

    def _worth(self, name: str) -> Matches:
        """What a name is worth for each word of the query."""
        best: dict[int, float] = {}
        parts = parts_of(name)
        for part in parts:
            if part not in self.by_part:
                matches = ((place, word.match(part)) for place, word in enumerate(self.query.words))
                self.by_part[part] = tuple((place, worth) for place, worth in matches if worth)
            for place, worth in self.by_part[part]:
                best[place] = max(best.get(place, 0.0), worth)
        roots = {stem(part) for part in parts} | {stem("".join(parts))}
        for stems, places in self.query.names:
            if stems <= roots:
                for place in places:
                    best[place] = max(best.get(place, 0.0), NAMED)
        return tuple(best.items())

    def known(self) -> dict[int, float]:
        """The words that some name of the code has, and what the best is worth."""
        known: dict[int, float] = {}
        names = {name for file in self.code for name in set(file.code.names)}
        worths = [pair for name in names for pair in self.worth[name]]
        worths += [pair for file in self.code for pair in self.of_path(file.path).items()]
        for place, worth in worths:
            known[place] = max(known.get(place, 0.0), worth)
        return known

    def of_path(self, path: str) -> dict[int, float]:
        matches: dict[int, float] = {}
        for name in path.rpartition(".")[0].split("/") if "." in path else path.split("/"):
            for place, worth in self._worth(name):
                matches[place] = max(matches.get(place, 0.0), worth * PATH)
        return matches

    def share(self, matches: dict[int, float]) -> float:
        """How much of the feature that is. Other words do not stand for more than a rare name."""
        parts = (
            worth * (self.weights[place] if worth >= OWN * PATH else min(self.weights[place], 1.0))
            for place, worth in matches.items()
        )
        return sum(parts) / sum(self.weights)

    def by_line(self, words: Names, least: float) -> dict[int, dict[int, float]]:
        """The matches of each line that has any."""
        lines: dict[int, dict[int, float]] = {}
        for name, line in zip(words.names, words.lines, strict=True):
            for place, worth in self.worth[name]:
                if worth >= least:
                    here = lines.setdefault(line, {})
                    here[place] = max(here.get(place, 0.0), worth)
        return lines

    def places(
        self, file: IndexedFile, words: Names, *, least: float = 0.0, within: int = NEAR
    ) -> list[Hit]:
        """How much can be read within some lines of each line that has any of it."""
        path = {p: w for p, w in self.of_path(file.path).items() if w >= least * PATH}
        lines = self.by_line(words, least)
        hits = []
        for first in lines:
            matches = dict(path)
            best, best_line = 0.0, first
            for line in range(first, first + within):
                if line not in lines:
                    continue
                share = self.share(lines[line])
                if share > best:
                    best, best_line = share, line
                for place, worth in lines[line].items():
                    matches[place] = max(matches.get(place, 0.0), worth)
            hits.append(self._hit(file.path, best_line, matches))
        return hits

    def _hit(self, path: str, line: int, matches: dict[int, float]) -> Hit:
        solid = {place: OWN for place, worth in matches.items() if worth >= OWN * PATH}
        telling = [place for place in solid if not self.query.words[place].is_faint]
        return Hit(
            path,
            line,
            share=self.share(matches),
            solid=self.share(solid),
            weight=sum(self.weights[place] for place in telling) if len(telling) > 1 else 0.0,
            has_head=self.weights.index(max(self.weights)) in solid,
        )

    def has_whole_name(self) -> bool:
        """Whether one name of the code has two words of the query, one of which is telling."""
        for name in {name for file in self.code for name in set(file.code.names)}:
            solid = [place for place, worth in self.worth[name] if worth >= NAMED]
            if len(solid) > 1 and any(not self.query.words[place].is_faint for place in solid):
                return True
        return False

    def lines(self, file: IndexedFile) -> list[Hit]:
        """How much each line of prose says, names among it."""
        lines = self.by_line(file.prose, NAMED)
        return [self._hit(file.path, line, here) for line, here in lines.items()]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What follows from what was seen."""

    verdict: str
    why: str
    code: tuple[Hit, ...]
    docs: tuple[Hit, ...]
    seen: tuple[Hit, ...]


def judge(index: Index, sought: Query) -> Judgement:
    """The two searches, and what they say together."""
    sight = Sight(index, sought)
    code = sight.code
    known = sight.known()
    telling = [place for place, word in enumerate(sought.words) if not word.is_faint]
    misses_none = all(place in known for place in telling)
    enough = ENOUGH if misses_none else ENOUGH_WITHOUT
    places = [hit for file in code for hit in sight.places(file, file.code)]
    hits = _best(
        places,
        lambda hit: hit.share >= enough and hit.solid >= (SOLID if hit.has_head else SOLID_WITHOUT),
    )
    docs = _best(
        (hit for file in index.files if file.sort == DOC for hit in sight.lines(file)),
        lambda hit: hit.share >= ENOUGH_WITHOUT,
    )
    if hits:
        return Judgement(FOUND, "", hits, docs, ())
    by_names = _most(hit for file in code for hit in sight.places(file, file.code, least=OWN))
    by_other_words = _most(
        hit for file in code for hit in sight.places(file, file.code, within=WIDE)
    )
    seen = _best(places, lambda hit: hit.share >= NOTHING / 2)
    together = any(hit.weight >= TOGETHER for hit in places) or sight.has_whole_name()
    if by_names >= NOTHING or by_other_words >= NOTHING_BY_OTHERS or together:
        return Judgement(AMBIGUOUS, "part of it is there", (), docs, seen)
    if misses_none or sum(known.get(place, 0.0) >= OWN * PATH for place in telling) > 1:
        return Judgement(AMBIGUOUS, "its words are there, and not together", (), docs, seen)
    tests = [file for file in index.files if file.sort == TEST]
    aside = _best(
        (hit for file in tests for hit in sight.places(file, file.code)),
        lambda hit: hit.share >= ENOUGH_WITHOUT,
    )
    if aside:
        return Judgement(AMBIGUOUS, "only tests have it", (), docs, aside)
    prose = _best(
        (hit for file in code for hit in sight.lines(file)), lambda hit: hit.share >= ENOUGH
    )
    if len(prose) >= MENTIONS or any(hit.weight for hit in prose):
        return Judgement(AMBIGUOUS, "only comments and texts have it", (), docs, prose)
    if len(docs) >= MENTIONS:
        return Judgement(AMBIGUOUS, "much is written about it, and no code has it", (), docs, docs)
    if index.unread:
        return Judgement(AMBIGUOUS, "not everything could be read", (), docs, seen)
    if not code:
        return Judgement(AMBIGUOUS, "there is no code here", (), docs, seen)
    return Judgement(GHOST, "", (), docs, ())


def _most(hits: Iterable[Hit]) -> float:
    return max((hit.share for hit in hits), default=0.0)


def _best(hits: Iterable[Hit], counts: Callable[[Hit], bool]) -> tuple[Hit, ...]:
    """Those that count, the fullest first, each line once."""
    by_place: dict[str, Hit] = {}
    for hit in hits:
        if counts(hit) and hit.share > by_place.get(hit.where(), hit).share - 1e-9:
            by_place[hit.where()] = hit
    return tuple(sorted(by_place.values(), key=lambda hit: (-hit.share, hit.path, hit.line)))
