"""Fit the weights by which forks are noticed, on `tests/corpus/forks-development.jsonl` alone.

    python benchmarks/training/fit_forks.py --check | --write | --figures [--limits]

Reads the first pairs of the corpus; what follows there was written later and is unseen. --check
fits on all of them and compares the bytes with what ships
(`src/holdfast/rooms/decisions/contradiction/forks.weights`); --write writes them. --figures fits
without each author in turn and judges that author's pairs: nobody is judged by weights that saw his
own sentences. With --limits it does so for other limits too, by which those below were chosen.

Whether both speak of the same is learned from the pairs against statements that meet a decision of
another concern; whether the decision is broken, from the labels. Logistic regression, done by
scikit-learn. The same corpus gives the same bytes, with the versions of `requirements.txt`.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import numpy
import shipped
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from holdfast.rooms.decisions.contradiction import fork_judgement
from holdfast.rooms.decisions.contradiction.contradiction_rules import differs
from holdfast.rooms.decisions.contradiction.pair_features import of_breach, of_subject
from holdfast.rooms.decisions.contradiction.sentence import read, subjects

CORPUS = shipped.CORPUS / "forks-development.jsonl"
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
        held, claim = read(decision), read(statement)
        self.met = bool(subjects(decision) & subjects(statement))
        self.by_rule = self.met and bool(differs(decision, statement))
        self.subject = of_subject(held, claim)
        self.breach = of_breach(held, claim)


def author_of(line: dict[str, Any]) -> str:
    return line["hand"] if line["hand"] in HANDS else OTHERS


def strangers(lines: list[dict[str, Any]]) -> list[Pair]:
    """Statements met with decisions that they were not written for, where a word is shared."""
    chance = random.Random(7)
    pairs = []
    for author in (*HANDS, OTHERS):
        own = [line for line in lines if author_of(line) == author]
        decisions = list(dict.fromkeys(line["decision"] for line in own))
        for line in own:
            for decision in chance.sample(decisions, min(len(decisions), STRANGERS)):
                if decision != line["decision"]:
                    pairs.append(Pair(decision, line["statement"], author, is_fork=False))
    return pairs


def fit(
    features: list[list[str]], labels: list[bool], shares: list[float], strength: float
) -> Model:
    seen = Counter(trait for traits in features for trait in traits)
    names: dict[str, int] = {}
    columns, starts = [], [0]
    for traits in features:
        columns += [names.setdefault(name, len(names)) for name in traits if seen[name] > 1]
        starts.append(len(columns))
    shape = (len(features), len(names))
    rows = csr_matrix((numpy.ones(len(columns)), columns, starts), shape=shape)
    model = LogisticRegression(C=strength, solver="liblinear", random_state=7, max_iter=1000)
    model.fit(rows, numpy.array(labels), sample_weight=numpy.array(shares))
    return float(model.intercept_[0]), dict(zip(names, model.coef_[0].tolist(), strict=True))


def models_of(pairs: list[Pair], others: list[Pair]) -> tuple[Model, Model]:
    def share(pair: Pair) -> float:
        return OF_OTHERS if pair.author == OTHERS else 1.0

    met = [pair for pair in pairs + others if pair.met]
    written = {id(pair) for pair in pairs}
    subject = fit(
        [pair.subject for pair in met],
        [id(pair) in written for pair in met],
        [share(pair) for pair in met],
        STRENGTH["subject"],
    )
    breach = fit(
        [pair.breach for pair in pairs],
        [pair.is_fork for pair in pairs],
        [share(pair) for pair in pairs],
        STRENGTH["breach"],
    )
    return subject, breach


def packed(models: tuple[Model, Model], limits: Limits) -> bytes:
    """The weights as fork_judgement.py reads them. Of two traits in one place the weightier
    stays."""
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
            fork_judgement.weigh(pair.subject, fork_judgement.SUBJECT) - least[0]
            if pair.met
            else -99.0,
            fork_judgement.weigh(pair.breach, fork_judgement.BREACH) - least[1],
        )
        for pair in pairs
    ]


def figures(pairs: list[Pair], others: list[Pair], *, limits: bool) -> None:
    rows: list[tuple[Pair, tuple[float, float]]] = []
    strange: list[tuple[Pair, tuple[float, float]]] = []
    for author in (*HANDS, OTHERS):
        models = models_of(
            [pair for pair in pairs if pair.author != author],
            [pair for pair in others if pair.author != author],
        )
        _load(packed(models, (0.0, 0.0, 0.0)))
        own = [pair for pair in pairs if pair.author == author]
        apart = [pair for pair in others if pair.author == author]
        rows += zip(own, judged(own), strict=True)
        strange += zip(apart, judged(apart), strict=True)
        print(row(author, rows[-len(own) :], strange[-len(apart) :], LIMITS), flush=True)
    by_hands = [pair for pair in rows if pair[0].author != OTHERS]
    apart_of_hands = [pair for pair in strange if pair[0].author != OTHERS]
    print(row("all hands", by_hands, apart_of_hands, LIMITS))
    if limits:
        for subject, breach, by_rule in product((0.0, 0.5, 1.0, 1.5, 2.0), SWEEP, SWEEP):
            tried = (subject, breach, by_rule)
            print(row(f"{subject} {breach} {by_rule}", by_hands, apart_of_hands, tried))


def _load(weights: bytes) -> None:
    fork_judgement._TABLE[:] = [weights]


def row(
    name: str,
    judged: list[tuple[Pair, tuple[float, float]]],
    strange: list[tuple[Pair, tuple[float, float]]],
    limits: Limits,
) -> str:
    def heard(pair: Pair, margins: tuple[float, float]) -> bool:
        if pair.by_rule and margins[1] > limits[2]:
            return True
        return margins[0] > limits[0] and margins[1] > limits[1]

    noticed = [pair.is_fork for pair, margins in judged if heard(pair, margins)]
    forks = sum(pair.is_fork for pair, _ in judged)
    alarms = sum(heard(pair, margins) for pair, margins in strange) / max(1, len(strange))
    precision, recall = sum(noticed) / max(1, len(noticed)), sum(noticed) / max(1, forks)
    return f"{name:>22} {len(judged):5} {precision:.3f} / {recall:.3f}, of strangers {alarms:.4f}"


def main() -> None:
    asked = shipped.options("the weights by which forks are noticed").parse_args()
    text = CORPUS.read_text(encoding="utf-8").splitlines()[:FITTED]
    lines = [json.loads(line) for line in text]
    pairs = [
        Pair(line["decision"], line["statement"], author_of(line), is_fork=line["fork"])
        for line in lines
    ]
    others = strangers(lines)
    if asked.figures:
        figures(pairs, others, limits=asked.limits)
        return
    fitted, path = packed(models_of(pairs, others), LIMITS), Path(fork_judgement.PATH)
    shipped.compare_or_write(path, fitted, write=asked.write)


if __name__ == "__main__":
    main()
