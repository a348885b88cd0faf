"""The interactive client, typed into: what a person types is kept as it was typed."""

from __future__ import annotations

import pytest

from e2e.conftest import assert_sound
from e2e.test_claude_code import DONE

LIST = "Write it down in:\n- README.md\n- docs/notes.md"


@pytest.mark.promise("A1")
def test_a_prompt_typed_at_a_terminal_is_kept_line_by_line(claude, kept, state):
    terminal = claude.terminal(says=[DONE])
    terminal.ask(LIST)
    terminal.close()

    (began,) = kept.entries(terminal.session, "session_began")
    assert (began.body["source"], began.body["channel"]) == ("startup", "terminal")
    (prompt,) = kept.entries(terminal.session, "prompt_given")
    assert prompt.body["prompt"] == LIST
    (end,) = kept.entries(terminal.session, "session_ended")
    assert end.body["reason"] == "prompt_input_exit"
    assert_sound(claude, state)
