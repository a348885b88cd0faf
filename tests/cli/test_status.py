"""What `holdfast status` says of gates and decisions."""

from __future__ import annotations

import re

import pytest
from terminal import run, told

from holdfast.cli.helpers.wording import plural
from scenarios.story import A, Story

DEMANDS = """
requirements:
  commit_plan: {satisfied_by_skill: plan}
  architecture: {scope: branch, trigger_tools: [Write]}
"""


@pytest.mark.promise("O5")
def test_status_says_how_gates_and_decisions_stand(story: Story) -> None:
    story.demand(DEMANDS)
    story.begin(A)
    story.skill(A, "plan")
    (story.repo / "jwt.py").write_text("grace_period = 900\n")
    run(story.repo, "decide", "Allow a grace period", "--evidence", "jwt.py:1")
    run(story.repo, "decide", "Keep tokens short")

    assert told(story.repo, "status")["gates"] == {"satisfied": 1, "total": 2, "paused": False}
    assert "Gates     1 of 2 satisfied" in run(story.repo, "status").stdout
    assert "Decisions 2 in force  (" in run(story.repo, "status").stdout

    (story.repo / "jwt.py").write_text("leeway = 60\n")
    said = run(story.repo, "status").stdout
    assert "Decisions 2 in force, 1 broken" in said
    assert told(story.repo, "status")["decisions"]["broken"] == 1


def test_status_is_a_column_of_labels_and_a_column_of_what_they_say(story: Story) -> None:
    story.begin(A)
    story.say(A, "Draw the map")
    run(story.repo, "decide", "Keep tokens short")
    run(story.repo, "context", "checkpoint")

    lines = run(story.repo, "status").stdout.splitlines()

    assert any(re.match(r"Saved     \d+ (s|min) ago, at ", line) for line in lines)
    assert [line for line in lines if line[9] != " " or line[10] == " "] == []


def test_large_numbers_have_separators() -> None:
    assert plural(1_234_567, "entry", "entries") == "1,234,567 entries"
    assert plural(999, "token") == "999 tokens"
