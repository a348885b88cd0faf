"""The model in numpy is the model that others have in torch; what is damaged is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy
import pytest

from holdfast.models import encoder, tensors
from holdfast.models.adapter import as_bytes, tuned

REFERENCE = Path(__file__).parent / "data" / "reference.json"


@pytest.fixture(scope="module")
def weights() -> tensors.Arrays:
    return encoder.weights_of(encoder.folder())


def encoder_with(weights: tensors.Arrays) -> encoder.Encoder:
    return encoder.Encoder(encoder.tokenizer_of(encoder.folder()), weights)


def test_pairs_are_read_as_the_reference_reads_them(weights):
    recorded = json.loads(REFERENCE.read_text(encoding="utf-8"))["pairs"]

    found = encoder_with(weights).of_pairs([tuple(one["pair"]) for one in recorded])

    for vectors, one in zip(found, recorded, strict=True):
        assert numpy.allclose(vectors[:, :6], one["begin"], atol=2e-5)
        assert numpy.allclose(numpy.linalg.norm(vectors, axis=1), one["size"], atol=2e-4)


def test_a_pair_reads_the_same_alone_and_among_longer_ones(weights):
    reader = encoder_with(weights)
    pair = ("Compress responses", "Do not compress responses")
    among = [pair, *[("word " * size, "and more") for size in range(2, 40)]]

    assert numpy.allclose(reader.of_pairs(among)[0], reader.of_pairs([pair])[0], atol=1e-5)


def test_a_text_without_end_is_cut(weights):
    long, short = "a b c d " * 20_000, "a b c d " * encoder.TOKENS
    found = encoder_with(weights).of_pairs([(long, "stop"), (short, "stop")])

    assert numpy.allclose(found[0], found[1], atol=1e-5)


def test_an_adapter_changes_the_matrices_it_names_by_the_product_of_its_two(weights):
    chance = numpy.random.default_rng(7)
    up, down = chance.normal(size=(384, 4)), chance.normal(size=(4, 384))
    up_bytes, up_scale = as_bytes(up, axis=1)
    down_bytes, down_scale = as_bytes(down, axis=0)
    given = {"2.key.up": up_bytes, "2.key.down": down_bytes, "2.key.scale": up_scale * down_scale}
    name = "encoder.layer.2.attention.self.key.weight"

    changed = tuned(weights, given)

    assert numpy.allclose(changed[name] - weights[name], up @ down, atol=0.15)
    assert all(changed[other] is weights[other] for other in weights if other != name)


def test_an_adapter_of_another_model_is_refused(weights):
    given = {
        "0.out.up": numpy.ones((768, 2), "i1"),
        "0.out.down": numpy.ones((2, 768), "i1"),
        "0.out.scale": numpy.ones(2, "f4"),
    }

    with pytest.raises(tensors.Unreadable):
        tuned(weights, given)
    with pytest.raises(tensors.Unreadable):
        tuned(weights, {"0.out.up": numpy.ones((384, 2), "i1")})


ARRAYS = {
    "bytes": numpy.arange(-6, 6, dtype="i1").reshape(3, 4),
    "halves": numpy.linspace(0, 1, 5, dtype="f2"),
    "floats": numpy.linspace(0, 1, 6, dtype="f4").reshape(2, 3),
}


def test_arrays_come_back_as_they_were_kept(tmp_path):
    path = tmp_path / "some.adapter"
    path.write_bytes(tensors.packed(ARRAYS))

    found = tensors.read(str(path), whole=True)

    assert found.keys() == ARRAYS.keys()
    assert all(numpy.array_equal(found[name], ARRAYS[name]) for name in ARRAYS)
    assert tensors.packed(ARRAYS) == path.read_bytes()


def test_a_file_that_was_damaged_anywhere_is_refused(tmp_path):
    whole = tensors.packed(ARRAYS)
    path = tmp_path / "some.adapter"
    bad = [whole[:cut] for cut in (0, 5, 9, 60, len(whole) - 1)]
    bad += [b"\xff" * 64, (1 << 40).to_bytes(8, "little") + whole[8:], b"\x02" + bytes(7) + b"[]"]
    for at in range(len(whole) - 40, len(whole)):
        bad.append(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])
    for content in bad:
        path.write_bytes(content)
        with pytest.raises(tensors.Unreadable):
            tensors.read(str(path), whole=True)
    with pytest.raises(tensors.Unreadable):
        tensors.read(str(tmp_path / "nowhere"), whole=True)
