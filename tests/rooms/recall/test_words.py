"""Words of the index: one for a word's forms, the parts of names, names as a whole."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from holdfast.rooms.recall.documents import PART, parts, words

pytestmark = pytest.mark.promise("R2")


@pytest.mark.parametrize("name", ["refreshToken", "refresh_token", "RefreshToken", "REFRESH_TOKEN"])
def test_a_name_is_its_parts_and_a_word_of_its_own(name):
    assert words(name) == [*words("refresh token"), "refreshtoken"]


def test_forms_of_a_word_are_one_word():
    assert words("pushes pushed pushing push") == words("push")


def test_a_commit_is_known_by_its_first_seven_letters():
    sha = "1a2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0d"
    assert words(sha) == words(sha[:7]) == words(sha[:9]) == ["1a2b3c4"]


def test_script_without_blanks_gives_words_that_a_part_of_it_shares():
    assert set(words("検索")) <= set(words("全文検索の索引"))


@given(st.text(max_size=300))
@settings(max_examples=200, deadline=None)
def test_every_word_is_one_that_the_index_takes_for_one(text):
    for word in words(text):
        assert word.replace("_", "a").isalnum()
        assert word.isascii()


@given(st.text(max_size=6_000))
@settings(max_examples=100, deadline=None)
def test_parts_are_short_and_lose_no_word(text):
    cut = parts(text)

    assert all(0 < len(part) <= PART for part in cut)
    assert "".join("".join(cut).split()) == "".join(text.split())
