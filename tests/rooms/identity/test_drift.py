"""Continuity, its classes, and the states of the seed."""

from __future__ import annotations

import math

import pytest

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
