"""Decisions outlive the context with the real Claude Code: level 1 is in what the model is sent."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from e2e.conftest import assert_sound
from e2e.test_claude_code import DONE, kill_at_work

CODE = "def rotate():\n    return 'a new token'\n"
SCENARIOS = (
    "happy_path:in time:accepted",
    "edge_case:at the edge:accepted",
    "error_handling:too old:refused",
)
LEVEL1 = "Session continuity, level 1"


def decided(repo: Path) -> dict:
    """What the agent runs to keep a decision, as it would type it."""
    (repo / "src").mkdir()
    (repo / "src" / "auth.py").write_text(CODE)
    words = [sys.executable, "-m", "holdfast", "decide", "Rotate refresh tokens"]
    words += ["--because", "stolen ones are replayed", "--evidence", "src/auth.py:2"]
    for one in SCENARIOS:
        words += ["--scenario", one]
    return {"tool": "Bash", "input": {"command": shlex.join(words)}}


def level1(claude) -> list[str]:
    """The lines of level 1 in what the model was sent, the newest block."""
    sent = claude.model.sent_text("main")
    assert LEVEL1 in sent
    block = sent.rpartition(LEVEL1)[2].partition("\\n\\n")[0]
    return [line.removeprefix("> ") for line in block.split("\\n")[1:]]


@pytest.mark.exhaustive
@pytest.mark.promise("R1")
def test_a_decision_of_the_agent_is_sent_again_after_a_clear_and_after_a_crash(
    claude, kept, state, repo, errand
):
    first = claude.run(
        "Rotate the tokens", "--allowedTools", "Bash", says=[decided(repo), DONE]
    ).session
    (made,) = kept.entries(first, "decision_made")
    assert made.body["evidence"][0]["quote"] == "    return 'a new token'"
    notes = (repo / ".holdfast" / "NOTES.md").read_text()
    assert "**Decision**: Rotate refresh tokens" in notes

    # Cleared: another session, an empty context.
    cleared = claude.run("/clear", "--resume", first, says=[]).session
    claude.run("Go on", "--resume", cleared, says=[DONE])
    assert level1(claude)[0] == "- Rotate refresh tokens (grounded)"

    # Killed at work: the next session has it, too.
    kill_at_work(claude, errand, "Go on", "--resume", cleared)
    claude.run("Go on", says=[DONE])
    assert "; it crashed; " in claude.model.sent_text("main")
    assert level1(claude)[0] == "- Rotate refresh tokens (grounded)"

    # The code no longer says so: it is never told as holding.
    (repo / "src" / "auth.py").write_text("def rotate():\n    raise NotImplementedError\n")
    claude.run("Go on", says=[DONE])
    assert level1(claude)[0] == "- BROKEN, do not rely on it: Rotate refresh tokens"

    lines = [
        json.loads(line)
        for path in (repo / ".git" / "holdfast" / "trajectory").glob("*.jsonl")
        for line in path.read_text().splitlines()
    ]
    assert [one["session_id"] for one in lines if one["phase"] == "decision"] == [first]
    assert_sound(claude, state)
