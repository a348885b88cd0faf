"""A session works, is cut off, and the next one is told."""

from __future__ import annotations

import pytest

from holdfast.rooms.sessions import queries
from law import assert_nothing_swallowed, assert_replay_law

FIRST, SECOND = "11111111-aaaa-4aaa-8aaa-111111111111", "22222222-bbbb-4bbb-8bbb-222222222222"


@pytest.mark.promise("S5")
def test_the_next_session_is_told_what_a_killed_one_was_doing(door, repo, state, workspace):
    agent = door.agent()
    assert door.send("SessionStart.startup", agent=agent, session_id=FIRST) == ""
    door.send("UserPromptSubmit", agent=agent, session_id=FIRST, prompt="Teach fetch.py to retry")
    door.send(
        "PostToolUse.Edit",
        agent=agent,
        session_id=FIRST,
        tool_input={"file_path": f"{repo}/src/fetch.py", "old_string": "a", "new_string": "b"},
    )
    door.send(
        "PostToolUseFailure",
        agent=agent,
        session_id=FIRST,
        tool_input={"command": "pytest -q"},
        error="Exit code 1\n1 failed",
    )
    agent.kill()

    told = door.send("SessionStart.startup", agent=door.agent(), session_id=SECOND)

    assert "This goes on with earlier work (session 11111111, " in told
    assert "Z; it crashed; changed src/fetch.py):" in told
    assert '> asked: "Teach fetch.py to retry"' in told
    assert "did not end" not in told  # it is said once
    assert "Last command, which failed" in told
    assert ": `pytest -q`\n> 1 failed" in told
    crashed = queries.find(workspace.store, FIRST)
    assert crashed is not None
    assert (crashed.phase, crashed.crash_recovered, crashed.ended_at) == (
        "ended",
        1,
        crashed.last_active_at,
    )
    assert_replay_law(state, repo)
    assert_nothing_swallowed(state)
