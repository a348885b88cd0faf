"""Which patterns a repository may bring along, and what they come to cost."""

from __future__ import annotations

import re

import pytest

from holdfast.config import demands
from holdfast.config.demands import plain_pattern

pytestmark = pytest.mark.promise("X5")

PLAIN = {
    r"git\s+push": ["git push", "git   push"],
    r"\bgit\s+commit\b.*--no-verify": ["git commit -a -m x --no-verify"],
    r"git\s+.*push": ["git -C x push"],
    r"(?:npm|pnpm|yarn)\s+publish": ["pnpm publish"],
    r"^rm\s+-rf?\s": ["rm -r x", "rm -rf x"],
    r"psql .*DROP": ["psql -c 'drop table'"],
    r"curl .*\|\s*sh": ["curl x |sh", "curl x | sh"],
    r"git\s+(push|pull|commit)(\s|$)": ["git pull", "git pull x"],
    r"[*+]{2,}x\*": ["**x*"],
    r"x{2,}?y": ["xxy"],
    r"kubectl\s+(apply|delete)\s+.*-n\s+prod": ["kubectl delete pod -n prod"],
}
NOT_PLAIN = [
    "a*a*a*a*a*a*b",
    "(a+)+b",
    "(a|a)*b",
    "(a|b|ab)*c",
    "(a|aa)(a|aa)(a|aa)(a|aa)(a|aa)(a|aa)b",
    "a?a?a?a?a?a?a?aaaaaaa",
    ".*x.*y",
    r"(a)\1",
    "(?=a)b",
    "(?<!a)b",
    "(?x) a b",
    "x{1000}",
    "(ab){2,5}c",
    "[[:alpha:]]+",
    "(",
]


@pytest.mark.parametrize("pattern", PLAIN)
def test_a_plain_pattern_finds_what_it_found(pattern):
    for command in PLAIN[pattern]:
        assert re.search(plain_pattern(pattern), command, re.IGNORECASE), command
    assert not re.search(plain_pattern(pattern), "ls -l", re.IGNORECASE)


@pytest.mark.parametrize("pattern", NOT_PLAIN)
def test_what_may_take_long_is_not_plain(pattern):
    assert plain_pattern(pattern) == ""


def test_no_repetition_of_a_plain_pattern_is_without_an_end():
    for pattern in PLAIN:
        tree = re._parser.parse(plain_pattern(pattern))
        assert "MAXREPEAT" not in repr(list(tree))


@pytest.mark.parametrize(("pattern", "longest"), [("a.*b", 250), (r"a\s+b", 4), ("ax{250}b", 250)])
def test_what_repeats_takes_as_many_as_the_page_says(pattern, longest):
    between = " " if r"\s" in pattern else "x"

    assert re.search(plain_pattern(pattern), f"a{between * longest}b")
    assert not re.search(plain_pattern(pattern), f"a{between * (longest + 1)}b")
    assert plain_pattern("x{251}") == ""


def test_a_pattern_of_an_action_waits_unless_it_is_plain():
    table = {"requirements": {
        "a": {"trigger": {"action": "write", "pattern": "TODO.*"}},
        "b": {"trigger": [{"action": "commit", "message": "(a+)+"}]},
    }}  # fmt: skip

    kept, waiting = demands.apart(table, ())

    assert kept["requirements"] == {
        "a": {"trigger": {"action": "write", "pattern": "TODO.{0,250}"}}
    }
    assert [line.split(":")[0] for line in waiting] == ["requirement b"]


@pytest.mark.parametrize("pattern", PLAIN)
def test_a_place_of_a_text_costs_no_more_than_a_fixed_amount(pattern):
    """Counted on the pattern: in how many ways a text can be read from one place."""
    reading = demands._Reading()
    reading.sequence(list(re._parser.parse(pattern, re.IGNORECASE)), frozenset())

    assert reading.ways <= demands.WAYS
    assert reading.open <= 1
