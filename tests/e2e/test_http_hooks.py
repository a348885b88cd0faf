"""Hooks over HTTP with the real client: heard by a server, and without one."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from e2e import rig
from e2e.conftest import Claude, Kept
from holdfast.setup import http_hooks
from holdfast.setup.doctor.examination import examine
from holdfast.setup.doctor.finding import Patient
from law import assert_nothing_swallowed, assert_replay_law
from web.served import Served, free_port, serve

pytestmark = [pytest.mark.promise("A1"), pytest.mark.promise("A4"), pytest.mark.promise("A5")]

RULE = "Never push to main. Write hello.txt."


@pytest.fixture
def port(claude: Claude) -> int:
    port = free_port()
    claude.holdfast("init", "--http", "--port", str(port))
    return port


@pytest.fixture
def server(claude: Claude, repo: Path, port: int) -> Iterator[Served]:
    environment = rig.environment(claude.model, claude.scratch)
    made = serve(repo, "--hooks", port=port, **environment)
    yield made
    made.close()


def hello(repo: Path) -> list:
    write = {"file_path": str(repo / "hello.txt"), "content": "hello\n"}
    return [{"tool": "Write", "input": write}, {"text": "done"}]


def test_the_clients_hooks_are_heard_over_http_as_the_agents_own(
    claude: Claude, server: Served, kept: Kept, state: str, repo: Path
):
    token = http_hooks.token(state)
    run = claude.run(RULE, says=hello(repo), HOLDFAST_TOKEN=token)

    codes = {hook["hook_name"]: hook["exit_code"] for hook in run.hooks}
    assert codes["UserPromptSubmit"] == 200  # answered over HTTP
    assert codes["PostToolUse:Write"] == 200
    assert codes["PreToolUse:Write"] == 0  # a command
    assert {hook["outcome"] for hook in run.hooks} == {"success"}
    kinds = kept.kinds(run.session)
    assert {"prompt_given", "tool_used", "turn_ended", "session_ended"} <= set(kinds)
    (prompt,) = kept.entries(run.session, "prompt_given")
    assert "unverified" not in prompt.body
    assert "Never push to main" in kept.entries(run.session, "rule_given")[0].body["text"]
    assert_nothing_swallowed(state)
    assert_replay_law(state, repo)


def test_a_session_that_began_before_us_is_adopted_with_its_own_process(
    claude: Claude, server: Served, kept: Kept, state: str, repo: Path
):
    settings = repo / ".claude" / "settings.local.json"
    over_http = settings.read_text().replace('"SessionStart"', '"WorktreeRemove"')
    settings.write_text(over_http)
    claude.model.say(*hello(repo))
    running = rig.start_claude(
        claude.model,
        repo,
        RULE,
        scratch=claude.scratch,
        env={"HOLDFAST_TOKEN": http_hooks.token(state)},
    )
    run = running.finish()

    (began,) = kept.entries(run.session, "session_began")
    assert (began.body["source"], began.body["channel"]) == ("adopted", "headless")
    assert (began.body["pid"], began.body["worktree"]) == (running.process.pid, str(repo))


def test_without_a_server_the_session_works_and_the_next_one_says_what_was_missed(
    claude: Claude, port: int, kept: Kept, state: str, repo: Path
):
    token = http_hooks.token(state)
    run = claude.run(RULE, says=hello(repo), HOLDFAST_TOKEN=token)

    assert run.exit_code == 0
    assert (repo / "hello.txt").read_text() == "hello\n"
    assert f"nothing answers on port {port}" in claude.model.sent_text()
    assert {"session_began", "turn_ended", "session_ended"} <= set(kept.kinds(run.session))
    assert kept.entries(run.session, "tool_used") == []

    findings = examine(Patient(state, repo))
    told = " ".join(each.message for each in findings if each.check == "http")
    assert f"nothing answers on port {port}" in told
    assert "1 tool call of session" in told
    assert claude.holdfast("status")["trouble"]

    claude.run("Go on", says=[{"text": "done"}], HOLDFAST_TOKEN=token)
    assert "1 tool call was not kept" in claude.model.sent_text()
    assert_replay_law(state, repo)


def test_the_clients_tools_come_over_http_and_act_for_its_own_session(
    claude: Claude, kept: Kept, state: str, repo: Path
):
    port = free_port()
    environment = rig.environment(claude.model, claude.scratch)
    server = serve(repo, "--mcp", port=port, **environment)
    try:
        address = f"http://127.0.0.1:{port}/mcp"
        header = "Authorization: Bearer ${HOLDFAST_TOKEN}"
        subprocess.run(
            [
                *(str(rig.fetch_claude()), "mcp", "add", "--transport", "http"),
                *("holdfast", address, "--header", header),
            ],
            cwd=repo,
            env=environment,
            check=True,
            capture_output=True,
            timeout=60,
        )
        tool = "mcp__holdfast__decide"
        says = [{"tool": tool, "input": {"text": "Use SQLite for the queue."}}, {"text": "done"}]
        token = http_hooks.token(state)
        patient = {"HOLDFAST_TOKEN": token, "MCP_TIMEOUT": "60000"}
        run = claude.run("Decide", "--allowedTools", tool, says=says, **patient)
        assert "Use SQLite" in claude.model.sent_text(), run.debug[-2000:]

        (decision,) = kept.entries(run.session, "decision_made")
        assert decision.body["source"] == "agent"
        assert token not in (Path(environment["HOME"]) / ".claude.json").read_text()
    finally:
        server.close()
