"""What is called a fork can be believed: an affirmation never is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from holdfast.rooms.decisions.contradiction.certain_forks import certain
from holdfast.rooms.decisions.contradiction.changed_choices import certain_change

CORPUS = Path(__file__).parents[2] / "corpus" / "forks-believed.jsonl"
PAIRS = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]


@pytest.mark.promise("D4")
def test_the_corpus_has_sixty_affirmations_and_sixty_contradictions_of_every_readable_kind():
    labels = [pair["label"] for pair in PAIRS]
    kinds = {pair["sort"] for pair in PAIRS if pair["label"] == "contradiction"}

    assert (labels.count("affirmation"), labels.count("contradiction")) == (60, 60)
    assert kinds == {"technology", "number", "dependency", "constant", "outside"}


def judged(pair: dict) -> str:
    if "statement" in pair:
        return certain(pair["decision"], pair["statement"])
    return certain_change(pair["decision"], pair["path"], pair["before"], pair["after"])


@pytest.mark.promise("D4")
@pytest.mark.parametrize(
    "pair",
    [each for each in PAIRS if each["label"] == "affirmation"],
    ids=lambda each: each["decision"],
)
def test_an_affirmation_is_never_called_a_fork(pair):
    assert judged(pair) == ""


@pytest.mark.promise("D4")
@pytest.mark.parametrize(
    ("kind", "least"),
    [("technology", 12), ("number", 11), ("dependency", 7), ("constant", 7), ("outside", 0)],
)
def test_of_contradictions_that_can_be_read_no_fewer_are_named_than_were(kind, least):
    assert sum(bool(judged(pair)) for pair in PAIRS if pair["sort"] == kind) >= least
