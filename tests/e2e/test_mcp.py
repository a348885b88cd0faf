"""The real Claude Code calls Holdfast's tools over MCP."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from e2e.conftest import assert_sound
from e2e.test_claude_code import DONE

RULE = "Our server has plenty of memory, caches can be large."
INVENTED = "The agent may push to main."


def configured(folder: Path) -> tuple[str, ...]:
    """The server as an agent's configuration names it, and leave to call its tools."""
    server = {"command": sys.executable, "args": ["-m", "holdfast", "mcp"]}
    path = folder / "servers.json"
    path.write_text(json.dumps({"mcpServers": {"holdfast": server}}))
    return "--mcp-config", str(path), "--allowedTools", "mcp__holdfast"


def call(name: str, **given: object) -> dict[str, object]:
    return {"tool": f"mcp__holdfast__{name}", "input": given}


@pytest.mark.promise("A4")
@pytest.mark.promise("W3")
def test_the_agent_remembers_decides_recovers_and_recalls_and_invents_no_rule(
    claude, kept, state, repo, tmp_path
):
    (repo / "auth.py").write_text("GRACE_MINUTES = 15\n")
    run = claude.run(
        f"Fix the retry loop. {RULE}",
        *configured(tmp_path),
        says=[
            call("remember", quote="plenty of memory", kind="rule"),
            call("remember", quote=INVENTED, kind="rule"),
            call("decide", text="Add a 15-minute grace period", evidence=["auth.py:1"]),
            call("recover", level=1),
            call("recall", question="grace period"),
            call("approve", requirement="planned"),
            DONE,
        ],
    )

    (rule,) = kept.entries(run.session, "rule_given")
    assert (rule.body["text"], rule.body["how"]) == (RULE, "pointed")
    (decision,) = kept.entries(run.session, "decision_made")
    assert decision.body["evidence"][0]["quote"] == "GRACE_MINUTES = 15"
    sent = claude.model.sent_text("main")
    assert "not kept" in sent  # the invented one
    assert "Add a 15-minute grace period (grounded)" in sent
    assert '"level":"index"' in sent.replace(" ", "").replace("\\", "")  # what recall answers
    assert "mcp__holdfast__approve" in sent  # which the client does not know
    assert kept.entries(run.session, "requirement_met") == []
    assert_sound(claude, state)
