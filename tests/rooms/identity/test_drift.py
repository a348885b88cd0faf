"""Continuity, its classes, and the states of the seed."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, strategies as st

from holdfast.rooms.identity import drift


@pytest.mark.parametrize(
    ("ic", "klass"),
    [
        (1.0, "healthy"),
        (0.9, "healthy"),
        (0.899, "good"),
        (0.7, "good"),
        (0.699, "warning"),
        (0.5, "warning"),
        (0.499, "degraded"),
        (0.0, "degraded"),
    ],
)
def test_a_threshold_belongs_to_the_better_class(ic, klass):
    assert drift.classify(ic) == klass
    assert drift.is_crisis(ic) == (klass == "degraded")
    assert drift.is_warning(ic) == (klass == "warning")


@pytest.mark.parametrize(
    ("c", "state"),
    [
        (0.96, "HYP"),
        (0.95, "CON"),
        (0.8, "CON"),
        (0.79, "EMG"),
        (0.5, "EMG"),
        (0.49, "FRG"),
        (0.3, "FRG"),
        (0.29, "DOR"),
        (0.0, "DOR"),
    ],
)
def test_the_states_have_the_bounds_of_the_design(c, state):
    assert drift.state_of(c) == state


def test_phases_that_agree_are_in_order_and_phases_all_around_are_not():
    around = [2 * math.pi * i / 13 for i in range(13)]

    assert drift.order_parameter([1.3] * 13) == pytest.approx(1.0)
    assert drift.order_parameter(around) == pytest.approx(0.0, abs=1e-6)
    assert drift.order_parameter([]) == 0.0


def order(alignments: list[float]) -> float:
    whole = sum(alignments) / len(alignments)
    return drift.order_parameter(drift.phases(alignments, whole))


@pytest.mark.promise("I3")
def test_aligned_facets_are_in_phase_and_misaligned_ones_all_around():
    assert order([1.0] * 13) == pytest.approx(1.0)
    assert order([0.9] * 13) > 0.9
    assert order([0.0] * 13) < 0.3


@pytest.mark.promise("I3")
@given(st.lists(st.floats(0.2, 1), min_size=13, max_size=13), st.integers(0, 12))
def test_a_facet_that_falls_takes_the_order_with_it_never_the_other_way(alignments, place):
    low = [*alignments[:place], 0.2, *alignments[place + 1 :]]
    even = [min(alignments)] * 13

    assert order(low) <= order(alignments) + 0.06
    assert order(even) <= order(alignments) + 0.06


@pytest.mark.promise("I3")
def test_the_order_falls_when_facets_disagree():
    agreeing, disagreeing = [0.6] * 13, [0.9] * 7 + [0.25] * 6

    assert order(disagreeing) < order([0.9] * 13) - 0.2
    assert order(disagreeing) < order(agreeing) + 0.1


@pytest.mark.promise("I3")
def test_phases_stay_in_one_turn():
    assert all(0 <= phase < 2 * math.pi for phase in drift.phases([0.0] * 13, 0.0))


def test_continuity_is_the_cosine_times_the_order():
    one, other = [1.0] * 13, [1.0] * 6 + [0.0] * 7
    phases = [0.1 * i for i in range(13)]
    wanted = math.sqrt(6 / 13) * drift.order_parameter(phases)

    assert drift.continuity(one, other, phases) == pytest.approx(wanted)
    assert drift.continuity(one, one, [0.0] * 13) == pytest.approx(1.0)
    assert drift.continuity(one, [-x for x in one], [0.0] * 13) == 0.0
    assert drift.continuity(one, [0.0] * 13, [0.0] * 13) == 0.0


def test_an_even_vector_is_the_most_differentiated():
    assert drift.entropy13([0.3] * 13) == pytest.approx(1.0)
    assert drift.entropy13([1.0] + [0.0] * 12) < 0.01
    assert drift.entropy13([0.0] * 13) == 0.0
