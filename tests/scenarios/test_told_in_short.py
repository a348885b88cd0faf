"""The person sees in one line what a session that begins was told; nothing when that is nothing."""

from __future__ import annotations

import pytest

from cli.terminal import typed_and_told
from scenarios.story import A, B, Story

pytestmark = pytest.mark.promise("W7")


def shown(story: Story) -> list[str]:
    lines = story.door.shown.removeprefix("Holdfast: ").splitlines()
    return [line for line in lines if line.startswith("told the agent: ")]


def test_a_start_that_is_told_nothing_shows_nothing(story: Story):
    story.begin(A)

    assert shown(story) == []
    story.ends_well()


def test_crash_rules_and_pins_are_named_in_one_line(story: Story):
    story.begin(A)
    story.say(A, "Draw the map of the harbour in docs/map.md")
    for rule in ("Never push to main", "Never edit the lock file"):
        typed_and_told(story.repo, "rules", "add", rule)
    typed_and_told(story.repo, "pin", "The staging host is called heron")
    story.crash(A)

    told = story.begin(B)

    (line,) = shown(story)
    assert line.startswith("told the agent: crash, ")
    assert "2 rules" in line
    assert line.endswith(", 1 pin")
    assert "told the agent" not in told
    story.say(B, "Go on")
    assert shown(story) == []
    story.ends_well()
