"""`holdfast init --http`: what is written, what the doctor says of it, and the way back."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from cli.terminal import typed
from conftest import Door
from holdfast.agents.claude_code import payloads
from holdfast.setup import http_hooks, install
from holdfast.setup.doctor.examination import examine
from holdfast.setup.doctor.finding import BROKEN, Patient
from web.served import free_port, serve

pytestmark = pytest.mark.promise("A5")

FOREIGN = '{\n    "permissions": {"allow": ["Bash(ls)"]},\n    "hooks": {"Stop": [] }\n}\n'


def written(path: Path) -> dict[str, list[dict]]:
    hooks = json.loads(path.read_text())["hooks"]
    return {
        event: [hook for group in groups for hook in group["hooks"]]
        for event, groups in hooks.items()
    }


def settings(repo: Path) -> Path:
    (repo / ".claude").mkdir()
    path = repo / ".claude" / "settings.local.json"
    path.write_text(FOREIGN)
    return path


def test_what_gates_begins_or_ends_stays_a_command_and_the_token_is_in_no_settings(state, repo):
    path = settings(repo)
    port = free_port()
    said = typed(repo, "init", "--http", "--port", str(port)).stdout

    hooks = written(path)
    assert set(hooks) == set(payloads.HOOKS)
    assert {event for event, found in hooks.items() if found[0]["type"] == "command"} == {
        *("SessionStart", "PreToolUse", "PreCompact", "Stop", "SessionEnd")
    }
    assert {hook["url"] for found in hooks.values() for hook in found if "url" in hook} == {
        f"http://127.0.0.1:{port}/hooks"
    }
    token = http_hooks.token(state)
    assert token not in path.read_text() + said
    assert "export HOLDFAST_TOKEN=" in said
    assert f"serve --hooks --port {port}" in said


def test_the_way_back_is_to_the_byte_and_through_commands(state, repo):
    path = settings(repo)
    install.install(state, path, 4653)
    again = install.install(state, path, 4653)
    install.install(state, path)  # as the doctor mends
    assert again.is_none
    assert install.port_of(state, path) == 4653
    assert written(path)["PostToolUse"][0]["type"] == "http"

    install.install(state, path, 0)
    assert {hook["type"] for found in written(path).values() for hook in found} == {"command"}

    install.install(state, path, 4653)
    install.uninstall(state, path)
    assert path.read_text() == FOREIGN


def test_a_foreign_hook_over_http_is_not_ours():
    ours = http_hooks.hook(4653, 15)
    assert install.is_ours(ours)
    assert not install.is_ours({**ours, "url": "http://127.0.0.1:4653/other"})
    assert not install.is_ours({**ours, "url": "http://example.com:4653/hooks"})
    assert not install.is_ours({**ours, "allowedEnvVars": ["TOKEN"]})
    assert not install.is_ours({**ours, "type": "command"})


def findings(state: str, repo: Path, check: str) -> list[tuple[str, str]]:
    return [(f.standing, f.message) for f in examine(Patient(state, repo)) if f.check == check]


def test_the_doctor_and_status_say_that_nobody_hears_and_then_that_all_is_well(
    door: Door, state, repo, monkeypatch
):
    path, port = settings(repo), free_port()
    install.install(state, path, port)
    door.send("SessionStart.startup", session_id="s1")

    (down,) = [message for standing, message in findings(state, repo, "http") if standing == BROKEN]
    assert f"nothing answers on port {port}" in down
    assert "Trouble" in typed(repo, "status").stdout
    assert [standing for standing, _ in findings(state, repo, "hooks")] == ["well"]

    monkeypatch.setenv("HOLDFAST_TOKEN", http_hooks.token(state))
    dashboard = serve(repo, "--hooks", port=port)
    try:
        assert [standing for standing, _ in findings(state, repo, "http")] == ["well"]
        assert "Trouble" not in typed(repo, "status").stdout
    finally:
        dashboard.close()


def test_a_session_that_begins_says_once_that_nobody_hears_or_that_the_token_is_not_set(
    door: Door, state, repo
):
    path, port = settings(repo), free_port()
    install.install(state, path, port)
    token = http_hooks.token(state)

    told = door.send("SessionStart.startup", session_id="s1")
    assert f"nothing answers on port {port}" in told
    assert "holdfast serve --hooks" in door.shown

    dashboard = serve(repo, "--hooks", port=port)
    try:
        told = door.send("SessionStart.startup", session_id="s2")
        assert "HOLDFAST_TOKEN is not the token" in told
        door.environment["HOLDFAST_TOKEN"] = token
        told = door.send("SessionStart.startup", session_id="s3")
        assert "over HTTP" not in told + door.shown
    finally:
        dashboard.close()


def row(call: str, at: str) -> str:
    block = {"type": "tool_result", "tool_use_id": call, "content": "ok"}
    whole = {"type": "user", "uuid": call, "timestamp": at, "message": {"content": [block]}}
    return json.dumps(whole) + "\n"


def test_what_was_missed_is_counted_from_the_agents_own_transcript(
    door: Door, state, repo, tmp_path
):
    install.install(state, settings(repo), free_port())
    transcript = tmp_path / "s1.jsonl"
    door.send("SessionStart.startup", session_id="s1", transcript_path=str(transcript))
    door.send("PostToolUse", session_id="s1", tool_use_id="kept", transcript_path=str(transcript))
    late = "2999-01-01T00:00:00.000Z"
    transcript.write_text(
        row("earlier", "2001-01-01T00:00:00.000Z")
        + row("kept", late)
        + row("missed", late)
        + '{"to'
    )

    told = door.send("SessionStart.startup", session_id="s2")
    assert "(s1) 1 tool call was not kept" in told
    # the doctor looks at the last session, which is another one now
    os.unlink(transcript)
    assert "not kept: hooks" not in door.send("SessionStart.startup", session_id="s3")
