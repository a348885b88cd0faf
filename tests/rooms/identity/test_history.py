"""The replay law over random lives: whatever happened, the entries give every row again."""

from __future__ import annotations

import random

import pytest

from holdfast.errors import HoldfastError
from holdfast.ledger import forget
from holdfast.rooms.identity import lookup, queries
from identity.lives import OTHER, TASK, Lives

ACTS = 45
SESSIONS = ("s0", "s1", "s2", "s3")
SOURCES = ("startup", "startup", "resume", "clear", "compact", "fork")
AT = "2027-02-01T00:00:00.000Z"


def act(lives: Lives, chance: random.Random, number: int) -> None:
    session = chance.choice(SESSIONS)
    what = chance.randrange(12)
    if what < 2:
        lives.begin(session, chance.choice(SOURCES))
    elif what == 2:
        lives.say(session, chance.choice((TASK, OTHER, "And now?", "")))
    elif what < 6:
        lives.work(session, 1)
    elif what < 8:
        lives.stray(session, number)
    elif what == 8:
        lives.tell("Stop", session, last_assistant_message="done")
    elif what == 9:
        lives.end(session, chance.choice(("other", "clear")))
    elif what == 10:
        asked_for(lives, session, chance)
    else:
        forgotten(lives, session, chance, number)


def asked_for(lives: Lives, session: str, chance: random.Random) -> None:
    """What a person does by command."""
    if queries.kept(lives.store, session) is None:
        return
    if chance.random() < 0.5:
        lookup.persist(lives.workspace, session, at=AT)
    else:
        lookup.settle_doubt(lives.workspace, session, chance.choice(("accept", "keep")), at=AT)


def forgotten(lives: Lives, session: str, chance: random.Random, number: int) -> None:
    """One entry, or now and then a whole session."""
    at = f"2027-02-02T00:00:{number:02d}.000Z"
    if chance.random() < 0.3:
        forget.sessions_and_projects(lives.workspace, (session,), (), now=at)
        return
    rows = list(
        lives.store.rows("select machine, seq from entries where session = ? order by seq", session)
    )
    if rows:
        try:
            forget.entry(lives.workspace, *chance.choice(rows), now=at)
        except HoldfastError:
            pass  # one that only says what was forgotten


@pytest.mark.promise("I7")
@pytest.mark.parametrize("seed", range(6))
def test_any_life_is_derived_again_row_by_row(lives: Lives, seed: int):
    chance = random.Random(seed)
    for number in range(ACTS):
        act(lives, chance, number)

    lives.ends_well()
    held = {body["from"] for body in lives.bodies("identity_inherited")}
    known = {session for session in SESSIONS if queries.kept(lives.store, session)}
    assert held <= known
