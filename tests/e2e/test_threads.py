"""Threads of work with the real Claude Code: which thread the model of a session is told of, and
what a person does with it."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from e2e import rig
from e2e.conftest import Claude, assert_sound, wait_until
from e2e.test_claude_code import DONE, write
from e2e.test_next_start import BASH, shell, thread
from e2e.test_whose_words import asked, told

pytestmark = [pytest.mark.promise("T1"), pytest.mark.exhaustive]
RETRY = "Let the fetcher retry three times when the gateway answers 503"
RETRIED = {"text": "The fetcher retries three times now. Its backoff is still fixed."}
EXPORT = "Export the invoices of a quarter as CSV with their currency"
EXPORTED = {"text": "The invoices are exported with their currency. Totals are left out."}
OPEN = "Open here (`holdfast threads`):"


@pytest.fixture
def repo(repo: Path) -> Path:
    """The agent's own git may commit in it."""
    rig.git(repo, "config", "user.name", "dev")
    rig.git(repo, "config", "user.email", "dev@example.com")
    return repo


def commit(name: str, message: str) -> dict:
    return shell(f"git add {name} && git commit -m {shlex.quote(message)}")


def work(claude: Claude, task: str, name: str, *last: dict) -> str:
    """A session that commits a file; its id."""
    says = [write(claude.repo, name), commit(name, f"Add {name}"), *last]
    return claude.run(task, *BASH, says=says).session


def told_with_prompt(claude: Claude) -> str:
    """The thread that was told with the prompt."""
    messages = str(asked(claude.model)[0].body["messages"])
    return messages.partition("Earlier work on this (")[2].partition("system-reminder")[0]


def threads(claude: Claude) -> dict[str, set[str]]:
    """The sessions of each thread."""
    listed = claude.holdfast("threads", "--all")["threads"]
    return {each["id"]: {one["session"] for one in each["sessions"]} for each in listed}


def stands(claude: Claude, id_: str) -> tuple[str, str]:
    shown = claude.holdfast("threads", "show", id_)["thread"]
    return shown["state"], shown["why"]


@pytest.mark.promise("T2")
def test_two_threads_on_main_in_turns(claude, state):
    export = work(claude, EXPORT, "export.py", EXPORTED)
    retry = work(claude, RETRY, "fetch.py", RETRIED)
    going_on = "Go on with the invoices: add the totals to the exported CSV"
    third = work(claude, going_on, "totals.py", DONE)
    assert f"session {export[:8]}, " in told_with_prompt(claude)

    fourth = work(claude, "Back to the gateway: let the retry wait longer", "wait.py", DONE)

    assert f"session {retry[:8]}, " in told_with_prompt(claude)
    assert threads(claude) == {export: {export, third}, retry: {retry, fourth}}
    assert_sound(claude, state)


@pytest.mark.promise("T2")
def test_a_thread_over_three_branches(claude, state, repo):
    rig.git(repo, "switch", "-q", "-c", "invoices-csv")
    first = work(claude, EXPORT, "export.py", EXPORTED)
    rig.git(repo, "switch", "-q", "-c", "invoices-totals")
    second = work(claude, "Continue with the invoices export: totals", "totals.py", DONE)
    rig.git(repo, "switch", "-q", "-c", "review-fixes")
    third = work(claude, "Go on with the exported invoices: their totals", "fix.py", DONE)
    rig.git(repo, "switch", "-q", "invoices-csv")

    claude.run("What is left?", says=[DONE])

    assert thread(claude)[0].startswith("session ")
    (sessions,) = threads(claude).values()
    assert {first, second, third} <= sessions
    shown = claude.holdfast("threads", "show", first)["thread"]
    assert {"invoices-csv", "invoices-totals", "review-fixes"} <= set(shown["branches"])
    assert_sound(claude, state)


def test_a_side_question_between(claude, state, repo):
    rig.git(repo, "switch", "-q", "-c", "retry")
    claude.run(RETRY, says=[write(repo, "fetch.py"), RETRIED])
    claude.run("Which licence does this repository have?", says=[{"text": "None that I can see."}])

    claude.run("Good morning", says=[DONE])

    assert f'> asked: "{RETRY}"' in thread(claude)
    assert f'> stopped: "{RETRIED["text"]}"' in thread(claude)
    assert_sound(claude, state)


def test_a_crash_in_the_middle_of_the_second_thread(claude, state, repo, errand):
    work(claude, EXPORT, "export.py", EXPORTED)
    says = [{"text": "I retry three times first.", **write(repo, "fetch.py")}]
    running = claude.start(RETRY, *BASH, says=[*says, shell(errand.command)])
    wait_until(errand.pids, "the last command runs")
    killed = claude.kill(running).session

    claude.run("Where were we?", says=[DONE])

    facts, task, *_ = thread(claude)
    assert facts.startswith(f"session {killed[:8]}, ")
    assert "; it crashed" in facts
    assert task == f'> asked: "{RETRY}"'
    assert_sound(claude, state)


@pytest.mark.promise("T3")
def test_a_merged_branch_closes_its_thread_and_asked_again_it_is_open(claude, state, repo):
    rig.git(repo, "switch", "-q", "-c", "retry")
    asks = {"text": "The fetcher retries. Shall I let it wait longer each time?"}
    first = work(claude, RETRY, "fetch.py", asks)
    rig.git(repo, "switch", "-q", "main")
    rig.git(repo, "merge", "-q", "retry")
    assert stands(claude, first)[0] == "open"

    claude.holdfast("dream")

    assert stands(claude, first) == ("done", "its branch retry is merged into main")
    claude.run("Good morning", says=[DONE])
    assert OPEN not in told(claude)
    claude.run("Go on with the retries of the fetcher after a 503", says=[asks])
    assert f"session {first[:8]}, " in told_with_prompt(claude)
    assert stands(claude, first)[0] == "open"
    assert_sound(claude, state)


@pytest.mark.promise("T2")
def test_a_worktree_for_each_thread(claude, state, repo, tmp_path):
    for name, task, last in (("retry", RETRY, RETRIED), ("export", EXPORT, EXPORTED)):
        place = tmp_path / name
        rig.git(repo, "worktree", "add", "-q", "-b", name, str(place))
        claude.finish(claude.start(task, says=[write(place, f"{name}.py"), last], folder=place))

    claude.finish(claude.start("Go on", says=[DONE], folder=tmp_path / "retry"))

    assert f'> asked: "{RETRY}"' in thread(claude)
    assert EXPORT not in told(claude).partition(OPEN)[0]
    assert sorted(map(len, threads(claude).values())) == [1, 2]
    assert_sound(claude, state)


@pytest.mark.promise("T5")
def test_go_on_with_the_retry_work_after_three_other_sessions(claude, state):
    retry = work(claude, RETRY, "fetch.py", RETRIED)
    for number, task in enumerate((EXPORT, "Draw the logo in blue", "Bump the linter")):
        work(claude, task, f"{number}.py", DONE)

    claude.run("go on with the retry work", says=[DONE])

    assert f"session {retry[:8]}, " in told_with_prompt(claude)
    assert RETRIED["text"] in told_with_prompt(claude)
    assert_sound(claude, state)


@pytest.mark.promise("T1")
def test_a_handoff_to_a_colleague_says_what_was_asked_where_it_stopped_and_what_is_left(
    claude, state
):
    export = work(claude, EXPORT, "export.py", EXPORTED)
    work(claude, RETRY, "fetch.py", RETRIED)

    given = claude.holdfast("handoff", "show", export[:8])

    assert EXPORT in str(given)
    assert EXPORTED["text"] in str(given)
    assert RETRY not in str(given)
    assert_sound(claude, state)
