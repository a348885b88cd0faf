"""The status line at a terminal, with the real client: it is seen, after the user's own."""

from __future__ import annotations

import json

import pytest

from e2e.conftest import Claude, assert_sound
from e2e.test_claude_code import DONE
from holdfast.hook import brief_file

pytestmark = pytest.mark.promise("A1")

TASK = "Fix the retry loop in src/fetch.py"
USAGE = {"input_tokens": 150_000, "output_tokens": 100}


@pytest.mark.promise("C15")
def test_it_is_seen_below_the_users_own_and_tells_the_hooks_of_the_context(
    claude: Claude, home, state, kept
):
    user = home / ".claude" / "settings.json"
    user.parent.mkdir(parents=True, exist_ok=True)
    line = {"type": "command", "command": "echo mine $COLUMNS"}
    user.write_text(json.dumps({"statusLine": line}))
    claude.holdfast("init", "--statusline")

    terminal = claude.terminal(says=[{**DONE, "usage": USAGE}, DONE])
    terminal.wait_for("mine 160")
    terminal.ask(TASK)
    terminal.wait_for(f"{TASK} · main · context 15% VERBOSE")

    figures = brief_file.figures(terminal.session)
    assert figures is not None
    assert figures[0] >= sum(USAGE.values())
    terminal.ask("go on")
    prompt = kept.entries(terminal.session, "prompt_given")[-1]
    assert (prompt.body["tokens"], prompt.body["window"]) == figures
    terminal.close()
    assert_sound(claude, state)
    claude.holdfast("uninstall")
    assert json.loads(user.read_text()) == {"statusLine": line}
