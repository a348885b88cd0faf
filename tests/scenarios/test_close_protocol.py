"""The end of a turn: what is handed off, and what the project asks to be committed."""

from __future__ import annotations

import json

import pytest

from conftest import git
from law import assert_nothing_swallowed, assert_replay_law

A, B = "aaaaaaaa-1111-4111-8111-111111111111", "bbbbbbbb-2222-4222-8222-222222222222"


def work_a_turn(door, repo, *, message: str = "Done.") -> None:
    door.send("SessionStart.startup", session_id=A)
    door.send("UserPromptSubmit", session_id=A, prompt="Fix the rounding error in billing.py")
    (repo / "billing.py").write_text("def total(): ...\n")
    door.send(
        "PostToolUse",
        session_id=A,
        tool_name="Write",
        tool_input={"file_path": f"{repo}/billing.py", "content": "def total(): ..."},
        tool_response={"type": "create"},
    )
    door.send("Stop", session_id=A, last_assistant_message=message)


@pytest.mark.promise("C14")
def test_a_turn_leaves_a_handoff_for_people_and_programs(door, repo, state):
    work_a_turn(door, repo, message="Rounded half up. Next step: cover negative amounts.")

    folder = repo / ".git" / "holdfast" / "handoffs"
    said = json.loads((folder / f"{A}.json").read_text())
    page = (folder / f"{A}.md").read_text()

    assert said["goal"] == "Fix the rounding error in billing.py"
    assert said["next_steps"] == ["Next step: cover negative amounts."]
    assert said["next_steps_source"] == "the agent's last message"
    assert said["recent_files"] == ["billing.py"]
    assert said["recent_commits"] == ["Begin"]
    assert "> Fix the rounding error in billing.py" in page
    assert "- Next step: cover negative amounts." in page
    assert_replay_law(state, repo)
    assert_nothing_swallowed(state)


@pytest.mark.promise("C18")
def test_nothing_is_committed_unless_the_project_asks(door, repo, state):
    git(repo, "config", "user.name", "dev")  # without a name git would refuse a commit anyway
    git(repo, "config", "user.email", "dev@example.com")

    work_a_turn(door, repo)

    assert git(repo, "log", "--format=%s") == "Begin"
    assert "billing.py" in git(repo, "status", "--porcelain")
    assert_nothing_swallowed(state)


@pytest.mark.promise("C18")
def test_a_project_that_asks_gets_the_session_s_own_changes_committed_and_nothing_else(
    door, repo, state
):
    git(repo, "config", "user.name", "dev")
    git(repo, "config", "user.email", "dev@example.com")
    (repo / ".holdfast").mkdir()
    (repo / ".holdfast" / "config.yaml").write_text("close:\n  commit: true\n")
    (repo / "mine.txt").write_text("the person's own, not the session's\n")

    work_a_turn(door, repo)

    subjects = git(repo, "log", "--format=%s").splitlines()
    assert subjects == ["Fix the rounding error in billing.py", "Begin"]
    assert git(repo, "show", "--name-only", "--format=", "HEAD") == "billing.py"
    assert "mine.txt" in git(repo, "status", "--porcelain")
    assert_nothing_swallowed(state)


@pytest.mark.promise("C18")
def test_a_merge_under_way_is_left_to_the_person(door, repo, state):
    (repo / ".holdfast").mkdir()
    (repo / ".holdfast" / "config.yaml").write_text("close:\n  commit: true\n")
    (repo / ".git" / "MERGE_HEAD").write_text("0" * 40 + "\n")

    work_a_turn(door, repo)

    (repo / ".git" / "MERGE_HEAD").unlink()
    assert git(repo, "log", "--format=%s") == "Begin"
    assert_nothing_swallowed(state)


@pytest.mark.promise("C15")
def test_the_status_line_tells_the_hooks_how_large_the_window_is(door, repo, state, tmp_path):
    door.environment["HOLDFAST_BRIEFING_PREAMBLE"] = "1"
    transcript = tmp_path / "transcript.jsonl"
    usage = {"input_tokens": 10, "cache_read_input_tokens": 750_000, "output_tokens": 90}
    message = {"role": "assistant", "model": "claude-sonnet-4-5", "usage": usage}
    row = {"type": "assistant", "isSidechain": False, "message": message}
    transcript.write_text(json.dumps(row) + "\n")
    where = {"session_id": A, "transcript_path": str(transcript)}
    door.send("SessionStart.startup", session_id=A)
    told = {"session_id": A, "context_window": {"context_window_size": 1_000_000}}
    shown = door.run(json.dumps(told).encode(), errand="statusline")
    assert shown.stdout == b"main\n"

    said = door.send("UserPromptSubmit", prompt="and the other one?", **where)

    assert "Context phase SIGNALS: 75 % of 1000000 tokens in use." in said
    assert door.send("UserPromptSubmit", prompt="hm ok", prompt_id="p2", **where) == ""
    assert_replay_law(state, repo)
    assert_nothing_swallowed(state)
