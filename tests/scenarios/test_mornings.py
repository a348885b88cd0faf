"""Mornings: unfinished work is told whenever the next session begins on its branch."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import Door, git
from scenarios.story import A, B, C, D, Story

pytestmark = [pytest.mark.promise("W7"), pytest.mark.promise("C14")]
TASK = "Let the importer round money half to even"
STOPPED = "The importer rounds now, but the test of refunds still fails."
STEP = "round the refunds in src/refund.py as well"
TYPO = "Mend a typo in the README"
DAYS = 24.0


@pytest.fixture
def story(door: Door, repo: Path, tmp_path: Path) -> Story:
    return Story(door, repo, tmp_path)


def small(story: Story, session: str, hours: float, task: str = TYPO) -> None:
    """A session that leaves nothing open."""
    story.begin(session, hours=hours)
    story.say(session, task, hours=hours)
    story.edit(session, "NOTES.md", hours=hours)
    story.run(session, "git commit -am typo", "[main 1a2b3c4] Mend it\n 1 file", hours=hours)
    story.stop(session, "The typo is gone.", hours=hours)
    story.end(session, hours=hours)


def unfinished(story: Story, hours: float, *, branch: str = "main", ends: bool = True) -> None:
    """Six sessions on main, and one with a file that is not committed and a test that fails."""
    for number in range(6):
        small(story, f"{number}{B[1:]}", hours + 9 - number, f"Mend typo {number} of the README")
    story.read("somebody", "README.md")  # takes the past in, on its branch
    if branch != "main":
        git(story.repo, "switch", "-q", "-c", branch)
    story.begin(A, hours=hours)
    story.say(A, TASK, hours=hours)
    (story.repo / "README.md").write_text("rounded\n")
    story.edit(A, "README.md", hours=hours)
    story.fail(A, "pytest -q", "Exit code 1\nE   assert 4 == 3", hours=hours)
    story.stop(A, f"{STOPPED}\n\nNext: {STEP}", hours=hours)
    if ends:
        story.end(A, hours=hours)
    story.read("somebody", "README.md")


def assert_is_told(told: str) -> None:
    assert f"(session {A[:8]}, " in told
    assert f'> asked: "{TASK}"' in told
    (stopped,) = (line for line in told.splitlines() if line.startswith("> stopped: "))
    assert STOPPED in stopped
    assert STEP in stopped
    assert "`pytest -q`" in told
    assert "1 file not committed" in told


@pytest.mark.parametrize("branch", ["main", "topic"])
@pytest.mark.parametrize("hours", [5 / 60, 2.0, 20.0, 3 * DAYS])
def test_unfinished_work_is_told_however_long_ago_it_was(story, branch, hours):
    unfinished(story, hours, branch=branch)

    assert_is_told(story.begin(C))
    story.ends_well()


@pytest.mark.parametrize("branch", ["main", "topic"])
@pytest.mark.parametrize("many", [1, 3])
def test_small_sessions_in_between_do_not_erase_it(story, branch, many):
    unfinished(story, 20.0, branch=branch)
    for number in range(many):
        small(story, f"{number}{D[1:]}", 3.0)

    told = story.begin(C)

    assert_is_told(told)
    assert TYPO not in told
    story.ends_well()


@pytest.mark.parametrize("branch", ["main", "topic"])
def test_an_ok_at_the_end_is_not_where_it_stopped(story, branch):
    unfinished(story, 20.0, branch=branch, ends=False)
    for reply in ("You're welcome!", "OK."):
        story.say(A, "ok", hours=19.9)
        story.stop(A, reply, hours=19.9)
    story.end(A, hours=19.9)

    told = story.begin(C)

    assert_is_told(told)
    assert "welcome" not in told
    story.ends_well()


@pytest.mark.parametrize("branch", ["main", "topic"])
@pytest.mark.parametrize("hours", [2.0, 2 * DAYS])
def test_after_a_crash_it_is_told(story, branch, hours):
    unfinished(story, hours, branch=branch, ends=False)
    story.crash(A)

    told = story.begin(C)

    assert_is_told(told)
    assert "crashed" in told
    story.ends_well()


COMMITTING = """
requirements:
  reviewed:
    trigger_tools: [{tool: Bash, command_pattern: 'git\\s+commit'}]
    satisfied_by_skill: review
"""


@pytest.mark.parametrize("way", ["message", "handoff", "compaction"])
def test_a_commit_that_was_refused_is_never_told_as_made(story, way):
    claim = "The rounding is done. Committed as asked. The refunds are left."
    git(story.repo, "switch", "-q", "-c", "topic")
    story.demand(COMMITTING)
    story.begin(A)
    story.say(A, TASK)
    story.edit(A, "src/money.py")
    assert "reviewed" in story.ask_run(A, 'git commit -am "Round half to even"')
    if way == "handoff":
        story.holdfast("handoff", "--summary", claim, session=A)
    if way == "compaction":
        story.compact(A, claim)
    story.stop(A, claim if way == "message" else "Committed.")
    story.stop(A, claim if way == "message" else "Committed.", stop_hook_active=True)
    written = story.holdfast("handoff", "--session", A)
    story.end(A)
    briefing = story.begin(C)

    for text in (written["summary"], briefing):
        assert "Committed" not in text
        assert "The refunds are left." in text
    story.end(C)

    story.begin(A, "resume")
    story.say(A, "commit it now")
    story.skill(A, "review")
    story.run(A, "git commit -am x", "[main 1a2b3c4] Round half to even\n 1 file changed")
    story.stop(A, "Committed as 1a2b3c4.")
    assert story.holdfast("handoff", "--session", A)["summary"] != written["summary"]
    story.end(A)
    if way == "message":
        assert '> stopped: "Committed as 1a2b3c4."' in story.begin(f"9{C[1:]}")
    story.ends_well()


@pytest.mark.promise("T2")
def test_a_session_is_told_of_on_every_branch_that_it_was_on(story):
    git(story.repo, "switch", "-q", "-c", "below")
    small(story, B, 30.0, "Mend an old typo")
    story.begin(A, hours=3.0)
    story.say(A, TASK, hours=3.0)
    story.read("somebody", "README.md")
    git(story.repo, "switch", "-q", "-c", "topic")
    story.edit(A, "src/money.py", hours=3.0)
    story.stop(A, STOPPED, hours=3.0)
    story.end(A, hours=3.0)
    story.read("somebody", "README.md")
    on_topic = story.begin(C)
    git(story.repo, "switch", "-q", "below")

    on_below = story.begin(f"9{C[1:]}")

    for told in (on_topic, on_below):
        assert f'> asked: "{TASK}"' in told
        assert STOPPED in told
    story.ends_well()
