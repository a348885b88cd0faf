"""A session that has said something in every way an agent can."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import git
from exit.leaving import A, B, mark
from holdfast.ledger.workspace import Workspace

DEMANDED = """
requirements:
  pushed: {trigger_tools: [{tool: Bash, command_pattern: git push}]}
  planned: {satisfied_by_skill: plan, trigger_tools: [WebFetch]}
"""


class Anew:
    """The store, opened for each question and closed after it. A connection that stayed open
    would lose its locks when a test reads the file itself: they belong to the process."""

    def __init__(self, state: str) -> None:
        self.state = state
        self.store = self

    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        store = Workspace(self.state).store
        try:
            return list(store.rows(sql, *values))
        finally:
            store.close()

    def row(self, sql: str, *values: Any) -> tuple[Any, ...] | None:
        return next(iter(self.rows(sql, *values)), None)

    def value(self, sql: str, *values: Any) -> Any:
        return (self.row(sql, *values) or (None,))[0]

    def number(self, sql: str, *values: Any) -> int:
        return int(self.value(sql, *values) or 0)

    def run(self, sql: str, *values: Any) -> None:
        self.rows(sql, *values)


@pytest.fixture
def workspace(state: str) -> Anew:
    return Anew(state)


@pytest.fixture
def door(door: Any) -> Any:
    """Agents are processes of their own here: what the test runs is a person's."""
    door.somebody = door.agent()
    return door


@pytest.fixture
def common(repo: Path) -> Path:
    return repo / ".git"


@pytest.fixture
def everywhere(state: str, common: Path) -> tuple[str, ...]:
    """Every folder we write to."""
    return state, os.environ["XDG_RUNTIME_DIR"], str(common / "holdfast")


@pytest.fixture
def talk(door: Any, repo: Path) -> Callable[[], None]:
    """A session through the real door, on a branch of its own, with a mark in all that is said;
    then another one, which says nothing marked."""

    def say() -> None:
        git(repo, "checkout", "-q", "-b", f"branch-{mark()}")
        (repo / ".claude").mkdir()
        (repo / ".claude" / "requirements.yaml").write_text(DEMANDED)
        agent = door.agent()

        def send(name: str, **changes: Any) -> None:
            door.send(name, agent=agent, session_id=A, **changes)

        send(
            "SessionStart.startup",
            transcript_path=f"/home/dev/{mark()}.jsonl",
            session_title=mark(),
            model=mark(),
        )
        send("UserPromptSubmit", prompt=f"Do not touch {mark()}", prompt_id="p1")
        send("UserPromptExpansion", command_args=mark(), prompt=mark(), prompt_id="p2")
        send(
            "PostToolUse.Edit",
            tool_input={"file_path": f"{repo}/{mark()}.py", "old_string": mark()},
            tool_use_id="t1",
        )
        send(
            "PostToolUse.Bash",
            tool_input={"command": f"echo {mark()}"},
            tool_response={"stdout": mark(), "stderr": mark()},
            tool_use_id="t2",
        )
        send(
            "PostToolUseFailure",
            tool_input={"command": f"false {mark()}"},
            error=mark(),
            tool_use_id="t3",
        )
        send("PreToolUse.Bash", tool_input={"command": f"git push {mark()}"}, tool_use_id="t4")
        send("PostToolUse", tool_name="Skill", tool_input={"skill": "x:plan"}, tool_use_id="t5")
        send("PreCompact.manual", custom_instructions=mark())
        send("PostCompact.manual", compact_summary=mark())
        send("Notification.idle_prompt", message=mark())
        send("TaskCreated", task_subject=mark(), task_description=mark())
        send("SubagentStop", last_assistant_message=mark())
        send("StopFailure", last_assistant_message=mark())
        send("InstructionsLoaded", file_path=f"/home/dev/{mark()}.md")
        send("CwdChanged", new_cwd=f"{repo}/{mark()}")
        send("Stop", last_assistant_message=mark())
        git(repo, "checkout", "-q", "main")
        door.send("SessionStart.startup", agent=door.agent(), session_id=B)
        door.send("UserPromptSubmit", session_id=B, prompt="Draw the map", prompt_id="p9")
        door.send("Stop", session_id=B)

    return say
