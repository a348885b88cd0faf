"""A sentence as forks compare it: words in order, said with a yes or a no, names and numbers.

No model: a word stands under a no from the word that denies to the end of its clause; "X is not
used" denies what stands before it. Amounts of one measure are made one unit.
"""

from __future__ import annotations

import re
from functools import lru_cache

from holdfast.rooms.decisions.contradiction import alternatives
from holdfast.rooms.decisions.contradiction.cues import (
    BEFORE_NO,
    BY_HEART,
    COPULA,
    DENYING,
    FORBIDDEN,
    NEGATIVE,
    NORMAL,
    TURNING,
)
from holdfast.rooms.decisions.contradiction.stems import EMPTY, stem

CAP = 600  # characters of a sentence that are read
TOKEN = re.compile(
    r"n't|\d+(?:[.,]\d+)*|[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[?%]|[.;:,](?=\s|$)|[()]|\s[-\u2013\u2014]\s"
)
# Names are whole: MongoDB is one word here, and two where words are compared.
WHOLE = re.compile(
    r"n't|\d+(?:[.,]\d+)*|[a-z]+\d+[a-z0-9]*|[a-z]\+\+|[a-z]#|[a-z]+|[?%]|[.;:,](?=\s|$)"
)
SHAPED = re.compile(r"[A-Za-z][\w+#]*")
STOPS = {"-": ";", "\u2013": ";", "\u2014": ";", "(": ",", ")": ","}
_TIME = {
    "ms": 0.001, "millisecond": 0.001, "s": 1, "sec": 1, "second": 1, "m": 60, "min": 60,
    "minute": 60, "h": 3600, "hr": 3600, "hour": 3600, "d": 86400, "day": 86400, "week": 604800,
    "month": 2592000, "year": 31536000,
}  # fmt: skip
_SIZE = {
    "b": 1, "byte": 1, "kb": 1e3, "kib": 1024, "ki": 1024, "k": 1e3, "mb": 1e6, "mib": 1024**2,
    "mi": 1024**2, "gb": 1e9, "gib": 1024**3, "gi": 1024**3, "tb": 1e12,
}  # fmt: skip
_RATE = {"hz": 1, "khz": 1e3, "mhz": 1e6}
UNITS = {
    unit: (measure, float(factor))
    for measure, table in (
        ("time", _TIME),
        ("size", _SIZE),
        ("rate", _RATE),
        ("share", {"%": 1, "percent": 1}),
        ("px", {"px": 1}),
    )
    for unit, factor in table.items()
}
PERIODS = {"hourly": 3600, "daily": 86400, "nightly": 86400, "weekly": 604800, "monthly": 2592000}
NUMBERS = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20,
    "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90, "hundred": 100,
    "thousand": 1000, "single": 1, "once": 1,
}  # fmt: skip
COUNT = "count"


class Amount:
    """A number: what it measures, its value, how it was said, and the words around it."""

    __slots__ = ("around", "measure", "spelt", "value")

    def __init__(self, measure: str, value: float, spelt: str, around: frozenset[str]) -> None:
        self.measure, self.value, self.spelt, self.around = measure, value, spelt, around


class Reading:
    """A sentence as it is compared. `yes` has each content stem, with whether it is affirmed."""

    __slots__ = (
        "amounts",
        "names",
        "order",
        "plain",
        "shaped",
        "spelt",
        "theme",
        "tokens",
        "topics",
        "yes",
    )

    def __init__(self, text: str) -> None:
        self.plain = normal(text)
        self.tokens = tokens_of(self.plain)
        affirmed = _affirmed(self.tokens)
        self.yes: dict[str, bool] = {}
        self.spelt: dict[str, str] = {}
        self.order: list[str] = []
        for word, yes in zip(self.tokens, affirmed, strict=True):
            if is_content(word):
                stem_ = stem(word)
                self.order.append(stem_)
                self.spelt.setdefault(stem_, word)
                self.yes[stem_] = self.yes.get(stem_, False) or yes
        table = alternatives.topics()
        self.topics = frozenset().union(*(table.get(stem_, ()) for stem_ in self.yes))
        verb = next((at for at, word in enumerate(self.tokens) if at and word in COPULA), 0)
        self.theme = frozenset(stem(word) for word in self.tokens[:verb] if is_content(word))
        self.amounts = _amounts(self.tokens)
        whole = WHOLE.findall(self.plain.lower())
        self.names = _names(whole, _affirmed(whole))
        self.shaped = frozenset(
            stem(part.lower())
            for place, word in enumerate(SHAPED.findall(self.plain))
            if (place and word[0].isupper() and word != "I") or word[1:].lower() != word[1:]
            for part in TOKEN.findall(word)
            if is_content(part.lower())
        )

    @property
    def words(self) -> list[str]:
        return [word for word in self.tokens if word[0].isalnum() or word in BY_HEART]

    def as_spelt(self, stems: set[str]) -> str:
        """Stems as they were spelt, in their order."""
        return " ".join(self.spelt[stem_] for stem_ in dict.fromkeys(self.order) if stem_ in stems)


read = lru_cache(maxsize=4096)(Reading)


@lru_cache(maxsize=4096)
def normal(text: str) -> str:
    plain = " ".join(text[:CAP].replace("\u2019", "'").split())
    for pattern, plainer in NORMAL:
        plain = pattern.sub(plainer, plain)
    return plain


def tokens_of(plain: str) -> list[str]:
    words = [word.strip().lower() for word in TOKEN.findall(plain)]
    return [STOPS.get(word, word) for word in words]


@lru_cache(maxsize=8192)
def is_content(word: str) -> bool:
    return len(word) > 1 and word[0].isalpha() and word not in EMPTY and word not in NEGATIVE


@lru_cache(maxsize=16384)
def subjects(text: str) -> frozenset[str]:
    """What can be the same in two sentences, cheaply read: stems, and kinds of names."""
    plain = normal(text)
    kinds = alternatives.by_word()
    stems = {stem(word) for word in tokens_of(plain) if is_content(word)}
    return frozenset(stems.union(*(kinds.get(word, ()) for word in WHOLE.findall(plain.lower()))))


def _affirmed(tokens: list[str]) -> list[bool]:
    affirmed: list[bool] = []
    yes, start = True, 0
    for at, word in enumerate(tokens):
        is_stop = word in ".;:,?"
        listed = word == "," and tokens[at + 1 : at + 2] in (["or"], ["and"])
        if (is_stop and not listed) or word in TURNING:
            yes = True
        affirmed.append(yes)
        before = tokens[at - 1] if at else ""
        if word in NEGATIVE or word in DENYING or (word == "than" and before == "rather"):
            yes = False
        if is_stop:
            start = at + 1
        passive = word in FORBIDDEN and {"is", "are", "be", "get", "gets"} & set(tokens[start:at])
        if passive or (word in NEGATIVE and before in BEFORE_NO):
            affirmed[start:at] = [False] * (at - start)
    return affirmed


def _amounts(tokens: list[str]) -> list[Amount]:
    amounts = []
    for at, word in enumerate(tokens):
        if word in PERIODS:
            amounts.append(Amount("time", PERIODS[word], word, frozenset()))
            continue
        value = _value(word)
        if value is None:
            continue
        around = frozenset(
            stem(other) for other in tokens[max(0, at - 4) : at + 4] if is_content(other)
        )
        after = singular(tokens[at + 1]) if at + 1 < len(tokens) else ""
        # "lockout_seconds=900" has its unit before the number.
        before = [singular(other) for other in tokens[max(0, at - 2) : at] if len(other) > 2]
        unit = after if after in UNITS else next((other for other in before if other in UNITS), "")
        measure, factor = UNITS.get(unit, (COUNT, 1.0))
        spelt = " ".join(tokens[at : at + 2]) if after in UNITS else word
        amounts.append(Amount(measure, round(value * factor, 6), spelt, around))
    return amounts


def _value(word: str) -> float | None:
    if word in NUMBERS:
        return float(NUMBERS[word])
    digits = word.replace(",", "")
    if not digits[:1].isdigit() or digits.count(".") > 1:
        return None
    # A version: 3.10 is not 3.1.
    return float(digits) + (1e-6 if "." in digits and digits.endswith("0") else 0)


def singular(word: str) -> str:
    return word[:-1] if len(word) > 2 and word.endswith("s") and not word.endswith("ss") else word


def _names(tokens: list[str], affirmed: list[bool]) -> dict[int, dict[str, bool]]:
    """Names of the table by kind, the longest first, each with whether it is affirmed."""
    table = alternatives.spellings()
    taken: set[int] = set()
    by_kind: dict[int, dict[str, bool]] = {}
    for size in range(alternatives.longest(), 0, -1):
        for at in range(len(tokens) - size + 1):
            kinds = table.get(tuple(tokens[at : at + size]))
            if kinds and not taken & set(range(at, at + size)):
                taken |= set(range(at, at + size))
                for kind, name in kinds:
                    by_kind.setdefault(kind, {})[name] = affirmed[at]
    return by_kind
