"""What is imported is what hooks would have learnt: the same sessions, both ways."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

# At the end: modules of other tests have names of benchmarks.
sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

from transcripts import Learnt, learnt, take_in

from conftest import Door, git
from holdfast.agents.claude_code import history
from holdfast.agents.claude_code.payloads import HOOKS
from holdfast.agents.told import parsed
from scenarios.made_transcripts import Transcript, a_month

pytestmark = pytest.mark.promise("R3")


def played(door: Door, made: list[Transcript], folder: Path) -> Learnt:
    """The sessions through the hook command, each with its process and a transcript that grows."""
    folder.mkdir()
    for transcript in made:
        lines = transcript.path.read_bytes().splitlines(keepends=True)
        rows = [line for line in lines if list(parsed([line]))]
        reader = history.Reader()
        reader.read(list(parsed(rows)))
        reader.end(reason="other")
        agent, path = door.agent(), folder / transcript.path.name
        for told in reader.events:
            path.write_bytes(b"".join(rows[: told.rows]))
            payload = {
                **told.fields,
                "hook_event_name": told.name,
                "session_id": transcript.session,
                "transcript_path": str(path),
                "cwd": told.cwd,
            }
            if told.name in HOOKS:
                done = door.run(json.dumps(payload).encode(), agent=agent)
                assert (done.returncode, done.stderr) == (0, b"")
        agent.kill()
    return learnt(door.state)


def test_a_session_leaves_the_same_whether_hooks_saw_it_or_it_was_imported(door, repo, tmp_path):
    git(repo, "checkout", "-q", "-b", "topic")
    live = played(door, a_month(tmp_path, repo), tmp_path / "live")

    summary = take_in(str(tmp_path / "projects"), str(tmp_path / "imported"), 0)

    imported = learnt(str(tmp_path / "imported"))
    assert summary["sessions"] == 5
    assert imported == live
    assert {sort for sort, found in imported.items() if found} >= {
        *("rules", "choices", "goals", "learnings", "pull_requests"),
        *("index: prompt", "index: answer", "index: summary", "index: error", "index: commit"),
    }
