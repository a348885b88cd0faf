"""Terms as numbers, and what is usual in a project."""

from __future__ import annotations

import subprocess
import sys

import pytest

from holdfast.rooms.identity.facets import number
from holdfast.rooms.identity.mind import CAP, RAREST, SHORT, Usual


def test_a_word_has_one_number_in_every_process():
    script = "from holdfast.rooms.identity.facets import number; print(number('session_token'))"
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


def test_what_every_session_has_says_little():
    usual = Usual()
    for session in range(12):
        usual = usual.after([number("common"), number(f"own {session}")])
    rarity = usual.rarity()

    assert rarity[number("common") & SHORT] < RAREST // 16
    assert RAREST // 2 < rarity[number("own 11") & SHORT] < RAREST


def test_the_vocabulary_stays_bounded_and_forgets_what_is_not_met_again():
    usual = Usual().after([number("once")])
    for session in range(80):
        usual = usual.after([number(f"{session} {i}") for i in range(40)])

    assert len(usual.counts) <= CAP
    assert number("once") & SHORT not in usual.rarity()


def test_a_vocabulary_whose_parts_do_not_fit_is_refused():
    with pytest.raises(ValueError, match="damaged"):
        Usual(1, b"abc", b"a")
