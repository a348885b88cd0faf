"""What the client sends, in our words."""

from __future__ import annotations

import pytest

from conftest import payload
from holdfast.agents.claude_code.other_payloads import READERS


@pytest.mark.promise("S7")
def test_what_a_beginning_says_of_the_session_is_kept_and_nothing_else():
    said = {"model": "claude-opus-4-5", "session_title": "Login", "agent_type": "", "odd": 1}

    assert READERS["SessionStart"](payload("SessionStart.startup", **said)) == (
        "session_began",
        {"source": "startup", "model": "claude-opus-4-5", "title": "Login"},
        "",
    )
