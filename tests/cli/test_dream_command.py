"""`holdfast dream` as a person types it."""

from __future__ import annotations

import time

import pytest
from consolidation.sleeper import Sleeper
from terminal import refused, run, told

from conftest import git
from holdfast.setup import install
from holdfast.system import files, paths, processes
from law import assert_nothing_swallowed, assert_replay_law

RULE = "Never push to main."


@pytest.fixture
def slept(state, repo):
    """Four sessions, of which two pairs changed the same files."""
    git(repo, "checkout", "-q", "-b", "feature/auth")
    sleeper = Sleeper(state, repo)
    for number in range(2):
        sleeper.session(f"s{number}", "left.py", "hub.py", prompt=RULE if not number else "")
        sleeper.session(f"t{number}", "hub.py", "right.py")
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
    assert "hub.py  and  left.py  (2 sessions)" in first.stdout
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


def test_what_is_proposed_is_called_a_proposal(slept, repo):
    said = run(repo, "dream").stdout.splitlines()

    at = next(n for n, line in enumerate(said) if line.startswith("Proposed"))
    assert "perhaps" in said[at]
    assert any("left.py  and  right.py  (by way of hub.py)" in line for line in said[at:])


def test_the_data_of_a_dream_has_its_report_its_links_and_its_proposals(slept, repo):
    found = told(repo, "dream")

    assert set(found) == {"dream", "dry_run"}
    assert set(found["dream"]) == {
        *("id", "at", "why", "ended", "ms", "counts", "merged", "proposed", "links"),
    }
    assert found["dream"]["counts"] == {
        **dict.fromkeys(("strengthened", "weakened", "pruned", "shortcuts"), 0),
        **dict.fromkeys(("topics_merged", "work_merged", "topics_renewed", "cut_short"), 0),
        "sessions": 4,
        "memories": found["dream"]["counts"]["memories"],
        "linked": found["dream"]["counts"]["linked"],
        "proposed": len(found["dream"]["proposed"]),
        "learnings_merged": 1,
        "decisions_regrounded": 0,
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
    assert "left.py  and  right.py" in done.stdout
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


def test_what_a_forgotten_session_had_to_do_with_is_named_no_more(slept, repo):
    told(repo, "dream")

    done = run(repo, "forget", "s0", "--yes", "s0")
    assert done.returncode == 0, done.stderr
    done = run(repo, "forget", "s1", "--yes", "s1")
    assert done.returncode == 0, done.stderr

    shown = run(repo, "dream", "show").stdout
    assert "left.py" not in shown
    assert "hub.py  and  right.py" in shown


def test_a_project_without_a_session_has_nothing_to_dream_of(repo):
    assert "nothing has been kept yet" in refused(run(repo, "dream"))
