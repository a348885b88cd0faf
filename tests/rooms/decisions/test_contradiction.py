"""A fork that is named can be believed: the same slot, another name or number. All else is none."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from holdfast.rooms.decisions.contradiction import claim
from holdfast.rooms.decisions.contradiction.certain_forks import certain
from holdfast.rooms.decisions.contradiction.changed_choices import certain_change, dependencies
from holdfast.rooms.decisions.contradiction.quantity import amounts
from holdfast.rooms.decisions.contradiction.touching import MOST, touched
from measure import some_or_all

CORPUS = Path(__file__).parents[2] / "corpus"
MOST_FALSE = 0.001  # of what is no fork


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
            "Cache pages for 5 minutes",
            "Cache pages for 2 hours",
            "says 2 hours where the decision says 5 minutes",
            id="another amount in another unit",
        ),
        pytest.param(
            "We use pytest, not unittest",
            "I'll write this with unittest",
            "takes up unittest, which the decision rules out",
            id="what was ruled out is taken up",
        ),
        pytest.param(
            "Charts are drawn with Vega",
            "Charts are drawn with Plotly",
            "chooses plotly where the decision chose vega",
            id="a name that no table knows, all else word for word",
        ),
    ],
)
def test_another_choice_in_the_same_slot_is_a_fork_and_says_in_what(decision, statement, why):
    assert certain(decision, statement) == why


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
        pytest.param("Orders stay in Postgres, not MongoDB", id="affirmed against another"),
        pytest.param("Store archived orders in MongoDB", id="a narrower case"),
        pytest.param("If it grows, orders go to MongoDB", id="a condition"),
        pytest.param("", id="nothing"),
        pytest.param("!!! ... ---", id="no words"),
    ],
)
def test_what_only_sounds_alike_is_no_fork(statement):
    assert certain("Use PostgreSQL for orders", statement) == ""


def test_amounts_are_compared_and_not_their_spelling():
    assert not certain("Cache responses for 5 minutes", "Cache responses for 300 seconds")
    assert not certain("Tokens live for 15 minutes", "Tokens live for a quarter of an hour")
    assert certain("Support Python 3.1", "Support Python 3.10")


@pytest.mark.promise("D4")
@pytest.mark.parametrize(
    ("amount", "same"),
    [
        ("1 second", "1000 milliseconds"),
        ("1 sec", "1000 ms"),
        ("1 minute", "60 s"),
        ("1 hour", "60 min"),
        ("1 hr", "1 h"),
        ("1 day", "24 hours"),
        ("1 week", "7 days"),
        ("1 month", "30 days"),
        ("1 quarter", "90 days"),
        ("1 year", "365 days"),
        ("1 khz", "1000 hz"),
        ("1 mhz", "1000 khz"),
        ("1 ghz", "1000 mhz"),
        ("60 rpm", "1 baud"),
        ("1 mbit", "1000 kbit"),
        ("1 gbit", "1000 mbit"),
        ("1 mbps", "1000 kbps"),
        ("1 gbps", "1000 mbps"),
        ("1 kbps", "1000 hz"),
        ("1 kbit", "1 khz"),
        ("1 kb", "1000 bytes"),
        ("1 mb", "1000 kb"),
        ("1 gb", "1000 mb"),
        ("1 tb", "1000 gb"),
        ("1 kib", "1024 b"),
        ("1 mib", "1024 kib"),
        ("1 gib", "1024 mib"),
        ("1 gi", "1024 mi"),
        ("hourly", "every hour"),
        ("nightly", "daily"),
        ("weekly", "every 7 days"),
        ("biweekly", "fortnightly"),
        ("biweekly", "every 14 days"),
        ("monthly", "every 30 days"),
        ("quarterly", "every 3 months"),
        ("yearly", "annually"),
        ("yearly", "every 365 days"),
        ("twice a day", "every 12 hours"),
        ("once a week", "weekly"),
        ("noon", "12 pm"),
        ("midnight", "12 am"),
        ("a dozen requests", "twelve requests"),
    ],
)
def test_an_amount_is_the_same_in_any_unit(amount, same):
    (one,) = amounts(amount.split())
    (other,) = amounts(same.split())

    assert (one.dimension, one.value) == (other.dimension, pytest.approx(other.value, rel=1e-12))


def test_a_bound_is_another_slot_than_a_value():
    assert not certain("Cache pages for at most 30 seconds", "Cache pages for 20 seconds")


@pytest.mark.promise("D4")
@some_or_all(4_000, 28_903)
def test_what_is_named_of_pairs_by_forty_authors_is_right(amount):
    sample = random.Random(7).sample(pairs("forks-development"), amount)
    named = [pair for pair in sample if certain(pair["decision"], pair["statement"])]

    false = sum(not pair["fork"] for pair in named)

    assert len(named) >= amount / 200
    assert false / sum(not pair["fork"] for pair in sample) <= MOST_FALSE


@pytest.mark.promise("D4")
@some_or_all(2_000, 25_000)
def test_decisions_about_other_things_are_no_forks_of_each_other(amount):
    """Each statement meets every decision of a project, so a rare mistake would be a daily one."""
    labelled = pairs("forks-development")
    decisions = list(dict.fromkeys(pair["decision"] for pair in labelled))
    chance = random.Random(amount)
    met = alarms = 0
    while met < amount:
        decision, pair = chance.choice(decisions), chance.choice(labelled)
        if pair["decision"] != decision:
            met += 1
            alarms += bool(certain(decision, pair["statement"]))

    assert alarms / met < 0.001


@pytest.mark.promise("D4")
@pytest.mark.parametrize(
    ("path", "content", "names"),
    [
        ("web/package.json", '{"dependencies": {"a": "1"}, "scripts": {"b": "c"}}', {"a"}),
        ("pyproject.toml", '[project]\ndependencies = ["a>=1", "b-c[d]"]\n', {"a", "b-c"}),
        ("pyproject.toml", '[tool.poetry.dependencies]\npython = "3"\na = "1"\n', {"a"}),
        ("requirements-dev.txt", "# b\na==1\n-r base.txt\n", {"a"}),
        ("Cargo.toml", '[dependencies]\na = "1"\n[dev-dependencies]\nb = "2"\n', {"a", "b"}),
        ("go.mod", "module x\nrequire a.b/c/v2 v2.0.1\n", {"a.b/c"}),
    ],
)
def test_the_dependencies_of_a_manifest_are_read(path, content, names):
    assert dependencies(path, content) == names


@pytest.mark.parametrize("path", ["package.json", "pyproject.toml", "Cargo.toml", "src/a.py"])
def test_what_is_no_manifest_has_no_dependencies(path):
    assert dependencies(path, "{[ neither") is None


@pytest.mark.promise("D4")
def test_a_common_word_is_no_dependency_that_a_decision_speaks_of():
    with_log = '[dependencies]\nlog = "0.4"\n'

    assert not certain_change("Never log request bodies", "Cargo.toml", "[dependencies]", with_log)


@pytest.mark.promise("D4")
def test_a_constant_that_comes_to_what_was_decided_is_no_fork():
    assert not certain_change("MAX_RETRIES is 3", "a.py", "MAX_RETRIES = 5", "MAX_RETRIES = 3")
    assert certain_change("MAX_RETRIES is 3", "a.py", "MAX_RETRIES = 3", "MAX_RETRIES = 5") == (
        "changes MAX_RETRIES from 3 to 5 in a.py"
    )


@pytest.mark.promise("D4")
def test_of_many_decisions_those_are_pointed_at_that_speak_of_the_same():
    many = [f"Part {number} of the catalogue is printed on paper" for number in range(400)]
    many.insert(217, "Health data never leaves the device")

    near = touched(many, "Upload the health samples of the device to our servers")
    assert near[0] == (217, "device, health")
    assert len(touched(many, "Print the catalogue on better paper")) <= MOST


def test_a_hostile_statement_is_read_in_bounded_steps():
    """Only its beginning is read, so its length does not matter; and no pattern runs away."""
    hostile = ["not " * 50_000, "from a " * 20_000, "a " * 100_000 + "?", "replace " * 30_000]

    assert all(len(claim.read(text).stems) <= 300 for text in hostile)
    assert not any(certain("Use PostgreSQL for orders", text) for text in hostile)
    assert not certain_change("a is 3", "a.py", "int " * 50_000, "a " * 50_000 + "= 3")
