"""How well labelled prompts are heard: those the weights were fitted on, and those that nobody who
fitted them has read."""

from __future__ import annotations

from pathlib import Path

import pytest
from prompts.understanding_scores import score

from measure import some_of

CORPUS = Path(__file__).parents[2] / "corpus"
# Measure: precision, recall. Goals are known by form, not fitted: only what was held back judges
# them, turn by turn and without the session around it.
RULES = {"prompts with rules": (0.95, 0.85)}
AIMS = {"held": RULES | {"goals": (0.8, 0.9)}, "development": RULES}


@pytest.mark.promise("C1")
@pytest.mark.promise("C2")
@pytest.mark.parametrize("name", some_of(["held", "development"], 1))
def test_labelled_prompts_are_heard_as_well_as_promised(name: str) -> None:
    scores = score(CORPUS / f"{name}.jsonl")
    for measure, (precision, recall) in AIMS[name].items():
        judged = scores[measure]
        assert judged.labelled, f"{name} labels no {measure}"
        assert judged.precision >= precision, measure
        assert judged.recall >= recall, measure
