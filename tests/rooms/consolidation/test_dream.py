"""A dream reads, thinks and keeps: whole or not at all, and what it keeps is derived again."""

from __future__ import annotations

import os
import time

import pytest
from consolidation.sleeper import Sleeper, ticking

from conftest import git
from holdfast.errors import StoreError
from holdfast.hook import consolidate
from holdfast.ledger import forget, replay
from holdfast.ledger import queries as ledger
from holdfast.rooms.consolidation import consolidating
from holdfast.rooms.consolidation import queries as shelf_of_dreams
from holdfast.rooms.decisions import deciding
from holdfast.rooms.sessions import archive
from holdfast.rooms.sessions.queries import find
from holdfast.rooms.work import commands
from holdfast.rooms.work import queries as work_queries
from holdfast.system import clock, paths, processes
from law import assert_replay_law

RULE = "Never push to main."


@pytest.fixture
def sleeper(state, repo):
    git(repo, "checkout", "-q", "-b", "feature/auth")
    return Sleeper(state, repo)


@pytest.mark.promise("I9")
def test_files_that_sessions_change_together_are_linked_and_those_of_two_sessions_are_not(sleeper):
    sleeper.session("s1", "a.py", "b.py")
    sleeper.session("s2", "a.py", "b.py")
    sleeper.session("s3", "c.py")

    report = sleeper.dream()

    assert sleeper.links() == {frozenset({"a.py", "b.py"}): 2}
    assert (report["ended"], report["counts"]["sessions"]) == ("done", 3)


@pytest.mark.promise("I9")
def test_its_report_is_an_entry_and_everything_follows_from_the_ledger(sleeper, state, repo):
    sleeper.session("s1", "a.py", "b.py", prompt=RULE)
    sleeper.learn("the cache is warmed by the first request", "s1")

    report = sleeper.dream()

    kept = [entry for _, entry in ledger.read(sleeper.store) if entry.kind == "dreamt"]
    assert [entry.body for entry in kept] == [
        {name: report[name] for name in kept[0].body},
    ]
    assert report["counts"]["linked"] > 0
    assert_replay_law(state, repo)


def test_a_rule_a_pin_and_a_learning_are_linked_with_what_was_changed_under_them(sleeper):
    sleeper.session("s1", "a.py", prompt=RULE, ends=False)
    commands.pin(sleeper.place("s1"), "keep the API stable", label="api", critical=True)
    sleeper.learn("the cache is warmed by the first request", "s1")

    sleeper.dream()

    rows = sleeper.store.rows("select distinct sort from recollections order by sort")
    assert [row[0] for row in rows if row[0] != "topic"] == ["file", "learning", "pin", "rule"]


def test_a_second_dream_at_once_finds_nothing_new_and_changes_nothing(sleeper):
    sleeper.session("s1", "a.py", "b.py")
    sleeper.dream()
    before = list(sleeper.store.rows("select * from recollections"))

    counts = sleeper.dream()["counts"]

    assert set(counts.values()) == {0}
    assert list(sleeper.store.rows("select * from recollections")) == before


def test_a_session_that_goes_on_is_replayed_anew_and_counts_once(sleeper):
    sleeper.session("s1", "a.py", "b.py", ends=False)
    sleeper.dream()
    sleeper.edit("s1", "c.py")

    sleeper.dream()

    assert set(sleeper.links().values()) == {1}
    assert len(sleeper.links()) == 3


@pytest.mark.promise("I9")
def test_links_that_are_not_used_again_fade_and_are_pruned(sleeper):
    sleeper.session("s1", prompt="widget sprocket gadget", ends=False)
    for _ in range(8):
        sleeper.tell("UserPromptSubmit", "s1", prompt="gadget")
    pair = (("topic", "sprocket"), ("topic", "widget"))
    sleeper.dream()
    assert pair in consolidating.links(sleeper.store, sleeper.project)

    for number in range(14):
        sleeper.session(f"t{number}", f"c{number}.py")
    counts = sleeper.dream()["counts"]

    assert pair not in consolidating.links(sleeper.store, sleeper.project)
    assert counts["pruned"] > 0
    assert sleeper.dream()["counts"]["pruned"] == 0
    assert replay.differences(sleeper.store) == {}


@pytest.mark.promise("I9")
def test_what_was_learnt_twice_is_told_once_and_again_when_its_twin_is_forgotten(sleeper):
    sleeper.session("s1", "a.py", ends=False)
    first = sleeper.learn("The cache is warmed by the first request", "s1")
    sleeper.session("s2", "b.py", ends=False)
    second = sleeper.learn("the cache is warmed by the `first` request.", "s2")
    other = sleeper.learn("the first request is warmed by the cache", "s2")

    report = sleeper.dream()

    told = [row.id for row in work_queries.learnings(sleeper.store, sleeper.project, 10)]
    assert told == [other, second]
    assert report["merged"] == [[first, second]]
    forget.sessions_and_projects(sleeper.workspace, ("s2",), (), now=clock.now())
    assert [
        learning.id for learning in work_queries.learnings(sleeper.store, sleeper.project, 10)
    ] == [first]
    assert replay.differences(sleeper.store) == {}


@pytest.mark.promise("I9")
def test_forgetting_a_session_drops_the_links_that_it_alone_held_and_its_names(sleeper):
    sleeper.session("s1", "a.py", "b.py")
    sleeper.session("s2", "a.py", "b.py", "secret-plan.py")
    sleeper.dream()
    assert len(sleeper.links()) == 3

    forget.sessions_and_projects(sleeper.workspace, ("s2",), (), now=clock.now())

    assert sleeper.links() == {frozenset({"a.py", "b.py"}): 1}
    assert replay.differences(sleeper.store) == {}
    assert "secret-plan" not in "".join(
        row[0] for row in sleeper.store.rows("select body from bodies")
    )


def test_links_outlive_the_archive_of_their_sessions(sleeper, state, repo):
    sleeper.session("s1", "a.py", "b.py")
    sleeper.dream()

    archive.archive(sleeper.workspace, find(sleeper.store, "s1"), now=clock.now())
    assert sleeper.links() == {frozenset({"a.py", "b.py"}): 1}
    assert replay.differences(sleeper.store) == {}
    archive.restore(sleeper.workspace, "s1", now=clock.now())

    assert sleeper.links() == {frozenset({"a.py", "b.py"}): 1}
    assert_replay_law(state, repo)


def test_forgetting_a_project_forgets_its_dreams(sleeper):
    sleeper.session("s1", "a.py", "b.py")
    sleeper.dream()
    project = sleeper.project

    forget.sessions_and_projects(sleeper.workspace, ("s1",), (project,), now=clock.now())

    for table in ("recalls", "recollections", "dreams", "faded_links"):
        assert list(sleeper.store.rows(f"select * from {table}")) == []
    assert replay.differences(sleeper.store) == {}


def test_when_two_projects_are_found_to_be_one_so_are_their_links(sleeper, state, tmp_path):
    sleeper.session("s1", "a.py", "b.py")
    sleeper.dream()
    one = sleeper.project
    folder = tmp_path / "other"  # no repository: two that began in one second would be one
    folder.mkdir()
    other = Sleeper(state, folder)
    for number in range(2):
        other.session(f"t{number}", "a.py", "b.py")
    other.dream()
    two = other.project
    assert one != two

    with other.store.transaction():
        other.workspace.keep("projects_merged", {"into": two}, key="m", at="x", project=one)

    assert other.links() == {frozenset({"a.py", "b.py"}): 3}
    assert len(shelf_of_dreams.dreams(other.store, two, 10)) == 2
    assert replay.differences(other.store) == {}
    assert other.dream()["counts"]["linked"] == 0


def test_memories_that_are_two_links_apart_are_proposed_by_id_alone(sleeper):
    for number in range(2):
        sleeper.session(f"s{number}", "left.py", "hub.py")
        sleeper.session(f"t{number}", "hub.py", "right.py")

    report = sleeper.dream()

    names = dict(sleeper.store.rows("select memory, name from recollections"))
    found = [{names[one["a"]], names[one["b"]]} for one in report["proposed"]]
    assert {"left.py", "right.py"} in found
    entry = next(one for _, one in ledger.read(sleeper.store) if one.kind == "dreamt")
    assert "left.py" not in str(entry.body)


# Topics and found work


def test_a_topic_and_its_plural_become_the_heavier_of_the_two(sleeper):
    sleeper.session("s1", ends=False)
    for prompt in ("one gadget, more gadgets", "the widget", "gadgets"):
        sleeper.tell("UserPromptSubmit", "s1", prompt=prompt)
    sleeper.tell("SessionEnd", "s1", reason="other")
    before = work_queries.weights(sleeper.store, "s1", 50)

    counts = sleeper.dream()["counts"]

    after = work_queries.weights(sleeper.store, "s1", 50)
    assert (before["gadget"], before["gadgets"]) == (1, 2)
    assert after == {**{k: v for k, v in before.items() if k != "gadget"}, "gadgets": 3}
    assert counts["topics_merged"] == 1
    assert replay.differences(sleeper.store) == {}


def test_a_mark_that_was_written_anew_in_the_same_words_is_found_once(sleeper):
    sleeper.session("s1", ends=False)
    sleeper.edit("s1", "a.py", text="# TODO close the file\n")
    sleeper.edit("s1", "a.py", text="# TODO: close the file.\n")
    sleeper.edit("s1", "b.py", text="# TODO: close the file.\n")

    counts = sleeper.dream()["counts"]

    found = [work.description for work in work_queries.found_work(sleeper.store, "s1", 10)]
    assert sorted(found) == ["a.py: # TODO: close the file.", "b.py: # TODO: close the file."]
    assert counts["work_merged"] == 1


def test_topics_of_a_session_of_many_days_lose_half_of_their_weight_once_a_day(sleeper):
    sleeper.session("s1", ends=False)
    for _ in range(4):
        sleeper.tell("UserPromptSubmit", "s1", prompt="gadget")

    first, second = sleeper.dream()["counts"], sleeper.dream()["counts"]

    assert work_queries.weights(sleeper.store, "s1", 50)["gadget"] == 2
    assert (first["topics_renewed"] > 0, second["topics_renewed"]) == (True, 0)
    assert replay.differences(sleeper.store) == {}


# Another room


def test_what_another_room_grounds_anew_is_counted_and_its_look_is_in_no_transaction(
    sleeper, monkeypatch
):
    asked = []

    def tidy(store, project, root):
        with store.transaction():  # it may write to a cache of its own
            asked.append((project, root))
        return {"checked": 3, "broken": 1}

    monkeypatch.setattr(deciding, "tidy", tidy)
    sleeper.session("s1", "a.py")

    report = sleeper.dream()

    assert asked == [(sleeper.project, str(sleeper.repo))]
    assert report["counts"]["decisions_regrounded"] == 3


# What may go wrong


@pytest.mark.promise("I9")
@pytest.mark.parametrize("looks", range(1, 6))
def test_a_dream_that_takes_too_long_gives_up_and_keeps_only_that_it_did(sleeper, looks):
    sleeper.session("s1", "a.py", "b.py")
    sleeper.learn("one thing", "s1")
    sleeper.learn("one thing", "s1")
    before = sleeper.kinds()

    report = sleeper.dream(clock=ticking(looks))

    assert report["ended"] == "limit"
    assert set(report["counts"].values()) == {0}
    assert sleeper.kinds() == [*before, "dreamt"]
    assert sleeper.links() == {}
    assert sleeper.dream()["counts"]["learnings_merged"] == 1


@pytest.mark.promise("I9")
def test_while_one_dream_is_under_way_there_is_no_other(sleeper, monkeypatch):
    monkeypatch.setattr(processes, "LOCK_WAIT_S", 0.0)
    sleeper.session("s1", "a.py")
    lock = processes.Lock(paths.dream(sleeper.state, sleeper.project))
    assert lock.take()

    assert consolidate.dream(sleeper.workspace, sleeper.project, "hand", limit_s=20) is None
    assert consolidate.start(sleeper.state, sleeper.project, "crisis") is False
    lock.release()

    assert sleeper.dream()["ended"] == "done"


def test_a_dry_run_tells_the_same_and_keeps_nothing(sleeper):
    sleeper.session("s1", "a.py", "b.py")
    before = sleeper.kinds()

    told = sleeper.dream(dry_run=True)

    assert sleeper.kinds() == before
    assert told["counts"] == sleeper.dream()["counts"]


def test_a_session_that_is_forgotten_under_a_dream_is_dreamt_of_no_more(sleeper):
    sleeper.session("s1", "a.py", "b.py")
    sleeper.session("s2", "c.py", "d.py")
    stages = []

    def meanwhile(done: int, of: int) -> None:
        stages.append((done, of))
        if done == 2 and find(sleeper.store, "s1"):
            forget.sessions_and_projects(sleeper.workspace, ("s1",), (), now=clock.now())

    report = sleeper.dream(tell=meanwhile)

    assert [done for done, _ in stages] == [0, 1, 2, 3, 0, 1, 2, 3, 4]
    assert report["counts"]["sessions"] == 1
    assert sleeper.links() == {frozenset({"c.py", "d.py"}): 1}
    assert replay.differences(sleeper.store) == {}


def test_a_dream_waits_for_a_rebuild_of_the_tables(sleeper):
    sleeper.session("s1", "a.py")
    sleeper.store.run("update derivations set version = 0 where room = 'work'")
    sleeper.workspace._stale = None

    with pytest.raises(StoreError, match="rebuild"):
        sleeper.dream()


def test_a_dream_that_began_less_than_a_minute_ago_holds_off_the_next(sleeper):
    sleeper.session("s1", "a.py")
    project, now = sleeper.project, time.time()
    assert not consolidate.is_cooling(sleeper.state, project, 60, now)

    sleeper.dream()

    began = os.stat(paths.dream(sleeper.state, project)).st_mtime
    assert consolidate.is_cooling(sleeper.state, project, 60, began + 59)
    assert not consolidate.is_cooling(sleeper.state, project, 60, began + 60)
    assert not consolidate.is_cooling(sleeper.state, project, 60, began - 1)
