"""Identity on disk: what is derived, recovered, refused and forgotten."""

from __future__ import annotations

import pytest

from holdfast.errors import Damaged, StoreError
from holdfast.ledger import forget, replay
from holdfast.rooms.identity import lookup, queries
from holdfast.rooms.identity.snapshot import Snapshot
from holdfast.rooms.sessions import archive
from holdfast.system.paths import digest
from identity.lives import TASK, Lives

A, B, C = "aaaa-1", "bbbb-2", "cccc-3"
NOW = "2027-03-01T00:00:00.000Z"


# What is kept


@pytest.mark.promise("I1")
def test_a_session_leaves_a_snapshot_that_the_index_by_time_and_the_pointer_know(lives: Lives):
    lives.whole(A)
    lives.whole(B)
    found = queries.snapshot_of(lives.store, B)

    assert found is not None
    assert (found.session_id, found.previous_session_id) == (B, A)
    assert found.trajectory
    assert found.purpose_vector == found.trajectory[-1]
    assert queries.latest(lives.store, lives.project()) == B
    assert queries.by_time(lives.store, lives.project()) == [B, A]
    lives.ends_well()


def test_every_turn_adds_its_purpose_to_the_trajectory_and_a_tool_does_not(lives: Lives):
    lives.begin(A)
    for _ in range(3):
        lives.say(A, TASK)
        lives.work(A)
        lives.tell("Stop", A, last_assistant_message="done")
    found = queries.snapshot_of(lives.store, A)

    assert found is not None
    assert 1 <= len(found.trajectory) <= 3
    lives.ends_well()


@pytest.mark.promise("I4")
def test_what_a_subagent_does_is_not_the_sessions_own_work(lives: Lives):
    lives.begin(A)
    lives.say(A, TASK)
    before = lives.mind(A).pack()
    lives.edit(A, "web/page.html", "a", "b", agent_id="sub-1")

    assert lives.mind(A).pack() == before
    lives.edit(A, "web/page.html", "a", "b")
    assert lives.mind(A).pack() != before
    lives.ends_well()


@pytest.mark.promise("I4")
def test_a_session_is_measured_against_what_it_inherits_and_copies_nothing_else(lives: Lives):
    lives.whole(A)
    lives.begin(B)
    (taken,) = lives.bodies("identity_inherited")

    assert taken["from"] == A
    assert lives.reading(B).events == 0
    assert lives.reading(B).is_provisional
    assert lives.mind(B).pack() != lives.mind(A).pack()
    lives.ends_well()


@pytest.mark.promise("I4")
def test_continuity_with_the_session_before_is_provisional_and_then_settled_for_good(lives: Lives):
    lives.whole(A)
    lives.begin(B)
    lives.say(B, TASK)
    assert not queries.kept(lives.store, B).is_fixed
    lives.work(B)
    settled = queries.kept(lives.store, B).crossing
    for number in range(12):
        lives.stray(B, number)

    kept = queries.kept(lives.store, B)
    assert (kept.is_fixed, kept.crossing) == (1, settled)
    lives.ends_well()


@pytest.mark.promise("I4")
@pytest.mark.parametrize("source", ["resume", "compact"])
def test_a_session_that_goes_on_is_never_begun_anew(lives: Lives, source: str):
    lives.begin(A)
    lives.say(A, TASK)
    lives.work(A)
    before = lives.mind(A).pack()
    lives.begin(A, source)

    assert lives.mind(A).pack() == before
    lives.ends_well()


@pytest.mark.promise("I4")
def test_a_clear_begins_fresh_and_keeps_its_place_in_the_chain(lives: Lives):
    lives.whole(A)
    lives.begin(B, "clear")
    lives.end(B)
    found = queries.snapshot_of(lives.store, B)

    assert not any(lives.mind(B).task), "what is usual in the project is all it takes over"
    assert queries.kept(lives.store, B).source == ""
    assert (found.previous_session_id, found.cross_session_ic) == (A, 1.0)
    lives.ends_well()


@pytest.mark.promise("I4")
def test_a_session_that_is_begun_twice_keeps_its_mind(lives: Lives):
    lives.whole(A)
    lives.begin(B, "clear")
    lives.say(B, TASK)
    lives.work(B)
    before = lives.mind(B).pack()
    lives.begin(B, "clear")

    assert lives.mind(B).pack() == before
    lives.ends_well()


def test_an_agent_that_was_at_work_before_us_gets_an_identity_from_its_first_event_on(lives: Lives):
    lives.say(A, TASK)

    assert lives.reading(A).events >= 1
    lives.ends_well()


# Recovery


@pytest.mark.promise("I1")
@pytest.mark.promise("I7")
def test_a_missing_pointer_is_found_again_by_time_and_written_anew(lives: Lives):
    lives.whole(A)
    lives.whole(B)
    lives.store.run("delete from identity_latest")

    assert lookup.newest(lives.store, lives.project()).session_id == B
    assert queries.latest(lives.store, lives.project()) == B
    lives.ends_well()


@pytest.mark.promise("I7")
def test_a_pointer_to_a_snapshot_that_is_gone_falls_back_to_the_one_before(lives: Lives):
    lives.whole(A)
    lives.whole(B)
    lives.store.run("delete from identities where session = ?", B)

    assert lookup.newest(lives.store, lives.project()).session_id == A
    assert queries.latest(lives.store, lives.project()) == A


@pytest.mark.promise("I7")
def test_recovery_by_time_passes_over_what_cannot_be_read(lives: Lives):
    lives.whole(A)
    lives.whole(B)
    lives.store.run("delete from identity_latest")
    lives.store.run("update identities set snapshot = x'00' where session = ?", B)

    assert lookup.newest(lives.store, lives.project()).session_id == A


@pytest.mark.promise("I7")
def test_a_damaged_snapshot_is_said_and_not_answered_with_a_fresh_one(lives: Lives):
    lives.whole(A)
    lives.store.run("update identities set snapshot = x'00'")

    with pytest.raises(Damaged, match="corrupted identity"):
        lookup.newest(lives.store, lives.project())


@pytest.mark.promise("I1")
def test_a_snapshot_of_a_newer_program_is_refused_and_left_as_it_is(lives: Lives):
    lives.whole(A)
    raw = bytearray(lives.store.value("select snapshot from identities"))
    raw[4] = 9
    lives.store.run("update identities set snapshot = ?", bytes(raw))

    with pytest.raises(StoreError, match="version 9"):
        lookup.newest(lives.store, lives.project())
    lives.tell("Stop", A, last_assistant_message="again")
    assert lives.store.value("select snapshot from identities") == bytes(raw)


@pytest.mark.promise("I7")
def test_a_damaged_mind_loses_no_event_and_is_folded_anew_by_a_rebuild(lives: Lives):
    lives.begin(A)
    lives.say(A, TASK)
    lives.work(A)
    sound = lives.mind(A).pack()
    lives.store.run("update minds set mind = x'0102'")
    lives.work(A, 1)

    with pytest.raises(Damaged, match="corrupted identity"):
        lives.mind(A)
    assert "minds" in replay.differences(lives.store)
    replay.rebuild(lives.store, only=["identity"])
    assert lives.mind(A).pack() != sound
    assert lives.reading(A).events > 2
    lives.ends_well()


def test_a_mind_of_an_earlier_program_is_none_until_it_is_folded_anew(lives: Lives):
    lives.whole(A)
    before = (1).to_bytes(4, "little") + lives.mind(A).pack()[4:]
    lives.store.run("update minds set mind = ?, checksum = ?", before, digest(before))

    assert queries.mind_of(lives.store, A) is None
    assert "cannot be read" not in lives.begin(B)
    replay.rebuild(lives.store)
    assert lives.mind(A).reading().events


# Forgetting


@pytest.mark.promise("I7")
def test_what_a_session_handed_on_is_forgotten_with_it_and_by_those_who_took_it_over(lives: Lives):
    lives.whole(A)
    lives.whole(B)
    lives.whole(C)
    alone = Snapshot.unpack(lives.store.value("select snapshot from identities where session=?", B))
    forget.sessions_and_projects(lives.workspace, (A,), (), now=NOW)

    assert lives.bodies("identity_inherited") == []
    assert queries.kept(lives.store, A) is None
    assert queries.kept(lives.store, B).source == ""
    assert queries.kept(lives.store, C).source == ""
    assert queries.snapshot_of(lives.store, B).cross_session_ic == 1.0
    assert alone.previous_session_id == A
    lives.ends_well()


def test_a_prompt_that_is_forgotten_is_gone_from_what_was_handed_on(lives: Lives):
    lives.whole(A)
    lives.begin(B)
    machine, seq = lives.store.row(
        "select machine, seq from entries where session = ? and kind = 'prompt_given'", A
    )
    forget.entry(lives.workspace, machine, seq, now=NOW)

    assert lives.bodies("identity_inherited") == []
    lives.ends_well()


def test_the_pointer_goes_to_the_session_before_when_the_newest_is_forgotten(lives: Lives):
    lives.whole(A)
    lives.whole(B)
    forget.sessions_and_projects(lives.workspace, (B,), (), now=NOW)

    assert queries.latest(lives.store, lives.project()) == A
    lives.ends_well()


@pytest.mark.parametrize("is_forgotten", [False, True])
def test_an_archived_session_comes_back_without_what_was_forgotten_meanwhile(
    lives: Lives, is_forgotten: bool
):
    for session in (A, B, C):
        lives.whole(session)
    found = {
        one.session.id: one for one in archive.due(lives.workspace, older_than_days=1, now=NOW)
    }
    for one in found.values():
        archive.archive(lives.workspace, one.session, now=NOW)
    assert {A, B} <= set(found)
    assert queries.kept(lives.store, B) is None
    if is_forgotten:
        forget.sessions_and_projects(lives.workspace, (A,), (), now=NOW)
    archive.restore(lives.workspace, B, now=NOW)

    assert queries.kept(lives.store, B).source == ("" if is_forgotten else A)
    lives.ends_well()


def test_projects_that_are_merged_have_one_newest_identity(lives: Lives):
    lives.whole(A)
    project = lives.project()
    with lives.store.transaction():
        lives.workspace.keep(
            "projects_merged", {"into": "another"}, key="m", at=NOW, project=project
        )

    assert queries.latest(lives.store, "another") == A
    assert queries.latest(lives.store, project) == ""
    lives.ends_well()
