"""Two worktrees of one repository, a session open in each: a command tells the one of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from terminal import run, told

from conftest import git
from scenarios.story import A, B, C, Story

HERE, THERE = "Teach fetch.py to retry three times", "Parse tags that have blanks in them"


@pytest.fixture
def tree(story: Story, tmp_path: Path) -> Path:
    """A begins in the repository, then B in a worktree of it: B is the newest of the project."""
    path = tmp_path / "tree"
    git(story.repo, "worktree", "add", "-q", "-b", "tags", str(path))
    story.begin(A)
    story.say(A, HERE)
    story.begin(B, place=path)
    story.say(B, THERE, place=path)
    return path


@pytest.mark.promise("O5")
def test_status_tells_the_session_of_the_worktree_it_is_run_in(story: Story, tree: Path):
    story.edit(A, "src/a.py")
    here, there = told(story.repo, "status"), told(tree, "status")

    assert here["last"]["files"] == [{"path": "src/a.py", "how": "edited"}]
    assert (here["session"], there["session"]) == (A, B)
    assert (here["goal"]["goal"], there["goal"]["goal"]) == (HERE, THERE)
    assert (here["last"]["session"], there["last"]["session"]) == (A, B)
    assert (here["cost"]["session"], there["cost"]["session"]) == (A, B)
    assert [each["id"] for each in here["sessions"]] == [B, A]
    shown = run(story.repo, "status").stdout
    assert f"Prompt    {HERE}" in shown
    assert f"bbbbbbbb  {tree}  tags" in shown
    assert THERE not in shown


@pytest.mark.promise("O5")
def test_the_overview_tells_the_goal_of_the_worktree_and_who_works_elsewhere(
    story: Story, tree: Path
):
    assert (told(story.repo)["goal"], told(tree)["goal"]) == (HERE, THERE)
    assert f"at work now: aaaaaaaa, bbbbbbbb in {tree}" in run(story.repo).stdout


@pytest.mark.promise("O5")
def test_a_worktree_without_a_session_is_not_told_what_goes_on_in_another(
    story: Story, tree: Path, tmp_path: Path
):
    empty = tmp_path / "empty"
    git(story.repo, "worktree", "add", "-q", "-b", "other", str(empty))

    assert (told(empty, "status")["session"], told(empty)["goal"]) == (None, None)
    story.end(A)
    assert told(empty, "status")["session"] == A
    assert "Here      no session yet; what follows is of aaaaaaaa" in run(empty, "status").stdout


@pytest.mark.promise("I8")
def test_the_brief_from_a_terminal_is_of_the_session_at_work_in_its_worktree(
    story: Story, tree: Path
):
    for session, place in ((A, story.repo), (B, tree)):
        story.say(session, "Now add a test for it", place=place)
        story.stop(session, place=place)
    below = tree / "src"
    below.mkdir()
    briefs = {
        name: run(story.repo, "consciousness", "brief", "--session", name).stdout for name in (A, B)
    }

    assert told(story.repo, "consciousness", "brief")["session"] == A
    assert told(below, "consciousness", "brief")["session"] == B
    assert run(story.repo, "consciousness", "brief").stdout == briefs[A]
    assert run(below, "consciousness", "brief").stdout == briefs[B]
    errand = story.door.run(b"", errand="brief", folder=tree)
    assert errand.stdout.decode() == briefs[B]
    assert "?" not in briefs[B]


@pytest.mark.promise("I8")
def test_the_brief_is_of_a_session_whose_process_is_there(story: Story):
    story.begin(A)
    story.begin(C)
    story.stop(C)
    story.crash(C)

    assert told(story.repo, "consciousness", "brief")["session"] == A


@pytest.mark.promise("A6")
def test_a_linked_worktree_has_the_hooks_of_its_repository(story: Story, tree: Path):
    assert run(story.repo, "init").returncode == 0

    shown, examined = run(tree).stdout, run(tree, "doctor").stdout

    assert "not installed" not in shown + examined
    assert "nothing is kept here" not in examined
    assert told(tree)["hooks"] == told(story.repo)["hooks"] != []


@pytest.mark.promise("A6")
@pytest.mark.parametrize("said", [HERE, ""])
def test_after_a_crash_the_overview_says_so_and_resume_offers_that_session(story: Story, said: str):
    run(story.repo, "init")
    for number in range(4):
        story.begin(f"{number:08}")
        story.say(f"{number:08}", THERE)
        story.end(f"{number:08}")
    story.begin(C)
    if not said:
        story.crash(C)
        assert told(story.repo)["crashed"] is None  # nothing was asked: nothing is cut off
        return
    story.say(C, said)
    story.agent(C).kill()

    bearings = told(story.repo)

    assert (bearings["crashed"], bearings["next"]) == (C, "holdfast resume")
    assert "Crash     cccccccc did not end" in run(story.repo).stdout
    (offered, *_) = told(story.repo, "resume")["threads"]
    assert (offered["session"], offered["why"][0]) == (C, "crashed")
    story.begin(B)
    assert told(story.repo)["crashed"] is None
