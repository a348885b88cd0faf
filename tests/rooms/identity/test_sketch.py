"""Sketches, and what is usual in a project."""

from __future__ import annotations

import subprocess
import sys

from holdfast.rooms.identity import sketch
from holdfast.rooms.identity.baseline import CAP, Usual
from holdfast.rooms.identity.sketch import (
    RAREST,
    SHORT,
    absorb,
    add,
    covered,
    likeness,
    number,
    scaled,
    size,
)


def sketched(*words: str) -> dict[int, int]:
    weights: dict[int, int] = {}
    add(weights, [(number(word), 4) for word in words], 100)
    return weights


def alike(one: dict[int, int], other: dict[int, int], usual: Usual | None = None) -> float:
    rarity = usual.rarity() if usual else {}
    return likeness(one, other, size(other, rarity), rarity)


def test_a_word_has_one_number_in_every_process():
    script = "from holdfast.rooms.identity.sketch import number; print(number('session_token'))"
    said = {
        subprocess.check_output(
            [sys.executable, "-c", script], text=True, env={"PYTHONHASHSEED": seed}
        )
        for seed in ("1", "2")
    }

    assert said == {f"{number('session_token')}\n"}


def test_words_that_begin_alike_are_not_numbered_alike():
    words = [f"retry{ending}" for ending in ("", "ing", "_at", "_loop", "Policy", "_count", "er")]

    assert len({number(word) & SHORT for word in words}) == len(words)
    assert len({number(word) % 16 for word in words}) > 3


def test_a_sketch_holds_no_more_than_its_cap_and_loses_the_lightest():
    weights = sketched("kept", "kept too")
    add(weights, [(number("light"), 1)], 2)

    assert set(weights) == {number("kept"), number("kept too")}


def test_equal_sketches_are_alike_and_strange_ones_are_not():
    assert alike(sketched("a", "b"), sketched("a", "b")) > 0.99
    assert alike(sketched("a", "b"), sketched("c", "d")) == 0
    assert 0 < alike(sketched("a", "b"), sketched("b", "c")) < 1
    assert alike({}, sketched("a")) == 0


def test_what_every_session_has_says_little():
    usual = Usual()
    for session in range(12):
        usual = usual.after([number("common"), number(f"own {session}")])
    rarity = usual.rarity()

    assert rarity[number("common") & SHORT] < RAREST // 16
    assert RAREST // 2 < rarity[number("own 11") & SHORT] < RAREST
    rare = alike(sketched("common", "rare"), sketched("rare", "other"), usual)
    common = alike(sketched("common", "rare"), sketched("common", "other"), usual)
    assert rare > 10 * common


def test_the_vocabulary_stays_bounded_and_forgets_what_is_not_met_again():
    usual = Usual().after([number("once")])
    for session in range(80):
        usual = usual.after([number(f"{session} {i}") for i in range(40)])

    assert len(usual.counts) <= CAP
    assert number("once") & SHORT not in usual.rarity()


def test_a_purpose_takes_in_the_present_and_keeps_most_of_its_own():
    slow, fast = sketched("old"), sketched("new")
    mixed = absorb(slow, fast, 250, 64, 10)

    assert mixed[number("old")] > mixed[number("new")] > 0
    assert absorb(slow, fast, 250, 64, 1) == {number("old"): mixed[number("old")]}
    assert scaled({1: 1}, 128) == {}
    assert sketch.pair(3, 5) == sketch.pair(5, 3)


def test_an_event_is_covered_by_what_its_neighbours_had_and_the_rare_counts_more():
    event = [(number("ranking"), 4), (number("index"), 4)]
    recent = {number("ranking"): 256}
    usual = {number("index") & SHORT: RAREST // 4}

    assert covered(event, recent, {}) == 128
    assert covered(event, recent, usual) > 230
    assert covered(event, {}, {}) == 0
    assert covered([], recent, {}) == 0
