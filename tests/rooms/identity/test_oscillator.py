"""Aligned facets lock, misaligned ones run free."""

from __future__ import annotations

import itertools
import math

import pytest

from holdfast.rooms.identity import oscillator
from holdfast.rooms.identity.drift import order_parameter


def after(events: int, misalignments: list[float], phases: list[int] | None = None) -> list[int]:
    phases = phases or [0] * 13
    for _ in range(events):
        phases = oscillator.advance(phases, misalignments)
    return phases


def order(phases: list[int]) -> float:
    return order_parameter([phase / oscillator.SCALE for phase in phases])


@pytest.mark.promise("I3")
def test_paces_lie_around_nothing_the_furthest_at_one_and_no_two_together():
    paces = sorted(oscillator.PACES)

    assert len(paces) == 13
    assert sum(paces) == pytest.approx(0, abs=1e-9)
    assert max(map(abs, paces)) == pytest.approx(1)
    assert min(b - a for a, b in itertools.pairwise(paces)) > 0.05


@pytest.mark.promise("I3")
def test_thirteen_aligned_facets_lock_from_wherever_they_were():
    scattered = [round(i * 6.2 / 13 * i) * 1000 % oscillator.TURN for i in range(13)]

    assert order(after(40, [0.1] * 13, scattered)) >= 0.9


@pytest.mark.promise("I3")
def test_thirteen_misaligned_facets_fall_out_of_phase():
    orders = [order(after(events, [1.0] * 13)) for events in range(10, 60)]

    assert sum(orders) / len(orders) < 0.5


@pytest.mark.promise("I3")
def test_one_misaligned_facet_runs_behind_and_the_others_stay():
    phases = after(40, [0.0] * 12 + [1.0])

    assert 0.8 < order(phases) < 0.9999
    assert order_parameter([phase / oscillator.SCALE for phase in phases[:12]]) > 0.99


def test_phases_stay_in_one_turn_and_come_out_the_same():
    one = after(30, [i / 13 for i in range(13)])

    assert one == after(30, [i / 13 for i in range(13)])
    assert all(0 <= phase < oscillator.TURN for phase in one)
    assert pytest.approx(2 * math.pi, abs=1e-4) == oscillator.TURN / oscillator.SCALE


def test_facets_that_run_free_do_not_come_round_together():
    phases = after(10, [0.8] * 13)
    orders = []
    for _ in range(300):
        phases = after(1, [0.8] * 13, phases)
        orders.append(order(phases))

    assert sum(r < 0.5 for r in orders) > 0.9 * len(orders)
    assert max(orders) < 0.9


def test_paces_lie_on_both_sides_and_are_all_different():
    assert sum(oscillator.PACES) == pytest.approx(0)
    assert max(map(abs, oscillator.PACES)) == pytest.approx(1)
    assert len({round(pace, 2) for pace in oscillator.PACES}) == 13
