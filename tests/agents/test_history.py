"""A transcript that is read afterwards gives what the client told its hooks at the time.

Against recordings of the interactive client: payloads of hooks, and the rows it wrote meanwhile.
"""

from __future__ import annotations

from typing import Any

import pytest

from agents import recordings
from holdfast.agents.claude_code import history
from holdfast.agents.told import parsed

pytestmark = pytest.mark.promise("R3")

# What is prompted while a turn runs is told at once, and read where it was delivered: the end of
# the turn before comes earlier.
QUEUED = {"04a", "04c", "04e", "06"}
# The client waits in a menu at the end of the recording: its turn is not over.
WAITING = {"08d"}
READ = ("UserPromptSubmit", "UserPromptExpansion", "PostToolUse", "PostToolUseFailure")
READ += ("PostToolBatch", "PreCompact", "PostCompact", "SessionStart", "Stop")


def brief(name: str, fields: dict[str, Any]) -> tuple[str, str]:
    """What happened, and what it is known by."""
    by = {"UserPromptSubmit": "prompt", "SessionStart": "source", "Stop": "last_assistant_message"}
    by |= {"UserPromptExpansion": "command_args", "PreCompact": "custom_instructions"}
    if name == "PostToolBatch":
        return name, str(fields["tool_calls"][0]["tool_response"])
    if name == "PostCompact":
        return name, ""
    return name, str(fields.get(by.get(name, "tool_name")))


def was_told(number: str) -> dict[str, list[tuple[str, str]]]:
    """What the hooks of each session were told; the first beginning was seldom recorded."""
    told: dict[str, list[tuple[str, str]]] = {}
    for payload in recordings.payloads(number):
        name = payload["hook_event_name"]
        is_left = payload.get("agent_id") or payload.get("source") in ("startup", "resume")
        if name in READ and not is_left:
            event = brief(name, payload)
            if name != "PostToolBatch" or history.SAID_WITH_IT in event[1]:
                told.setdefault(payload["session_id"], []).append(event)
    return told


def is_read(number: str) -> dict[str, list[tuple[str, str]]]:
    lines = recordings.transcript(number).read_bytes().splitlines()
    by_session: dict[str, list[dict[str, Any]]] = {}
    for row in parsed(lines):
        by_session.setdefault(str(row.get("sessionId")), []).append(row)
    return {
        session: [brief(each.name, each.fields) for each in history.Reader().read(rows)]
        for session, rows in by_session.items()
    }


@pytest.mark.parametrize("number", sorted({*recordings.SITUATIONS} - WAITING))
def test_what_is_read_of_a_transcript_is_what_the_hooks_were_told(number):
    events = is_read(number)

    for session, told in was_told(number).items():
        read = events[session][-len(told) :]
        in_order = sorted if number in QUEUED else list
        assert in_order(read) == in_order(told)
