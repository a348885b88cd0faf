"""Fit the weights by which prompts are understood, on `tests/corpus/development.jsonl` alone.

    python benchmarks/training/fit_prompts.py --check | --write | --figures [--limits]

--check fits on all authors and compares the bytes with what ships
(`src/holdfast/rooms/prompts/classifier.weights`); --write writes them. --figures fits without each
author in turn and judges that author's prompts: nobody is judged by weights that saw his own
sentences. With --limits it does so for other limits too, by which those below were chosen.

Logistic regression by averaged stochastic descent, done by scikit-learn. The same corpus gives the
same bytes, with the versions of `requirements.txt`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy
import shipped
from scipy.sparse import csr_matrix
from sklearn.linear_model import SGDClassifier

from holdfast.rooms.prompts import classifier, features
from holdfast.rooms.prompts.typed_text import own_words, split

CORPUS = shipped.CORPUS / "development.jsonl"
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

    def __init__(self, line: dict[str, Any]) -> None:
        self.hand, self.line = line["hand"], line
        text = line["prompt"]
        own = own_words(text)
        sentences = [features.cut(sentence) for sentence in split(own)]
        share = 4 * len(own.split()) // max(len(text.split()), 1)
        self.whole = features.of_prompt(sentences, share) if sentences else []
        self.sentences = [
            features.of_sentence(sentences, place, share) for place in range(len(sentences))
        ]
        self.parts = [
            (features.of_part(part, place, len(sentences)), place, features.is_order(part))
            for place, sentence in enumerate(sentences)
            for part in sentence
        ]
        placed = [part for sentence in sentences for part in sentence]
        self.labels: dict[str, list[int]] = {}
        for name in OF_PARTS:
            texts = [rule["text"] for rule in line["rules"]] if name == "rules" else line[name]
            spans = [(text.find(label), text.find(label) + len(label)) for label in texts]
            self.labels[name] = [
                int(any(2 * (min(p.end, b) - max(p.start, a)) >= p.end - p.start for a, b in spans))
                for p in placed
            ]

    def has(self, name: str) -> bool | None:
        """Whether it is labelled so; None where nobody has said."""
        label = self.line[name]
        return None if label is None else bool(label)


def models_of(prompts: list[Prompt]) -> dict[str, Model]:
    """Every model: of clauses by class, of sentences and prompts for rules, of prompts by class."""
    parts = [traits_ for prompt in prompts for traits_, _, _ in prompt.parts]
    models = {
        name: fit(parts, [label for prompt in prompts for label in prompt.labels[name]])
        for name in OF_PARTS
    }
    ruled = [
        int(any(label and at == place for label, (_, at, _) in _labelled(prompt)))
        for prompt in prompts
        for place in range(len(prompt.sentences))
    ]
    models["sentence"] = fit([traits_ for prompt in prompts for traits_ in prompt.sentences], ruled)
    for name in (*OF_PROMPTS, "rules"):
        judged = [prompt for prompt in prompts if prompt.has(name) is not None and prompt.whole]
        key = "prompt" if name == "rules" else name
        models[key] = fit(
            [prompt.whole for prompt in judged], [int(bool(o.has(name))) for o in judged]
        )
    return models


def _labelled(prompt: Prompt) -> Iterable[tuple[int, tuple[list[str], int, bool]]]:
    return zip(prompt.labels["rules"], prompt.parts, strict=True)


def fit(features: list[list[str]], labels: list[int]) -> Model:
    names: dict[str, int] = {}
    columns, starts, values = [], [0], []
    for traits in features:
        columns += [names.setdefault(name, len(names)) for name in traits]
        values += [len(traits) ** -0.5] * len(traits)
        starts.append(len(columns))
    rows = csr_matrix((values, columns, starts), shape=(len(features), len(names)))
    model = SGDClassifier(
        loss="log_loss", alpha=SHRINK, max_iter=EPOCHS, tol=None, average=True, random_state=SEED
    ).fit(rows, numpy.array(labels))
    return float(model.intercept_[0]), dict(zip(names, model.coef_[0].tolist(), strict=True))


def packed(models: dict[str, Model], limits: dict[str, float]) -> bytes:
    """The weights as classifier.py reads them. Of two traits in one place the weightier stays."""
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


def margins(prompt: Prompt) -> Margins:
    """How far a prompt is above each class's threshold, by the table that is loaded."""
    limits = dict(zip(classifier.CLASSES, classifier.thresholds(classifier.table()), strict=True))
    above = dict.fromkeys(JUDGED_CLASSES, -99.0)
    if not prompt.whole:
        return above
    goal, continues, ruled = classifier._weigh(prompt.whole, classifier.PROMPTS)
    above["goal"], above["continues"] = goal - limits["goal"], continues - limits["continues"]
    around = [classifier.of_sentence(sentence) for sentence in prompt.sentences]
    for traits_, place, is_order in prompt.parts:
        sums = dict(zip(OF_PARTS, classifier._weigh(traits_, classifier.PARTS), strict=True))
        sums["rules"] += (
            around[place] + classifier.OF_ORDER * is_order + classifier.OF_PROMPT * ruled
        )
        for name in OF_PARTS:
            above[name] = max(above[name], sums[name] - limits[name])
    return above


def main() -> None:
    asked = shipped.options("the weights by which prompts are understood").parse_args()
    lines = CORPUS.read_text(encoding="utf-8").splitlines()
    prompts = [Prompt(json.loads(line)) for line in lines]
    if asked.figures:
        figures(prompts, limits=asked.limits)
        return
    fitted, path = packed(models_of(prompts), LIMITS), Path(classifier.PATH)
    shipped.compare_or_write(path, fitted, write=asked.write)
    sums = Path(classifier.SUMS_PATH)
    shipped.compare_or_write(sums, classifier.sums_of(fitted), write=asked.write)


def figures(prompts: list[Prompt], *, limits: bool) -> None:
    """Each hand judged by what the others wrote, and all of them together."""
    print(f"{'hand':>6} " + " ".join(f"{name:>15}" for name in JUDGED_CLASSES))
    every: list[tuple[Prompt, Margins]] = []
    with ProcessPoolExecutor() as pool:
        for hand, prompts_margins in zip(
            JUDGED, pool.map(_left_out, [(hand, prompts) for hand in JUDGED]), strict=True
        ):
            own = [prompt for prompt in prompts if prompt.hand == hand]
            every += zip(own, prompts_margins, strict=True)
            print(_row(hand, every[len(every) - len(own) :], LIMITS), flush=True)
    print(_row("all", every, LIMITS))
    for limit in SWEEP if limits else []:
        print(_row(f"{limit:.1f}", every, dict.fromkeys(LIMITS, limit)))


def _left_out(given: tuple[str, list[Prompt]]) -> list[Margins]:
    """One hand's prompts, judged by weights that never saw them."""
    hand, prompts = given
    models = models_of([prompt for prompt in prompts if prompt.hand != hand])
    classifier._TABLE[:] = [packed(models, dict.fromkeys(LIMITS, 0.0))]
    return [margins(prompt) for prompt in prompts if prompt.hand == hand]


def _row(name: str, judged: list[tuple[Prompt, Margins]], limits: dict[str, float]) -> str:
    shown = []
    for each in JUDGED_CLASSES:
        pairs = [(cell.has(each), margin[each] > limits[each]) for cell, margin in judged]
        right = sum(bool(is_so) and heard for is_so, heard in pairs)
        heard = sum(heard for is_so, heard in pairs if is_so is not None)
        labelled = sum(bool(is_so) for is_so, _ in pairs)
        shown.append(f"{right / max(heard, 1):.3f} / {right / max(labelled, 1):.3f}")
    return f"{name:>6} " + " ".join(f"{cell:>15}" for cell in shown)


if __name__ == "__main__":
    main()
