"""What is kept of texts that are far longer than that: never half a secret, and never by more work
than for a short one."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from holdfast.redaction import gate as gate_module
from holdfast.redaction.gate import LONG, cut, gate, gate_text, redact, sizes
from holdfast.redaction.secrets import REACH
from measure import some_or_all, steps
from redaction.corpus import Dice, positives

CAP = 4_000
HEAD, TAIL = sizes(CAP)
SIZE = 120_000
LINE = "worker 7 handled a job of the queue in 37 ms\n"
GRAM = 10  # characters in a row that would tell of a secret


def filler(size: int) -> str:
    return (LINE * (size // len(LINE) + 1))[:size]


def planted(text: str, at: int, size: int = SIZE) -> str:
    """A long text that has another one at a place."""
    return f"{filler(at)}\n{text}\n{filler(size - at - len(text) - 2)}"


def edges(length: int) -> Iterator[int]:
    """Where a text of a length begins, ends or lies across each edge: of what is kept, and of what
    is looked at."""
    for edge in (HEAD, HEAD + REACH, SIZE - TAIL - REACH, SIZE - TAIL):
        yield from (edge - length - 2, edge - length * 2 // 3, edge - length // 3, edge - 2, edge)


def told_of(secret: str, kept: str, whole: str) -> list[str]:
    """Pieces of a secret that were kept, where redacting all of the text removes them."""
    pieces = {secret[at : at + GRAM] for at in range(max(len(secret) - GRAM, 0) + 1)}
    return [piece for piece in pieces if piece in kept and piece not in whole]


@pytest.mark.promise("X1")
@pytest.mark.promise("X7")
@some_or_all(40, 15)
def test_no_secret_is_cut_through_wherever_it_lies(amount):
    cases = [case for case in positives() if len(case.secret) >= GRAM]
    assert len(cases) > 300
    for number, case in enumerate(cases[::amount]):
        places = list(edges(len(case.text)))
        for at in places[number % 5 :: 5]:
            text = planted(case.text, at)
            assert len(text) > CAP + LONG
            assert told_of(case.secret, gate_text(text, CAP), redact(text)) == [], (case.sort, at)


@pytest.mark.promise("X1")
@pytest.mark.parametrize("size", [400, 3_000, 12_000, 19_000])
def test_no_private_key_is_cut_through_however_long_it_is(size):
    dice = Dice(7)
    body = "\n".join(dice.base64(48) for _ in range(size // 65))
    head = "BEGIN PRIVATE KEY"
    key = f"-----{head}-----\n{body}\n-----{head.replace('BEGIN', 'END')}-----"
    for at in edges(len(key)):
        text = planted(key, max(at, 0), SIZE * 2)
        kept = gate_text(text, CAP)
        assert [line for line in body.split("\n") if line in kept] == []


@pytest.mark.promise("X1")
def test_where_secrets_shrink_a_text_nothing_moves_into_what_is_kept_unlooked_at():
    """A key of 19,000 characters becomes a word: what follows it stands near the window's edge."""
    dice = Dice(8)
    body = "\n".join(dice.base64(48) for _ in range(290))
    head = "BEGIN PRIVATE KEY"
    key = f"-----{head}-----\n{body}\n-----{head.replace('BEGIN', 'END')}-----"
    for at in range(HEAD + REACH - 600, HEAD + REACH + 10, 29):
        token = "eyJ" + dice.word(400) + "." + dice.word(300) + "." + dice.word(43)
        text = planted(f"{key}\n{filler(at - len(key))}{token}", 100)
        assert told_of(token, gate_text(text, CAP), redact(text)) == []


@pytest.mark.promise("X1")
@pytest.mark.parametrize("opened", [0, HEAD - 5, HEAD + 50, HEAD + REACH - 4, 60_000])
@pytest.mark.parametrize(
    "closed", [HEAD - 2, HEAD + REACH + 5, 70_000, SIZE - TAIL - REACH - 5, SIZE - TAIL + 9, None]
)
def test_private_is_never_kept_wherever_it_is_opened_and_closed(opened, closed):
    if closed is not None and closed < opened:
        closed = opened + 20
    text = filler(SIZE)
    end = len(text) if closed is None else closed
    inside = "q" * (end - opened)
    text = f"{text[:opened]}<Private>{inside}{'' if closed is None else '</PRIVATE>'}{text[end:]}"

    kept = gate_text(text, CAP)

    assert "qqq" not in kept
    if closed is not None and closed < SIZE - TAIL - REACH:
        assert kept.endswith(text[-100:]), "what follows a closed one is kept"


def test_a_private_part_whose_opening_lies_across_the_window_is_not_kept():
    for shift in range(12):
        at = SIZE - TAIL - REACH - shift
        text = f"{filler(at)}<private>{'q' * (SIZE - at - 9)}"
        assert "qqq" not in gate_text(text, CAP)


@pytest.mark.parametrize("size", [CAP + LONG + 1, SIZE, 1_000_000])
@pytest.mark.parametrize("cap", [200, CAP, 20_000])
def test_a_long_text_without_secrets_is_kept_as_a_short_one_is(size, cap):
    text = "".join(f"{number} of {size}\n" for number in range(size // 8))

    assert gate_text(text, cap) == cut(text, cap)


def test_odd_characters_of_a_long_text_show():
    kept = gate_text("\x00\ud800é" * 50_000, CAP)

    assert kept.startswith("␀\\ud800é")
    assert kept.endswith("␀\\ud800é")


def test_no_rule_reaches_further_than_the_margin_of_a_window():
    assert LONG == 2 * REACH


@pytest.mark.promise("X7")
@pytest.mark.parametrize("line", [LINE, 'token_7=word-7 password = "x"\n', "secret=", "a"])
def test_a_text_of_megabytes_costs_no_more_steps_than_a_long_one(line):
    long, huge = (line * (size // len(line)) for size in (400_000, 4_000_000))

    assert steps(lambda: gate_text(huge)) <= steps(lambda: gate_text(long)) + 5


@pytest.mark.promise("X7")
def test_what_is_nested_is_bounded_as_a_whole_and_says_what_was_left_out():
    body = {
        "input": {f"n{n}": ["a word and another"] * 200 for n in range(200)},
        "path": "src/a.py",
    }

    kept = gate(body).value

    assert kept["path"] == "src/a.py"
    assert kept["input"]["n0"][0] == "a word and another"
    assert kept["input"]["n199"] == "[left out]"
    assert steps(lambda: gate(body)) < 40 * gate_module.NESTED_VALUES


@pytest.mark.promise("X7")
def test_of_many_long_texts_the_last_are_left_out():
    body = {"input": {f"n{n}": filler(3_000) for n in range(200)}, "output": filler(3_000)}

    kept = gate(body).value

    assert kept["input"]["n0"] == filler(3_000)
    assert kept["input"]["n199"] == "[left out: 3000 characters]"
    assert kept["output"] == filler(3_000), "a body's own fields are kept whatever is nested"


def test_many_edits_are_kept_as_before():
    chance = random.Random(3)
    edits = [
        {"old_string": filler(chance.randrange(300)), "new_string": filler(chance.randrange(300))}
        for _ in range(200)
    ]

    assert gate({"input": {"edits": edits}}).value == {"input": {"edits": edits}}
