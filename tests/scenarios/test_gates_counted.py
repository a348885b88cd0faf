"""Conditions and numbers: protected branches, one session at a time, the size of a branch, and
calculators that a team installs. Through the real hook command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from story import A, B, C, Story

from conftest import git
from holdfast.ledger import faults

SINGLE = """
requirements:
  alone: {type: guard, guard_type: single_session}
"""
SIZE = """
requirements:
  size:
    type: dynamic
    calculator: branch_size
    thresholds: {warn: 5, block: 10}
    blocking_message: '{total} of {block_threshold} against {base_branch} ({summary})'
"""


@pytest.mark.promise("G5")
def test_files_of_holdfasts_own_do_not_count_for_the_size_of_a_branch(story: Story) -> None:
    story.demand(SIZE)
    (story.repo / ".claude" / "settings.local.json").write_text("{\n" + "\n" * 200 + "}\n")
    (story.repo / ".claude" / "requirements.local.yaml").write_text("# mine\n" * 20)
    (story.repo / ".holdfast").mkdir()
    (story.repo / ".holdfast" / "NOTES.md").write_text("# Notes\n" * 100)
    story.begin(A)
    assert story.ask_edit(A) == ""
    (story.repo / "a.py").write_text("x = 1\n" * 12)
    story.end(A)
    story.begin(B)
    git(story.repo, "checkout", "-q", "-b", "another")  # counted anew
    assert "12 of 10" in story.ask_edit(B)
    story.ends_well()


# Conditions


@pytest.mark.promise("G5")
def test_a_protected_branch_is_edited_by_nobody(story: Story) -> None:
    story.demand(
        """
requirements:
  protected: {type: guard, guard_type: protected_branch, protected_branches: [main, release]}
"""
    )
    git(story.repo, "checkout", "-q", "main")
    assert "protected" in story.begin(A)
    refused = story.ask_edit(A)
    assert "The branch main is protected." in refused
    assert f"`holdfast req approve protected --session {A}`" in refused
    git(story.repo, "checkout", "-q", "-b", "release")
    assert "The branch release is protected." in story.ask_edit(A)
    git(story.repo, "checkout", "-q", "-b", "mainline")
    assert story.ask_edit(A) == ""
    story.edit(A, "src/a.py")
    git(story.repo, "checkout", "-q", "main")
    assert story.stop(A) == "", "a condition is for tools, not for the end"
    story.ends_well()


@pytest.mark.promise("G5")
def test_a_condition_is_satisfied_by_no_skill(story: Story) -> None:
    story.demand("requirements: {commit_plan: {type: guard, guard_type: protected_branch}}\n")
    git(story.repo, "checkout", "-q", "main")
    story.begin(A)
    story.skill(A, "arch-review")  # which satisfies a commit_plan that is none
    assert "commit_plan" in story.ask_edit(A)
    assert story.bodies("requirement_met") == []
    story.ends_well()


@pytest.mark.promise("G5")
def test_two_sessions_at_work_in_one_worktree_are_told_of_each_other(story: Story) -> None:
    story.demand(SINGLE)
    assert "alone" not in story.begin(A)
    assert story.ask_edit(A) == ""
    assert "alone" in story.begin(B), "an early warning"
    refused = story.ask_edit(B)
    assert "Another session is at work here." in refused
    assert "- aaaaaaaa on feature/auth, active" in refused
    assert "bbbbbbbb on feature/auth" in story.ask_edit(A)
    story.end(A)
    assert story.ask_edit(B) == ""
    story.ends_well()


@pytest.mark.promise("G5")
def test_a_dead_session_and_one_in_another_worktree_are_nobody(story: Story) -> None:
    story.demand(SINGLE)
    git(story.repo, "add", ".")
    git(story.repo, "commit", "-q", "-m", "Demand")
    other = story.folder / "other"
    git(story.repo, "worktree", "add", "-q", str(other))
    story.begin(A)
    story.begin(B, place=other)
    assert story.ask_edit(A) == ""
    story.begin(C)
    assert "cccccccc" in story.ask_edit(A)
    story.crash(C)
    assert story.ask_edit(A) == "", "its process is gone"
    story.ends_well()


# The size of a branch


@pytest.mark.promise("G5")
def test_a_branch_is_warned_of_once_and_then_refused(story: Story) -> None:
    story.demand(SIZE)
    git(story.repo, "add", ".")
    git(story.repo, "commit", "-q", "-m", "Demand")
    git(story.repo, "branch", "-f", "main")
    story.begin(A)
    assert story.ask_edit(A) == ""
    grow(story, "a.py", 6)
    assert story.ask_edit(A) == "", "a number is used again for a while"
    forget_numbers(story)
    near = story.ask_edit(A)
    assert near.startswith('size: "6 lines in 1 files against main". From 10')
    assert "From 10 on it is refused" in near
    assert story.ask_edit(A) == "", "one word a minute"
    git(story.repo, "add", "a.py")
    grow(story, "b.py", 3)
    git(story.repo, "commit", "-q", "-m", "Half")
    (story.repo / "README.md").write_text("")  # one line less
    forget_numbers(story)
    refused = story.ask_edit(A)
    assert "10 of 10 against main (10 lines in 3 files against main)" in refused
    assert f"`holdfast req approve size --session {A}`" in refused
    assert "satisfy size" not in refused
    story.ends_well()


def grow(story: Story, name: str, lines: int) -> None:
    (story.repo / name).write_text("x = 1\n" * lines)


def forget_numbers(story: Story) -> None:
    """As if the time for which a number is used again were over."""
    for path in numbers(story):
        path.unlink()


def numbers(story: Story) -> list[Path]:
    runtime = Path(story.door.environment["XDG_RUNTIME_DIR"])
    return sorted(runtime.glob("holdfast/*/count-*"))


@pytest.mark.promise("G5")
def test_a_branch_is_compared_with_the_feature_it_stands_on(story: Story) -> None:
    story.demand(SIZE.replace("warn: 5, block: 10", "block: 3"))
    grow(story, "a.py", 40)
    git(story.repo, "add", ".")
    git(story.repo, "commit", "-q", "-m", "A feature")
    git(story.repo, "checkout", "-q", "-b", "feature/auth-2")
    story.begin(A)
    assert story.ask_edit(A) == ""
    grow(story, "b.py", 3)
    forget_numbers(story)
    assert "3 of 3 against feature/auth (" in story.ask_edit(A)
    story.ends_well()


@pytest.mark.promise("G5")
def test_a_repository_without_a_commit_has_a_size_too(story: Story) -> None:
    place = story.folder / "young"
    place.mkdir()
    git(place, "init", "-q", "-b", "main")
    (place / ".claude").mkdir()
    (place / ".claude" / "requirements.yaml").write_text(SIZE)
    (place / "b.py").write_text("x = 1\n" * 20)
    asked = {"tool_name": "Edit", "tool_input": {"file_path": f"{place}/a.py"}}
    story.begin(A, place=place)
    answer = story.tell("PreToolUse", A, place=place, **asked)
    assert "against nothing" in answer
    story.ends_well()


@pytest.mark.promise("G5")
def test_a_number_of_one_branch_is_not_anothers(story: Story, home: Path) -> None:
    (home / ".claude").mkdir()
    (home / ".claude" / "requirements.yaml").write_text(SIZE)
    grow(story, "a.py", 20)
    git(story.repo, "add", ".")
    git(story.repo, "commit", "-q", "-m", "Large")
    story.begin(A)
    assert "against main" in story.ask_edit(A)
    git(story.repo, "checkout", "-q", "-b", "small", "main")
    assert story.ask_edit(A) == ""
    git(story.repo, "checkout", "-q", "feature/auth")
    assert "size" in story.ask_edit(A)
    story.ends_well()


# Calculators


def install(story: Story, body: str) -> None:
    """A little distribution, where the hook finds those that are installed beside Holdfast."""
    site = story.folder / "site"
    (site / "team_numbers-1.0.dist-info").mkdir(parents=True, exist_ok=True)
    (site / "team_numbers.py").write_text(f"def debt(root):\n    {body}\n")
    for name, text in (
        ("METADATA", "Metadata-Version: 2.1\nName: team-numbers\nVersion: 1.0\n"),
        ("entry_points.txt", "[holdfast.calculators]\ndebt = team_numbers:debt\n"),
    ):
        (site / "team_numbers-1.0.dist-info" / name).write_text(text)
    launcher = Path(story.state, "hook.py")
    if str(site) not in launcher.read_text():
        added = launcher.read_text().replace("sys.path += [", f"sys.path += [{str(site)!r}, ", 1)
        launcher.write_text(added)


DEBT = """
requirements:
  debt: {type: dynamic, calculator: debt, thresholds: {warn: 2, block: 3}}
  planned: {trigger_tools: [Write]}
"""


@pytest.mark.promise("G5")
def test_an_installed_calculator_counts_and_is_asked_again_when_its_time_is_over(
    story: Story,
) -> None:
    story.demand(DEBT)
    install(
        story,
        "print('noise'); import os;"
        " n = len([x for x in os.listdir(root) if x.endswith('.todo')]);"
        " return {'value': n, 'summary': f'{n} things to do'}",
    )
    story.begin(A)
    assert story.ask_edit(A) == ""
    for name in "ab":
        (story.repo / f"{name}.todo").touch()
    assert story.ask_edit(A) == ""
    forget_numbers(story)
    assert story.ask_edit(A) == (
        'debt: "2 things to do". From 3 on it is refused; finish what is begun.'
    )
    (story.repo / "c.todo").touch()
    forget_numbers(story)
    refused = story.ask_edit(A)
    assert "3 things to do" in refused
    assert "The value is 3; from 3 on it is refused." in refused
    story.ends_well()


@pytest.mark.promise("G5")
@pytest.mark.promise("G7")
@pytest.mark.parametrize(
    ("body", "said"),
    [
        pytest.param(
            "import time; time.sleep(600)",
            "gave no answer within 5 s",
            id="one that hangs",
            marks=pytest.mark.exhaustive,
        ),
        pytest.param("raise ZeroDivisionError('oops')", "ZeroDivisionError: oops", id="raises"),
        pytest.param("import os; os._exit(3)", "gave no answer within 5 s", id="one that dies"),
        pytest.param("return 'many'", "it answered with str, not with a number", id="no number"),
        pytest.param("return float('nan')", "it answered with no number", id="not a number"),
        pytest.param("return True", "it answered with bool, not with a number", id="a truth"),
    ],
)
def test_a_calculator_that_fails_lets_through_and_is_a_fault(
    story: Story, body: str, said: str
) -> None:
    story.demand(DEBT)
    story.begin(A)
    install(story, body)
    forget_numbers(story)
    faults.clear(story.state)  # it was not installed when the session began

    assert story.ask_edit(A) == ""
    (fault,) = faults.all_of(story.state)
    assert fault["kind"] == "not judged"
    assert said in fault["detail"]
    found = json.loads(numbers(story)[0].read_text())
    assert said in found["number"]["error"], "it is not asked again before every tool"
    assert "planned" in story.ask(A, "Write", file_path=f"{story.repo}/a.py", content="")
    assert "debt" not in story.ask(A, "Write", file_path=f"{story.repo}/a.py", content="")

    install(story, "return 7")
    forget_numbers(story)
    assert "debt" in story.ask_edit(A)
    faults.clear(story.state)
    story.ends_well()


@pytest.mark.promise("G5")
def test_a_calculator_that_a_repository_brings_along_is_not_run(story: Story) -> None:
    story.demand(DEBT)
    for name, text in (
        ("debt.py", "open('ran', 'w')\ndef debt(root): return 99\n"),
        ("team_numbers.py", "open('ran', 'w')\ndef debt(root): return 99\n"),
    ):
        (story.repo / name).write_text(text)
    story.begin(A)
    assert story.ask_edit(A) == ""
    assert not (story.repo / "ran").exists()
    assert {one["kind"] for one in faults.all_of(story.state)} == {"not done", "not judged"}
    assert all(
        "no package that is installed" in one["detail"] for one in faults.all_of(story.state)
    )
    faults.clear(story.state)
    story.ends_well()
