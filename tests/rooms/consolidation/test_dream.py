"""A dream puts in order what sessions left; what it keeps is derived again."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from consolidation.sleeper import Sleeper, ticking

from conftest import git
from holdfast.errors import StoreError
from holdfast.hook import consolidate
from holdfast.ledger import forget, queries as ledger, replay
from holdfast.rooms.consolidation import queries as shelf_of_dreams
from holdfast.rooms.decisions import deciding
from holdfast.rooms.sessions import archive
from holdfast.rooms.sessions.queries import find
from holdfast.rooms.threads import queries, thread_state
from holdfast.rooms.work import queries as work_queries
from holdfast.system import clock, paths, processes
from law import assert_replay_law

RULE = "Never push to main."


@pytest.fixture
def sleeper(state, repo):
    git(repo, "checkout", "-q", "-b", "feature/auth")
    return Sleeper(state, repo)


@pytest.mark.promise("I9")
def test_its_report_is_an_entry_and_everything_follows_from_the_ledger(sleeper, state, repo):
    sleeper.session("s1", "a.py", "b.py", prompt=RULE)
    for _ in range(2):
        sleeper.learn("the cache is warmed by the first request", "s1")

    report = sleeper.dream()

    kept = [entry for _, entry in ledger.read(sleeper.store) if entry.kind == "dreamt"]
    assert [entry.body for entry in kept] == [
        {name: report[name] for name in kept[0].body},
    ]
    assert (report["ended"], report["counts"]["learnings_merged"]) == ("done", 1)
    assert_replay_law(state, repo)


@pytest.fixture
def thread_state_of(sleeper):
    """How the thread of a session stands."""

    def of(session: str) -> tuple[str, str]:
        last = queries.sessions_of(sleeper.store, session)[0]
        later = clock.iso(sleeper.now + 60)
        state = thread_state.Look(sleeper.store, sleeper.project, later).state(last)
        return state.name, state.why

    return of


def left_open(sleeper: Sleeper, *, commits: bool) -> None:
    sleeper.begin("s1")
    sleeper.tell("UserPromptSubmit", "s1", prompt="Add the login form to the page")
    sleeper.edit("s1", "a.py")
    if commits:
        (sleeper.repo / "a.py").write_text("x = 1\n")
        git(sleeper.repo, "add", "a.py")
        git(sleeper.repo, "commit", "-q", "-m", "Add the form")
        printed = {"stdout": "[feature/auth 1a2b3c4] Add the form\n 1 file changed", "stderr": ""}
        given = {"command": "git commit -m 'Add the form'"}
        sleeper.tell("PostToolUse", "s1", tool_name="Bash", tool_input=given, tool_response=printed)
    sleeper.tell("Stop", "s1", last_assistant_message="The form is there. Shall I style it?")
    sleeper.tell("SessionEnd", "s1", reason="other")


@pytest.mark.promise("T3")
def test_a_thread_whose_branch_was_merged_is_closed_until_it_is_gone_on_with(
    sleeper, state, repo, thread_state_of
):
    left_open(sleeper, commits=True)
    assert sleeper.dream()["counts"]["threads_closed"] == 0
    git(repo, "checkout", "-q", "main")
    git(repo, "merge", "-q", "feature/auth")

    assert sleeper.dream()["counts"]["threads_closed"] == 1

    assert thread_state_of("s1") == ("done", "its branch feature/auth is merged into main")
    assert sleeper.dream()["counts"]["threads_closed"] == 0
    sleeper.now = time.time() + 1  # dreams are of today, the sessions before of another day
    sleeper.tell("UserPromptSubmit", "s1", prompt="Style it, too")
    sleeper.tell("Stop", "s1", last_assistant_message="Styled. Shall I commit it?")
    assert thread_state_of("s1")[0] == "open"
    assert_replay_law(state, repo)


@pytest.mark.promise("T3")
def test_a_thread_whose_branch_is_gone_is_closed_and_one_that_made_no_commit_stays(
    sleeper, repo, thread_state_of
):
    left_open(sleeper, commits=False)
    git(repo, "checkout", "-q", "main")
    assert sleeper.dream()["counts"]["threads_closed"] == 0
    git(repo, "branch", "-D", "feature/auth")

    assert sleeper.dream(dry_run=True)["counts"]["threads_closed"] == 1
    assert thread_state_of("s1")[0] == "open"
    sleeper.dream()
    assert thread_state_of("s1") == ("done", "its branch feature/auth is there no more")


@pytest.mark.promise("T3")
def test_a_branch_that_was_renamed_or_is_stood_on_closes_nothing(sleeper, repo, thread_state_of):
    left_open(sleeper, commits=True)
    git(repo, "branch", "-q", "-m", "feature/auth", "feature/login")
    assert sleeper.dream()["counts"]["threads_closed"] == 0
    git(repo, "checkout", "-q", "--orphan", "feature/auth")
    git(repo, "rm", "-q", "-r", "-f", ".")
    assert sleeper.dream()["counts"]["threads_closed"] == 0


@pytest.mark.promise("T3")
def test_reopened_it_is_open_until_something_is_asked_in_it_again(sleeper, repo, thread_state_of):
    left_open(sleeper, commits=True)
    sleeper.now = time.time()
    turn = {"thread": "s1", "turn": "reopened", "words": ""}
    at = clock.iso(sleeper.now)
    with sleeper.store.transaction():
        sleeper.workspace.keep("thread_turned", turn, key="t", at=at, project=sleeper.project)
    assert thread_state_of("s1") == ("open", "the agent asked something")  # and not resting

    sleeper.tell("UserPromptSubmit", "s1", prompt="Style it, too")
    sleeper.edit("s1", "b.py")
    sleeper.tell("Stop", "s1", last_assistant_message="The form is styled and committed.")

    assert thread_state_of("s1") == ("done", "nothing was left")


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


def test_forgetting_a_project_forgets_its_dreams(sleeper):
    sleeper.session("s1", "a.py", "b.py")
    sleeper.dream()
    project = sleeper.project

    forget.sessions_and_projects(sleeper.workspace, ("s1",), (project,), now=clock.now())

    for table in ("recalls", "recollections", "dreams", "faded_links"):
        assert list(sleeper.store.rows(f"select * from {table}")) == []
    assert replay.differences(sleeper.store) == {}


def test_when_two_projects_are_found_to_be_one_so_are_their_dreams(sleeper, state, tmp_path):
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

    assert len(shelf_of_dreams.dreams(other.store, two, 10)) == 2
    assert replay.differences(other.store) == {}


def test_what_dreams_of_earlier_versions_kept_is_read_and_nothing_is_made_of_links(
    sleeper, state, repo
):
    sleeper.session("s1", "a.py", "b.py")
    memory = {"memory": "m1", "sort": "file", "name": "a.py", "permille": 900}
    used = {"step": 1, "until": "2026-01-01T00:00:00.000Z", "memories": [memory]}
    lists = {"strengthened": [], "pruned": [["m1", "m2"]], "merged": [], "proposed": []}
    report = {"why": "hand", "ended": "done", "step": 1, "ms": 3, "counts": {"linked": 1}, **lists}
    project = sleeper.project

    with sleeper.store.transaction():
        for kind, body, session in (("recalled", used, "s1"), ("dreamt", report, "")):
            sleeper.workspace.keep(kind, body, key=kind, at="x", project=project, session=session)

    (dream,) = shelf_of_dreams.dreams(sleeper.store, project, 10)
    assert dream["said"] == report
    for table in ("recalls", "recollections", "faded_links"):
        assert list(sleeper.store.rows(f"select * from {table}")) == []
    assert_replay_law(state, repo)


# Archive and store


@pytest.mark.promise("S8")
@pytest.mark.promise("I9")
def test_a_dream_archives_old_sessions_and_never_one_whose_work_is_not_done(sleeper, state, repo):
    for name in ("done.py", "changed.py"):
        (repo / name).write_text("x = 1\n")
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "Begin")
    (repo / "changed.py").write_text("x = 2\n")
    sleeper.session("done", "done.py")
    sleeper.session("dirty", "changed.py")
    sleeper.session("created", "new.py", ends=False)
    (repo / "new.py").write_text("x = 1\n")
    sleeper.tell("SessionEnd", "created", reason="other")
    sleeper.session("failing", ends=False)
    bash = {"tool_name": "Bash", "tool_input": {"command": "make test"}}
    sleeper.tell("PostToolUseFailure", "failing", **bash, error="Exit code 2\nFAILED test_cart")
    sleeper.tell("SessionEnd", "failing", reason="other")
    sleeper.session("left", ends=False)
    todo = {"todos": [{"content": "Write the docs", "status": "pending"}]}
    sleeper.tell("PostToolUse", "left", tool_name="TodoWrite", tool_input=todo)
    sleeper.tell("SessionEnd", "left", reason="other")
    sleeper.session("says", ends=False)
    sleeper.tell("Stop", "says", last_assistant_message="Parsed.\n\nNext steps:\n- print tags")
    sleeper.tell("SessionEnd", "says", reason="other")
    sleeper.session("before")  # the one that is open was linked to it
    sleeper.session("open", ends=False)
    stay = ("dirty", "created", "failing", "left", "says", "before", "open")

    assert sleeper.dream(older_than_days=30, dry_run=True)["counts"]["sessions_archived"] == 1
    report = sleeper.dream(older_than_days=30)

    assert report["counts"]["sessions_archived"] == 1
    assert find(sleeper.store, "done").archived
    assert [name for name in stay if find(sleeper.store, name).archived] == []
    assert replay.differences(sleeper.store) == {}
    archive.restore(sleeper.workspace, "done", now=clock.now())
    assert find(sleeper.store, "done").archived == ""


@pytest.mark.promise("S8")
def test_a_session_that_was_archived_or_goes_on_meanwhile_is_not_archived_again(sleeper):
    sleeper.session("s1", "a.py")
    chosen = find(sleeper.store, "s1")
    path = archive.archive(sleeper.workspace, chosen, now=clock.now())
    whole = Path(path).read_bytes()

    assert archive.archive(sleeper.workspace, chosen, now=clock.now()) == ""
    assert Path(path).read_bytes() == whole
    archive.restore(sleeper.workspace, "s1", now=clock.now())
    sleeper.tell("SessionStart", "s1", source="resume")
    assert archive.archive(sleeper.workspace, chosen, now=clock.now()) == ""


@pytest.mark.promise("I9")
def test_a_store_with_much_free_space_is_written_anew_by_a_dream(sleeper):
    sleeper.session("s1", "a.py")
    sleeper.store.run("create table ballast (text)")
    sleeper.store.run("insert into ballast values (zeroblob(6000000))")
    sleeper.store.run("drop table ballast")

    assert sleeper.dream()["counts"]["pages_freed"] > 1_000

    assert sleeper.store.value("pragma freelist_count") < 100
    assert sleeper.dream()["counts"]["pages_freed"] == 0


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
@pytest.mark.parametrize("looks", range(1, 4))
def test_a_dream_that_takes_too_long_gives_up_and_keeps_only_that_it_did(sleeper, looks):
    sleeper.session("s1", "a.py", "b.py", ends=False)
    sleeper.learn("one thing", "s1")
    sleeper.learn("one thing", "s1")
    before = sleeper.kinds()

    report = sleeper.dream(clock=ticking(looks))

    assert report["ended"] == "limit"
    assert set(report["counts"].values()) == {0}
    assert sleeper.kinds() == [*before, "dreamt"]
    assert sleeper.dream()["counts"]["learnings_merged"] == 1


@pytest.mark.promise("I9")
def test_while_one_dream_is_under_way_there_is_no_other(sleeper, monkeypatch):
    monkeypatch.setattr(processes, "LOCK_WAIT_S", 0.0)
    sleeper.session("s1", "a.py")
    lock = processes.Lock(paths.dream(sleeper.state, sleeper.project))
    assert lock.take()

    assert (
        consolidate.dream(
            sleeper.workspace, sleeper.project, "hand", limit_s=20, older_than_days=30
        )
        is None
    )
    assert consolidate.start(sleeper.state, sleeper.project, "crisis") is False
    lock.release()

    assert sleeper.dream()["ended"] == "done"


def test_a_dry_run_tells_the_same_and_keeps_nothing(sleeper):
    sleeper.session("s1", "a.py", "b.py")
    before = sleeper.kinds()

    told = sleeper.dream(dry_run=True)

    assert sleeper.kinds() == before
    assert told["counts"] == sleeper.dream()["counts"]


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
