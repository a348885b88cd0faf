"""The one stemmer, and the tables that rooms bring to it."""

from __future__ import annotations

import pytest

from holdfast.rooms.decisions import stems
from holdfast.rooms.identity import facets
from holdfast.rooms.prompts import similarity
from holdfast.system.word_endings import undouble, without_ending

EVERY_TABLE = pytest.mark.parametrize(
    "room", [stems, similarity, facets], ids=lambda room: room.__name__
)


@EVERY_TABLE
@pytest.mark.parametrize(
    "forms",
    ["invoice invoices invoiced invoicing", "test tests tested testing"],
)
def test_the_forms_of_a_word_have_one_stem(room, forms):
    assert len({room.stem(form) for form in forms.split()}) == 1


@EVERY_TABLE
@pytest.mark.parametrize("word", ["", "a", "is", "css", "class", "bus"])
def test_a_short_word_is_left_as_it_is_or_loses_one_letter(room, word):
    assert len(word) - len(room.stem(word)) <= 1


@EVERY_TABLE
def test_longer_endings_come_before_the_endings_they_end_with(room):
    endings = [ending for ending, _, _ in room.ENDINGS]

    for place, ending in enumerate(endings):
        assert [longer for longer in endings[place + 1 :] if longer.endswith(ending)] == []


def test_the_first_ending_that_leaves_enough_is_cut_and_no_other():
    endings = (("ations", "", 3), ("ies", "y", 3), ("s", "", 3))

    assert without_ending("migrations", endings) == "migr"
    assert without_ending("rations", endings) == "ration"
    assert without_ending("libraries", endings) == "library"
    assert without_ending("bus", endings) == "bus"


def test_of_two_equal_letters_at_the_end_one_goes():
    assert [undouble("stopp"), undouble("odd"), undouble("call", but="l")] == [
        "stop",
        "odd",
        "call",
    ]
