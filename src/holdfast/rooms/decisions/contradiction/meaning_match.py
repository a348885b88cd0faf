"""Which of many decisions a statement contradicts: by what both mean, else by words alone.

With the extra `semantic` a small model (`models/encoder.py`) says first which decisions a
statement speaks of. It then reads the statement together with each of those few, tuned to this
question by `forks.adapter`; what it finds and what the words show are weighed together. The adapter
was fitted on labelled pairs (`training/fit_adapter.py`). Without the extra, or when it cannot be
read, words judge alone (`fork_judgement.py`).

Laws: a statement speaks of no more than SPOKEN_OF decisions, so others are rarely named, however
many there are; no more than CANDIDATES are looked at, those whose words are nearest, so thousands
of decisions cost about what a hundred do.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING
from zlib import crc32

from holdfast.rooms.decisions.contradiction import fork_judgement
from holdfast.rooms.decisions.contradiction.contradiction_rules import differs
from holdfast.rooms.decisions.contradiction.pair_features import of_breach, of_others, of_subject
from holdfast.rooms.decisions.contradiction.sentence import CAP, Reading, read, subjects

if TYPE_CHECKING:
    from holdfast.models.encoder import Encoder
    from holdfast.models.tensors import Arrays

__all__ = ["MEANING", "SHOWN", "WORDS", "contradicted", "judge", "judged_by"]

MEANING, WORDS = "meaning", "words"
SHOWN = {MEANING: "as far as a small model sees", WORDS: "as far as words show"}
PATH = f"{__file__.rpartition('/')[0]}/forks.adapter"
CANDIDATES, SPOKEN_OF = 128, 2
FEATURES = 5  # vectors of a pair that the head sees
PLACES = 1 << 17  # for weights of traits
RULE = "by a rule"


def contradicted(decisions: Sequence[str], statement: str) -> list[str]:
    """In what a statement contradicts each of the decisions, "" where it does not."""
    meaning = judge()
    if isinstance(meaning, str):
        return [fork_judgement.contradiction(decision, statement) for decision in decisions]
    stated = read(statement)
    whys = [""] * len(decisions)
    if not (decisions and stated.tokens):
        return whys
    near = _near(decisions, stated)
    related = meaning.related([decisions[at] for at in near], statement)
    ranked = sorted(zip(related, near, strict=True), key=lambda pair: (-pair[0], pair[1]))
    meant = [at for score, at in ranked[:SPOKEN_OF] if score > 0]
    sums = meaning.sums([(decisions[at], statement) for at in meant])
    for at, total in zip(meant, sums, strict=True):
        if total > 0:
            whys[at] = differs(decisions[at], statement) or fork_judgement.why(
                read(decisions[at]), stated
            )
    return whys


def judged_by() -> str:
    """By what `contradicted` judges here."""
    return WORDS if isinstance(judge(), str) else MEANING


def _near(decisions: Sequence[str], stated: Reading) -> list[int]:
    """Which decisions are looked at: all, or those whose words speak most of the same."""
    if len(decisions) <= CANDIDATES:
        return list(range(len(decisions)))
    alike = [
        fork_judgement.weigh(of_subject(read(decision), stated), fork_judgement.SUBJECT)
        for decision in decisions
    ]
    return sorted(range(len(decisions)), key=lambda at: -alike[at])[:CANDIDATES]


def nearness(decision: str, statement: str, alike: float) -> list[float]:
    """By which it is judged whether a statement speaks of a decision: its words, and how alike the
    two are in meaning."""
    words = fork_judgement.weigh(
        of_subject(read(decision), read(statement)), fork_judgement.SUBJECT
    )
    met = float(bool(subjects(decision) & subjects(statement)))
    return [words, met, alike, met * alike, words * alike, 1.0]


def traits_of(decision: str, statement: str) -> list[str]:
    """What the words show of a breach, and whether a rule says so."""
    held, stated = read(decision), read(statement)
    traits = of_breach(held, stated) + of_others(held, stated)
    return [*traits, RULE] if differs(decision, statement) else traits


def place_of(trait: str) -> tuple[int, int]:
    """Where a trait's weight lies in the adapter, and the byte that proves it its own."""
    sum_ = crc32(trait.encode("utf-8", "backslashreplace"))
    return sum_ & (PLACES - 1), (sum_ >> 24) | 1


class Judge:
    """The model as it came and as it was tuned; the head that says what its states are worth; the
    weights of words."""

    def __init__(self, plain: Encoder, tuned: Encoder, ours: Arrays) -> None:
        self._plain, self._tuned = plain, tuned
        self._within = ours["head.within"] * ours["head.scale"][:, None]
        self._bias = ours["head.within.bias"]
        self._out = ours["head.out"]
        self._start = float(ours["head.start"][0])
        self._related = [float(weight) for weight in ours["related"]]
        self._proofs = bytes(ours["words.proof"])
        self._weights: list[float] = ours["words.weight"].tolist()

    def related(self, decisions: list[str], statement: str) -> list[float]:
        """How much a statement speaks of each decision; above 0 it does."""
        cut = [text[:CAP] for text in (statement, *decisions)]
        stated, *held = self._plain.of_texts(cut)
        scores = []
        for decision, vector in zip(cut[1:], held, strict=True):
            near = nearness(decision, cut[0], float(vector @ stated))
            scores.append(sum(a * b for a, b in zip(self._related, near, strict=True)))
        return scores

    def sums(self, pairs: list[tuple[str, str]]) -> list[float]:
        """How much each statement breaks its decision; above 0 it does."""
        pairs = [(decision[:CAP], statement[:CAP]) for decision, statement in pairs]
        meaning = self._by_meaning(pairs) if pairs else []
        return [
            self._start + score + self._by_words(traits_of(*pair))
            for score, pair in zip(meaning, pairs, strict=True)
        ]

    def _by_meaning(self, pairs: list[tuple[str, str]]) -> list[float]:
        import numpy

        whole, held, stated = self._tuned.of_pairs(pairs).transpose(1, 0, 2)
        seen = [whole, held, stated, numpy.abs(held - stated), held * stated]
        hidden = numpy.tanh(numpy.concatenate(seen, axis=1) @ self._within.T + self._bias)
        return [float(score) for score in hidden @ self._out]

    def _by_words(self, traits: list[str]) -> float:
        places = map(place_of, traits)
        return sum(self._weights[at] for at, proof in places if self._proofs[at] == proof)


@lru_cache(maxsize=1)
def judge() -> Judge | str:
    """What judges by meaning, or why there is none."""
    try:
        from holdfast.models import adapter, encoder, tensors
    except ImportError as error:
        return f"the package {error.name} is not installed"
    place = encoder.folder()
    if not place:
        return f"the package {encoder.PACKAGE.replace('_', '-')} is not installed"
    try:
        ours = tensors.read(PATH, whole=True)
        weights, words = encoder.weights_of(place), encoder.tokenizer_of(place)
        plain = encoder.Encoder(words, weights)
        return Judge(plain, encoder.Encoder(words, adapter.tuned(weights, ours)), ours)
    except (tensors.Unreadable, KeyError, ValueError) as error:
        return str(error)
