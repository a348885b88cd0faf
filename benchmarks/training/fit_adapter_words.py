"""Fit the weights of words in `forks.adapter`, on all of `tests/corpus/forks-development.jsonl`.

    python benchmarks/training/fit_adapter_words.py

Compares them byte for byte with those that ship. The rest of the adapter, what a model learned, is
fitted by `fit_adapter.py`. Logistic regression, done by scikit-learn; the same corpus gives the
same bytes, with the versions of `requirements.txt`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import fit_forks
import numpy
import shipped
from numpy.typing import NDArray

from holdfast.models import tensors
from holdfast.rooms.decisions.contradiction import meaning_match

LEAST = 0.05  # a smaller weight of words is not kept

Pair = tuple[str, str]


class Words:
    """What words show of a pair: the traits of a breach, with weights fitted on some authors."""

    def __init__(self, lines: list[dict[str, Any]]) -> None:
        self.start, self.weights = fit_forks.fit(
            [meaning_match.traits_of(line["decision"], line["statement"]) for line in lines],
            [line["fork"] for line in lines],
            [1.0] * len(lines),
            fit_forks.STRENGTH["breach"],
        )

    def show(self, pair: Pair) -> float:
        return self.start + sum(
            self.weights.get(trait, 0.0) for trait in meaning_match.traits_of(*pair)
        )

    def arrays(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """The proofs and the weights by place. Of two traits in one place the weightier stays."""
        proofs = numpy.zeros(meaning_match.PLACES, "u1")
        table = numpy.zeros(meaning_match.PLACES, "f2")
        weights = self.weights
        for trait in sorted(weights, key=lambda trait: (abs(weights[trait]), trait)):
            if abs(weights[trait]) >= LEAST:
                at, proof = meaning_match.place_of(trait)
                proofs[at], table[at] = proof, weights[trait]
        return proofs, table


def main() -> None:
    text = fit_forks.CORPUS.read_text(encoding="utf-8")
    proofs, table = Words([json.loads(line) for line in text.splitlines()]).arrays()
    ships = tensors.read(meaning_match.PATH, whole=True)
    name = shipped.name_of(Path(meaning_match.PATH))
    shipped.compare(f"{name}, words.proof", ships["words.proof"].tobytes(), proofs.tobytes())
    shipped.compare(f"{name}, words.weight", ships["words.weight"].tobytes(), table.tobytes())


if __name__ == "__main__":
    main()
