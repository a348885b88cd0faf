"""Which patterns are quick on every text. The reference below matches as Python does, one way after
the other, and counts its steps."""

from __future__ import annotations

import itertools
import random
import re
import sys
from re import _parser

import pytest
from tests.measure import some_or_all

from holdfast.config.linear_patterns import ADJACENT, NESTED, REFERENCE, TOO_LONG, why_not_linear

USUAL = (
    r"git\s+push",
    r"\bgit\s+(?:-\S+\s+)*push\b",
    r"git push(?!.*--dry-run)",
    r"^npm\s+publish.*--tag.*",
    r"AKIA[A-Z0-9]{16}",
    r"corp-[0-9a-f]{64}",
    r"(?:\d{4}[- ]?){4}",
    r"\d{1,3}(?:\.\d{1,3}){3}",
    r"\S+@corp\.example",
    r"""key\s*[:=]\s*['"]?(\w+)""",
    r"(?i)bearer\s+[a-z0-9._-]{20,}",
    r"curl .*\|\s*sh",
)


@pytest.mark.parametrize("pattern", USUAL)
def test_patterns_that_people_write_are_linear(pattern):
    assert why_not_linear(pattern, re.IGNORECASE) == ""


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        (r"(a+)+b", NESTED),
        (r"(a|a)*b", NESTED),
        (r"(?:a|ab|b)*c", NESTED),
        (r"(?:a?b?)*c", NESTED),
        (r"(?:a?){30}a{30}", NESTED),
        (r"(?:(?:a{1,9}){1,9}){1,9}b", NESTED),
        (r"(x+x+)+y", NESTED),
        (r"a*a*a*a*a*a*b", ADJACENT),
        (r".*--force.*main", ADJACENT),
        (r"\s*,?\s*x", ADJACENT),
        (r"[a-z]{1,20}[a-z]{1,20}x", ADJACENT),
        (r"a*(?=a*b)c", ADJACENT),
        (r"(?i)k+\u212a+x", ADJACENT),
        (r"(?a)\W*é+x", ADJACENT),
        (r"(\w+) \1", REFERENCE),
        (r"(a)?(?(1)b|c)", REFERENCE),
        ("|".join(f"w{number}x*" for number in range(400)), TOO_LONG),
    ],
)
def test_a_pattern_that_can_take_long_is_told_from_how_it_is_written(pattern, reason):
    assert why_not_linear(pattern) == reason


def test_what_is_no_regular_expression_is_not_called_linear():
    assert "no regular expression" in why_not_linear("(")
    assert why_not_linear("(" * 100_000) != ""


@some_or_all(300, 3_000)
def test_a_pattern_that_is_called_linear_takes_steps_in_proportion_to_the_text(amount):
    chance = random.Random(19)
    words = ["".join(word) for size in (1, 2, 3) for word in itertools.product("ab", repeat=size)]
    linear = 0
    for _ in range(amount):
        pattern = f"{_drawn(chance, 3)}c"
        if why_not_linear(pattern):
            continue
        linear += 1
        for word in words:
            short, long = (_steps(pattern, word * (size // len(word))) for size in (48, 96))
            assert long <= 2.2 * short + 60, (pattern, word, short, long)
    assert linear > amount / 6


def test_most_of_what_is_refused_takes_more_than_that():
    """A check that refused everything would pass the test above."""
    chance = random.Random(20)
    words = ["".join(word) for size in (1, 2, 3) for word in itertools.product("ab", repeat=size)]
    refused = slow = 0
    for _ in range(150):
        pattern = f"{_drawn(chance, 3)}c"
        if why_not_linear(pattern) in (NESTED, ADJACENT):
            refused += 1
            slow += any(
                _steps(pattern, word * 16) > 2.5 * _steps(pattern, word * 8) for word in words
            )
    assert refused > 20
    assert slow >= refused * 0.6


def _drawn(chance: random.Random, depth: int) -> str:
    """A pattern over a and b."""
    if not depth or chance.random() < 0.3:
        return chance.choice(["a", "b", "[ab]", ".", "[^a]"])
    shape = chance.randrange(5)
    if shape < 2:
        return "".join(_drawn(chance, depth - 1) for _ in range(chance.choice([2, 3])))
    inner = _drawn(chance, depth - 1)
    if shape == 2:
        return f"(?:{inner}|{_drawn(chance, depth - 1)})"
    return f"(?:{inner}){chance.choice(['*', '+', '?', '{0,9}', '{2}', '*?'])}"


LIMIT = 40_000


def _steps(pattern: str, text: str) -> int:
    """How many characters are compared until every way has failed."""
    left = [LIMIT]

    def follow(items, at, rest):
        if not items:
            rest(at)
            return
        (kind, value), others = items[0], items[1:]
        name = str(kind)

        def after(here):
            follow(others, here, rest)

        if name == "SUBPATTERN":
            follow(list(value[3]), at, after)
        elif name == "BRANCH":
            for branch in value[1]:
                follow(list(branch), at, after)
        elif name in ("MAX_REPEAT", "MIN_REPEAT"):
            repeat(*value, at, after)
        else:
            left[0] -= 1
            if at < len(text) and left[0] > 0 and _fits(name, value, text[at]):
                after(at + 1)

    def repeat(least, most, body, at, rest):
        def again(here):
            if here > at:  # an empty round is no round
                repeat(max(least - 1, 0), int(most) - 1, body, here, rest)

        if int(most) > 0:
            follow(list(body), at, again)
        if not least:
            rest(at)

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    try:
        follow(list(_parser.parse(pattern)), 0, lambda _: None)
    finally:
        sys.setrecursionlimit(limit)
    return LIMIT - left[0]


def _fits(name: str, value, sign: str) -> bool:
    if name == "ANY":
        return True
    if name == "LITERAL":
        return value == ord(sign)
    if name == "NOT_LITERAL":
        return value != ord(sign)
    return any(given == ord(sign) for sort, given in value if str(sort) == "LITERAL")
