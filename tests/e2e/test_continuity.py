"""What a user said outlives the context it was said in: the real Claude Code is sent it again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from e2e import rig
from e2e.conftest import assert_sound
from e2e.test_claude_code import DONE, TOLD, kill_at_work, write

TASK = "Fix the retry loop of the fetcher in src/fetch.py."
RULE = "Never push to main"
PROMPT = f"{TASK} {RULE}."
GIVEN_BACK = f"> {RULE}  ("  # quoted, word for word; the date stands behind it
MARK = "[PHASE: "  # opens everything that Holdfast says
BEGUN, CLOSING, COMPACTED = "SESSION_START", "PRE_COMPACT", "POST_COMPACT"


def in_json(text: str) -> str:
    """A text as it stands in the JSON of a request."""
    return json.dumps(text, ensure_ascii=False)[1:-1]


def given_back(claude, kind: str) -> list[set[str]]:
    """For each request of a kind the phases in which Holdfast has put the rule before the model."""
    return [
        {part.partition("]")[0] for part in one.raw.split(MARK)[1:] if GIVEN_BACK in part}
        for one in claude.model.requests
        if one.kind == kind
    ]


def failing_test(repo: Path) -> str:
    """A real test that fails, and how it is run."""
    (repo / "src").mkdir()
    (repo / "src" / "fetch.py").write_text("TRIES = 1\n")
    (repo / "check_fetch.py").write_text(
        "import sys\nsys.path.insert(0, 'src')\nimport fetch\n"
        "assert fetch.TRIES == 3, f'expected 3 tries, got {fetch.TRIES}'\n"
    )
    return "python3 check_fetch.py"


@pytest.mark.promise("C2")
@pytest.mark.promise("C13")
@pytest.mark.exhaustive
def test_a_rule_is_sent_word_for_word_after_two_compactions_a_clear_a_crash_and_a_new_session(
    claude, kept, state, repo, errand
):
    first = claude.run(PROMPT, says=[DONE]).session
    assert MARK not in claude.model.sent_text()

    # Compacted by hand: the summariser is given it, and so is the model afterwards.
    claude.run("/compact", "--resume", first, says=[])
    assert given_back(claude, "compact") == [{CLOSING}]
    claude.run("Go on", "--resume", first, says=[DONE])
    # What it told the summariser, the client shows the model as the output of `/compact`.
    assert given_back(claude, "main") == [{CLOSING, COMPACTED}]
    assert PROMPT not in claude.model.sent_text("main").replace(f"> {PROMPT}", "")

    # Compacted by itself, in the middle of a turn.
    full = {**write(repo, "one.txt"), "usage": {"input_tokens": 990_000}}
    claude.run("Carry on", "--resume", first, says=[full, write(repo, "two.txt"), DONE])
    assert [one.kind for one in claude.model.requests] == ["main", "compact", "main", "main"]
    assert CLOSING in given_back(claude, "compact")[0]
    assert given_back(claude, "main")[1:] == [{COMPACTED}, {COMPACTED}]

    # Cleared: another session, an empty context.
    cleared = claude.run("/clear", "--resume", first, says=[]).session
    assert claude.model.requests == []
    claude.run("Go on", "--resume", cleared, says=[DONE])
    assert given_back(claude, "main") == [{BEGUN}]

    # Killed at work, and a new session.
    killed = kill_at_work(claude, errand, "Go on", "--resume", cleared)
    assert killed == cleared
    third = claude.run("Go on", says=[DONE]).session
    assert "; it crashed; " in claude.model.sent_text("main")
    assert given_back(claude, "main") == [{BEGUN}]

    # And another one.
    fourth = claude.run("Go on", says=[DONE]).session
    assert "it crashed" not in claude.model.sent_text("main")
    assert given_back(claude, "main") == [{BEGUN}]

    assert [kept.link(one) for one in (cleared, third, fourth)] == [
        (first, "cleared"),
        (cleared, "followed"),
        (third, "followed"),
    ]
    rules = [e.body for s in kept.sessions() for e in kept.entries(s, "rule_given")]
    assert [(rule["text"], rule["lasting"]) for rule in rules] == [(RULE, True)]
    assert_sound(claude, state)


@pytest.mark.exhaustive
@pytest.mark.promise("C1")
@pytest.mark.promise("C3")
@pytest.mark.promise("C14")
def test_work_that_stopped_on_a_failing_test_is_sent_to_the_next_session(claude, kept, state, repo):
    command = failing_test(repo)
    source = {"file_path": str(repo / "src" / "fetch.py")}
    first = claude.run(
        TASK,
        "--allowedTools",
        "Bash",
        says=[
            {"tool": "Read", "input": source},
            {"tool": "Edit", "input": {**source, "old_string": "= 1", "new_string": "= 2"}},
            {"tool": "Bash", "input": {"command": command}},
            {"text": "It still fails.\nNext: count the first try too, in src/fetch.py."},
        ],
    ).session
    assert (repo / "src" / "fetch.py").read_text() == "TRIES = 2\n"

    second = claude.run("Go on", says=[DONE]).session

    sent = claude.model.sent_text("main")
    assert in_json("[PHASE: SESSION_START]") in sent
    assert in_json(f'; changed src/fetch.py):\n> asked: "{TASK}"\n') in sent
    assert "Last command, which failed" in sent
    assert in_json(f": `{command}`\n> AssertionError: expected 3 tries, got 2\n") in sent
    asked = "Next steps, from the agent's last message:\n"
    assert in_json(f"{asked}> Next: count the first try too, in src/fetch.py.") in sent
    assert kept.link(second) == (first, "followed")
    handed = json.loads((repo / ".git/holdfast/handoffs" / f"{first}.json").read_text())
    (blocker,) = handed["blockers"]
    assert (blocker["type"], blocker["details"]) == ("command", command)
    assert_sound(claude, state)


@pytest.mark.promise("C9")
@pytest.mark.exhaustive
def test_where_there_is_nothing_to_say_nothing_is_said(claude, kept, state):
    claude.run("Hello", says=[DONE])
    assert len(claude.model.requests) == 1
    assert MARK not in claude.model.sent_text()
    assert TOLD not in claude.model.sent_text()
    assert_sound(claude, state)


@pytest.mark.promise("C9")
@pytest.mark.exhaustive
def test_after_sessions_in_which_nothing_was_said_nothing_is_said(claude, kept, state):
    cleared = claude.run("/clear", says=[]).session
    assert claude.model.requests == []

    second = claude.run("Hello", says=[DONE]).session

    assert len(kept.sessions()) == 3
    assert kept.link(second) == (cleared, "followed")
    assert MARK not in claude.model.sent_text()
    assert TOLD not in claude.model.sent_text()
    assert_sound(claude, state)


@pytest.mark.exhaustive
@pytest.mark.promise("C2")
def test_a_rule_that_was_withdrawn_is_sent_to_nobody(claude, kept, state, repo):
    rig.git(repo, "switch", "-q", "-c", "topic")
    claude.run(PROMPT, says=[DONE])
    claude.run("You may push now.", says=[DONE])
    assert given_back(claude, "main") == [{BEGUN}]  # in force when that session began

    third = claude.run("Go on", says=[DONE]).session

    sent = claude.model.sent_text()
    assert in_json("[PHASE: SESSION_START]") in sent
    assert in_json(f': "{TASK}"') in sent
    assert RULE not in sent

    claude.run("/compact", "--resume", third, says=[])
    assert [one.kind for one in claude.model.requests] == ["compact"]
    assert RULE not in claude.model.sent_text()
    assert_sound(claude, state)
