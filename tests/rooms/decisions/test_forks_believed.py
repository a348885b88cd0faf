"""What is called a fork can be believed: an affirmation never is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

CORPUS = Path(__file__).parents[2] / "corpus" / "forks-believed.jsonl"
PAIRS = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]


@pytest.mark.promise("D4")
def test_the_corpus_has_sixty_affirmations_and_sixty_contradictions_of_every_readable_kind():
    labels = [pair["label"] for pair in PAIRS]
    kinds = {pair["sort"] for pair in PAIRS if pair["label"] == "contradiction"}

    assert (labels.count("affirmation"), labels.count("contradiction")) == (60, 60)
    assert kinds == {"technology", "number", "dependency", "constant", "outside"}
