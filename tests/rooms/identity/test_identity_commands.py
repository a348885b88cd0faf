"""Identity at the command line: what a person sees of it, and says to it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cli.terminal import typed_and_told
from holdfast.rooms.identity import brief
from identity.lives import TASK, Lives
from identity.test_identity_figures import holdfast

A = "aaaa-1"


def data(lives: Lives, *arguments: str) -> dict[str, Any]:
    done = holdfast(lives.folder, *arguments, "--json", CLAUDE_CODE_SESSION_ID=A)
    assert (done.returncode, done.stderr) == (0, "")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def settled(lives: Lives, verdict: str) -> dict[str, Any]:
    """What the person says to it, at a terminal of their own."""
    found: dict[str, Any] = typed_and_told(Path(lives.folder), "goal", verdict)
    return found


@pytest.mark.promise("I5")
@pytest.mark.promise("I7")
def test_the_status_tells_all_of_it_and_its_factors_make_the_whole(lives: Lives):
    lives.settle_in(A)
    found = data(lives, "consciousness")
    reading = lives.reading(A)

    assert (found["brief"], found["class"]) == (brief.of(reading), reading.klass)
    assert found["state"] == brief.NAMES[reading.state]
    assert len(found["facets"]) == len(found["phases"]) == 13
    product = found["integration"] * found["reflection"] * found["differentiation"]
    assert found["consciousness"] == pytest.approx(product, abs=0.001)
    text = holdfast(lives.folder, "consciousness", CLAUDE_CODE_SESSION_ID=A).stdout
    assert text.startswith(f"Identity  {brief.of(reading)}")


@pytest.mark.promise("I7")
def test_a_session_is_named_by_the_start_of_its_id_and_an_unknown_one_is_an_error(lives: Lives):
    lives.settle_in(A)

    assert data(lives, "consciousness", "--session", "aaaa")["session"] == A
    done = holdfast(lives.folder, "consciousness", "--session", "zzzz")
    assert (done.returncode, done.stdout) == (1, "")
    assert "no session zzzz" in done.stderr


def test_where_no_session_was_there_is_a_hint_and_no_figure(lives: Lives):
    lives.settle_in(A)
    lives.store.run("delete from minds")
    done = holdfast(lives.folder, "consciousness")

    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "error: no identity is known here yet",
        "hint:  it begins with a session",
    ]


@pytest.mark.promise("I6")
@pytest.mark.parametrize("verdict", ["accept", "keep"])
def test_in_doubt_accept_and_keep_settle_it_and_leave_the_goal_and_its_rules(
    lives: Lives, verdict: str
):
    lives.settle_in(A, f"{TASK}. Do not touch the public API.")
    lives.wander(A)
    before = data(lives, "goal")["goal"]
    rules = data(lives, "rules")
    made = settled(lives, verdict)

    assert (made["settled"], made["goal"]) == (verdict, before)
    assert data(lives, "rules") == rules
    assert data(lives, "consciousness")["class"] in brief.SOUND
    assert lives.bodies("identity_settled") == [{"verdict": verdict}]
    lives.ends_well()


@pytest.mark.promise("I6")
def test_without_a_doubt_accept_is_about_the_goal_as_it_always_was(lives: Lives):
    lives.settle_in(A)
    made = settled(lives, "accept")

    assert made["settled"] is None
    assert lives.bodies("identity_settled") == []
    lives.ends_well()


@pytest.mark.promise("I7")
@pytest.mark.parametrize(
    "words",
    [
        ("session", "restore-identity", "an-id"),
        ("session", "continue"),
        ("consciousness", "dance"),
        ("repair", "--cf", "another_family"),
    ],
)
def test_what_is_no_command_is_misuse(lives: Lives, words: tuple[str, ...]):
    lives.settle_in(A)
    done = holdfast(lives.folder, *words)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")
