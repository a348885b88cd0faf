"""Sessions that other agents have kept, as their own clients wrote them, read as events of hooks.

Recorded with the real clients and a scripted model: tests/payloads/codex, and gemini_cli beside it.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from agents import recordings
from cli.terminal import told, typed_and_told
from conftest import Door
from holdfast.agents import codex, gemini_cli
from holdfast.agents.told import Told, parsed
from scenarios.story import Story

pytestmark = pytest.mark.promise("R3")

PAYLOADS = recordings.FOLDER.parents[1]
CODEX = PAYLOADS / "codex" / "0.166.0" / "rollout.jsonl"
GEMINI = PAYLOADS / "gemini_cli" / "0.61.0" / "app"
THERE = "/home/dev/project"


def read_codex(lines: list[bytes]) -> list[Told]:
    return codex.Reader().read(list(parsed(lines)))


def read_gemini(lines: list[bytes]) -> list[Told]:
    return gemini_cli.Reader(str(GEMINI / "chats" / "x.jsonl")).read(list(parsed(lines)))


def brief(each: Told) -> tuple[str, str]:
    fields = each.fields
    given = fields.get("tool_input", {})
    text = fields.get("prompt") or fields.get("last_assistant_message") or given.get("command")
    return each.name, str(text or given.get("file_path") or "").partition("\n")[0]


def test_a_session_of_codex_is_read_turn_by_turn():
    events = read_codex(CODEX.read_bytes().splitlines())

    assert [brief(each) for each in events] == [
        ("SessionStart", ""),
        ("UserPromptSubmit", "Write the notes. From now on never push to main."),
        ("PostToolUse", "echo hello > notes.txt && cat notes.txt"),
        ("Stop", "The notes are written."),
        ("UserPromptSubmit", "Go on with the invoice"),
        ("PostToolUseFailure", "false; exit 3"),
        ("Stop", "The rate was stale by morning."),
        ("UserPromptSubmit", "Round each position"),
        ("PostToolUse", f"{THERE}/bill.py"),
        ("Stop", "Rounded."),
        ("UserPromptSubmit", "Round it properly"),
        ("PostToolUse", f"{THERE}/bill.py"),
        ("Stop", "Rounded properly."),
        ("SessionEnd", ""),
    ]
    written, edited = (
        each.fields for each in events if each.text == "" and "bill" in brief(each)[1]
    )
    assert (written["tool_name"], edited["tool_name"]) == ("Write", "Edit")
    assert edited["tool_input"]["old_string"].strip() == "return 1"
    assert edited["tool_input"]["new_string"].strip() == "return round(1.5)"
    assert {each.cwd for each in events} == {THERE}


def test_a_session_of_gemini_is_read_turn_by_turn():
    events = read_gemini((GEMINI / "chats" / "session.jsonl").read_bytes().splitlines())

    assert [brief(each) for each in events] == [
        ("SessionStart", ""),
        ("UserPromptSubmit", "Write the bill. From now on never push to main."),
        ("PostToolUse", f"{THERE}/bill.py"),
        ("PostToolUseFailure", "cat bill.py; exit 3"),
        ("Stop", "The rate was stale by morning."),
        ("SessionEnd", ""),
    ]
    assert {each.cwd for each in events} == {THERE}


@pytest.mark.parametrize(("read", "file"), [(read_codex, CODEX), (read_gemini, GEMINI / "chats")])
def test_rows_that_are_cut_or_of_other_types_raise_nothing(read, file):
    path = file if file.is_file() else file / "session.jsonl"
    lines = path.read_bytes().splitlines()
    read([line[: len(line) // 2] for line in lines])
    for odd in (None, 1, "x", [], [1], {}):
        rows = [json.loads(line) for line in lines]
        bent = [{**row, name: odd} for row in rows for name in row]
        for row in rows:
            item = (
                row.get("payload", {}).get("item") if isinstance(row.get("payload"), dict) else None
            )
            for name in item or ():
                about = {**row["payload"], "item": {**item, name: odd}}
                bent.append({**row, "payload": about})
        read([json.dumps(row).encode() for row in bent])


def test_what_other_agents_have_kept_is_imported_with_the_same_command(
    door: Door, repo: Path, tmp_path: Path
):
    home = Path.home()
    rollouts, chats = home / ".codex" / "sessions" / "2026" / "11" / "18", home / ".gemini" / "tmp"
    rollouts.mkdir(parents=True)
    chats.mkdir(parents=True)
    shutil.copy(CODEX, rollouts / "rollout-x.jsonl")
    shutil.copytree(GEMINI, chats / "app")
    for path in (*rollouts.iterdir(), chats / "app" / ".project_root", *chats.rglob("*.jsonl")):
        path.write_text(path.read_text().replace(THERE, str(repo)))

    summary = typed_and_told(repo, "import", "--transcripts")

    assert (summary["sessions"], summary["failures"]) == (2, [])
    story = Story(door, repo, tmp_path)
    assert {entry.agent for entry in story.entries("prompt_given")} == {"codex", "gemini-cli"}
    assert {body["text"] for body in story.bodies("rule_given")} == {
        "From now on never push to main"
    }
    hits = told(repo, "recall", "is", "the", "rate", "stale")["found"]
    assert {hit["sort"] for hit in hits} >= {"answer"}
    assert typed_and_told(repo, "import", "--transcripts")["sessions"] == 0
    commands = {each["command"].rpartition(" ")[0] for each in told(repo, "resume")["threads"]}
    assert commands == {"codex resume", ""}
    story.ends_well()
