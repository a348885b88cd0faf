"""What a committed configuration may ask for before a person trusts it: demands, and nothing else.

A demand is a requirement: it can be met, approved or switched off by the person, and takes nothing
away. Everything else waits: settings, what speaks or is switched off, programs that count, patterns
that are not plain, files outside of the project, and a requirement by a name that one of the
person's own has.

A plain pattern takes time in proportion to the text. It is made of letters, classes, `.`, anchors,
alternatives, and repetitions of a single one of these. Nothing repeated is repeated again, nothing
refers back or looks around, and of the repetitions that could take what the next part needs there
is one besides blanks. What has no end is given one, so that each place of a text costs no more
than a fixed amount.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Collection
from itertools import pairwise
from re import _parser  # type: ignore[attr-defined]
from typing import TYPE_CHECKING, Any

from holdfast.config.field import key_of
from holdfast.config.settings import SETTINGS

if TYPE_CHECKING:
    from holdfast.config.field import Table

# The first words of our own settings: what else a file says may be about requirements.
OUR_NAMES = frozenset(name.partition(".")[0] for name in SETTINGS)
PATTERNS = 100  # of a repository's that are searched in a command
SPOKEN = ("deprecated", "deprecated_message")
UNSPOKEN = (*SPOKEN, "rule")  # it would quote a person whom nobody heard
SWITCHES = ("enabled", "inherit")
TRIGGERS, PATTERN_FIELDS = ("trigger_tools", "trigger"), ("command_pattern", "pattern", "message")
SHOWN = 80


def apart(table: Table, personal: Collection[str]) -> tuple[Table, list[str]]:
    """What a committed file demands, and what of it waits, a line each. `personal` are the names of
    the person's own requirements."""
    waiting: list[str] = []
    kept: Table = {}
    for key, value in table.items():
        name = key_of(key)
        if name == "requirements" and isinstance(value, dict):
            kept[key] = _requirements(value, personal, waiting)
        elif name == "hooks" or name.partition(".")[0] in OUR_NAMES or name in SWITCHES:
            waiting += _lines(name, value)
        else:
            kept[key] = value  # the version, and what nobody reads
    return kept, waiting


def _lines(name: str, value: Any) -> list[str]:
    """A setting a line; what is on as it is without the file asks for nothing."""
    if isinstance(value, dict) and name not in SETTINGS:
        return [
            line for key, each in value.items() for line in _lines(f"{name}.{key_of(key)}", each)
        ]
    if name in SWITCHES and value is True:
        return []
    return [f"{name}: {shown(value)}"]


def shown(value: Any) -> str:
    """A value in one short line."""
    text = "".join(sign if sign.isprintable() else "?" for sign in str(value))
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."


def _requirements(table: Table, personal: Collection[str], waiting: list[str]) -> Table:
    kept: Table = {}
    left = PATTERNS
    for key, body in table.items():
        name = key_of(key)
        if name in personal:
            waiting.append(f"requirement {name}, beside yours of that name")
        elif not isinstance(body, dict):
            kept[key] = body  # told as broken
        else:
            patterns = _patterns(body)
            why = _why_it_waits(body, patterns)
            left -= len(patterns)
            if why or left < 0:
                waiting.append(f"requirement {name}: {why or 'too many patterns'}")
                continue
            if any(field in body for field in SPOKEN):
                waiting.append(f"requirement {name}: what it says of being deprecated")
            kept[key] = _as_demand(body)
    return kept


def _why_it_waits(body: Table, patterns: list[str]) -> str:
    from holdfast.rooms.gates.calculators import BRANCH_SIZE

    calculator = body.get("calculator")
    if calculator is not None and calculator not in BRANCH_SIZE:
        return f"the program that counts, {shown(calculator)}"
    for pattern in patterns:
        if pattern and not plain_pattern(pattern):
            return f"a pattern that is not plain, {shown(pattern)}"
    evidence = body.get("evidence")
    folders = evidence.get("dirs") if isinstance(evidence, dict) else []
    for folder in folders if isinstance(folders, list) else [folders]:
        if str(folder).startswith(("/", "~")) or ".." in str(folder).split("/"):
            return f"files outside of the project, {shown(folder)}"
    return ""


def _as_demand(body: Table) -> Table:
    """The requirement without what it says of itself, its patterns with an end."""
    kept = {key: value for key, value in body.items() if key not in UNSPOKEN}
    for field in TRIGGERS:
        if field in body:
            kept[field] = _each(body[field], _with_an_end)
    return kept


def _each(triggers: Any, act: Callable[[Any], Any]) -> Any:
    return [act(each) for each in triggers] if isinstance(triggers, list) else act(triggers)


def _with_an_end(trigger: Any) -> Any:
    if not isinstance(trigger, dict):
        return trigger
    return trigger | {
        name: plain_pattern(trigger[name])
        for name in PATTERN_FIELDS
        if isinstance(trigger.get(name), str)
    }


def _patterns(body: Table) -> list[str]:
    patterns: list[str] = []

    def note(trigger: Any) -> None:
        values = [trigger.get(name) for name in PATTERN_FIELDS] if isinstance(trigger, dict) else []
        patterns.extend(value for value in values if isinstance(value, str))

    for field in TRIGGERS:
        _each(body.get(field), note)
    return patterns


LONGEST = 250  # what a repetition takes at most
BLANKS = 4  # and one of blanks
WAYS = 16  # in which a text may be read, besides the one open repetition
SINGLE = frozenset({"LITERAL", "NOT_LITERAL", "ANY", "IN"})
REPEATS = frozenset({"MAX_REPEAT", "MIN_REPEAT"})
CODES = range(256)
OTHER = 256  # stands for every character beyond
EVERY = frozenset({*CODES, OTHER})

_CATEGORIES: dict[str, Callable[[str], bool]] = {
    "SPACE": str.isspace,
    "DIGIT": str.isdecimal,
    "WORD": lambda sign: sign.isalnum() or sign == "_",
}


def plain_pattern(pattern: str) -> str:
    """The pattern with an end to what has none; "" when it is not plain, or is no pattern."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a hook may not print one
            tree = _parser.parse(pattern, re.IGNORECASE)
            reading = _Reading()
            reading.sequence(list(tree), frozenset())
            if tree.state.flags & (re.VERBOSE | re.LOCALE):
                return ""
            text = _with_ends(pattern)
            re.compile(text, re.IGNORECASE)
    except (_NotPlain, re.error, RecursionError, OverflowError, Warning):
        return ""
    return text if reading.ways <= WAYS and reading.open <= 1 else ""


class _NotPlain(Exception):
    """A part of a pattern that has no bound."""


class _Reading:
    """How many ways there are to read a text by a pattern, from its last part to its first."""

    def __init__(self) -> None:
        self.ways = 1
        self.open = 0

    def sequence(self, parts: list[Any], after: frozenset[int]) -> frozenset[int]:
        """The characters that it may begin with; `after` are those that may follow it."""
        for kind, value in reversed(parts):
            after = self._part(str(kind), value, after)
        return after

    def _part(self, kind: str, value: Any, after: frozenset[int]) -> frozenset[int]:
        if kind in SINGLE:
            return _signs(kind, value)
        if kind == "AT":
            return after
        if kind == "SUBPATTERN":
            return self.sequence(list(value[3]), after)
        if kind == "BRANCH":
            return self._alternatives([list(each) for each in value[1]], after)
        if kind in REPEATS:
            return self._repetition(value[0], int(value[1]), list(value[2]), after)
        raise _NotPlain

    def _alternatives(self, branches: list[list[Any]], after: frozenset[int]) -> frozenset[int]:
        beginnings = [self.sequence(branch, after) for branch in branches]
        together: frozenset[int] = frozenset().union(*beginnings)
        if sum(map(len, beginnings)) > len(together) and not _exclude_each_other(branches):
            self.ways *= len(branches)
        return together

    def _repetition(
        self, least: int, most: int, parts: list[Any], after: frozenset[int]
    ) -> frozenset[int]:
        while len(parts) == 1 and str(parts[0][0]) == "SUBPATTERN":
            parts = list(parts[0][1][3])
        is_single = len(parts) == 1 and str(parts[0][0]) in SINGLE
        if not is_single and most > 1:
            raise _NotPlain
        if LONGEST < most < int(_parser.MAXREPEAT) or least > LONGEST:
            raise _NotPlain
        begins = self.sequence(parts, after)
        if least < most and begins & after:
            if most == 1:
                self.ways *= 2
            elif _is_blank(*parts[0]):
                self.ways *= BLANKS
            else:
                self.open += 1
        return begins if least else begins | after


def _signs(kind: str, value: Any) -> frozenset[int]:
    if kind == "ANY":
        return EVERY
    if kind == "LITERAL":
        return _both_cases(value)
    if kind == "NOT_LITERAL":
        return EVERY - (_both_cases(value) - {OTHER})
    signs: set[int] = set()
    negated = False
    for item, inner in value:
        name = str(item)
        if name == "NEGATE":
            negated = True
        elif name == "LITERAL":
            signs |= _both_cases(inner)
        elif name == "RANGE":
            for code in range(inner[0], min(inner[1], OTHER) + 1):
                signs |= _both_cases(code)
        else:
            signs |= _category(str(inner))
    return EVERY - (signs - {OTHER}) if negated else frozenset(signs)


def _category(name: str) -> frozenset[int]:
    _, _, word = name.rpartition("_")
    fits = _CATEGORIES[word]
    inside = {code for code in CODES if fits(chr(code))}
    return frozenset({*CODES} - inside if "_NOT_" in name else inside) | {OTHER}


def _both_cases(code: int) -> frozenset[int]:
    sign = chr(code)
    return frozenset(
        ord(each) if ord(each) in CODES else OTHER for each in (sign, *sign.lower(), *sign.upper())
    )


def _exclude_each_other(branches: list[list[Any]]) -> bool:
    """Words of which none begins with another: at one place of a text one of them fits."""
    words = []
    for branch in branches:
        if any(str(kind) != "LITERAL" for kind, _ in branch):
            return False
        words.append("".join(chr(value) for _, value in branch).lower())
    words.sort()  # a word's beginning stands right before the words that begin with it
    return not any(word.startswith(before) for before, word in pairwise(words))


def _is_blank(kind: Any, value: Any) -> bool:
    if str(kind) == "LITERAL":
        return bool(chr(value) == " ")
    return [str(inner) for _, inner in value] == ["CATEGORY_SPACE"] if str(kind) == "IN" else False


_TOKEN = re.compile(
    r"(?P<atom>\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[^*+{])"
    r"|(?P<sign>[*+])|\{(?P<least>\d*),(?P<most>\d*)\}|\{",
    re.DOTALL,
)


def _with_ends(pattern: str) -> str:
    """`*`, `+` and `{2,}` with the most that they take."""
    text, atom = "", ""
    for token in _TOKEN.finditer(pattern):
        whole = token.group()
        least = {"*": "0", "+": "1"}.get(token["sign"] or "", token["least"])
        if least is not None and not token["most"]:
            most = BLANKS if atom in (r"\s", " ") else LONGEST
            whole = f"{{{least or 0},{max(most, int(least or 0))}}}"
        atom = token["atom"] or ""
        text += whole
    return text
