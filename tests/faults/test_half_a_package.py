"""Holdfast is being upgraded under a running agent: for a moment half of it is not there.

A hook that starts in that moment may lose its event, and the agent must not notice even then.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from around import LIMIT_S, event

import holdfast
from conftest import Door
from holdfast.ledger import faults, queries, spool
from holdfast.ledger.workspace import Workspace
from measure import some_or_all

PACKAGE = Path(holdfast.__file__).parent
MODULES = sorted(
    str(path.relative_to(PACKAGE))
    for path in PACKAGE.rglob("*.py")
    if not path.is_relative_to(PACKAGE / "cli") and not path.is_relative_to(PACKAGE / "setup")
)


def run(door: Door, said: bytes) -> tuple[int, bytes, bytes]:
    done = subprocess.run(
        ["/bin/sh", "-c", door.command],
        input=said,
        env=door.environment,
        cwd=door.folder,
        capture_output=True,
        timeout=LIMIT_S,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@some_or_all(12, 1 << 20)
def test_a_module_that_is_half_written_never_shows_in_what_the_agent_sees(door, copied, amount):
    begun = json.dumps(event(door, "SessionStart.startup", session_id="s1")).encode()
    seen = {}

    for name in MODULES[:: max(1, len(MODULES) // amount)]:
        path = copied / name
        content = path.read_bytes()
        path.write_text("def half_wri")
        for raw in (begun, b"not JSON"):
            code, answer, complaint = run(door, raw)
            if (code, complaint) != (0, b"") or (
                answer and "hookSpecificOutput" not in json.loads(answer)
            ):
                seen[name] = complaint.splitlines()[-1:]
        path.write_bytes(content)

    assert seen == {}


@pytest.mark.promise("O2")
@pytest.mark.parametrize(
    ("module", "name", "kind"),
    [
        ("rooms/prompts/understanding.py", "UserPromptSubmit", "prompt_given"),
        ("rooms/prompts/settling.py", "Stop", "turn_ended"),
        ("agents/claude_code/transcript.py", "Stop", "turn_ended"),
        ("rooms/work/restoration.py", "SessionStart.startup", "session_began"),
        ("rooms/work/compaction.py", "PreCompact.auto", "context_closing"),
        ("hook/briefing.py", "UserPromptSubmit", "prompt_given"),
    ],
)
def test_an_event_is_kept_when_what_should_follow_from_it_fails(
    door, copied, state, module, name, kind
):
    run(door, json.dumps(event(door, "SessionStart.startup", session_id="s1")).encode())
    path = copied / module
    path.write_text("raise ValueError('broken')")

    record = Path(state).parent / "record.jsonl"
    record.write_text("")
    session = "s2" if name.startswith("SessionStart") else "s1"
    worth_a_line = {"prompt": "Never push to main."} if "briefing" in module else {}
    said = event(door, name, session_id=session, transcript_path=str(record), **worth_a_line)
    code, answer, _ = run(door, json.dumps(said).encode())

    workspace = Workspace(state)
    found = [entry.kind for _, entry in queries.read(workspace.store, session=session)]
    workspace.store.close()
    assert (code, answer) == (0, b"")
    assert kind in found
    assert spool.waiting(state) == []
    assert {fault["kind"] for fault in faults.all_of(state)} & {"not done", "not settled"}
