"""How well prompts are heard: what was heard against what a person labelled.

A text that was heard is right when it shares at least half of the shorter of the two with a
labelled one, at its place in the prompt: words said twice do not count for each other.
Precision is right / heard, recall is found / labelled; both are 1 where there is nothing to judge.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from holdfast.rooms.prompts.understanding import hear

MEASURES = (
    "prompts with rules",
    "rules",
    "goals",
    "withdrawals",
    "dead ends",
    "continues",
)


@dataclass
class Score:
    """Right and wrong of one measure, with the mistakes."""

    heard: int = 0
    right: int = 0
    labelled: int = 0
    found: int = 0
    mistakes: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float:
        return self.right / self.heard if self.heard else 1.0

    @property
    def recall(self) -> float:
        return self.found / self.labelled if self.labelled else 1.0


def read(corpus: Path) -> Iterator[dict[str, Any]]:
    with corpus.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


def score(corpus: Path) -> dict[str, Score]:
    scores = {name: Score() for name in MEASURES}
    for case in read(corpus):
        prompt = case["prompt"]
        heard = hear(prompt)
        rules = [rule.text for rule in heard.rules]
        labelled = [rule["text"] for rule in case["rules"]]
        pairs = [(a, b) for a in rules for b in labelled if overlap(prompt, a, b)]
        _claim(scores["prompts with rules"], case, bool(rules), bool(labelled), bool(pairs))
        _texts(scores["rules"], case, rules, labelled)
        if case["goal"] is not None:  # nobody has said whether it gives a task
            _claim(scores["goals"], case, bool(heard.goal), case["goal"])
        _texts(scores["withdrawals"], case, heard.withdrawals, case["withdraws"])
        _texts(scores["dead ends"], case, heard.dead_ends, case["dead_ends"])
        _claim(scores["continues"], case, heard.continues, case["continues"])
    return scores


def overlap(prompt: str, heard: str, labelled: str) -> bool:
    """Whether the two share at least half of the shorter one, somewhere in the prompt."""
    return any(
        min(a + len(heard), b + len(labelled)) - max(a, b) >= min(len(heard), len(labelled)) / 2
        for a in _places(prompt, heard)
        for b in _places(prompt, labelled)
    )


def _places(prompt: str, text: str) -> Iterator[int]:
    at = prompt.find(text)
    while at >= 0:
        yield at
        at = prompt.find(text, at + 1)


def _claim(
    score: Score, case: dict[str, Any], heard: bool, labelled: bool, matched: bool | None = None
) -> None:
    right = heard and labelled if matched is None else matched
    score.heard += heard
    score.labelled += labelled
    score.right += right
    score.found += right
    if heard and not right:
        score.mistakes.append(f"{case['id']} wrongly heard: {case['prompt']!r}")
    if labelled and not right:
        score.mistakes.append(f"{case['id']} missed: {case['prompt']!r}")


def _texts(score: Score, case: dict[str, Any], heard: list[str], labelled: list[str]) -> None:
    prompt = case["prompt"]
    for text in heard:
        is_right = any(overlap(prompt, text, label) for label in labelled)
        score.heard += 1
        score.right += is_right
        if not is_right:
            score.mistakes.append(f"{case['id']} wrongly heard: {text!r}")
    for label in labelled:
        is_found = any(overlap(prompt, text, label) for text in heard)
        score.labelled += 1
        score.found += is_found
        if not is_found:
            score.mistakes.append(f"{case['id']} missed: {label!r}")
