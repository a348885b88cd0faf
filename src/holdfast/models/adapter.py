"""What tunes the model to one question: small changes to its matrices, in a file of ours.

To a matrix the product of a tall and a broad one is added (`up` times `down`), both as bytes, with
a scale for each of their shared steps. The model itself is left as it came.
"""

from __future__ import annotations

import numpy

from holdfast.models.encoder import LAYERS, MATRICES, Array
from holdfast.models.tensors import Arrays, Unreadable


def tuned(weights: Arrays, adapter: Arrays) -> Arrays:
    """The model's weights with an adapter's changes."""
    changed = dict(weights)
    for layer in range(LAYERS):
        for short, matrix in MATRICES.items():
            up = adapter.get(f"{layer}.{short}.up")
            if up is None:
                continue
            name = f"encoder.layer.{layer}.{matrix}.weight"
            try:
                scaled = up * adapter[f"{layer}.{short}.scale"]
                changed[name] = weights[name] + scaled @ adapter[f"{layer}.{short}.down"]
            except (KeyError, ValueError) as error:
                raise Unreadable(f"the adapter is not for this model: {error}") from error
    return changed


def as_bytes(array: Array, *, axis: int) -> tuple[Array, Array]:
    """A matrix as bytes with a scale for each row (axis 0) or column (axis 1)."""
    most = numpy.abs(array).max(axis=1 - axis, keepdims=True)
    scale = numpy.maximum(most, 1e-8) / 127
    return numpy.round(array / scale).astype("i1"), scale.reshape(-1).astype("f4")
