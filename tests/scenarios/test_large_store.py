"""The benchmark's large project is what the product itself would have kept and derived."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from conftest import Door
from holdfast.ledger import queries as ledger, replay
from holdfast.ledger.workspace import Workspace
from holdfast.setup import install
from holdfast.setup.doctor import BROKEN, POOR, Patient
from holdfast.setup.doctor.examination import examine
from law import assert_nothing_swallowed, assert_replay_law

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
import large_store

FIRST = "aaaaaaaa-0000-4000-8000-000000000000"
SESSIONS, PATTERNS, LASTING = 40, 4, 15


@pytest.fixture
def built(door: Door, repo: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    for name, value in (("PATTERNS", PATTERNS), ("LASTING", LASTING), ("BATCH", 12)):
        monkeypatch.setattr(large_store, name, value)
    install.install(door.state, install.settings_path(repo))
    door.send("SessionStart.startup", agent=door.agent(), session_id=FIRST)
    large_store.build(door.state, FIRST, SESSIONS)
    return Workspace(door.state)


@pytest.mark.exhaustive
def test_a_store_made_of_copies_obeys_the_replay_law(built, door, repo):
    assert_replay_law(door.state, repo)
    assert_nothing_swallowed(door.state)


def test_every_session_has_its_entries_and_as_many_rows_as_one_that_was_kept(built):
    many = dict(
        built.store.rows(
            "select session, count(*) from entries where session not in ('', ?) group by session",
            FIRST,
        )
    )
    assert len(many) == SESSIONS
    assert set(many.values()) == {large_store.ENTRIES}
    for table in ("sessions", "activity", "goals", "rules", "minds", "identities", "conduct"):
        assert built.store.value(f"select count(*) from {table}") >= SESSIONS, table
    assert built.store.value("select count(*) from rules where lasting = 1") == 2
    # Each has a task of its own, and follows another.
    assert built.store.value("select count(distinct thread) from rules") == SESSIONS
    assert built.store.value("select count(distinct previous) from links") == SESSIONS


@pytest.mark.exhaustive
def test_nothing_is_wrong_with_a_store_made_of_copies(built, door, repo):
    assert built.store.problems() == []
    assert ledger.damaged(built.store) == []
    assert (ledger.gaps(built.store), ledger.bodiless(built.store)) == ([], [])
    ailing = [one for one in examine(Patient(door.state, repo)) if one.standing in (POOR, BROKEN)]
    assert ailing == []


@pytest.mark.exhaustive
def test_a_row_that_no_projection_would_derive_is_found_by_the_replay(built):
    session = built.store.value("select max(id) from sessions")
    with built.store.transaction():
        built.store.run("update activity set tools = tools + 1 where session = ?", session)

    assert replay.differences(built.store) == {"activity": 2}
