"""Fit the weights by which prompts are heard: `python benchmarks/fit_hearing.py [--write]`.

Reads `tests/corpus/development.jsonl` alone. First it fits without each hand in turn and judges
that hand's prompts: nobody is judged by weights that saw his own sentences. With --limits the
figures are told for other limits too, by which those below were chosen. With --write it then fits
on all of them and writes `src/holdfast/rooms/prompts/classifier.weights`.

Logistic regression by averaged stochastic descent; scikit-learn does it, and is needed for nothing
else: `pip install scikit-learn`. The same corpus gives the same bytes.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy
from scipy.sparse import csr_matrix
from sklearn.linear_model import SGDClassifier

from holdfast.rooms.prompts import classifier, features
from holdfast.rooms.prompts.typed_text import own_words, split

ROOT = Path(__file__).parents[1]
CORPUS = ROOT / "tests" / "corpus" / "development.jsonl"
OF_PARTS, OF_PROMPTS = classifier.CLASSES[:3], classifier.CLASSES[3:5]
JUDGED_CLASSES = classifier.CLASSES[:5]
EPOCHS, SHRINK, SEED = 20, 1e-6, 7
LEAST = 0.12  # a smaller weight is not kept
# Above which a class is heard: chosen by --limits, so on the development part alone.
LIMITS = {
    "rules": 1.3,
    "withdraws": -0.6,
    "dead_ends": -0.8,
    "goal": 0.0,
    "continues": -0.5,
    "more_rules": 1.0,
}
# Who wrote whole prompts in natural proportions; the others wrote lines to learn from.
JUDGED = "abcdxyzABCDJO"
SWEEP = [step / 5 for step in range(-5, 21)]

Model = tuple[float, dict[str, float]]
Margins = dict[str, float]  # how far a prompt is above what each class starts from


class Prompt:
    """A labelled prompt as traits: of each clause, of each sentence, and of the whole."""

    def __init__(self, said: dict[str, Any]) -> None:
        self.hand, self.said = said["hand"], said
        text = said["prompt"]
        own = own_words(text)
        found = [features.cut(sentence) for sentence in split(own)]
        share = 4 * len(own.split()) // max(len(text.split()), 1)
        self.whole = features.of_prompt(found, share) if found else []
        self.sentences = [features.of_sentence(found, place, share) for place in range(len(found))]
        self.parts = [
            (features.of_part(part, place, len(found)), place, features.is_order(part))
            for place, sentence in enumerate(found)
            for part in sentence
        ]
        placed = [part for sentence in found for part in sentence]
        self.labels: dict[str, list[int]] = {}
        for name in OF_PARTS:
            texts = [rule["text"] for rule in said["rules"]] if name == "rules" else said[name]
            spans = [(text.find(one), text.find(one) + len(one)) for one in texts]
            self.labels[name] = [
                int(any(2 * (min(p.end, b) - max(p.start, a)) >= p.end - p.start for a, b in spans))
                for p in placed
            ]

    def has(self, name: str) -> bool | None:
        """Whether it is labelled so; None where nobody has said."""
        found = self.said[name]
        return None if found is None else bool(found)


def models_of(prompts: list[Prompt]) -> dict[str, Model]:
    """Every model: of clauses by class, of sentences and prompts for rules, of prompts by class."""
    parts = [traits_ for one in prompts for traits_, _, _ in one.parts]
    found = {
        name: fit(parts, [label for one in prompts for label in one.labels[name]])
        for name in OF_PARTS
    }
    ruled = [
        int(any(label and at == place for label, (_, at, _) in _labelled(one)))
        for one in prompts
        for place in range(len(one.sentences))
    ]
    found["sentence"] = fit([traits_ for one in prompts for traits_ in one.sentences], ruled)
    for name in (*OF_PROMPTS, "rules"):
        judged = [one for one in prompts if one.has(name) is not None and one.whole]
        key = "prompt" if name == "rules" else name
        found[key] = fit([one.whole for one in judged], [int(bool(o.has(name))) for o in judged])
    return found


def _labelled(one: Prompt) -> Iterable[tuple[int, tuple[list[str], int, bool]]]:
    return zip(one.labels["rules"], one.parts, strict=True)


def fit(features: list[list[str]], labels: list[int]) -> Model:
    names: dict[str, int] = {}
    columns, starts, values = [], [0], []
    for found in features:
        columns += [names.setdefault(one, len(names)) for one in found]
        values += [len(found) ** -0.5] * len(found)
        starts.append(len(columns))
    rows = csr_matrix((values, columns, starts), shape=(len(features), len(names)))
    model = SGDClassifier(
        loss="log_loss", alpha=SHRINK, max_iter=EPOCHS, tol=None, average=True, random_state=SEED
    ).fit(rows, numpy.array(labels))
    return float(model.intercept_[0]), dict(zip(names, model.coef_[0].tolist(), strict=True))


def packed(models: dict[str, Model], limits: dict[str, float]) -> bytes:
    """The weights as verdict.py reads them. Of two traits in one place the weightier stays."""
    header = bytearray(classifier.MAGIC)
    looks = models["rules"][0] + classifier.OF_SENTENCE * models["sentence"][0]
    starts = {name: models[name][0] for name in JUDGED_CLASSES}
    starts |= {"rules": looks + classifier.OF_PROMPT * models["prompt"][0], "more_rules": looks}
    for name in classifier.CLASSES:
        bias = starts[name]
        header += round((limits[name] - bias) * classifier.STEP).to_bytes(2, "big", signed=True)
    return bytes(header) + b"".join(
        _table([models[name][1] for name in names], place)
        for names, place in (
            (OF_PARTS, classifier.PARTS),
            (("sentence",), classifier.SENTENCES),
            ((*OF_PROMPTS, "prompt"), classifier.PROMPTS),
        )
    )


def _table(weights: list[dict[str, float]], place: classifier.Place) -> bytes:
    most: dict[str, float] = {}
    for each in weights:
        for trait, weight in each.items():
            if abs(weight) > max(most.get(trait, 0.0), LEAST):
                most[trait] = abs(weight)
    start, places, size = place
    table = bytearray(places * size)
    for trait in sorted(most, key=lambda trait: (most[trait], trait)):
        at, proof = classifier.place_of(trait, place)
        table[at - start] = proof
        for n, each in enumerate(weights):
            weight = round(each.get(trait, 0.0) * classifier.SCALE)
            table[at - start + 1 + n] = 128 + max(-127, min(127, weight))
    return bytes(table)


def margins(one: Prompt) -> Margins:
    """How far a prompt is above each class's threshold, by the table that is loaded."""
    limits = dict(zip(classifier.CLASSES, classifier.thresholds(classifier.table()), strict=True))
    found = dict.fromkeys(JUDGED_CLASSES, -99.0)
    if not one.whole:
        return found
    goal, continues, ruled = classifier._weigh(one.whole, classifier.PROMPTS)
    found["goal"], found["continues"] = goal - limits["goal"], continues - limits["continues"]
    around = [classifier.of_sentence(sentence) for sentence in one.sentences]
    for traits_, place, is_order in one.parts:
        sums = dict(zip(OF_PARTS, classifier._weigh(traits_, classifier.PARTS), strict=True))
        sums["rules"] += (
            around[place] + classifier.OF_ORDER * is_order + classifier.OF_PROMPT * ruled
        )
        for name in OF_PARTS:
            found[name] = max(found[name], sums[name] - limits[name])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="Fit the weights by which prompts are heard.")
    parser.add_argument("--write", action="store_true", help="write classifier.weights")
    parser.add_argument("--only-write", action="store_true", help="without the figures")
    parser.add_argument("--limits", action="store_true", help="figures at other limits, too")
    given = parser.parse_args()
    lines = CORPUS.read_text(encoding="utf-8").splitlines()
    prompts = [Prompt(json.loads(line)) for line in lines]
    if not given.only_write:
        figures(prompts, limits=given.limits)
    if given.write or given.only_write:
        Path(classifier.PATH).write_bytes(packed(models_of(prompts), LIMITS))


def figures(prompts: list[Prompt], *, limits: bool) -> None:
    """Each hand judged by what the others wrote, and all of them together."""
    print(f"{'hand':>6} " + " ".join(f"{name:>15}" for name in JUDGED_CLASSES))
    every: list[tuple[Prompt, Margins]] = []
    with ProcessPoolExecutor() as pool:
        for hand, found in zip(
            JUDGED, pool.map(_left_out, [(hand, prompts) for hand in JUDGED]), strict=True
        ):
            own = [one for one in prompts if one.hand == hand]
            every += zip(own, found, strict=True)
            print(_row(hand, every[len(every) - len(own) :], LIMITS), flush=True)
    print(_row("all", every, LIMITS))
    for limit in SWEEP if limits else []:
        print(_row(f"{limit:.1f}", every, dict.fromkeys(LIMITS, limit)))


def _left_out(given: tuple[str, list[Prompt]]) -> list[Margins]:
    """One hand's prompts, judged by weights that never saw them."""
    hand, prompts = given
    models = models_of([one for one in prompts if one.hand != hand])
    classifier._TABLE[:] = [packed(models, dict.fromkeys(LIMITS, 0.0))]
    return [margins(one) for one in prompts if one.hand == hand]


def _row(name: str, judged: list[tuple[Prompt, Margins]], limits: dict[str, float]) -> str:
    shown = []
    for each in JUDGED_CLASSES:
        told = [(one.has(each), margin[each] > limits[each]) for one, margin in judged]
        right = sum(bool(is_so) and heard for is_so, heard in told)
        heard = sum(heard for is_so, heard in told if is_so is not None)
        labelled = sum(bool(is_so) for is_so, _ in told)
        shown.append(f"{right / max(heard, 1):.3f} / {right / max(labelled, 1):.3f}")
    return f"{name:>6} " + " ".join(f"{one:>15}" for one in shown)


if __name__ == "__main__":
    main()
