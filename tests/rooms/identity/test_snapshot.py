from __future__ import annotations

import random

import pytest

from holdfast.errors import Damaged, StoreError
from holdfast.rooms.identity.snapshot import (
    FACETS,
    FIELDS,
    SIZE_CAP_BYTES,
    TRAJECTORY,
    TURN,
    Snapshot,
)
from measure import some_or_all

ODD_IDS = ("", "a" * 100, "b" * 250, "séance-é", "🪸" * 40, "x\x00y")


def random_vector(chance: random.Random) -> list[float]:
    return [chance.uniform(-1, 1) for _ in range(FACETS)]


def random_snapshot(chance: random.Random) -> Snapshot:
    names = ("cross_session_ic", "last_ic", "crisis_threshold", "consciousness")
    names += ("integration", "reflection", "differentiation")
    return Snapshot(
        chance.choice([f"{chance.getrandbits(128):032x}", *ODD_IDS]),
        chance.randrange(-(1 << 62), 1 << 62),
        previous_session_id=chance.choice([None, "before", *ODD_IDS]),
        kuramoto_phases=[chance.uniform(0, TURN) for _ in range(FACETS)],
        coupling=chance.uniform(0, 10),
        purpose_vector=random_vector(chance),
        trajectory=[random_vector(chance) for _ in range(chance.choice([0, 1, 2, 3, TRAJECTORY]))],
        **{name: chance.random() for name in names},
    )


@pytest.mark.promise("I1")
@some_or_all(500, 10_000)
def test_random_snapshots_come_back_to_the_bit_and_are_small(amount):
    chance = random.Random(14)
    for _ in range(amount):
        made = random_snapshot(chance)
        raw = made.pack()
        again = Snapshot.unpack(raw)

        assert again == made
        assert again.pack() == raw
        assert len(raw) < SIZE_CAP_BYTES


@pytest.mark.promise("I1")
def test_a_new_snapshot_is_what_the_design_begins_with():
    made = Snapshot("s1", 1_700_000_000_000)

    assert list(made.as_dict()) == list(FIELDS)
    assert len(FIELDS) == 14
    assert (made.cross_session_ic, made.last_ic, made.crisis_threshold) == (1.0, 1.0, 0.5)
    assert (made.kuramoto_phases, made.coupling) == ((0.0,) * FACETS, 0.5)
    assert sum(one * one for one in made.purpose_vector) == pytest.approx(1.0, abs=1e-6)
    assert (made.consciousness, made.integration, made.reflection) == (0.0, 0.0, 0.0)
    assert (made.previous_session_id, made.trajectory, made.estimated_size()) == (None, [], 300)


@pytest.mark.promise("I1")
def test_of_the_trajectory_the_oldest_goes_first_and_the_order_stays():
    made = Snapshot("s1", 0)
    for number in range(TRAJECTORY + 7):
        made.append_to_trajectory([number / 100] * FACETS)

    firsts = [round(one[0], 2) for one in Snapshot.unpack(made.pack()).trajectory]
    assert firsts == [number / 100 for number in range(7, TRAJECTORY + 7)]


@pytest.mark.promise("I1")
@pytest.mark.parametrize(
    ("given", "kept"),
    [(float("nan"), 0.0), (float("inf"), 1.0), (float("-inf"), 0.0), (-3, 0.0), (7, 1.0)],
)
def test_what_is_no_number_between_nought_and_one_becomes_the_nearest(given, kept):
    made = Snapshot("s1", 0, last_ic=given, kuramoto_phases=[given] * FACETS)

    assert made.last_ic == kept
    assert all(0.0 <= phase <= TURN for phase in made.kuramoto_phases)
    assert Snapshot.unpack(made.pack()) == made


@pytest.mark.promise("I1")
def test_a_long_session_id_is_kept_as_sessions_are_and_two_stay_two():
    first, second = (Snapshot("a" * 150 + end, 0).session_id for end in "xy")

    assert max(len(first), len(second)) <= 100
    assert first != second


@pytest.mark.promise("I1")
@pytest.mark.parametrize("numbers", [12, 14, 0])
def test_a_purpose_vector_has_thirteen_numbers(numbers):
    with pytest.raises(ValueError, match="13 numbers"):
        Snapshot("s1", 0, purpose_vector=[0.5] * numbers)


def test_a_field_that_the_design_does_not_have_is_refused():
    with pytest.raises(TypeError, match="mood"):
        Snapshot("s1", 0, mood=1)


@pytest.mark.promise("I1")
def test_a_snapshot_of_a_newer_version_is_refused_with_what_to_do():
    raw = bytearray(Snapshot("s1", 0).pack())
    raw[4] = 9

    with pytest.raises(StoreError, match="version 9") as refusal:
        Snapshot.unpack(bytes(raw))

    assert not isinstance(refusal.value, Damaged)
    assert "upgrade" in refusal.value.hint


@pytest.mark.promise("I1")
def test_every_flipped_byte_and_every_cut_is_noticed():
    raw = Snapshot("s1", 7, trajectory=[[0.1] * FACETS]).pack()
    for place in range(len(raw)):
        flipped = bytearray(raw)
        flipped[place] ^= 0x41
        with pytest.raises(StoreError):
            Snapshot.unpack(bytes(flipped))
        with pytest.raises(Damaged, match="corrupted identity"):
            Snapshot.unpack(raw[:place])
