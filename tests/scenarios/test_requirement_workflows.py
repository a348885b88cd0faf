"""Requirements: their workflows, scopes, design decisions and known issues, and what each hook is
for, through the real hook command."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
from story import A, B, C, Story

from cli.terminal import typed_and_told
from conftest import git
from holdfast.rooms.gates.branch_requirements import BranchRequirements
from holdfast.system import clock

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
SCOPES = """
requirements:
  commit_plan: {scope: session, satisfied_by_skill: one}
  architecture_reviewed: {scope: branch, satisfied_by_skill: one}
  pre_commit_review:
    scope: single_use
    satisfied_by_skill: one
    trigger_tools: [{tool: Bash, command_pattern: git commit}]
  security_audit_passed: {scope: permanent, satisfied_by_skill: one}
"""
ROW = ["satisfied", "triggered", "satisfied_at", "satisfied_by", "expires_at"]
ROOT = ["scope", "satisfied", "satisfied_at", "satisfied_by"]


def registry(story: Story) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(story.state, "sessions.json").read_text())
    return found


def metrics(story: Story, session: str) -> dict[str, Any]:
    path = story.repo / ".git" / "holdfast" / "sessions" / f"{session}.json"
    found: dict[str, Any] = json.loads(path.read_text())
    return found


# Workflows


@pytest.mark.promise("G2")
@pytest.mark.promise("G3")
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
    own = story.mirrored("feature/auth")["commit_plan"]["sessions"]["aaaaaaaa"]
    assert (own["satisfied"], own["satisfied_by"]) == (True, "skill")
    assert "aaaaaaaa" not in registry(story)["sessions"]
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


@pytest.mark.promise("G4")
def test_workflow_3_an_edit_asks_for_the_review_and_the_commit_uses_it_up(story: Story) -> None:
    """The workflow as the design tells it: edits are triggers, too, and only the commit clears."""
    story.demand(REVIEW.replace("trigger_tools:", "trigger_tools:\n      - Edit"))
    story.begin(A)
    for _ in range(2):
        assert "pre_commit_review" in story.ask_edit(A)
        story.skill(A, "pre-commit")
        assert story.ask_edit(A) == ""
        story.edit(A, "src/a.py")
        story.edit(A, "src/b.py")
        assert story.ask_run(A, "git commit -m x") == "", "an edit used the review up"
        story.stop(A)
        (own,) = story.mirrored()["pre_commit_review"]["sessions"].values()
        assert (own["satisfied"], own["triggered"]) == (True, True)
        story.run(A, "git commit -m x")
        story.stop(A)
        assert story.mirrored()["pre_commit_review"] == {"scope": "single_use", "sessions": {}}
    story.ends_well()


# The scope sheet: cleared when, stored where


@pytest.mark.promise("G1")
def test_scope_session_is_stored_with_the_session_and_cleared_by_a_new_one(story: Story) -> None:
    story.demand(SCOPES)
    story.begin(A)
    story.skill(A, "one")
    story.stop(A)
    rows = story.mirrored()["commit_plan"]
    assert list(rows) == ["scope", "sessions"]
    assert list(rows["sessions"]["aaaaaaaa"]) == ROW

    story.end(A)
    assert "commit_plan" in story.begin(B)
    assert "commit_plan" in story.ask_edit(B)
    story.edit(B, "src/a.py")
    story.stop(B, stop_hook_active=True)
    kept = story.mirrored()["commit_plan"]["sessions"]
    assert {one: row["satisfied"] for one, row in kept.items()} == {
        "aaaaaaaa": True,
        "bbbbbbbb": False,
    }
    story.ends_well()


@pytest.mark.promise("G1")
def test_scope_branch_is_stored_at_the_root_and_cleared_by_hand_alone(story: Story) -> None:
    story.demand(SCOPES)
    story.begin(A)
    story.skill(A, "one")
    story.run(A, "git commit -m x")
    story.end(A)
    rows = story.mirrored()["architecture_reviewed"]
    assert list(rows) == ROOT
    assert (rows["satisfied"], rows["satisfied_by"]) == (True, "skill")
    assert "architecture_reviewed" not in story.begin(B)
    assert "architecture_reviewed" not in story.ask_edit(B)

    typed_and_told(story.repo, "req", "clear", "architecture_reviewed")
    assert "architecture_reviewed" in story.ask_edit(B)
    assert story.mirrored()["architecture_reviewed"]["satisfied"] is False
    story.ends_well()


@pytest.mark.promise("G4")
def test_scope_single_use_is_stored_with_the_session_and_deleted_by_its_action(
    story: Story,
) -> None:
    story.demand(SCOPES)
    story.begin(A)
    story.skill(A, "one")
    story.stop(A)
    rows = story.mirrored()["pre_commit_review"]
    assert list(rows) == ["scope", "sessions"]
    assert list(rows["sessions"]) == ["aaaaaaaa"]

    story.run(A, "git status")
    assert story.ask_run(A, "git commit -m x") == "", "another command used it up"
    story.run(A, "git commit -m x")
    story.stop(A)
    assert story.mirrored()["pre_commit_review"]["sessions"] == {}
    assert "pre_commit_review" in story.ask_run(A, "git commit -m y")
    cleared = [body for body in story.bodies("requirement_cleared") if body["why"] == "used"]
    assert cleared == [
        {
            "requirement": "pre_commit_review",
            "branch": "feature/auth",
            "whose": A,
            "why": "used",
        }
    ]
    story.ends_well()


@pytest.mark.promise("G1")
def test_scope_permanent_is_stored_at_the_root_and_never_cleared_by_itself(story: Story) -> None:
    story.demand(SCOPES)
    story.begin(A, hours=9_000)
    story.skill(A, "one", hours=8_999)
    story.end(A, hours=8_998)
    story.begin(B)
    assert "security_audit_passed" not in story.ask_edit(B)
    story.run(B, "git commit -m x")
    story.end(B)
    rows = story.mirrored()["security_audit_passed"]
    assert list(rows) == ROOT
    assert rows["satisfied"] is True
    story.ends_well()


# Critical design decisions


@pytest.mark.promise("G1")
@pytest.mark.parametrize("is_cleared", [False, True], ids=["by default", "when asked to"])
def test_decision_1_session_state_survives_session_end(story: Story, is_cleared: bool) -> None:
    asked = "hooks: {session_end: {clear_session_state: true}}\n" if is_cleared else ""
    story.demand(asked + SCOPES)
    for session in (A, B):
        story.begin(session)
        story.skill(session, "one")
        story.stop(session)
    story.end(A)

    kept = story.mirrored()["commit_plan"]["sessions"]
    assert sorted(kept) == (["bbbbbbbb"] if is_cleared else ["aaaaaaaa", "bbbbbbbb"])
    assert story.ask_edit(B) == "", "the ending session cleared another's"
    assert story.mirrored()["architecture_reviewed"]["satisfied"] is True
    story.ends_well()


@pytest.mark.promise("G8")
def test_an_ending_session_whose_state_is_cleared_leaves_no_approval_and_no_trigger(
    story: Story,
) -> None:
    story.demand("hooks: {session_end: {clear_session_state: true}}\n" + SCOPES)
    for session in (A, B):
        story.begin(session)
        story.edit(session, "src/a.py")  # arms
    branch = git(story.repo, "branch", "--show-current")
    hour = clock.iso(time.time() + 3600)
    approval = {"branch": branch, "by": "approval", "words": "", "expires_at": hour}
    for session, asked_by in ((A, A), (A, ""), (B, B)):
        for name in ("commit_plan", "architecture_reviewed"):
            body = {**approval, "requirement": name, "whose": session}
            story.keep("requirement_met", body, session=asked_by)
    story.stop(A)
    story.end(A)

    for name in ("commit_plan", "architecture_reviewed"):
        ended, goes_on = (
            BranchRequirements(branch, session, str(story.repo)) for session in (A, B)
        )
        assert not ended.is_triggered(name)
        assert not ended.is_satisfied(name)
        assert goes_on.is_triggered(name)
    assert sorted(story.mirrored()["commit_plan"]["sessions"]) == ["bbbbbbbb"]
    assert "commit_plan" not in story.ask_edit(B), "the ending session cleared another's"
    story.begin(A, "resume")
    assert "commit_plan" in story.ask_edit(A), "an approval outlived its session's state"
    story.ends_well()


@pytest.mark.promise("G4")
@pytest.mark.parametrize("name", ["auth", "api_key", "review"])
def test_a_requirement_with_a_name_like_a_secrets_is_used_up_and_met_again(
    story: Story, name: str
) -> None:
    triggers = "trigger_tools: [{tool: Bash, command_pattern: git commit}]"
    story.demand(
        f"requirements: {{{name}: {{scope: single_use, satisfied_by_skill: one, {triggers}}}}}"
    )
    story.begin(A)
    for number in range(3):
        assert name in story.ask_run(A, "git commit -m x"), f"round {number}"
        story.skill(A, "one")
        assert story.ask_run(A, "git commit -m x") == "", f"round {number}"
        story.run(A, "git commit -m x")
    story.ends_well()


@pytest.mark.promise("G1")
def test_decision_2_new_sessions_get_fresh_state_entries(story: Story) -> None:
    story.demand(PLAN)
    for number, session in enumerate((A, B, C), 1):
        story.begin(session)
        assert "commit_plan" in story.ask_edit(session), "once per session"
        story.skill(session, "arch-review")
        assert story.ask_edit(session) == ""
        story.end(session)
        assert len(story.mirrored()["commit_plan"]["sessions"]) == number
    story.ends_well()


@pytest.mark.promise("G1")
def test_decision_3_sessions_have_eight_characters_unless_two_would_share_them(
    story: Story,
) -> None:
    story.demand(PLAN)
    alike = A.replace("0000", "1111")
    story.begin(A)
    story.skill(A, "arch-review")
    story.stop(A)
    assert list(story.mirrored()["commit_plan"]["sessions"]) == ["aaaaaaaa"]
    story.begin(alike)
    assert "commit_plan" in story.ask_edit(alike), "one session's state was taken for another's"
    story.skill(alike, "arch-review")
    story.stop(alike)
    assert sorted(story.mirrored()["commit_plan"]["sessions"]) == sorted([A, alike])
    story.ends_well()


@pytest.mark.promise("G7")
def test_decision_4_a_state_file_that_cannot_be_written_blocks_nobody(story: Story) -> None:
    """The other faults are in tests/faults/test_gates_fail_open.py."""
    story.demand(PLAN)
    story.begin(A)
    folder = story.repo / ".git" / "holdfast" / "requirements"
    folder.write_text("in the way")
    story.skill(A, "arch-review")
    assert story.ask_edit(A) == ""
    assert story.stop(A) == ""
    assert folder.read_text() == "in the way"
    folder.unlink()
    story.stop(A)
    assert story.mirrored()["commit_plan"]["sessions"]["aaaaaaaa"]["satisfied"] is True
    story.ends_well()


@pytest.mark.promise("G1")
def test_decisions_5_and_6_a_state_file_is_replaced_whole_and_never_believed(story: Story) -> None:
    """Locks and renames: tests/faults/test_gates_in_parallel.py has many writers at once. What
    somebody wrote into the file is neither read nor kept: the store is where the state is."""
    story.demand(PLAN)
    story.begin(A)
    story.stop(A)
    path = story.repo / ".git" / "holdfast" / "requirements" / "feature%2Fauth.json"
    written = json.loads(path.read_text())
    forged = dict.fromkeys(ROW, None) | {"satisfied": True, "satisfied_by": "skill"}
    written["requirements"]["commit_plan"]["sessions"]["aaaaaaaa"] = forged
    path.write_text(json.dumps(written))
    before = os.stat(path).st_ino
    assert "commit_plan" in story.ask_edit(A)
    path.write_text('{"version": "1.0", "bran')
    assert "commit_plan" in story.ask_edit(A)

    story.stop(A)
    assert story.mirrored()["commit_plan"]["sessions"] == {}
    assert os.stat(path).st_ino != before
    assert sorted(one.name for one in path.parent.iterdir()) == [".lock", path.name]
    story.ends_well()


# Common issues


@pytest.mark.promise("G3")
def test_issue_not_satisfied_after_satisfying_it_was_another_session(story: Story) -> None:
    story.demand(PLAN)
    story.begin(A)
    story.begin(B)
    typed_and_told(story.repo, "req", "satisfy", "commit_plan", "--session", A)
    assert story.ask_edit(A) == ""
    refused = story.ask_edit(B)
    assert f"satisfy commit_plan --session {B}" in refused, "it names the session it is about"
    story.ends_well()


@pytest.mark.promise("G1")
def test_issue_many_sessions_in_a_state_file_each_finds_its_own_data(story: Story) -> None:
    story.demand(PLAN)
    for session in (A, B, C):
        story.begin(session)
    story.skill(B, "arch-review")
    story.edit(C, "src/a.py")
    story.stop(C, stop_hook_active=True)
    found = story.mirrored()["commit_plan"]["sessions"]
    assert {name: (row["satisfied"], row["triggered"]) for name, row in found.items()} == {
        "bbbbbbbb": (True, False),
        "cccccccc": (False, True),
    }
    story.ends_well()


@pytest.mark.promise("G7")
@pytest.mark.parametrize("content", ["", '{"version": "1.0", "sess', None], ids=repr)
def test_issue_an_empty_or_corrupted_registry_is_drawn_anew(
    story: Story, content: str | None
) -> None:
    story.demand(PLAN)
    story.begin(A)
    story.skill(A, "arch-review")
    path = Path(story.state, "sessions.json")
    path.unlink()
    if content is not None:
        path.write_text(content)
        path.chmod(0o600)
    assert story.ask_edit(A) == "", "a registry that is only drawn was believed"
    story.stop(A)
    assert list(registry(story)["sessions"]) == ["aaaaaaaa"]
    story.ends_well()


@pytest.mark.promise("G1")
def test_issue_old_session_state_is_in_the_file_and_out_of_reach_by_design(story: Story) -> None:
    story.demand(PLAN)
    story.begin(A)
    story.skill(A, "arch-review")
    story.end(A)
    story.begin(B)
    assert "commit_plan" in story.ask_edit(B)
    story.stop(B)
    assert list(story.mirrored()["commit_plan"]["sessions"]) == ["aaaaaaaa"]
    story.begin(A, "resume")
    assert story.ask_edit(A) == "", "the session that satisfied it has come back"
    story.ends_well()


# What each hook is for


@pytest.mark.promise("G2")
def test_session_start_cleans_up_registers_and_tells_the_status_of_the_new_session(
    story: Story,
) -> None:
    story.demand(PLAN)
    story.begin(A)
    story.skill(A, "arch-review")
    story.crash(A)
    begun = story.begin(B)
    assert list(registry(story)["sessions"]) == ["bbbbbbbb"], "a dead one is still registered"
    row = registry(story)["sessions"]["bbbbbbbb"]
    assert (row["branch"], row["project_dir"]) == ("feature/auth", str(story.repo))
    assert "## Requirements: 0/1 satisfied" in begun
    assert "Run `/arch-review` → commit_plan" in begun
    story.stop(B)
    assert metrics(story, B)["requirements"] == {}
    story.ends_well()


@pytest.mark.promise("G2")
def test_pre_tool_use_checks_and_writes_nothing(story: Story) -> None:
    story.demand(PLAN)
    story.begin(A)
    before = story.ledger()
    assert "commit_plan" in story.ask_edit(A)
    assert story.ask_run(A, "ls") == ""
    assert story.ledger() == before
    story.ends_well()


@pytest.mark.promise("X8")
def test_a_skill_lets_other_sessions_of_the_branch_through_once_it_is_confirmed(
    story: Story,
) -> None:
    story.demand(SCOPES)
    story.begin(A)
    story.begin(B)

    story.skill(A, "one")
    assert "architecture_reviewed" not in story.ask_edit(A)
    assert "architecture_reviewed" in story.ask_edit(B)

    story.stop(A, stop_hook_active=True)  # its record is read
    assert "architecture_reviewed" not in story.ask_edit(B)
    story.ends_well()


@pytest.mark.promise("G3")
def test_post_tool_use_satisfies_all_that_a_skill_is_for_in_the_current_session(
    story: Story,
) -> None:
    story.demand(
        """
requirements:
  commit_plan: {}
  adr_reviewed: {scope: branch}
  tdd_planned: {satisfied_by_skill: arch-review}
  solid_reviewed: {}
  pre_pr_review: {}
"""
    )
    story.begin(A)
    story.begin(B)
    story.skill(A, "arch-review")
    assert sorted(
        (one["requirement"], one["whose"], one["by"], one["words"])
        for one in story.bodies("requirement_met", A)
    ) == [
        ("adr_reviewed", A, "skill", "arch-review"),  # of the branch once it is confirmed
        ("commit_plan", A, "skill", "arch-review"),
        ("solid_reviewed", A, "skill", "arch-review"),
        ("tdd_planned", A, "skill", "arch-review"),
    ]
    assert story.bodies("requirement_met", B) == []
    refused = story.ask_edit(A)
    assert "pre_pr_review" in refused
    assert "commit_plan" not in refused
    story.edit(A, "src/a.py")
    story.stop(A, stop_hook_active=True)
    found = metrics(story, A)
    assert found["skills"] == ["arch-review"]
    one = found["requirements"]["commit_plan"]
    assert (one["satisfied_by"], one["blocked_count"]) == ("skill", 0)
    assert one["triggered_at"] >= one["satisfied_at"]
    assert found["requirements"]["pre_pr_review"]["blocked_count"] == 1
    assert found["blocked_tools"] == {"Edit": 1}
    story.ends_well()


@pytest.mark.promise("G4")
def test_post_tool_use_clears_single_use_for_the_current_session_alone(story: Story) -> None:
    story.demand(REVIEW)
    for session in (A, B):
        story.begin(session)
        story.skill(session, "pre-commit")
    story.run(A, "git add . && git commit -m x")
    assert "pre_commit_review" in story.ask_run(A, "git commit -m y")
    assert story.ask_run(B, "git commit -m y") == ""
    story.ends_well()


@pytest.mark.promise("G7")
def test_stop_blocks_for_what_was_triggered_and_is_not_satisfied(story: Story) -> None:
    story.demand(
        """
requirements:
  commit_plan: {stop_only: true, satisfied_by_skill: arch-review}
  not_triggered: {stop_only: true, trigger_tools: [WebFetch]}
"""
    )
    story.begin(A)
    story.say(A, "Add a login page")
    assert story.ask_edit(A) == "", "what is asked for at the end refuses no tool"
    story.edit(A, "src/a.py")
    blocked = story.stop(A)
    assert "commit_plan" in blocked
    assert "/arch-review" in blocked
    assert "not_triggered" not in blocked
    story.skill(A, "arch-review")
    assert story.stop(A, stop_hook_active=True) == ""
    assert story.bodies("stop_blocked") == [{"open": ["commit_plan"], "lacks": []}]
    assert story.bodies("stop_passed") == [{"open": []}]
    story.ends_well()


@pytest.mark.promise("G1")
def test_session_end_always_unregisters_and_keeps_the_state(story: Story) -> None:
    story.demand(PLAN)
    for session, reason in ((A, "other"), (B, "prompt_input_exit"), (C, "clear")):
        story.begin(session)
        story.skill(session, "arch-review")
        story.end(session, reason)
        assert registry(story)["sessions"] == {}
    assert len(story.mirrored()["commit_plan"]["sessions"]) == 3
    story.ends_well()
