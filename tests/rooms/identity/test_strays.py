"""Which files a session changed while its work had left the task."""

from __future__ import annotations

import pytest

from holdfast.rooms.identity import brief, lookup, strays
from identity.lives import Lives

A = "aaaa-1"
RETRY = "src/upload/retry.py"


def radio(lives: Lives, rounds: int) -> None:
    """Work that has to do with nothing before it."""
    for number in range(rounds):
        name = f"firmware/radio/tuner{number}.c"
        lives.edit(A, name, "static int band;", f"static int band_{number}; /* kHz */")
        lives.run(A, f"make -C firmware radio-{number}")


def files(lives: Lives) -> set[str]:
    return set(strays.of_session(lives.store, A).files)


@pytest.mark.promise("I9")
def test_a_session_that_keeps_to_its_task_has_strayed_nowhere(lives: Lives):
    lives.settle_in(A)
    lives.work(A, 10)

    assert strays.of_session(lives.store, A) == strays.NONE


@pytest.mark.promise("I9")
def test_the_files_of_a_drift_are_strays_from_the_first_on_and_those_of_the_task_are_not(
    lives: Lives,
):
    lives.settle_in(A)
    lives.say(A, "Go on with it.")
    radio(lives, 20)
    lives.edit(A, RETRY, "retries = 1", "retries = 2")

    assert files(lives) == {f"firmware/radio/tuner{number}.c" for number in range(20)}


@pytest.mark.promise("I9")
def test_a_drift_that_ended_turns_ago_is_still_one(lives: Lives):
    lives.settle_in(A)
    lives.say(A, "Go on with it.")
    radio(lives, 20)
    lives.tell("Stop", A, last_assistant_message="done")
    lookup.settle_doubt(lives.workspace, A, "keep", at="2027-01-15T09:00:00.000Z")
    lives.say(A, "Go on with it.")
    lives.work(A, 10)

    assert not brief.is_off_task(lives.reading(A))
    assert "firmware/radio/tuner3.c" in files(lives)


@pytest.mark.promise("I9")
def test_what_the_person_accepts_as_the_task_is_no_stray(lives: Lives):
    lives.settle_in(A)
    lives.wander(A)
    lives.tell("Stop", A, last_assistant_message="done")
    assert files(lives)
    lookup.settle_doubt(lives.workspace, A, "accept", at="2027-01-15T09:00:00.000Z")
    assert files(lives) == set()
    for number in range(300, 312):
        lives.stray(A, number)
    lives.tell("Stop", A, last_assistant_message="done")
    lives.say(A, "Go on with it.")
    radio(lives, 30)

    assert files(lives) == {f"firmware/radio/tuner{number}.c" for number in range(30)}
