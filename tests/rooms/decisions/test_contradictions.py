"""A fork that is named can be believed: the same slot, a no, one thing instead of another."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from holdfast.rooms.decisions.contradictions import MOST, certain, nearest, taken_out

CORPUS = Path(__file__).parents[2] / "corpus"
TOKENS = "Use rotating refresh tokens"


def pairs(name: str) -> list[dict]:
    lines = (CORPUS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


PAIRS = [*pairs("forks-believed"), *pairs("forks-held")]


@pytest.mark.promise("D4")
@pytest.mark.parametrize(
    ("decision", "statement", "why"),
    [
        pytest.param(
            TOKENS,
            "Use stateless tokens",
            "says stateless where the decision says rotating refresh",
            id="the design's own example",
        ),
        pytest.param(
            "Use PostgreSQL for the orders",
            "We'll use MongoDB for orders",
            "says mongodb where the decision says postgresql",
            id="another thing for the same",
        ),
        pytest.param(
            "Charts are drawn with Vega",
            "Charts are drawn with Plotly",
            "says plotly where the decision says vega",
            id="another means",
        ),
        pytest.param(
            "Add 15-minute grace period",
            "The grace period is 30 minutes",
            "says 30 where the decision says 15",
            id="another number",
        ),
        pytest.param(
            TOKENS,
            "Do not use rotating refresh tokens",
            "says no to what the decision says",
            id="the very words with a no",
        ),
        pytest.param(
            TOKENS,
            "We don\u2019t use rotating refresh tokens",
            "says no to what the decision says",
            id="a no that is written as one",
        ),
        pytest.param(
            "Never log request bodies",
            "Log request bodies",
            "says what it rules out",
            id="what was ruled out",
        ),
        pytest.param(
            "Sessions live in Redis",
            "Put the sessions in Postgres instead of Redis",
            "puts something else in place of redis",
            id="instead of it",
        ),
        pytest.param(
            TOKENS,
            "Use stateless tokens rather than rotating refresh tokens",
            "puts something else in place of refresh, rotating, tokens",
            id="rather than it",
        ),
        pytest.param(
            "We use pytest, not unittest",
            "Use unittest",
            "takes up unittest, which the decision rules out",
            id="what the decision said it is not",
        ),
    ],
)
def test_another_choice_in_the_same_slot_is_a_fork_and_says_in_what(decision, statement, why):
    assert certain(decision, statement) == why


@pytest.mark.promise("D4")
@pytest.mark.parametrize(
    "statement",
    [
        pytest.param("Use PostgreSQL for orders", id="restated"),
        pytest.param("Add an index on orders in PostgreSQL", id="refined"),
        pytest.param("Use PostgreSQL for sessions", id="another purpose"),
        pytest.param("Use Redis for sessions", id="another thing"),
        pytest.param("Should we use MongoDB for orders?", id="a question"),
        pytest.param("Orders were in MongoDB, not in PostgreSQL", id="a memory"),
        pytest.param("We considered MongoDB instead of PostgreSQL for orders", id="weighed"),
        pytest.param("Use PostgreSQL for orders, not MongoDB", id="affirmed against another"),
        pytest.param("Do not use MongoDB for orders", id="another ruled out"),
        pytest.param("If it grows, use MongoDB for orders", id="a condition"),
        pytest.param("Use MongoDB for archived orders", id="a narrower case"),
        pytest.param("", id="nothing"),
        pytest.param("!!! ... ---", id="no words"),
    ],
)
def test_what_only_sounds_alike_is_no_fork(statement):
    assert certain("Use PostgreSQL for orders", statement) == ""


def test_a_number_is_compared_only_with_one_of_the_same_slot():
    assert not certain("Cache pages for at most 30 seconds", "Cache pages for 20 seconds")
    assert not certain("Cache pages for 5 minutes", "Cache responses for 2 minutes")
    assert certain("Support Python 3.1", "Support Python 3.10") == ""
    assert certain("The server listens on port 80", "The server listens on port 90")


@pytest.mark.promise("D4")
@pytest.mark.parametrize(
    "pair",
    [pair for pair in PAIRS if pair.get("label") == "affirmation" or pair.get("fork") is False],
    ids=lambda pair: pair["statement"][:60],
)
def test_an_affirmation_is_never_called_a_fork(pair):
    assert certain(pair["decision"], pair["statement"]) == ""


@pytest.mark.promise("D4")
def test_decisions_about_other_things_are_no_forks_of_each_other():
    """Each statement meets every decision of a project, so a rare mistake would be a daily one."""
    decisions = {pair["decision"] for pair in PAIRS}
    met = [
        certain(decision, pair["statement"])
        for pair in PAIRS
        for decision in decisions
        if decision != pair["decision"]
    ]

    assert len(list(filter(None, met))) < len(met) / 10_000


@pytest.mark.promise("D4")
def test_of_many_decisions_those_are_nearest_that_share_most_words():
    many = [f"Part {number} of the catalogue is printed on paper" for number in range(400)]
    many.insert(217, "Health data never leaves the device")

    near = nearest(many, "Upload the health samples of the device to our servers")
    assert near == [(217, ["device", "health"])]
    assert len(nearest(many, "Print the catalogue on better paper")) == MOST
    assert nearest(many, "Draw a map in blue") == []


@pytest.mark.promise("D4")
def test_what_a_change_takes_out_is_what_the_file_has_no_longer():
    before = "import axios\nGRACE_MINUTES = 15\nretryCount = 3\n"
    after = "import got\nGRACE_MINUTES = 60\nretryCount = 3\n"

    assert taken_out(before, after) == [
        ({"grac", "minut", "15"}, {"15"}),
        ({"axio", "import"}, {"axio"}),
    ]
    assert taken_out(before, before) == []


def test_a_hostile_statement_is_read_in_bounded_steps():
    """Only its beginning is read, so its length does not matter; and no pattern runs away."""
    hostile = ["not " * 50_000, "instead of " * 20_000, "a " * 100_000, "use " * 30_000]

    assert not any(certain("Use PostgreSQL for orders", text) for text in hostile)
