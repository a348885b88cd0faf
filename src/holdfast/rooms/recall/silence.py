"""When nothing here is about a question: a logistic judgement of a few signs, fitted so that few
hits are lost and foreign questions get no answer.

Fitted by benchmarks/recall_silence.py on questions whose answer was found, against questions that
belong to another repository or another world.
"""

from __future__ import annotations

from typing import NamedTuple


class Signs(NamedTuple):
    """What a question and the index have to do with each other. Words are worth more the rarer
    they are; `unheard` is what a word is worth that was never said here."""

    unknown: float  # the share of the question's worth in words that were never said
    strong: float  # log(1 + words that say what it is about)
    asked: float  # log(what all of its words are worth / unheard)
    covered: float  # what the words are worth that one document has / unheard
    score: float  # of the best document / unheard
    together: float  # log(1 + strong words that one document has)
    known: float  # the share of its words that were ever said


WEIGHTS = Signs(6.4, 0.5, -3.0, -2.5, 4.6, 4.7, 12.3)
BIAS = -16.5


def is_about(signs: Signs, weights: Signs = WEIGHTS, bias: float = BIAS) -> bool:
    return bias + sum(w * sign for w, sign in zip(weights, signs, strict=True)) >= 0
