"""The log of judgements: off until it is asked for, redacted, bounded, and no verdict depends on
it."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.ledger import faults
from holdfast.rooms.gates import judgement_log
from holdfast.system import paths
from scenarios.story import A, B, Story

PLAN = """
requirements:
  planned: {satisfied_by_skill: plan, trigger_tools: [Edit, Bash]}
"""
SECRET = "ghp_" + "a1B2" * 9  # shaped like a token, and nobody's


@pytest.fixture
def story(door, repo, tmp_path) -> Story:
    story = Story(door, repo, tmp_path)
    story.demand(PLAN)
    story.begin(A)
    return story


def log(story: Story) -> list[str]:
    path = Path(paths.gate_log(story.state))
    return path.read_text().splitlines() if path.exists() else []


def words(story: Story) -> list[str]:
    """What the lines say, without when and where."""
    return [line.split(" main ", 1)[1] for line in log(story)]


@pytest.mark.promise("G8")
def test_nothing_is_logged_by_default_and_the_command_says_so(story):
    assert story.ask_edit(A)
    story.skill(A, "plan")
    story.stop(A)

    told = story.holdfast("req", "logging")

    assert told == {"level": "off", "file": paths.gate_log(story.state)}
    assert [name for name in os.listdir(story.state) if name.startswith("requirements.")] == []


@pytest.mark.promise("G8")
def test_a_log_that_is_asked_for_has_what_gates_judged_and_no_secret(story):
    assert story.holdfast("req", "logging", "--level", "info")["level"] == "info"

    assert story.ask_edit(A)
    assert story.ask_run(A, f"curl -H 'Authorization: Bearer {SECRET}'\nfor x")
    assert story.ask_edit(A, path=".claude/requirements.yaml")
    story.skill(A, "plan")
    assert not story.ask_edit(A)

    lines = log(story)
    assert words(story)[0] == "refused: planned open before: Edit src/a.py"
    assert words(story)[1].startswith("refused: planned open before: Bash curl -H")
    assert words(story)[2] == (
        "refused: a place or an act of the person's: Edit .claude/requirements.yaml"
    )
    assert words(story)[3] == "met: planned by skill: plan"
    assert len(lines) == 4  # what was let through is no news
    assert all(" INFO  " in line and f" {A} " in line for line in lines)
    assert SECRET not in "\n".join(lines)
    mode = Path(paths.gate_log(story.state)).stat().st_mode
    assert stat.S_IMODE(mode) == 0o600
    assert faults.all_of(story.state) == []
    story.ends_well()


@pytest.mark.promise("G8")
def test_debug_logs_what_was_let_through_and_why_and_off_ends_it(story):
    story.holdfast("req", "logging", "--level", "debug")
    story.skill(A, "plan")
    story.ask_edit(A)
    story.ask(A, "Read", file_path=f"{story.repo}/src/a.py")
    story.stop(A)

    assert words(story) == [
        "met: planned by skill: plan",
        "let through: planned met: Edit src/a.py",
        "let through: nothing stands before it: Read src/a.py",
        "end of a turn: nothing is open",
    ]

    assert story.holdfast("req", "logging", "--level", "off")["level"] == "off"
    story.ask_edit(A)
    assert len(log(story)) == 4
    story.ends_well()


@pytest.mark.promise("G8")
def test_an_end_that_is_refused_and_one_that_is_let_go_are_logged(story):
    story.holdfast("req", "logging", "--level", "info")
    story.edit(A, "src/a.py")
    assert "planned" in story.stop(A)
    story.stop(A, stop_hook_active=True)

    assert words(story) == [
        "end of a turn: refused, open: planned",
        "end of a turn: let go with planned open",
    ]


@pytest.mark.promise("G8")
def test_a_log_is_bounded_by_one_rotation(story):
    story.holdfast("req", "logging", "--level", "info")
    path = Path(paths.gate_log(story.state))
    path.write_text("x" * judgement_log.SIZE_CAP_BYTES)
    Path(f"{path}.1").write_text("older")

    story.ask_edit(A)

    assert len(log(story)) == 1
    assert Path(f"{path}.1").stat().st_size == judgement_log.SIZE_CAP_BYTES
    story.ask_edit(A)
    assert len(log(story)) == 2


@pytest.mark.promise("G7")
def test_a_log_that_cannot_be_written_changes_no_verdict_and_is_a_fault(story, tmp_path):
    story.holdfast("req", "logging", "--level", "debug")
    theirs = tmp_path / "theirs"
    theirs.write_text("")
    Path(paths.gate_log(story.state)).symlink_to(theirs)

    assert "planned" in story.ask_edit(A)
    story.skill(A, "plan")
    assert not story.ask_edit(A)

    assert theirs.read_text() == ""
    assert {fault["kind"] for fault in faults.all_of(story.state)} >= {"not judged"}


@pytest.mark.promise("O3")
def test_a_forgotten_session_is_in_no_log(story):
    story.holdfast("req", "logging", "--level", "info")
    story.ask_edit(A)
    story.begin(B)
    Path(f"{paths.gate_log(story.state)}.1").write_text(f"{A} said something\n")

    done = subprocess.run(
        [sys.executable, "-m", "holdfast", "forget", A, "--dry-run", "--json"],
        cwd=story.repo,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )

    assert paths.gate_log(story.state) in done.stdout
    assert f"{paths.gate_log(story.state)}.1" in done.stdout
