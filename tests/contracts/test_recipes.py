"""The recipes of CONTRIBUTING.md: every file they name is there, and the first of them works."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import payload
from law import assert_replay_law

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text()
RECIPES = dict(re.findall(r"^### (Add .+)\n\n((?:.+\n?)+)", PAGE, re.MULTILINE))
PROMISED = (
    "Add an event",
    "Add an agent",
    "Add a column",
    "Add a credential format",
    "Add a command",
    "Add a requirement type",
    "Add an MCP tool",
    "Add a page of the dashboard",
    "Add a line of the briefing",
    "Add an exhaustive test",
)


def paths_in(text: str) -> list[str]:
    """What stands in backticks and is a path of an existing file; one to be added has <a name>."""
    named = re.findall(r"`([^`\s]+)`", text)
    return [name for name in named if ("/" in name or name.endswith(".toml")) and "<" not in name]


def test_every_recipe_that_a_contributor_needs_is_there():
    assert tuple(RECIPES) == PROMISED


@pytest.mark.parametrize("name", PROMISED)
def test_a_recipe_has_few_steps_and_ends_with_what_proves_it(name):
    steps = re.findall(r"^(\d)\. (.+(?:\n   .+)*)", RECIPES[name], re.MULTILINE)

    assert [int(number) for number, _ in steps] == list(range(1, len(steps) + 1))
    assert 3 <= len(steps) <= 7
    assert steps[-1][1].startswith("Proved ")
    assert [path for path in paths_in(steps[-1][1]) if path.startswith("tests/")]


def test_every_file_that_the_page_names_is_there():
    named = paths_in(PAGE)

    assert len(named) > 50
    assert [path for path in named if not (ROOT / path).exists()] == []


# What a contributor would write, following "Add an event" for an event that nobody reads yet.
READER = """
def _permission_request(payload: dict[str, Any]) -> tuple[str, dict[str, Any], str]:
    body = {"tool": text(payload.get("tool_name")), "mode": text(payload.get("permission_mode"))}
    return "permission_asked", body, ""


READERS["PermissionRequest"] = _permission_request
"""
ENTRIES = """
import json, sys
from holdfast.ledger import queries
from holdfast.ledger.workspace import Workspace

store = Workspace(sys.argv[1]).store
print(json.dumps([(entry.kind, entry.body) for _, entry in queries.read(store, session="s1")]))
"""


def add_row(module: Path, table: str, row: str) -> None:
    """One line more at the end of a table of a module."""
    text = module.read_text()
    opening = re.search(rf"^{table}\b[^\n]* = \{{\n", text, re.MULTILINE)
    assert opening, f"{module.name} has no table {table}"
    end = text.index("\n}", opening.end()) + 1
    module.write_text(f"{text[:end]}    {row}\n{text[end:]}")


def run_copy(copied: Path, *arguments: str) -> str:
    """What a Python with the copied package prints."""
    return subprocess.check_output(
        [sys.executable, *arguments],
        env={**os.environ, "PYTHONPATH": str(copied.parent)},
        text=True,
        timeout=60,
    )


def test_who_follows_the_recipe_for_an_event_has_the_event_kept(door, copied, repo):
    agent = copied / "agents" / "claude_code"
    sent = payload("PermissionRequest", session_id="s1", cwd=str(repo))  # step 1
    readers = agent / "other_payloads.py"  # step 2
    readers.write_text(readers.read_text() + READER)
    add_row(agent / "payloads.py", "HOOKS", '"PermissionRequest": 15,')  # step 3
    kind = '"permission_asked": Kind((), "tool mode"),'
    add_row(copied / "ledger" / "kinds.py", "KINDS", kind)  # step 4
    add_row(copied / "hook" / "events.py", "EVENTS", '"permission_asked": only_kept,')  # step 5

    door.send("SessionStart.startup", session_id="s1")
    done = door.run(json.dumps(sent).encode(), agent=door.agent())
    entries = json.loads(run_copy(copied, "-c", ENTRIES, door.state))
    to_install = run_copy(copied, "-m", "holdfast", "init", "--dry-run", str(repo))

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert ["permission_asked", {"tool": "Bash", "mode": "default"}] in entries
    assert "PermissionRequest" in to_install


def test_an_event_without_a_recipe_is_kept_under_the_agents_own_name(door, copied, repo):
    sent = payload("PermissionRequest", session_id="s1", cwd=str(repo))

    door.send("SessionStart.startup", session_id="s1")
    door.run(json.dumps(sent).encode(), agent=door.agent())

    names = [
        body.get("name") for _, body in json.loads(run_copy(copied, "-c", ENTRIES, door.state))
    ]
    assert "PermissionRequest" in names
    assert_replay_law(door.state, repo)
