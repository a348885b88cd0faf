"""Links are folded from the sessions that used two memories together, by the published rule."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.rooms.consolidation import links as consolidation_links
from holdfast.rooms.consolidation.links import BORN, DECAY, FLOOR, GAIN, Replayed

A, B, C = ("file", "a.py"), ("file", "b.py"), ("topic", "retry")
PAIR = (A, B)


def replayed(step: int, **shares: float) -> Replayed:
    names = {"a": A, "b": B, "c": C}
    return Replayed(f"s{step}", step, {names[name]: share for name, share in shares.items()})


def test_two_memories_of_one_session_are_linked_just_over_the_floor():
    links = consolidation_links.weave([replayed(1, a=1.0, b=0.5)], 1)

    assert links == {PAIR: consolidation_links.Link(FLOOR + BORN * 0.5, 1, 1.0)}


@pytest.mark.promise("I9")
def test_every_session_that_uses_both_strengthens_their_link_by_the_rule():
    links = consolidation_links.weave([replayed(1, a=1.0, b=1.0), replayed(2, a=0.8, b=0.5)], 2)

    assert links[PAIR].weight == pytest.approx((FLOOR + BORN) * (1 - DECAY) + GAIN * 0.8 * 0.5)
    assert links[PAIR].together == 2


def test_every_session_without_it_weakens_a_link():
    sessions = [replayed(1, a=1.0, b=1.0), replayed(2, c=1.0)]

    now, later = (consolidation_links.weave(sessions, step)[PAIR].weight for step in (2, 12))

    assert now == pytest.approx((FLOOR + BORN) * (1 - DECAY))
    assert later == pytest.approx((FLOOR + BORN) * (1 - DECAY) ** 11)


def test_a_memory_that_was_a_tenth_of_a_session_or_less_is_not_linked():
    assert consolidation_links.weave([replayed(1, a=1.0, b=consolidation_links.CO_ACTIVE)], 1) == {}


def test_a_weight_never_exceeds_one():
    many = [replayed(step, a=1.0, b=1.0) for step in range(1, 2_000)]

    assert consolidation_links.weave(many, 2_000)[PAIR].weight <= 1.0
    assert consolidation_links.clamp(3.0) == 1.0
    assert consolidation_links.clamp(0.0) == FLOOR


@pytest.mark.promise("I9")
def test_a_link_that_came_down_to_the_floor_has_faded():
    weak = [replayed(1, a=0.2, b=0.2)]
    steps = next(
        n
        for n in range(1, 100)
        if consolidation_links.has_faded(consolidation_links.weave(weak, n)[PAIR])
    )

    assert not consolidation_links.has_faded(consolidation_links.weave(weak, steps - 1)[PAIR])
    assert consolidation_links.weave(weak, steps, {PAIR: steps}) == {}


def test_a_faded_link_that_is_used_again_begins_anew():
    sessions = [replayed(1, a=1.0, b=1.0), replayed(9, a=1.0, b=1.0)]

    links = consolidation_links.weave(sessions, 9, {PAIR: 5})

    assert links == {PAIR: consolidation_links.Link(FLOOR + BORN, 1, 0.5)}


def test_without_the_session_that_alone_held_it_a_link_is_not_there():
    both = [replayed(1, a=1.0, b=1.0), replayed(2, a=1.0, c=1.0)]

    assert set(consolidation_links.weave(both, 2)) == {PAIR, (A, C)}
    assert set(consolidation_links.weave(both[1:], 2)) == {(A, C)}


def test_a_link_that_two_sessions_held_outlives_either_of_them():
    both = [replayed(1, a=1.0, b=1.0), replayed(2, a=1.0, b=1.0)]

    assert (
        set(consolidation_links.weave(both[:1], 2))
        == set(consolidation_links.weave(both[1:], 2))
        == {PAIR}
    )


memories = st.sampled_from([("file", "a"), ("file", "b"), ("topic", "c"), ("rule", "d")])
sessions = st.lists(st.dictionaries(memories, st.floats(0, 1), max_size=4), max_size=30).map(
    lambda many: [Replayed(f"s{n}", n, used) for n, used in enumerate(many, 1)]
)


@given(sessions, st.randoms(use_true_random=False))
def test_the_order_in_which_sessions_are_told_changes_nothing(told, chance):
    shuffled = chance.sample(told, len(told))

    assert consolidation_links.weave(told, 40) == consolidation_links.weave(shuffled, 40)


@given(sessions)
def test_a_weight_lies_between_nothing_and_one_and_a_confidence_is_a_share(told):
    for one in consolidation_links.weave(told, 40).values():
        assert 0 < one.weight <= 1
        assert 0 < one.confidence <= 1


def test_the_hundred_latest_memories_are_replayed_and_of_equals_the_weightier():
    seen = {("topic", f"t{n:03}"): float(n) for n in range(150)}

    assert consolidation_links.recent(seen) == {("topic", f"t{n:03}") for n in range(50, 150)}
    assert consolidation_links.recent({("topic", "x"): 1.0, ("rule", "y"): 1.0}, 1) == {
        ("rule", "y")
    }


def test_a_rule_outranks_a_topic_that_is_a_little_newer_and_not_one_that_is_much_newer():
    old = {("topic", "first"): 0.0, ("topic", "last"): 100.0}

    assert ("rule", "r") in consolidation_links.recent({**old, ("rule", "r"): 90.0}, 1)
    assert ("rule", "r") not in consolidation_links.recent({**old, ("rule", "r"): 50.0}, 1)


def test_a_topic_that_most_sessions_have_is_left_out_and_a_file_is_not():
    used = [{C, A} for _ in range(5)] + [{B}]

    assert consolidation_links.common(used) == {C}
    assert consolidation_links.common(used[:5]) == set()
