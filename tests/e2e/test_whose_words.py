"""Whose words: a person at the real client, what the ledger holds of it under whose name, what the
next session's model is sent, and what the person sees."""

from __future__ import annotations

import json
import re
import shlex
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from e2e import rig
from e2e.conftest import assert_sound
from e2e.stub_api import Reply, Request, ScriptedModel
from e2e.terminal import Terminal
from e2e.test_claude_code import DONE

QUEUED = "Press up to edit queued messages"
MARK = "[PHASE: "  # opens everything that Holdfast tells the model
# Headings.
RULES = "Rules the user gave"
CHOICES = "The user chose in this work:"
UNRELATED = "New task: write the release notes for version two."


def asked(model: ScriptedModel) -> list[Request]:
    return [request for request in model.requests if request.kind == "main"]


def told(claude, number: int = 0) -> str:
    """What Holdfast has put into one of the requests, as the model reads it."""
    request = asked(claude.model)[number]
    given = [text for text in texts(request.body["messages"]) if MARK in text]
    return "\n".join(text[text.index(MARK) :].partition("\n# Environment")[0] for text in given)


def texts(value: Any) -> Iterator[str]:
    """Every text in a piece of JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from texts(each)


def queue(terminal: Terminal, typed: str, whole: str = "") -> None:
    """Send a prompt while the model is thinking. It is queued when the hook has seen it."""
    terminal.send(typed)
    queued = f'"content":{json.dumps(whole or typed)}'
    terminal.wait_until(lambda: queued in terminal.transcript(), f"{queued} to be queued")


def bodies(kept, *kinds: str) -> list[dict[str, Any]]:
    """Of every session, the oldest first."""
    entries = [entry for session in kept.sessions() for entry in kept.entries(session, *kinds)]
    return [entry.body for entry in sorted(entries, key=lambda entry: (entry.at, entry.seq))]


LISTED = "Never:\n- push to main\n- edit generated files"
LISTED_TOLD = "> Never:\n> - push to main\n> - edit generated files  ("


@pytest.mark.promise("C2")
@pytest.mark.exhaustive
def test_a_list_under_never_keeps_that_line_after_compaction_and_in_the_next_session(
    claude, kept, state
):
    terminal = claude.terminal(says=[DONE, DONE])
    terminal.ask(LISTED)
    terminal.send("/compact")
    terminal.wait_for("Compacted (")
    terminal.ask("Go on")
    assert LISTED_TOLD in told(claude, -1).partition("[PHASE: POST_COMPACT]")[2]
    terminal.close()

    claude.run("Go on", says=[DONE])

    assert LISTED_TOLD in told(claude)
    assert told(claude).partition(RULES)[2].count("push to main") == 1
    assert [rule["text"] for rule in bodies(kept, "rule_given")] == [LISTED]
    assert_sound(claude, state)


@pytest.mark.promise("C2")
@pytest.mark.exhaustive
def test_who_holds_up_a_forgotten_rule_strengthens_it(claude, kept, state):
    rule = "don't add dependencies without asking me"
    claude.run(f"Fix the retry loop in src/fetch.py, and {rule}.", says=[DONE])
    words = "you forgot the rule about adding dependencies again"
    terminal = claude.terminal(says=[DONE])
    terminal.ask(words)
    assert RULES not in told(claude)  # only heard, and in another session
    terminal.close()

    claude.run("Go on", says=[DONE])

    (heard,) = bodies(kept, "rule_given")
    (turn,) = bodies(kept, "turned")
    assert (turn["turn"], turn["words"]) == ("repeated", words)
    assert f"\n> {heard['text']}  (" in told(claude).partition(RULES)[2]
    assert rule in heard["text"]
    assert_sound(claude, state)


@pytest.mark.promise("W3")
def test_a_rule_that_the_agent_points_at_outlives_another_task_and_the_person_sees_it(
    claude, kept, state
):
    # Nothing of ours takes it for a rule, but an agent may know better.
    rule = "Our server has plenty of memory, caches can be large."
    quote = shlex.join(["holdfast", "remember", "--rule", "--quote", "has plenty of memory"])
    terminal = claude.terminal(
        "--allowedTools",
        "Bash(holdfast remember:*)",
        says=[{"tool": "Bash", "input": {"command": quote}}, DONE, DONE],
        env={"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"},
    )
    terminal.ask(f"Fix the retry loop in src/fetch.py. {rule}")
    terminal.ask("Go on")
    (given,) = kept.entries(terminal.session, "rule_given")
    expected = {"text": rule, "how": "pointed", "author": "person", "scope": "project"}
    assert expected.items() <= given.body.items()
    assert terminal.shows(
        "UserPromptSubmit says: Holdfast: Kept as your rule, because the agent pointed at it:"
        f' "{rule}" (undo: holdfast'
    )
    assert terminal.shows(f"drop {given.id[:6]})")
    terminal.close()

    for prompt in (UNRELATED, "Go on"):
        claude.run(prompt, says=[DONE])
        assert f"\n> {rule}  (" in told(claude).partition(RULES)[2]
    assert_sound(claude, state)


# Prompts that were queued, and prompts that were taken back


def prompts(kept, session: str) -> list[tuple[str, str, bool, str]]:
    """Each prompt that the hook has seen: its text, whose it is, whether it stands, why not."""
    settled = {
        entry.body["prompt"]: entry.body for entry in kept.entries(session, "prompt_settled")
    }
    return [
        (given.body["prompt"], by["origin"], by["stands"], by.get("why", ""))
        for given in kept.entries(session, "prompt_given")
        for by in [settled[given.id]]
    ]


class Thinking:
    """A model that thinks until it is told to answer."""

    def __init__(self, claude, answer: Reply, *then: Reply) -> None:
        self.model = claude.model
        self._enough = threading.Event()
        self.answer: Reply = {**answer, "until": self._enough}
        self.model.say(self.answer, *then)

    def wait(self, terminal: Terminal) -> None:
        """Until it was asked."""
        terminal.wait_until(lambda: asked(self.model), "the model to be asked")

    def go_on(self) -> None:
        self._enough.set()


@pytest.mark.promise("W1")
@pytest.mark.exhaustive
def test_a_queued_prompt_is_kept_once_and_is_the_users(claude, kept, state, repo):
    terminal = claude.terminal(says=[])
    # There is a tool's result for it to go along with.
    read = {"tool": "Read", "input": {"file_path": str(repo / "README.md")}}
    thinking = Thinking(claude, read, DONE)
    terminal.send("Tidy up the readme")
    thinking.wait(terminal)
    queue(terminal, "Always run the linter before you commit")
    thinking.go_on()
    terminal.wait_turns(1)
    assert "while you were working" in claude.model.requests[-1].raw
    # There is none: it is the next turn.
    thinking = Thinking(claude, DONE, DONE)
    terminal.send("And the changelog")
    thinking.wait(terminal)
    queue(terminal, "Never squash the history")
    thinking.go_on()
    terminal.wait_turns(3)
    terminal.close()

    claude.run("Go on", says=[DONE])

    assert prompts(kept, terminal.session) == [
        ("Tidy up the readme", "typed", True, ""),
        ("Always run the linter before you commit", "queued", True, ""),
        ("And the changelog", "typed", True, ""),
        ("Never squash the history", "queued", True, ""),
    ]
    rules = told(claude).partition(RULES)[2]
    assert rules.count("> Always run the linter before you commit  (") == 1
    assert rules.count("> Never squash the history  (") == 1
    assert_sound(claude, state)


@pytest.mark.promise("W1")
@pytest.mark.promise("C2")
def test_a_prompt_that_was_taken_back_does_not_stand_and_its_rule_is_told_to_nobody(
    claude, kept, state
):
    terminal = claude.terminal(says=[])
    thinking = Thinking(claude, DONE, DONE)
    terminal.send("Bring the docs up to date")
    thinking.wait(terminal)
    queue(terminal, "Never touch the drafts")
    terminal.press("up")
    terminal.wait_gone(QUEUED)
    queue(terminal, " of the blog", "Never touch the drafts of the blog")
    thinking.go_on()
    terminal.wait_turns(2)
    thinking = Thinking(claude, DONE)
    terminal.send("Never rename the public functions")
    thinking.wait(terminal)
    terminal.press("escape")
    terminal.wait_until(lambda: "rename" in terminal.pointed_at(), "the prompt to come back")
    thinking.go_on()
    terminal.press("ctrl+c")  # and it is thrown away
    claude.model.say(DONE)
    terminal.ask("Go on")
    terminal.close()

    claude.run("Go on", says=[DONE])

    assert prompts(kept, terminal.session) == [
        ("Bring the docs up to date", "typed", True, ""),
        ("Never touch the drafts", "queued", False, "draft"),
        ("Never touch the drafts of the blog", "queued", True, ""),
        ("Never rename the public functions", "typed", False, "taken back"),
        ("Go on", "typed", True, ""),
    ]
    assert "> Never touch the drafts of the blog  (" in told(claude)
    assert "> Never touch the drafts  (" not in told(claude)
    assert "rename the public functions" not in told(claude)
    assert_sound(claude, state)


# What the user chose


QUESTIONS = [
    {
        "question": "Which database shall we use?",
        "header": "Database",
        "multiSelect": False,
        "options": [
            {"label": "SQLite", "description": "one file"},
            {"label": "Postgres", "description": "a server"},
        ],
    },
    {
        "question": "How shall errors be told?",
        "header": "Errors",
        "multiSelect": False,
        "options": [
            {"label": "Exceptions", "description": "raised"},
            {"label": "Codes", "description": "returned"},
        ],
    },
]


@pytest.mark.promise("W4")
def test_answers_and_the_words_of_a_refusal_are_told_later_as_the_users_choices(
    claude, kept, state, repo
):
    rig.git(repo, "switch", "-q", "-c", "storage")
    install = {"command": "npm install left-pad", "description": "Install it"}
    terminal = claude.terminal(
        says=[
            {"tool": "AskUserQuestion", "input": {"questions": QUESTIONS}},
            {"tool": "Bash", "input": install},
            DONE,
        ]
    )
    terminal.send("Set up the storage layer")
    terminal.wait_for("Which database shall we use?")
    terminal.accept("2. Postgres")
    terminal.wait_for("How shall errors be told?")
    terminal.choose("3. Type something")
    terminal.type("result values and nothing else")
    terminal.press("enter")
    terminal.accept("1. Submit answers")
    terminal.choose("4. No")
    terminal.press("tab")
    terminal.wait_for("tell Claude what to do differently")
    terminal.type("use pnpm instead")
    terminal.press("enter")
    terminal.wait_turns(1)
    terminal.close()

    claude.run("Go on", says=[DONE])

    made = [(one["sort"], one["question"], one["text"]) for one in bodies(kept, "choice_made")]
    assert made == [
        ("answer", "Which database shall we use?", "Postgres"),
        ("answer", "How shall errors be told?", "result values and nothing else"),
        ("refusal", f"run {install['command']}", "use pnpm instead"),
    ]
    chosen = told(claude).partition(CHOICES)[2]
    for _, question, text in made:
        assert question in chosen
        assert text in chosen

    rig.git(repo, "switch", "-q", "-c", "another")
    claude.run("Go on", says=[DONE])

    assert CHOICES not in claude.model.sent_text()
    assert_sound(claude, state)


PLAN = """# Move the session cache to Redis

- Never write to the old table
- Always run the migration first
"""


@pytest.mark.promise("W1")
@pytest.mark.promise("W4")
@pytest.mark.promise("C1")
@pytest.mark.exhaustive
def test_a_plan_accepted_with_a_cleared_context_is_the_goal_and_makes_no_rule(
    claude, kept, state, repo, home
):
    rig.git(repo, "switch", "-q", "-c", "topic")
    (home / ".claude").mkdir(exist_ok=True)
    (home / ".claude" / "settings.json").write_text('{"showClearContextOnPlanAccept": true}')
    terminal = claude.terminal("--permission-mode", "plan", says=[])
    load = {"tool": "ToolSearch", "input": {"query": "select:ExitPlanMode"}}
    thinking = Thinking(claude, {}, load, {"tool": "ExitPlanMode", "input": {}}, DONE)
    terminal.send("The cache is slow, think of a better one")
    thinking.wait(terminal)
    # The client names the plan's file when it asks.
    (path,) = set(re.findall(r"/[^\s\"\\]*/plans/[\w-]+\.md", asked(claude.model)[0].raw))
    thinking.answer.update(tool="Write", input={"file_path": path, "content": PLAN})
    thinking.go_on()
    terminal.accept("1. Yes, clear context")
    terminal.wait_turns(1)
    terminal.close()
    (new,) = set(kept.sessions()) - {terminal.session}

    claude.run("Go on", says=[DONE])

    title = "Move the session cache to Redis"
    (goal,) = kept.entries(new, "goal_set")
    expected = {"goal": title, "how": "plan", "author": "person"}  # who accepted it
    assert expected.items() <= goal.body.items()
    (choice,) = bodies(kept, "choice_made")
    assert (choice["sort"], choice["text"]) == ("plan", title)
    assert bodies(kept, "rule_given") == []
    assert f'\n> asked: "{title}"\n' in told(claude)
    assert "old table" not in told(claude)
    assert_sound(claude, state)
