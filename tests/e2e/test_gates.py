"""Gates with the real Claude Code: what it is refused, what it is told, and that it gets out."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from e2e.conftest import assert_sound
from e2e.rig import git
from e2e.test_claude_code import DONE

DEMANDS = """
requirements:
  commit_plan:
    satisfied_by_skill: plan
    message: Say what you will change before you change it.
  verification_evidence:
    stop_only: true
    evidence_required: [tests]
    message: Run the tests.
  pre_commit_review:
    scope: single_use
    trigger_tools:
      - tool: Bash
        command_pattern: 'git\\s+commit'
    satisfied_by_skill: check
"""
SKILL = """---
name: {0}
description: {1}
---
Do it, and say that it is done.
"""
TESTS = f"{sys.executable} -m pytest -q -p no:cacheprovider check_app.py"


def prepare(repo: Path) -> dict[str, str]:
    """A project that demands something, two skills, a file and a test; what an edit is given."""
    git(repo, "checkout", "-q", "-b", "work")
    (repo / ".claude").mkdir(exist_ok=True)
    (repo / ".claude" / "requirements.yaml").write_text(DEMANDS)
    for name, what in (("plan", "Plans a change"), ("check", "Checks what is staged")):
        folder = repo / ".claude" / "skills" / name
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(SKILL.format(name, what))
    (repo / "app.py").write_text("TRIES = 1\n")
    (repo / "check_app.py").write_text(
        "import app\n\n\ndef test_tries():\n    assert app.TRIES == 3\n"
    )
    return {"file_path": str(repo / "app.py"), "old_string": "= 1", "new_string": "= 3"}


def results(claude) -> str:
    """All that the model was sent in the run."""
    return str(claude.model.sent_text("main"))


@pytest.mark.promise("G2")
@pytest.mark.promise("G3")
@pytest.mark.promise("G6")
@pytest.mark.promise("G7")
def test_an_edit_waits_for_the_plan_and_the_end_for_a_real_test_run(claude, kept, state, repo):
    edit = prepare(repo)
    read = {"tool": "Read", "input": {"file_path": edit["file_path"]}}
    run = claude.run(
        "Make it three tries.",
        "--allowedTools",
        "Bash",
        "Edit",
        "Skill",
        says=[
            read,
            {"tool": "Edit", "input": edit},
            {"tool": "Skill", "input": {"skill": "plan"}},
            {"tool": "Edit", "input": edit},
            DONE,  # refused once: the tests were not run
            {"tool": "Bash", "input": {"command": TESTS}},
            DONE,
        ],
    )
    sent = results(claude)
    assert "the requirement commit_plan is not satisfied" in sent
    assert "Say what you will change before you change it." in sent
    assert "/plan" in sent
    assert (repo / "app.py").read_text() == "TRIES = 3\n"
    assert "Not finished" in sent
    assert "Run the tests." in sent
    (blocked,) = kept.entries(run.session, "stop_blocked")
    assert blocked.body["open"] == ["verification_evidence"]
    (seen,) = kept.entries(run.session, "evidence_seen")
    assert (seen.body["sort"], seen.body["passed"], seen.body["tool"]) == ("tests", True, "pytest")
    (passed,) = kept.entries(run.session, "stop_passed")
    assert passed.body["open"] == []
    assert len(claude.model.requests) == 7
    assert_sound(claude, state)


@pytest.mark.promise("G7")
@pytest.mark.exhaustive
def test_a_second_stop_in_a_row_is_never_refused(claude, kept, state, repo):
    edit = prepare(repo)
    read = {"tool": "Read", "input": {"file_path": edit["file_path"]}}
    first = claude.run(
        "Make it three tries.",
        "--allowedTools",
        "Edit",
        "Skill",
        says=[
            {"tool": "Skill", "input": {"skill": "plan"}},
            read,
            {"tool": "Edit", "input": edit},
            DONE,
            DONE,  # says so again, and is let go
        ],
    ).session
    assert len(claude.model.requests) == 5
    assert len(kept.entries(first, "stop_blocked")) == 1
    (passed,) = kept.entries(first, "stop_passed")
    assert passed.body["open"] == ["verification_evidence"]

    claude.run("Hello again", says=[DONE])
    assert r"let go with this open:\n> verification_evidence" in results(claude)
    assert_sound(claude, state)


@pytest.mark.promise("G4")
@pytest.mark.exhaustive
def test_a_commit_uses_up_its_review(claude, kept, state, repo):
    prepare(repo)
    commit = "git -c user.name=dev -c user.email=dev@example.com commit -q -m 'Say more' app.py"
    git(repo, "add", "app.py")
    run = claude.run(
        "Commit it.",
        "--allowedTools",
        "Bash",
        "Skill",
        says=[
            {"tool": "Bash", "input": {"command": commit}},
            {"tool": "Skill", "input": {"skill": "check"}},
            {"tool": "Bash", "input": {"command": commit}},
            {"tool": "Bash", "input": {"command": f"{commit} --amend"}},
            DONE,
        ],
    )
    assert results(claude).count("the requirement pre_commit_review is not satisfied") >= 2
    assert git(repo, "log", "--format=%s", "-1").strip() == "Say more"
    (used,) = kept.entries(run.session, "requirement_cleared")
    assert used.body["why"] == "used"
    assert_sound(claude, state)


@pytest.mark.promise("G3")
def test_the_model_cannot_let_itself_through(claude, kept, state, repo):
    edit = prepare(repo)
    settings = repo / ".claude" / "requirements.yaml"
    claude.run(
        "Make it three tries.",
        "--allowedTools",
        "Bash",
        "Edit",
        "Write",
        says=[
            {"tool": "Bash", "input": {"command": "holdfast req satisfy commit_plan"}},
            {"tool": "Bash", "input": {"command": "echo '' > .claude/requirements.yaml"}},
            {"tool": "Write", "input": {"file_path": str(settings), "content": ""}},
            {"tool": "Edit", "input": edit},
            DONE,
        ],
    )
    assert settings.read_text() == DEMANDS
    assert (repo / "app.py").read_text() == "TRIES = 1\n"
    sent = results(claude)
    assert "are the person's commands" in sent
    assert "only the person" in sent
    assert_sound(claude, state)
