"""The largest inputs through the real hook: each is answered, nothing is lost, and no secret at the
edge of a cut is kept in any file of ours."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from around import Held, event, fault_kinds, kept, knock, waiting
from large_inputs import LARGE, TRANSCRIPTS, lines

from holdfast.redaction.gate import sizes
from holdfast.redaction.secrets import REACH
from measure import some_of

KINDS = {
    "PostToolUse": "tool_used",
    "PostToolUseFailure.Bash": "tool_used",
    "UserPromptSubmit": "prompt_given",
    "Stop": "turn_ended",
    "PreCompact.auto": "context_closing",
    "PostCompact.auto": "context_compacted",
    "SessionEnd.other": "session_ended",
    "SubagentStop": "subagent_ended",
    "Notification.idle_prompt": "notified",
    "SessionStart.startup": "session_began",
    "UserPromptExpansion": "command_typed",
    "TaskCreated": "task_created",
}
# Spread over the table, so that `make test` has some of each sort.
ORDER = [row for shift in range(9) for row in LARGE[shift::9]]
SIZE = 300_000


@pytest.mark.promise("X7")
@pytest.mark.parametrize("name", some_of([name for name, _ in ORDER], 11))
def test_the_largest_input_is_answered_and_its_entry_is_there(door, state, tmp_path, name):
    changes = dict(LARGE)[name]()
    recorded = changes.pop("_")
    if changes.get("transcript_path") in TRANSCRIPTS:
        path = tmp_path / "transcript.jsonl"
        path.write_text(TRANSCRIPTS[changes["transcript_path"]]())
        changes["transcript_path"] = str(path)

    knock(door, event(door, "InstructionsLoaded", session_id="s2"))
    knock(door, event(door, recorded, **changes))
    knock(door, event(door, "CwdChanged", session_id="s2"))

    kind = "event_seen" if "hook_event_name" in changes else KINDS.get(recorded, "")
    kinds = [entry.kind for entry in kept(state) if entry.body.get("source") != "adopted"]
    assert kinds.count(kind) == (0 if recorded == "PreToolUse" else 1)
    assert kinds.count("moved") == 1
    assert waiting(state) == []
    assert set(fault_kinds(state)) <= {"input too large"}


def token(number: int) -> str:
    """One that is like no other, and is clearly nobody's."""
    return f"ghp_{'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5'}{number:06d}"


def with_tokens(cap: int, first: int) -> tuple[str, list[str]]:
    """A long text with a token at each edge of what is kept and of what is looked at, before it, on
    it and behind it."""
    head, tail = sizes(cap)
    text = lines("a line of the log, number {n}\n", SIZE)
    tokens: list[str] = []
    for edge in (head, head + REACH, SIZE - tail - REACH, SIZE - tail):
        for at in (edge - 90, edge - 20, edge + 45):
            if at + 45 > SIZE:
                continue
            tokens.append(token(first + len(tokens)))
            text = f"{text[:at]} {tokens[-1]} {text[at + len(tokens[-1]) + 2 :]}"
    assert len(text) == SIZE
    return text, tokens


def planted() -> tuple[list[dict[str, Any]], list[str]]:
    """Events with tokens in every long field, for every cap that counts."""
    events: list[dict[str, Any]] = []
    tokens: list[str] = []
    for cap in (200, 4_000, 20_000):
        for name, make in (
            ("UserPromptSubmit", lambda text: {"prompt": text}),
            ("PostToolUse.Bash", lambda text: {"tool_response": {"stdout": text, "stderr": ""}}),
            ("PostToolUse.Bash", lambda text: {"tool_input": {"command": f"echo '{text}'"}}),
            ("PostToolUse", lambda text: {"tool_input": {"file_path": "a", "content": text}}),
            ("PostToolUse", lambda text: {"tool_input": {text: 1}}),
            ("PostToolUseFailure.Bash", lambda text: {"error": text}),
            ("Stop", lambda text: {"last_assistant_message": text}),
            ("PostCompact.auto", lambda text: {"compact_summary": text}),
        ):
            text, more = with_tokens(cap, len(tokens))
            tokens += more
            events.append({"_": name, "tool_use_id": f"t{len(events)}", **make(text)})
    return events, tokens


def found_in_files(folders: list[Path], tokens: list[str]) -> list[str]:
    """Tokens of which the number and what stands before it are in a file, whole or in part."""
    contents = [
        path.read_bytes() for folder in folders for path in folder.rglob("*") if path.is_file()
    ]
    assert contents
    return [
        token_
        for token_ in tokens
        for part in (token_[-16:], token_[-36:-8])
        if any(part.encode() in content for content in contents)
    ]


@pytest.mark.promise("X1")
@pytest.mark.promise("X7")
@pytest.mark.parametrize("is_locked", [False, True], ids=["kept at once", "by way of the spool"])
def test_no_secret_at_the_edge_of_a_cut_is_in_any_file(door, state, is_locked):
    knock(door, event(door, "SessionStart.startup", session_id="s1"))
    events, tokens = planted()
    folders = [Path(state), Path(os.environ["XDG_RUNTIME_DIR"])]

    def send() -> None:
        for said in events:
            knock(door, event(door, said["_"], session_id="s1", **_without_mark(said)))

    if is_locked:
        with Held(state, "begin immediate"):
            events = events[::5]
            send()
            assert len(waiting(state)) == len(events)
            assert found_in_files(folders, tokens) == []
        knock(door, event(door, "Notification.idle_prompt", session_id="s1"))
    else:
        send()

    assert found_in_files(folders, tokens) == []
    assert waiting(state) == []
    bodies = json.dumps([entry.body for entry in kept(state)])
    assert "[removed: github token]" in bodies
    assert bodies.count("a line of the log") > len(events)


def _without_mark(said: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in said.items() if name != "_"}
