"""The MCP server, driven by the SDK's own client over stdio."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from client import LIMIT_S, asked, called

from conftest import Door
from scenarios.story import A, Story


@pytest.fixture
def story(door: Door, repo: Path, tmp_path: Path) -> Story:
    (repo / "auth.py").write_text("GRACE_MINUTES = 15\n")
    found = Story(door, repo, tmp_path)
    found.begin(A)
    found.holdfast("decide", "Add a 15-minute grace period", "--evidence", "auth.py:1", session=A)
    return found


def check(folder: Path, statement: str) -> Any:
    (answer,) = called(folder, ("check_fork", {"statement": statement}), session=A)
    return answer


@pytest.mark.promise("D4")
def test_an_agent_that_asks_is_told_which_decision_holds_and_where(story):
    found = check(story.repo, "The grace period is 30 minutes")

    assert not found.is_error
    said = found.structured_content
    assert said["fork"] is True
    assert said["decision"]["text"] == "Add a 15-minute grace period"
    assert said["where"] == ["auth.py:1"]
    assert (said["sure"], said["decision"]["standing"]) == ("certain", "grounded")
    assert f"holdfast decisions supersede {said['decision']['id'][:6]}" in said["advice"]
    noticed = [one.body["said"] for one in story.entries("fork_noticed")]
    assert noticed == ["The grace period is 30 minutes"]
    story.ends_well()


@pytest.mark.promise("D4")
def test_what_only_touches_a_decision_is_pointed_at_and_keeps_nothing(story):
    said = check(story.repo, "The grace period is logged").structured_content

    assert (said["fork"], said["sure"], said["where"]) == (False, "look", ["auth.py:1"])
    assert said["decision"]["text"] == "Add a 15-minute grace period"
    assert "Read it, and judge" in said["advice"]
    assert not story.entries("fork_noticed")


@pytest.mark.promise("D4")
def test_what_no_decision_speaks_of_is_said_to_be_that_and_no_more(story):
    said = check(story.repo, "Draw the map in blue").structured_content

    assert (said["fork"], said["sure"], said["decision"]) == (False, "", None)
    assert said["advice"] == "No decision in force shares a word with this."


@pytest.mark.promise("D4")
def test_the_tool_says_that_it_changes_state_and_what_it_answers(story):
    listed = asked(story.repo, lambda client: client.list_tools(), session=A)
    (tool,) = (tool for tool in listed.tools if tool.name == "check_fork")

    assert tool.annotations.read_only_hint is False
    assert tool.annotations.destructive_hint is False
    assert "Changes state" in tool.description
    assert {"fork", "decision", "where", "advice"} <= set(tool.output_schema["properties"])


def test_a_question_that_cannot_be_answered_is_a_tools_error_and_not_the_servers_end(story):
    empty, full = called(
        story.repo,
        ("check_fork", {"statement": "  "}),
        ("check_fork", {"statement": "The grace period is 5 minutes"}),
        session=A,
    )

    assert empty.is_error
    assert "needs words" in empty.content[0].text
    assert full.structured_content["fork"] is True


def test_without_the_extra_one_line_says_what_to_install(story):
    """As a fresh install is: every package is there but that of the extra."""
    script = (
        "import sys; sys.modules['mcp'] = None\n"
        "from holdfast.__main__ import main\n"
        "sys.argv = ['holdfast', 'mcp']\n"
        "sys.exit(main())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=story.repo,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )

    assert done.returncode == 1
    assert done.stderr.startswith("error: the MCP server needs the package mcp")
    assert "uv tool install '.[mcp]'" in done.stderr


def test_nothing_but_the_server_imports_the_sdk():
    script = (
        "import sys, json, importlib\n"
        "from holdfast.cli import COMMANDS\n"
        "for name in COMMANDS: importlib.import_module(f'holdfast.cli.commands.{name}_command')\n"
        "print(json.dumps([name for name in sys.modules if name.split('.')[0] == 'mcp']))\n"
    )
    said = subprocess.check_output([sys.executable, "-c", script], text=True, timeout=LIMIT_S)

    assert json.loads(said) == []
