"""The workflows of seed 001, its scope sheet, its design decisions and its table of issues,
through the real hook command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from story import A, B, C, Story

from conftest import Door, git

PLAN = """
version: "1.0"
requirements:
  commit_plan:
    satisfied_by_skill: arch-review
    message: Plan first.
"""
REVIEW = """
requirements:
  pre_commit_review:
    scope: single_use
    trigger_tools:
      - tool: Bash
        command_pattern: 'git\\s+commit'
    satisfied_by_skill: pre-commit
"""


@pytest.fixture
def story(door: Door, repo: Path, tmp_path: Path) -> Story:
    git(repo, "checkout", "-q", "-b", "feature/auth")
    return Story(door, repo, tmp_path)


def mirrored(story: Story, branch: str = "feature%2Fauth") -> dict[str, object]:
    path = story.repo / ".git" / "holdfast" / "requirements" / f"{branch}.json"
    found: dict[str, object] = json.loads(path.read_text())
    return found


@pytest.mark.promise("G2", "G3")
def test_workflow_1_one_session_plans_and_commits(story: Story) -> None:
    story.demand(PLAN)
    begun = story.begin(A)
    assert "0/1 satisfied" in begun
    assert "/arch-review" in begun
    story.say(A, "Add a login page")
    refused = story.ask_edit(A)
    assert "commit_plan" in refused
    assert "Plan first." in refused
    assert "nothing was written" in refused
    story.skill(A, "arch-review")
    assert story.ask_edit(A) == ""
    story.edit(A, "src/a.py")
    story.run(A, "git commit -m 'Add a page'")
    assert story.stop(A) == ""
    story.end(A)
    state = mirrored(story)["requirements"]["commit_plan"]  # type: ignore[index]
    assert state["sessions"]["aaaaaaaa"]["satisfied"] is True
    assert state["sessions"]["aaaaaaaa"]["satisfied_by"] == "skill"
    story.ends_well()


@pytest.mark.promise("G2")
def test_workflow_2_a_new_session_on_the_branch_sees_nothing_satisfied(story: Story) -> None:
    story.demand(PLAN)
    story.begin(A)
    story.skill(A, "arch-review")
    story.end(A)
    for session in (B, C):
        assert "0/1 satisfied" in story.begin(session)
        assert "commit_plan" in story.ask_edit(session)
        story.end(session)
    story.ends_well()


@pytest.mark.promise("G4")
def test_workflow_3_a_review_is_used_up_by_the_commit(story: Story) -> None:
    story.demand(REVIEW)
    story.begin(A)
    assert "pre_commit_review" in story.ask_run(A, "git commit -m x")
    story.skill(A, "pre-commit")
    assert story.ask_run(A, "git commit -m x") == ""
    story.fail(A, "git commit -m x")
    assert story.ask_run(A, "git commit -m x") == "", "a commit that failed used nothing up"
    story.run(A, "git commit -m x")
    assert "pre_commit_review" in story.ask_run(A, "git commit -m y")
    story.ends_well()
