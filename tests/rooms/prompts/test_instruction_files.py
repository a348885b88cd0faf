"""A rule stands in a file as a unit, and is written there without touching what is around it."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from holdfast.rooms.prompts.instruction_files import stands_in, units, written

RULE = "Never push to main"
LISTING = "Never:\n- push to main\n- amend commits"


@pytest.mark.promise("C2")
@pytest.mark.parametrize(
    "file",
    [
        "- never  PUSH to main.",
        "# App\n\n1. **Never push to main**\n2. Use uv",
        "We work on branches. Never push\nto main. Ask first.",
        "## Never push to main\nor else",
    ],
)
def test_white_space_case_bullets_and_emphasis_make_no_difference(file):
    assert stands_in(f"{RULE}.", [units(file)])


@pytest.mark.promise("C2")
@pytest.mark.parametrize(
    "file",
    [
        "Never push to mainline.",
        "Never push to main without a review.",
        "It is wrong that we never push to main",
        "Never push to main, except on Fridays",
        "Never\n\npush to main",
        "",
    ],
)
def test_a_part_of_another_sentence_is_not_the_rule(file):
    assert not stands_in(RULE, [units(file)])


@pytest.mark.promise("C2")
def test_a_list_stands_there_only_with_the_line_that_forbids():
    assert stands_in(LISTING, [units("# App\n\nNever:\n\n* push to main\n* amend commits\n")])
    assert not stands_in(LISTING, [units("Always:\n- push to main\n- amend commits")])


@pytest.mark.promise("C2")
@given(st.text(max_size=200).map(str.encode), st.sampled_from([RULE, LISTING]))
def test_what_is_written_stands_there_and_the_rest_is_as_it_was(content, rule):
    whole = written(content, rule)

    assert stands_in(rule, [units(whole.decode())])
    start = next(
        (i for i, pair in enumerate(zip(whole, content, strict=False)) if pair[0] != pair[1]),
        len(content),
    )
    rest = content[start:]
    assert whole.endswith(rest)
    assert whole[: len(content) - len(rest)] == content[:start]
