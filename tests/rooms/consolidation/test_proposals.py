"""Links that nobody has made yet are proposed without chance, few, and never what is there."""

from __future__ import annotations

import pytest

from holdfast.rooms.consolidation import proposals
from holdfast.rooms.consolidation.links import Link
from holdfast.rooms.consolidation.proposals import Proposal

A, B, C, D, E = (("file", name) for name in "abcde")
WORN = Link(0.5, 5, 0.7)
STRONG = Link(0.2, 2, 0.5)


@pytest.mark.promise("I9")
def test_two_memories_with_a_strong_link_to_a_third_are_proposed():
    links = {(A, B): STRONG, (B, C): Link(0.1, 3, 0.9)}

    assert proposals.forgotten(links) == [Proposal("forgotten", A, C, (B,), 0.1)]


@pytest.mark.parametrize(
    "weak",
    [
        pytest.param(Link(0.9, 1, 1.0), id="used together only once"),
        pytest.param(Link(0.9, 9, 0.4), id="mostly used apart"),
    ],
)
def test_a_weak_link_proposes_nothing(weak):
    assert proposals.forgotten({(A, B): STRONG, (B, C): weak}) == []


def test_what_is_linked_is_not_proposed():
    assert proposals.forgotten({(A, B): STRONG, (B, C): STRONG, (A, C): Link(0.06, 1, 0.1)}) == []


def test_a_topic_stands_between_two_files_and_is_not_proposed_itself():
    word, other = ("topic", "one"), ("topic", "two")

    assert proposals.forgotten({(A, word): STRONG, (A, other): STRONG, (A, B): STRONG}) == []
    assert proposals.forgotten({(A, word): STRONG, (B, word): STRONG}) == [
        Proposal("forgotten", A, B, (word,), 0.2)
    ]


def test_the_best_way_between_two_memories_is_told_and_no_more_than_ten_pairs():
    links = {(A, B): STRONG, (B, D): STRONG, (A, C): WORN, (C, D): WORN}

    # B and C are two links apart themselves, by A and by D.
    assert proposals.forgotten(links)[0] == Proposal("forgotten", A, D, (C,), 0.5)
    hub = {(A, ("file", f"z{n:02}")): STRONG for n in range(15)}
    assert len(proposals.forgotten(hub)) == 10


@pytest.mark.promise("I9")
def test_the_ends_of_a_well_worn_chain_of_three_links_are_proposed_as_a_shortcut():
    links = {(A, B): WORN, (B, C): WORN, (C, D): WORN}

    assert proposals.shortcuts(links) == [Proposal("shortcut", A, D, (B, C), 0.125)]


@pytest.mark.parametrize(
    "unsure",
    [
        pytest.param(Link(0.5, 4, 0.9), id="walked four times"),
        pytest.param(Link(0.5, 9, 0.69), id="not sure enough"),
    ],
)
def test_a_chain_is_as_worn_as_its_least_worn_link(unsure):
    assert proposals.shortcuts({(A, B): WORN, (B, C): unsure, (C, D): WORN}) == []


def test_a_chain_of_two_links_or_with_a_shorter_way_is_no_shortcut():
    assert proposals.shortcuts({(A, B): WORN, (B, C): WORN}) == []
    assert proposals.shortcuts({(A, B): WORN, (B, C): WORN, (C, D): WORN, (A, D): STRONG}) == []
    around = {(A, B): WORN, (B, C): WORN, (C, D): WORN, (A, E): WORN, (D, E): WORN}
    assert [one for one in proposals.shortcuts(around) if {one.a, one.b} == {A, D}] == []
