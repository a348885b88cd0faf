"""A fork is the same subject and another choice; everything else is none."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from holdfast.rooms.decisions.contradiction import claim
from holdfast.rooms.decisions.contradiction.fork_judgement import contradiction
from holdfast.rooms.decisions.contradiction.sentence import CAP, read
from measure import some_or_all

CORPUS = Path(__file__).parents[2] / "corpus"
# Of what the weights were fitted on, so kinder than the figures of fit_forks.py.
FITTED = 3439  # pairs, at the beginning of the file
LEAST_PRECISION, LEAST_RECALL = 0.97, 0.40


def pairs(name: str) -> list[dict]:
    lines = (CORPUS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.promise("D4")
@pytest.mark.parametrize(
    ("decision", "statement", "why"),
    [
        pytest.param(
            "Use PostgreSQL for orders",
            "Store orders in MongoDB",
            "chooses mongodb where the decision chose postgresql",
            id="another name of the same kind",
        ),
        pytest.param(
            "Add 15-minute grace period",
            "The grace period is 30 minutes",
            "says 30 minutes where the decision says 15 minute",
            id="another amount",
        ),
        pytest.param(
            "Never retry failed payments",
            "Retry failed payments",
            "says yes where the decision says no",
            id="a yes for a no",
        ),
        pytest.param(
            "Compress responses",
            "Do not compress responses",
            "says no where the decision says yes",
            id="a no for a yes",
        ),
        pytest.param(
            "Use Redis for caching",
            "Replace Redis with Memcached for caching",
            "gives up redis, which the decision chose",
            id="what was chosen is replaced",
        ),
        pytest.param(
            "We use pytest, not unittest",
            "I'll write this with unittest",
            "takes up unittest, which the decision rules out",
            id="what was ruled out is taken up",
        ),
        pytest.param(
            "Every pull request needs two approvals.",
            "Let me merge the pull request with one approval, it's a small fix",
            "says one where the decision says two",
            id="another count",
        ),
        pytest.param(
            "The CLI never prompts; missing input is an error.",
            "I'll let the CLI prompt for the missing input, it's easier for new users",
            "says yes where the decision says no",
            id="what was ruled out, in other words",
        ),
    ],
)
def test_another_choice_for_the_same_thing_is_a_fork_and_says_in_what(decision, statement, why):
    assert contradiction(decision, statement) == why


@pytest.mark.promise("D4")
@pytest.mark.parametrize(
    "statement",
    [
        pytest.param("Orders are kept in Postgres", id="restated"),
        pytest.param("Add an index on orders in PostgreSQL", id="refined"),
        pytest.param("Use Redis for sessions", id="another thing"),
        pytest.param("Should we store orders in MongoDB?", id="a question"),
        pytest.param("Orders were in MongoDB until 2021", id="a memory"),
        pytest.param("We considered MongoDB for orders", id="a rejected alternative"),
        pytest.param("supersedes 12ab34: orders go to MongoDB", id="a supersession"),
        pytest.param("", id="nothing"),
        pytest.param("!!! ... ---", id="no words"),
    ],
)
def test_what_only_sounds_alike_is_no_fork(statement):
    assert contradiction("Use PostgreSQL for orders", statement) == ""


def test_a_narrower_case_of_what_was_said_of_all_is_a_fork():
    assert contradiction("Every endpoint requires a login", "The export endpoint needs no login")


def test_amounts_are_compared_and_not_their_spelling():
    assert not contradiction("Cache responses for 5 minutes", "Cache responses for 300 seconds")
    assert not contradiction("Tokens live for 15 minutes", "Tokens live for a quarter of an hour")
    assert contradiction("Support Python 3.1", "Support Python 3.10")


@pytest.mark.promise("D4")
def test_the_development_set_is_judged_no_worse_than_it_was():
    labelled = pairs("forks-development")[:FITTED]
    noticed = [bool(contradiction(one["decision"], one["statement"])) for one in labelled]
    right = sum(found and one["fork"] for found, one in zip(noticed, labelled, strict=True))
    forks = sum(one["fork"] for one in labelled)

    assert len(labelled) >= 3000
    assert right / sum(noticed) >= LEAST_PRECISION
    assert right / forks >= LEAST_RECALL


@pytest.mark.promise("D4")
@some_or_all(2_000, 25_000)
def test_decisions_about_other_things_are_no_forks_of_each_other(amount):
    """Each statement meets every decision of a project, so a rare mistake would be a daily one."""
    labelled = pairs("forks-development")
    decisions = list(dict.fromkeys(one["decision"] for one in labelled))
    chance = random.Random(amount)
    met = alarms = 0
    while met < amount:
        decision, one = chance.choice(decisions), chance.choice(labelled)
        if one["decision"] != decision:
            met += 1
            alarms += bool(contradiction(decision, one["statement"]))

    assert alarms / met < 0.001


@pytest.mark.promise("D4")
def test_the_held_half_is_there_with_both_labels_and_shares_no_decision():
    held = pairs("forks-held")

    assert len(held) >= 150
    assert {one["fork"] for one in held} == {True, False}
    assert min(sum(one["fork"] is label for one in held) for label in (True, False)) >= 60
    developed = {one["decision"] for one in pairs("forks-development")}
    assert not developed & {one["decision"] for one in held}


def test_a_hostile_statement_is_read_in_bounded_steps():
    """Only its beginning is read, so its length does not matter; and no pattern runs away."""
    hostile = ["not " * 50_000, "from a " * 20_000, "a " * 100_000 + "?", "replace " * 30_000]

    assert all(len(read(text).tokens) <= CAP for text in hostile)
    assert all(len(claim.read(text).stems) <= 300 for text in hostile)
