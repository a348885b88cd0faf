"""Fit the weights by which forks are noticed: `python benchmarks/fit_forks.py [--write]`.

Reads the first pairs of `tests/corpus/forks-development.jsonl` alone; what follows there was
written later and is unseen. First it fits without each author in turn and judges that author's
pairs: nobody is judged by weights that saw his own sentences. With --limits the figures are told
for other limits too, by which those below were chosen. With --write it then fits on all of them
and writes `src/holdfast/rooms/decisions/contradiction/forks.weights`.

Whether both speak of the same is learned from the pairs against statements that meet a decision of
somebody else's concern; whether the decision is broken, from the labels. Logistic regression;
scikit-learn does it, and is needed for nothing else: `pip install scikit-learn`. The same corpus
gives the same bytes.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import numpy
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from holdfast.rooms.decisions.contradiction import fork_judgement
from holdfast.rooms.decisions.contradiction.contradiction_rules import differs
from holdfast.rooms.decisions.contradiction.pair_features import of_breach, of_subject
from holdfast.rooms.decisions.contradiction.sentence import read, subjects

ROOT = Path(__file__).parents[1]
CORPUS = ROOT / "tests" / "corpus" / "forks-development.jsonl"
# Who wrote by himself; everybody else in the corpus is one author, and counts for less.
HANDS = (
    "first-reader", "second-reader", "web-and-api", "tools-and-libraries", "mobile-and-front-end",
    "data-and-infra", "plans-of-agents", "rules-and-policies",
)  # fmt: skip
FITTED = 3439  # pairs, at the beginning of the file
OTHERS, OF_OTHERS = "one author", 0.5
STRENGTH = {"subject": 1.0, "breach": 0.3}  # of the fit: the smaller, the more is shrunk
LEAST = 0.03  # a smaller weight is not kept
STRANGERS = 6  # decisions of other pairs that each statement is met with
LIMITS = (1.5, 1.75, 0.75)  # chosen by --limits, so on the development part alone
SWEEP = [step / 4 for step in range(-4, 11)]

Limits = tuple[float, float, float]  # of the subject, of the breach, of the breach by a rule
Model = tuple[float, dict[str, float]]


class Pair:
    """A decision and a statement as traits, with the author and the label."""

    def __init__(self, decision: str, statement: str, author: str, *, is_fork: bool) -> None:
        self.author, self.is_fork = author, is_fork
        held, said = read(decision), read(statement)
        self.met = bool(subjects(decision) & subjects(statement))
        self.by_rule = self.met and bool(differs(decision, statement))
        self.subject = of_subject(held, said)
        self.breach = of_breach(held, said)


def author_of(said: dict[str, Any]) -> str:
    return said["hand"] if said["hand"] in HANDS else OTHERS


def strangers(lines: list[dict[str, Any]]) -> list[Pair]:
    """Statements met with decisions that they were not written for, where a word is shared."""
    chance = random.Random(7)
    found = []
    for author in (*HANDS, OTHERS):
        own = [one for one in lines if author_of(one) == author]
        decisions = list(dict.fromkeys(one["decision"] for one in own))
        for one in own:
            for decision in chance.sample(decisions, min(len(decisions), STRANGERS)):
                if decision != one["decision"]:
                    found.append(Pair(decision, one["statement"], author, is_fork=False))
    return found


def fit(
    features: list[list[str]], labels: list[bool], shares: list[float], strength: float
) -> Model:
    seen = Counter(trait for found in features for trait in found)
    names: dict[str, int] = {}
    columns, starts = [], [0]
    for found in features:
        columns += [names.setdefault(one, len(names)) for one in found if seen[one] > 1]
        starts.append(len(columns))
    shape = (len(features), len(names))
    rows = csr_matrix((numpy.ones(len(columns)), columns, starts), shape=shape)
    model = LogisticRegression(C=strength, solver="liblinear", random_state=7, max_iter=1000)
    model.fit(rows, numpy.array(labels), sample_weight=numpy.array(shares))
    return float(model.intercept_[0]), dict(zip(names, model.coef_[0].tolist(), strict=True))


def models_of(pairs: list[Pair], others: list[Pair]) -> tuple[Model, Model]:
    def share(one: Pair) -> float:
        return OF_OTHERS if one.author == OTHERS else 1.0

    met = [one for one in pairs + others if one.met]
    written = {id(one) for one in pairs}
    subject = fit(
        [one.subject for one in met],
        [id(one) in written for one in met],
        [share(one) for one in met],
        STRENGTH["subject"],
    )
    breach = fit(
        [one.breach for one in pairs],
        [one.is_fork for one in pairs],
        [share(one) for one in pairs],
        STRENGTH["breach"],
    )
    return subject, breach


def packed(models: tuple[Model, Model], limits: Limits) -> bytes:
    """The weights as fork.py reads them. Of two traits in one place the weightier stays."""
    starts = [models[0][0], models[1][0], models[1][0]]
    header = fork_judgement.MAGIC + b"".join(
        round((limit - start) * fork_judgement.STEP).to_bytes(2, "big", signed=True)
        for limit, start in zip(limits, starts, strict=True)
    )
    table = bytearray(fork_judgement.PLACES * fork_judgement.PLACE_BYTES)
    most: dict[str, float] = {}
    for _, weights in models:
        for trait, weight in weights.items():
            if abs(weight) > max(most.get(trait, 0.0), LEAST):
                most[trait] = abs(weight)
    for trait in sorted(most, key=lambda trait: (most[trait], trait)):
        at, proof = fork_judgement.place_of(trait)
        kept = [
            128 + max(-127, min(127, round(weights.get(trait, 0.0) * fork_judgement.SCALE)))
            for _, weights in models
        ]
        table[at - fork_judgement.HEADER_BYTES : at - fork_judgement.HEADER_BYTES + 3] = bytes(
            [proof, *kept]
        )
    return header + bytes(table)


def judged(pairs: list[Pair]) -> list[tuple[float, float]]:
    """How far each pair is above the thresholds, by the table that is loaded."""
    least = fork_judgement.thresholds(fork_judgement.table())
    return [
        (
            fork_judgement.weigh(one.subject, fork_judgement.SUBJECT) - least[0]
            if one.met
            else -99.0,
            fork_judgement.weigh(one.breach, fork_judgement.BREACH) - least[1],
        )
        for one in pairs
    ]


def figures(pairs: list[Pair], others: list[Pair], *, limits: bool) -> None:
    rows: list[tuple[Pair, tuple[float, float]]] = []
    strange: list[tuple[Pair, tuple[float, float]]] = []
    for author in (*HANDS, OTHERS):
        models = models_of(
            [one for one in pairs if one.author != author],
            [one for one in others if one.author != author],
        )
        _load(packed(models, (0.0, 0.0, 0.0)))
        own = [one for one in pairs if one.author == author]
        apart = [one for one in others if one.author == author]
        rows += zip(own, judged(own), strict=True)
        strange += zip(apart, judged(apart), strict=True)
        print(row(author, rows[-len(own) :], strange[-len(apart) :], LIMITS), flush=True)
    by_hands = [one for one in rows if one[0].author != OTHERS]
    apart_of_hands = [one for one in strange if one[0].author != OTHERS]
    print(row("all hands", by_hands, apart_of_hands, LIMITS))
    if limits:
        for subject, breach, by_rule in product((0.0, 0.5, 1.0, 1.5, 2.0), SWEEP, SWEEP):
            tried = (subject, breach, by_rule)
            print(row(f"{subject} {breach} {by_rule}", by_hands, apart_of_hands, tried))


def _load(weights: bytes) -> None:
    fork_judgement._TABLE[:] = [weights]


def row(
    name: str,
    told: list[tuple[Pair, tuple[float, float]]],
    strange: list[tuple[Pair, tuple[float, float]]],
    limits: Limits,
) -> str:
    def heard(one: Pair, margins: tuple[float, float]) -> bool:
        if one.by_rule and margins[1] > limits[2]:
            return True
        return margins[0] > limits[0] and margins[1] > limits[1]

    noticed = [one.is_fork for one, margins in told if heard(one, margins)]
    forks = sum(one.is_fork for one, _ in told)
    alarms = sum(heard(one, margins) for one, margins in strange) / max(1, len(strange))
    precision, recall = sum(noticed) / max(1, len(noticed)), sum(noticed) / max(1, forks)
    return f"{name:>22} {len(told):5} {precision:.3f} / {recall:.3f}, of strangers {alarms:.4f}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Fit the weights by which forks are noticed.")
    parser.add_argument("--write", action="store_true", help="write forks.weights")
    parser.add_argument("--limits", action="store_true", help="figures at other limits, too")
    given = parser.parse_args()
    text = CORPUS.read_text(encoding="utf-8").splitlines()[:FITTED]
    lines = [json.loads(line) for line in text]
    pairs = [
        Pair(one["decision"], one["statement"], author_of(one), is_fork=one["fork"])
        for one in lines
    ]
    others = strangers(lines)
    if given.write:
        Path(fork_judgement.PATH).write_bytes(packed(models_of(pairs, others), LIMITS))
    else:
        figures(pairs, others, limits=given.limits)


if __name__ == "__main__":
    main()
