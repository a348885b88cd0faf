"""What satisfies a requirement: skills, files, runs that were seen, a person's word; for how long,
and for whom. Through the real hook command."""

from __future__ import annotations

import os
import time

import pytest
from story import A, B, C, Story

from conftest import git
from holdfast.system import clock

PLAN = """
requirements:
  commit_plan: {satisfied_by_skill: plan, message: Plan first.}
"""
PASSED = "..........                                  [100%]\n10 passed in 0.12s"
FAILED = "....F.....                                  [100%]\n1 failed, 9 passed in 0.12s"


# Skills


@pytest.mark.promise("G3")
@pytest.mark.parametrize("way", ["the agent runs it", "the person types it"])
@pytest.mark.parametrize(
    ("named", "ran", "is_it"),
    [
        ("plan", "plan", True),
        ("plan", "team:plan", True),
        ("team:plan", "team:plan", True),
        ("team:plan", "plan", True),
        ("/plan", "plan", True),
        ("plan", "Plan", True),
        ("plan", "planning", False),
        ("plan", "plan:other", False),
    ],
)
def test_a_skill_satisfies_both_ways_it_can_be_run(
    story: Story, way: str, named: str, ran: str, is_it: bool
) -> None:
    story.demand(f"requirements: {{commit_plan: {{satisfied_by_skill: '{named}'}}}}\n")
    story.begin(A)
    run = story.skill if way == "the agent runs it" else story.slash
    run(A, ran)
    assert (story.ask_edit(A) == "") is is_it
    assert [one["words"] for one in story.bodies("requirement_met")] == ([ran] if is_it else [])
    story.ends_well()


@pytest.mark.promise("G3")
def test_a_skill_that_failed_or_was_only_asked_for_satisfies_nothing(story: Story) -> None:
    story.demand(PLAN)
    story.begin(A)
    assert story.ask(A, "Skill", skill="plan") == ""
    story.tell(
        "PostToolUseFailure", A, tool_name="Skill", tool_input={"skill": "plan"}, error="no such"
    )
    assert "Plan first." in story.ask_edit(A)
    story.ends_well()


@pytest.mark.promise("G1")
def test_a_satisfaction_that_is_to_be_renewed_runs_out(story: Story) -> None:
    story.demand(PLAN.replace("{satisfied", "{replan_ttl: 3600, satisfied"))
    story.begin(A, hours=3)
    story.skill(A, "plan", hours=2)
    assert "Plan first." in story.ask_edit(A)
    story.skill(A, "plan")
    assert story.ask_edit(A) == ""
    story.ends_well()


# Files


REVIEWED = """
requirements:
  reviewed:
    evidence:
      dirs: [reviews]
      require_markers: ['Reviewer:', feature/auth]
      require_verdict: APPROVED
      max_age_seconds: 3600
"""
REVIEW = "# Review of feature/auth\nReviewer: Ada\n\n## Verdict\nAPPROVED, with thanks\n"


def put(story: Story, text: str, name: str = "one.md", *, seconds_ago: float = 0) -> None:
    path = story.repo / "reviews" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    os.utime(path, (time.time() - seconds_ago,) * 2)


@pytest.mark.promise("G3")
def test_a_file_with_its_markers_its_verdict_and_its_age_is_evidence(story: Story) -> None:
    story.demand(REVIEWED)
    story.begin(A)
    refused = story.ask_edit(A)
    for part in ("`reviews`", "`Reviewer:`", "`APPROVED`", "3600 seconds"):
        assert part in refused
    put(story, REVIEW)
    assert story.ask_edit(A) == ""
    put(story, REVIEW, seconds_ago=3700)
    assert "reviewed" in story.ask_edit(A), "older than it may be"
    put(story, REVIEW, "deep/er/two.md")
    assert story.ask_edit(A) == ""
    story.ends_well()


@pytest.mark.promise("G3")
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(REVIEW.replace("Reviewer", "By"), id="a marker is missing"),
        pytest.param(REVIEW.replace("APPROVED", "REJECTED"), id="another verdict"),
        pytest.param(
            REVIEW.replace("## Verdict\nAPPROVED", "APPROVED\n## Verdict\nnone yet"),
            id="the word stands elsewhere",
        ),
        pytest.param(
            REVIEW.replace("APPROVED", "see below\n## Notes\nAPPROVED"), id="in the next section"
        ),
        pytest.param("", id="empty"),
    ],
)
def test_a_file_that_lacks_something_is_none(story: Story, text: str) -> None:
    story.demand(REVIEWED)
    story.begin(A)
    put(story, text)
    assert "reviewed" in story.ask_edit(A)
    story.ends_well()


@pytest.mark.promise("G3")
def test_where_a_skill_and_a_file_are_named_both_are_needed(story: Story) -> None:
    story.demand(REVIEWED.replace("  reviewed:", "  reviewed:\n    satisfied_by_skill: look"))
    story.begin(A)
    story.skill(A, "look")
    assert "reviewed" in story.ask_edit(A)
    put(story, REVIEW)
    assert story.ask_edit(A) == ""
    story.begin(B)
    assert "reviewed" in story.ask_edit(B), "the skill was another session's"
    story.ends_well()


# Runs that were seen


TESTED = """
requirements:
  tested:
    evidence_required: [tests]
    trigger_tools: [{tool: Bash, command_pattern: git commit}]
"""


@pytest.mark.promise("G6")
def test_tests_seen_to_pass_are_proof_until_a_file_they_cover_is_edited(story: Story) -> None:
    story.demand(TESTED)
    story.begin(A)
    refused = story.ask_run(A, "git commit -m x")
    assert "Proof, newer than the last edit: tests." in refused
    story.write(A, "src/a.py")
    story.run(A, "pytest -q", PASSED)
    assert story.ask_run(A, "git commit -m x") == ""
    story.write(A, "README.md")
    story.write(A, "docs/guide.txt")
    assert story.ask_run(A, "git commit -m x") == "", "prose made the tests stale"
    story.write(A, "src/a.py")
    assert "tested" in story.ask_run(A, "git commit -m x")
    story.fail(A, "pytest -q", f"Exit code 1\n{FAILED}")
    assert "tested" in story.ask_run(A, "git commit -m x")
    story.run(A, "uv run pytest -q", PASSED)
    assert story.ask_run(A, "git commit -m x") == ""
    assert [
        (one["sort"], one["passed"], one["tool"], one["said"])
        for one in story.bodies("evidence_seen")
    ] == [
        ("tests", True, "pytest", "10 passed in 0.12s"),
        ("tests", False, "pytest", "1 failed, 9 passed in 0.12s"),
        ("tests", True, "pytest", "10 passed in 0.12s"),
    ]
    story.ends_well()


@pytest.mark.promise("G6")
@pytest.mark.parametrize(
    ("command", "output"),
    [
        pytest.param("echo '10 passed in 0.12s'", "10 passed in 0.12s", id="words alone"),
        pytest.param("pytest -q || echo '3 passed in 0.1s'", "3 passed in 0.1s", id="own words"),
        pytest.param("pytest -q", "no tests ran in 0.01s", id="nothing ran"),
        pytest.param("pytest -q | tail -1", FAILED.splitlines()[1], id="a hidden failure"),
        pytest.param("pytest --version", "pytest 8.3.2", id="no run"),
    ],
)
def test_what_only_looks_like_a_pass_is_no_proof(story: Story, command: str, output: str) -> None:
    story.demand(TESTED)
    story.begin(A)
    story.run(A, command, output)
    assert "tested" in story.ask_run(A, "git commit -m x")
    story.ends_well()


@pytest.mark.promise("G6")
def test_proof_is_one_sessions_and_a_subagents_run_is_its_sessions(story: Story) -> None:
    story.demand(TESTED)
    story.begin(A)
    story.begin(B)
    story.run(A, "pytest -q", PASSED, agent_id="sub-1")
    assert story.ask_run(A, "git commit -m x") == ""
    assert "tested" in story.ask_run(B, "git commit -m x")
    story.write(A, "src/a.py", agent_id="sub-1")
    assert "tested" in story.ask_run(A, "git commit -m x")
    story.ends_well()


@pytest.mark.promise("G6")
def test_a_review_is_proof_until_anything_is_edited(story: Story) -> None:
    story.demand(TESTED.replace("[tests]", "[review, tests]"))
    story.begin(A)
    story.run(A, "pytest -q", PASSED)
    assert "tested" in story.ask_run(A, "git commit -m x")
    story.skill(A, "team:code-review")
    assert story.ask_run(A, "git commit -m x") == ""
    story.write(A, "README.md")
    assert "tested" in story.ask_run(A, "git commit -m x")
    story.ends_well()


@pytest.mark.promise("G11")
def test_commands_may_have_to_go_together_on_the_files_as_they_are(story: Story) -> None:
    runs = "evidence_runs: [make fmt, make lint]"
    story.demand(TESTED.replace("evidence_required: [tests]", runs))
    story.begin(A)
    story.run(A, "make lint")
    refused = story.ask_run(A, "git commit -m x")
    assert (
        "Commands to have succeeded, newer than the last edit: `make fmt`, `make lint`." in refused
    )
    assert "make fmt: a run that succeeds has not been seen" in refused
    (story.repo / "a.py").write_text("formatted\n")
    story.run(A, "make fmt && true")
    refused = story.ask_run(A, "git commit -m x")
    assert "make lint ran at" in refused
    assert "since then a.py changed" in refused
    story.run(A, "make lint || true")
    assert story.ask_run(A, "git commit -m x"), "nobody knows how it went"
    story.run(A, "cd . && make lint")
    assert story.ask_run(A, "git commit -m x") == ""
    story.fail(A, "make fmt")
    assert "make fmt: the last run failed" in story.ask_run(A, "git commit -m x")
    story.ends_well()


@pytest.mark.promise("G11")
@pytest.mark.parametrize("way", ["edit", "shell"])
def test_tests_may_have_to_be_changed_before_code(story: Story, way: str) -> None:
    story.demand(
        """
requirements:
  tests_first:
    evidence_first: ["tests/**"]
    trigger_tools: [{tool: Edit, paths: ["src/**"]}]
"""
    )
    story.begin(A)
    assert "nothing in tests/** has been changed yet" in story.ask_edit(A)
    assert story.ask_edit(A, "tests/test_a.py") == ""
    if way == "edit":
        story.edit(A, "tests/test_a.py")
    else:
        (story.repo / "tests").mkdir()
        (story.repo / "tests" / "test_a.py").write_text("def test_a(): ...\n")
    assert story.ask_edit(A) == ""
    story.ends_well()


@pytest.mark.promise("G6")
def test_a_gate_may_ask_for_confidence(story: Story) -> None:
    story.demand(
        """
requirements:
  sure:
    min_confidence: 70
    trigger_tools: [{tool: Bash, command_pattern: git push}]
"""
    )
    story.begin(A)
    story.say(A, "Add a login page")
    assert story.ask_run(A, "git push") == ""
    story.fail(A, "make one")
    assert story.ask_run(A, "git push") == "", "70 is enough"
    story.fail(A, "make two")
    refused = story.ask_run(A, "git push")
    assert "Confidence: at least 70 of 100." in refused
    story.say(A, "Go on")
    story.run(A, "pytest -q", PASSED)
    assert story.ask_run(A, "git push") == ""
    story.ends_well()


# A person's word


def approve(story: Story, name: str, session: str, *, seconds_left: float) -> None:
    """What `holdfast req approve` keeps; the command itself is in tests/cli/test_req.py."""
    body = {
        "requirement": name,
        "branch": git(story.repo, "branch", "--show-current"),
        "whose": session,
        "by": "approval",
        "words": "",
        "expires_at": clock.iso(time.time() + seconds_left),
    }
    story.keep("requirement_met", body, session=session)


@pytest.mark.promise("G3")
@pytest.mark.parametrize(
    "demand",
    [
        pytest.param("{}", id="blocking"),
        pytest.param("{scope: branch}", id="of a branch"),
        pytest.param("{evidence_required: [tests]}", id="with proof"),
        pytest.param("{min_confidence: 100}", id="with confidence"),
        pytest.param(
            "{type: guard, guard_type: protected_branch, protected_branches: [feature/auth]}",
            id="guard",
        ),
        pytest.param(
            "{type: dynamic, calculator: branch_size, thresholds: {block: 1}}", id="dynamic"
        ),
    ],
)
def test_an_approval_lets_one_session_pass_for_a_time(story: Story, demand: str) -> None:
    story.demand(f"requirements: {{gate: {demand}}}\n")
    (story.repo / "new.py").write_text("x = 1\ny = 2\n")
    story.begin(A)
    story.begin(B)
    assert "gate" in story.ask_edit(A)
    approve(story, "gate", A, seconds_left=-1)
    assert "gate" in story.ask_edit(A), "its time was over"
    approve(story, "gate", A, seconds_left=300)
    assert story.ask_edit(A) == ""
    assert "gate" in story.ask_edit(B)
    git(story.repo, "checkout", "-q", "-b", "feature/other")
    is_there = "protected" not in demand  # where there is nothing to approve
    assert ("gate" in story.ask_edit(A)) is is_there
    story.ends_well()


@pytest.mark.promise("G3")
def test_switched_off_by_a_person_nothing_is_asked_until_it_is_on_again(story: Story) -> None:
    story.demand("requirements: {planned: {}, reviewed: {}}\n")
    story.begin(A)
    story.begin(B)
    story.keep("gates_switched", {"requirement": "planned", "whose": "", "on": False}, session="")
    refused = story.ask_edit(A)
    assert "planned" not in refused
    assert "reviewed" in refused
    story.keep("gates_switched", {"requirement": "", "whose": A, "on": False}, session=A)
    assert story.ask_edit(A) == ""
    story.edit(A, "src/a.py")
    assert story.stop(A) == ""
    assert "reviewed" in story.ask_edit(B)
    story.keep("gates_switched", {"requirement": "", "whose": A, "on": True}, session=A)
    assert "reviewed" in story.ask_edit(A)
    story.ends_well()


# Over a clear


@pytest.mark.promise("G3")
def test_a_clear_hands_on_what_was_satisfied_a_moment_ago_and_says_so(story: Story) -> None:
    story.demand(
        """
requirements:
  commit_plan: {satisfied_by_skill: plan}
  old: {satisfied_by_skill: older}
  once: {scope: single_use, satisfied_by_skill: plan, trigger_tools: [WebFetch]}
"""
    )
    story.begin(A, hours=1)
    story.skill(A, "older", hours=0.1)
    story.skill(A, "plan")
    begun = story.clear(A, B)
    assert "1/3 satisfied" in begun
    refused = story.ask_edit(B)
    assert "old" in refused
    assert "commit_plan" not in refused
    (met,) = story.entries("requirement_met", B)
    (before,) = [
        one for one in story.entries("requirement_met", A) if one.body["whose"] == A
        and one.body["requirement"] == "commit_plan"
    ]  # fmt: skip
    assert met.body == {
        "requirement": "commit_plan",
        "branch": "feature/auth",
        "whose": B,
        "by": "carry_over",
        "words": A,
        "since": before.at,
    }
    story.stop(B)
    assert story.mirrored()["commit_plan"]["sessions"]["bbbbbbbb"]["satisfied_by"] == "carry_over"
    story.ends_well()


@pytest.mark.promise("G3")
def test_one_clear_after_the_other_does_not_make_it_last(story: Story) -> None:
    story.demand(PLAN)
    story.begin(A, hours=1)
    story.skill(A, "plan", hours=0.11)
    story.end(A, "clear", hours=0.06)
    story.begin(B, "clear", after=A, hours=0.05)  # within 300 s of the skill
    assert story.ask_edit(B) == ""
    story.clear(B, C)
    assert "Plan first." in story.ask_edit(C)
    assert len(story.bodies("requirement_met")) == 2
    story.ends_well()


@pytest.mark.promise("G3")
@pytest.mark.parametrize(
    ("hooks", "is_handed_on"),
    [
        ("{window: 10000}", True),
        ("{enabled: false, window: 10000}", False),
        ("{window: 10}", False),
    ],
)
def test_how_much_a_clear_hands_on_is_the_teams_to_say(
    story: Story, hooks: str, is_handed_on: bool
) -> None:
    story.demand(f"hooks: {{session_start: {{carry_over: {hooks}}}}}\n{PLAN}")
    story.begin(A, hours=2)
    story.skill(A, "plan", hours=1)
    story.clear(A, B)
    assert (story.ask_edit(B) == "") is is_handed_on
    story.ends_well()


@pytest.mark.promise("G3")
def test_another_beginning_hands_nothing_on(story: Story) -> None:
    story.demand(PLAN)
    story.begin(A)
    story.skill(A, "plan")
    story.end(A)
    story.begin(B)
    assert "Plan first." in story.ask_edit(B)
    story.compact(B)
    story.skill(B, "plan")
    story.compact(B)
    assert story.ask_edit(B) == "", "a compaction is the same session"
    story.ends_well()
