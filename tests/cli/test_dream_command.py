"""`holdfast dream` as a person types it."""

from __future__ import annotations

import time

import pytest
from consolidation.sleeper import Sleeper
from terminal import refused, run, told

from conftest import git
from holdfast.hook import consolidate
from holdfast.setup import install
from holdfast.system import files, paths, processes
from law import assert_nothing_swallowed, assert_replay_law

RULE = "Never push to main."


@pytest.fixture
def slept(state, repo):
    """A session, and something that was learnt twice."""
    git(repo, "checkout", "-q", "-b", "feature/auth")
    sleeper = Sleeper(state, repo)
    sleeper.session("s1", "left.py", prompt=RULE, ends=False)
    sleeper.learn("the cache is warmed by the first request")
    sleeper.learn("The cache is warmed by the first request.")
    yield sleeper
    sleeper.store.close()


@pytest.mark.promise("I9")
def test_a_dream_by_hand_tells_what_it_did_and_show_tells_it_again(slept, repo, state):
    first = run(repo, "dream")
    again = run(repo, "dream", "show")

    assert (first.returncode, first.stderr) == (0, "")
    head, *said = first.stdout.splitlines()
    assert head.startswith("● ")
    assert "by hand" in head
    assert head.endswith("ms, done")
    assert again.stdout.splitlines()[1:] == said
    assert "Merged    1 learning, 0 topics, 0 found tasks" in said
    assert_nothing_swallowed(state)
    assert_replay_law(state, repo)


@pytest.mark.promise("I9")
def test_a_dream_grounds_decisions_anew(slept, repo):
    (repo / "jwt.py").write_text("grace_period = 900\n")
    run(repo, "decide", "Allow a grace period", "--evidence", "jwt.py:1")
    (repo / "jwt.py").write_text("leeway = 60\n")

    assert "Decisions 1 re-grounded" in run(repo, "dream").stdout.splitlines()
    assert slept.store.value("select name from standings") == "broken"


def test_the_data_of_a_dream_has_its_report(slept, repo):
    found = told(repo, "dream")

    assert set(found) == {"dream", "dry_run"}
    assert set(found["dream"]) == {"id", "at", "why", "ended", "ms", "counts", "merged"}
    assert found["dream"]["counts"] == {
        **dict.fromkeys(consolidate.COUNTED, 0),
        "learnings_merged": 1,
    }
    assert told(repo, "dream", "show") == {"dream": found["dream"]}


def test_a_dream_is_shown_by_the_start_of_its_id_and_the_last_one_without(slept, repo):
    first, second = told(repo, "dream")["dream"], told(repo, "dream")["dream"]

    assert told(repo, "dream", "show", first["id"][:6])["dream"]["at"] == first["at"]
    assert told(repo, "dream", "show")["dream"]["at"] == second["at"]
    assert "no dream beef00" in refused(run(repo, "dream", "show", "beef00"))


def test_a_dry_run_shows_what_would_be_and_keeps_nothing(slept, repo):
    before = slept.kinds()

    done = run(repo, "dream", "--dry-run")

    assert done.stdout.startswith("· A dream now would do this")
    assert "Merged    1 learning, 0 topics, 0 found tasks" in done.stdout
    assert slept.kinds() == before
    assert told(repo, "dream", "show") == {"dream": None}
    assert [name for name in files.names_in(slept.state) if name.startswith("dream")] == []


def test_a_detached_dream_goes_on_by_itself(slept, repo, state):
    assert "not installed" in refused(run(repo, "dream", "--detach"))
    install.write_launcher(state)

    assert told(repo, "dream", "--detach") == {"begun": True}

    for _ in range(1_200):  # it has a minute
        if slept.kinds()[-1] == "dreamt":
            break
        time.sleep(0.05)
    assert told(repo, "dream", "show")["dream"]["why"] == "hand"
    assert_replay_law(state, repo)


def test_while_a_dream_is_under_way_another_is_refused(slept, repo, state):
    lock = processes.Lock(paths.dream(state, slept.project))
    assert lock.take()
    try:
        assert "under way" in refused(run(repo, "dream"))
    finally:
        lock.release()


@pytest.mark.parametrize(
    "words",
    [("show", "--dry-run"), ("begin", "beef00"), ("--detach", "--dry-run"), ("sideways",)],
)
def test_what_makes_no_sense_is_refused_with_2(slept, repo, words):
    refused(run(repo, "dream", *words), 2)


def test_a_project_without_a_session_has_nothing_to_dream_of(repo):
    assert "nothing has been kept yet" in refused(run(repo, "dream"))
