"""YAML is read within bounds, whatever a file holds."""

from __future__ import annotations

import pytest

from holdfast.config import layers
from holdfast.config.compiler import cascade, requirement_layers

pytestmark = pytest.mark.promise("X5")

LAUGHS = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 9)
)
MERGES = "a0: &a0 {x: 1}\n" + "".join(
    f"a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}], k{n}: 1}}\n" for n in range(1, 40)
)
BOMBS = {
    "aliases that multiply": (LAUGHS, "more than 20000 values"),
    "merges that multiply": (MERGES, "more than 20000 values"),
    "too many aliases": ("a: &a 1\nb: [" + "*a, " * 101 + "]", "more than 100 aliases"),
    "a list in lists": ("[" * 21 + "]" * 21, "deeper than 20 levels"),
    "unclosed lists": ("[" * 60_000, "deeper than 20 levels"),
    "keys in keys": ("? " * 30_000, "deeper than 20 levels"),
    "a list that holds itself": ("a: &a [*a]", "a value that holds itself"),
    "too many values": ("a: [" + "1," * 20_001 + "]", "more than 20000 values"),
    "too many bytes": ("# " + "x" * 65_536, "over 64 KiB"),
    "a number without end": ("a: " + "1" * 60_000, "not readable as YAML"),
}


@pytest.mark.parametrize(("text", "why"), BOMBS.values(), ids=BOMBS)
def test_a_file_beyond_the_bounds_is_one_line_and_left_out(repo, text, why):
    (repo / ".holdfast").mkdir()
    (repo / ".holdfast" / "config.local.yaml").write_text(text)

    problems = cascade(str(repo)).problems

    assert [problem.message.endswith("; it is left out") for problem in problems] == [True]
    assert why in problems[0].message
    assert requirement_layers(str(repo), every=True)[0] == []


def test_a_value_counts_wherever_an_alias_repeats_it():
    read = layers.table_of(b"a: &a [" + b"x," * 190 + b"]\nb: [" + b"*a," * 99 + b"]\n")
    assert len(read["b"]) == 99

    with pytest.raises(layers.Unreadable, match="more than 20000 values"):
        layers.table_of(b"a: &a [" + b"x," * 210 + b"]\nb: [" + b"*a," * 99 + b"]\n")


def test_what_people_write_is_read():
    text = b"base: &base {scope: session}\nrequirements:\n  a: {<<: *base, message: 'x: y'}\n"

    table = layers.table_of(text)

    assert table["requirements"] == {"a": {"scope": "session", "message": "x: y"}}
