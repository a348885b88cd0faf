"""Where the work stands: what one session of the real Claude Code leaves, and what the model of the
next one is sent of it."""

from __future__ import annotations

import json
import shlex
import sys
import threading
from pathlib import Path

import pytest

from e2e import rig
from e2e.conftest import assert_sound, wait_until
from e2e.test_claude_code import DONE, TOLD, write
from e2e.test_whose_words import MARK, asked, told

BASH = ("--allowedTools", "Bash")
GOES_ON = "This goes on with earlier work ("
ELSEWHERE = "Elsewhere, since this session was last spoken to ("


def shell(command: str) -> dict:
    return {"tool": "Bash", "input": {"command": command}}


def thread(claude, number: int = 0) -> list[str]:
    """The lines on the work that goes on."""
    return told(claude, number).partition(GOES_ON)[2].partition("\n\n")[0].splitlines()


@pytest.fixture
def repo(repo: Path) -> Path:
    """The agent's own git may commit in it."""
    rig.git(repo, "config", "user.name", "dev")
    rig.git(repo, "config", "user.email", "dev@example.com")
    return repo


# A stacked branch and its pull request


COMMENT = {
    "pull_request_review_id": 5,
    "path": "src/tags.py",
    "user": {"login": "grace"},
    "body": "Tags may hold blanks, please split at commas only.",
    "html_url": "https://github.com/team/app/pull/13#discussion_r1",
}
GH = f"""#!/bin/sh
case "$1 $2" in
"pr create") echo https://github.com/team/app/pull/13 ;;
"api repos/team/app/pulls/13/comments") echo {shlex.quote(json.dumps([COMMENT]))} ;;
*) echo "unknown command $*" >&2; exit 1 ;;
esac
"""


@pytest.fixture
def path_with_gh(tmp_path: Path) -> str:
    """A PATH on which `gh` prints what the real one does."""
    (tmp_path / "bin").mkdir(exist_ok=True)
    (tmp_path / "bin" / "gh").write_text(GH)
    (tmp_path / "bin" / "gh").chmod(0o755)
    return f"{tmp_path / 'bin'}:/usr/local/bin:/usr/bin:/bin"


@pytest.mark.promise("W5")
@pytest.mark.promise("W7")
def test_the_next_session_on_a_stacked_branch_is_told_parent_pull_request_and_review(
    claude, state, repo, path_with_gh
):
    rig.git(repo, "switch", "-q", "-c", "tags")
    first = claude.run(
        "Show the tags in the list, on a branch of its own",
        *BASH,
        says=[
            shell("git switch -c tags-in-list"),
            write(repo, "list.txt"),
            shell("git add list.txt && git commit -m 'Show tags in the list'"),
            shell("gh pr create --base tags --title 'Show tags in the list' --body ''"),
            shell("gh api repos/team/app/pulls/13/comments"),
            DONE,
        ],
        PATH=path_with_gh,
    ).session

    claude.run("What is left to do here?", says=[DONE])

    briefing = told(claude)
    assert "\nBranch `tags-in-list`, from `tags`: 1 commit ahead of `tags`.\n" in briefing
    assert '\nPull request #13 "Show tags in the list" (open; into `tags`; seen ' in briefing
    assert f"\n> grace on src/tags.py: {COMMENT['body']}\n" in briefing
    facts, task, stopped = thread(claude)
    assert facts.startswith(f"session {first[:8]}, ")
    assert facts.endswith("; changed list.txt):")
    assert task == '> asked: "Show the tags in the list, on a branch of its own"'
    assert stopped == '> stopped: "done"'
    assert_sound(claude, state)


# A crash in the middle of a rebase


@pytest.mark.promise("W5")
@pytest.mark.promise("W7")
@pytest.mark.exhaustive
def test_a_rebase_that_a_crash_cut_off_is_told_to_the_next_session(claude, state, repo, errand):
    for branch, text in (("side", "side\n"), ("main", "main\n")):
        rig.git(repo, "switch", "-q", *(["-c"] if branch == "side" else []), branch)
        (repo / "README.md").write_text(text)
        rig.git(repo, "commit", "-q", "-am", f"Say {branch}")
    rig.git(repo, "switch", "-q", "side")
    running = claude.start(
        "Rebase this branch onto main",
        *BASH,
        says=[shell("git rebase main"), shell(errand.command)],
    )
    wait_until(errand.pids, "the command after the rebase runs")
    killed = claude.kill(running)
    assert killed.was_killed

    claude.run("What now?", says=[DONE])

    briefing = told(claude)
    assert thread(claude)[0].startswith(f"session {killed.session[:8]}, ")
    assert "; it crashed" in thread(claude)[0]
    stands = "Branch `side`, from `main`: rebase 1/1 in progress, 1 file in conflict."
    assert stands in briefing
    assert_sound(claude, state)


# Tests that fail, and that pass


FETCH_TEST = """import unittest
import fetch
class Fetch(unittest.TestCase):
    def test_tries(self):
        self.assertEqual(fetch.TRIES, 3)
"""


@pytest.mark.promise("C3")
@pytest.mark.promise("W7")
@pytest.mark.exhaustive
def test_tests_that_fail_at_the_end_are_told_and_those_that_pass_at_the_end_are_not(
    claude, state, repo
):
    (repo / "fetch.py").write_text("TRIES = 1\n")
    (repo / "test_fetch.py").write_text(FETCH_TEST)
    source = {"file_path": str(repo / "fetch.py")}
    edit = {"tool": "Edit", "input": {**source, "old_string": "= 1", "new_string": "= 3"}}
    command = "python3 -m unittest test_fetch"
    claude.run("Let the fetcher try three times", *BASH, says=[shell(command), DONE])

    says = [shell(command), {"tool": "Read", "input": source}, edit, shell(command), DONE]
    claude.run("Go on", *BASH, says=says)

    before, name, after = told(claude).partition(f"): `{command}`\n> FAIL: test_tries (")
    assert name
    assert "which failed" in before.rpartition("\n")[2]
    assert after.split("\n")[1] == "> AssertionError: 1 != 3"
    assert told(claude).count("fail") == 1

    claude.run("Go on", says=[DONE])

    assert "fail" not in told(claude).lower()
    assert_sound(claude, state)


# Work of another session


@pytest.mark.promise("W8")
def test_a_resumed_session_is_told_what_another_one_committed_meanwhile(claude, state, repo):
    first = claude.run("Teach the fetcher to retry three times", says=[DONE]).session
    goal = "Parse tags that have blanks in them"
    commit = "git add tags.txt && git commit -m 'Parse tags'"
    second = claude.run(goal, *BASH, says=[write(repo, "tags.txt"), shell(commit), DONE]).session
    sha = rig.git(repo, "rev-parse", "--short", "HEAD").strip()

    claude.run("Go on", "--resume", first, says=[DONE])

    _, revival, since = told(claude).partition(f"{MARK}SESSION_REVIVAL]")
    assert revival
    assert since.count(ELSEWHERE) == 1
    line = since.partition(ELSEWHERE)[2].split("\n")[1]
    assert line.endswith(f' {second[:8]}: ended; worked on "{goal}"; commit {sha} Parse tags')
    assert_sound(claude, state)


# A person's edit


@pytest.mark.promise("W8")
@pytest.mark.exhaustive
def test_a_decision_that_a_person_rewords_in_the_notes_is_told_as_the_files(claude, state, repo):
    words = [sys.executable, "-m", "holdfast", "decide", "Rotate tokens daily"]
    command = shlex.join([*words, "--because", "stolen ones are replayed"])
    claude.run("Rotate the tokens", *BASH, says=[shell(command), DONE])
    notes = repo / ".holdfast" / "NOTES.md"
    before, said, after = notes.read_text().partition("**Decision**: Rotate tokens daily")
    notes.write_text(f"{before}{said.replace('daily', 'hourly')}{after}")

    claude.run("Go on", says=[DONE])

    assert "> - Rotate tokens hourly [edited in NOTES.md]" in told(claude)
    assert "> - Rotate tokens daily" not in told(claude)
    decisions = claude.holdfast("decisions", "--all")["decisions"]
    assert [(each["text"], each["source"]) for each in decisions] == [
        ("Rotate tokens hourly", "file"),
        ("Rotate tokens daily", "agent"),
    ]
    assert_sound(claude, state)


# Two worktrees


TASKS = ["Teach the fetcher to retry", "Parse tags with blanks"]
ANSWERS = ["The fetcher retries now.", "Blanks in tags are parsed."]


@pytest.mark.promise("W7")
@pytest.mark.promise("O5")
@pytest.mark.exhaustive
def test_in_each_of_two_worktrees_a_start_and_status_tell_its_own_session(
    claude, state, repo, tmp_path
):
    two = tmp_path / "two"
    rig.git(repo, "switch", "-q", "-c", "one")
    rig.git(repo, "worktree", "add", "-q", "-b", "two", str(two))
    says = [[{"text": answer}] for answer in ANSWERS]
    here = claude.run(TASKS[0], says=says[0]).session
    there = claude.finish(claude.start(TASKS[1], says=says[1], folder=two)).session

    enough = threading.Event()
    prompts = ["Now document the fetcher", "Now document the tags"]
    claude.model.say(*({**DONE, "match": prompt, "until": enough} for prompt in prompts))
    running = [claude.start(prompts[0]), claude.start(prompts[1], folder=two)]
    try:
        wait_until(lambda: len(asked(claude.model)) == 2, "both models are asked")
        statuses = [claude.holdfast("status", folder=folder) for folder in (repo, two)]
    finally:
        enough.set()
        sessions = [claude.finish(each).session for each in running]

    numbers = [0, 1] if prompts[0] in asked(claude.model)[0].raw else [1, 0]
    for number, session, task, answer in zip(numbers, (here, there), TASKS, ANSWERS, strict=True):
        facts, *quoted = thread(claude, number)
        assert facts.startswith(f"session {session[:8]}, ")
        assert quoted == [f'> asked: "{task}"', f'> stopped: "{answer}"']
    assert [status["session"] for status in statuses] == sessions
    assert [status["last"]["last_prompt"] for status in statuses] == prompts
    assert_sound(claude, state)


# The first of all


@pytest.mark.promise("W7")
@pytest.mark.exhaustive
def test_a_first_session_ever_is_told_nothing(claude, state, repo):
    rig.git(repo, "switch", "-q", "-c", "topic")
    (repo / "README.md").write_text("# changed\n")

    run = claude.run("Look around", says=[DONE])

    assert len(asked(claude.model)) == 1
    assert MARK not in claude.model.sent_text()
    assert TOLD not in claude.model.sent_text()
    (start,) = [hook for hook in run.hooks if hook["hook_name"] == "SessionStart:startup"]
    assert start["stdout"] == ""
    assert_sound(claude, state)
