"""What a session that begins is told of the sessions before it: a line each."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import Door, git
from scenarios.story import A, B, C, D, Story

pytestmark = pytest.mark.promise("W7")
HEADING = "The last sessions, newest first:"


@pytest.fixture
def story(door: Door, repo: Path, tmp_path: Path) -> Story:
    return Story(door, repo, tmp_path)


def lines_of(briefing: str) -> list[str]:
    """The lines under the heading, without time and id."""
    block = briefing.partition(f"{HEADING}\n")[2].partition("\n\n")[0]
    return [line.partition(", ")[2] for line in block.splitlines()]


def test_a_line_says_what_was_asked_committed_and_changed(story):
    story.begin(A)
    story.say(A, "Let the fetcher retry")
    story.edit(A, "src/fetch.py")
    story.run(A, "git commit -m x", "[main 1a2b3c4] Retry three times\n 1 file changed")
    story.say(A, "and now document it")
    story.end(A)

    (line,) = lines_of(story.begin(B))
    assert line == (
        f'{A[:8]}: "Let the fetcher retry" … "and now document it";'
        ' committed 1a2b3c4 "Retry three times"; changed src/fetch.py'
    )
    story.ends_well()


def test_only_sessions_of_the_branch_are_told(story):
    for session, branch, hours in ((A, "other", 60.0), (B, "main", 50.0), (C, "other", 2.0)):
        git(story.repo, "switch", "-q", *(["-c"] if session == A else []), branch)
        story.begin(session, hours=hours)
        story.say(session, f"Work of {session[:1]} in the fetcher", hours=hours)
        story.end(session, hours=hours)
        story.read("somebody", "README.md")  # takes the past in, while the branch is there
    git(story.repo, "switch", "-q", "main")

    assert lines_of(story.begin(D)) == [f'{B[:8]}: "Work of b in the fetcher"']
    story.ends_well()


@pytest.mark.parametrize("hours", [0.5, 1.5])
def test_on_a_branch_that_many_tasks_share_the_last_session_alone_is_told(story, hours):
    for number in range(6):
        session = f"{number}{A[1:]}"
        story.begin(session, hours=hours + 6 - number)
        story.say(session, f"Task {number} of the fetcher", hours=hours + 6 - number)
        story.run(session, "make", hours=hours + 6 - number)
        story.stop(session, f"Task {number} is done.", hours=hours + 6 - number)
        story.end(session, hours=hours + 5 - number)

    briefing = story.begin(B)

    assert lines_of(briefing) == [f'5{A[1:8]}: "Task 5 of the fetcher"']
    assert "Task 5 is done" in briefing
    story.ends_well()


def test_a_session_in_which_nobody_asked_anything_has_no_line(story):
    story.begin(A)
    story.end(A)

    assert HEADING not in story.begin(B)


def test_a_first_session_ever_is_told_nothing_whatever_git_knows(story):
    git(story.repo, "switch", "-q", "-c", "topic")
    (story.repo / "README.md").write_text("changed\n")

    assert story.begin(A) == ""
    story.say(A, "Let the fetcher retry")
    story.end(A)
    assert "Branch `topic`, from `main`: 1 file not committed." in story.begin(B)
    story.ends_well()


def test_how_a_session_ended_is_said_where_it_matters(story):
    story.begin(A)
    story.say(A, "Let the fetcher retry")
    story.crash(A)
    story.begin(B)
    story.say(B, "Try once more with the fetcher")

    assert lines_of(story.begin(C)) == [
        f'{B[:8]}: "Try once more with the fetcher"; not ended',
        f'{A[:8]}: "Let the fetcher retry"; crashed',
    ]
    story.ends_well()


def test_files_outside_of_the_project_and_withdrawn_words_are_not_told(story):
    story.begin(A)
    story.say(A, "Let the fetcher retry. Never push to main.")
    story.edit(A, "/elsewhere/plans/plan.md")
    story.say(A, "You may push to main again: forget the rule never push to main.")
    story.end(A)

    told = story.begin(B)

    assert "elsewhere" not in told
    story.ends_well()


def test_the_agents_last_words_are_told_in_short_with_their_date(story):
    story.begin(A)
    story.say(A, "Let the fetcher retry")
    story.edit(A, "src/fetch.py")
    story.stop(A, "**Retry** works.\n```\ncode\n```\n" + "It is slow. " * 200)
    story.end(A)

    stopped = story.begin(B).partition("Where it stopped, from the agent's last message (")[2]

    assert stopped[:3] == "202"
    quoted = stopped.partition("\n")[2].partition("\n\n")[0]
    assert quoted.startswith("> Retry works. It is slow.")
    assert "code" not in quoted
    assert len(quoted) < 300
    story.ends_well()
