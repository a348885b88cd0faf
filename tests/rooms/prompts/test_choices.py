"""What the user chose, from what the real client sent when a person answered, refused, allowed and
approved; and what is no choice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from holdfast.agents import user_replies
from holdfast.agents.claude_code import other_payloads, payloads
from holdfast.agents.user_replies import Answered
from holdfast.rooms.prompts import choices

RECORDED = Path(__file__).parents[2] / "payloads" / "claude_code_interactive" / "2.1.325" / "hooks"
MANAGER, CHECKS = "Which package manager should I use?", "Which checks should run?"


def recorded(number: str, event: str, tool: str = "") -> dict[str, Any]:
    """The last payload of a situation with this event, and this tool."""
    [path] = RECORDED.glob(f"{number}-*.json")
    told = [each["payload"] for each in json.loads(path.read_text())]
    named = [each for each in told if each["hook_event_name"] == event]
    return [each for each in named if tool in ("", each.get("tool_name"))][-1]


def body_of(payload: dict[str, Any]) -> dict[str, Any]:
    event = payloads.read(
        payload, raw=b"{}", at="2026-01-01T00:00:00.000Z", process=(1, "1"), size=lambda _: 0
    )
    assert event is not None
    return event.body


def answered(number: str) -> list[tuple[str, str]]:
    body = body_of(recorded(number, "PostToolUse", "AskUserQuestion"))
    assert body["deed"] == "ask"
    made = choices.of_answers(user_replies.answers(body["input"], body["reply"]))
    assert {choice.sort for choice in made} <= {choices.ANSWER}
    return [(choice.question, choice.text) for choice in made]


@pytest.mark.promise("W4")
@pytest.mark.parametrize(
    ("number", "made"),
    [
        ("01a", [(MANAGER, "pnpm"), (CHECKS, "lint, tests")]),
        ("01b", [(MANAGER, "bun, but only for the frontend"), (CHECKS, "lint, mypy strict")]),
        ("01e", [("Which layout?", "but keep tests outside")]),
    ],
    ids=["options", "free text", "notes only"],
)
def test_every_question_that_was_answered_is_a_choice(number, made):
    assert answered(number) == made


def test_notes_beside_an_option_belong_to_it():
    asked = Answered(notes="but keep tests outside", options=["flat"], question="?", text="flat")

    assert [choice.text for choice in choices.of_answers([asked])] == [
        "flat; but keep tests outside"
    ]


@pytest.mark.parametrize("text", ["", "  ", "(notes only)", "(No answer provided)"])
def test_an_empty_answer_is_no_choice(text):
    assert choices.of_answers([Answered(notes="", options=[], question="?", text=text)]) == []


def test_what_an_agent_says_it_was_answered_is_not_read():
    payload = recorded("01a", "PostToolUse", "AskUserQuestion")
    payload["tool_input"]["answers"] = {MANAGER: "whatever the agent likes"}
    payload["tool_response"] = {"answers": {MANAGER: "pnpm"}}
    body = body_of(payload)

    made = choices.of_answers(user_replies.answers(body["input"], body["reply"]))
    assert [choice.text for choice in made] == ["pnpm"]


@pytest.mark.parametrize(
    ("question", "text", "is_choice"),
    [
        ("The plan is ready. What would you like to do next?", "Begin", False),
        ("The plan is ready. What would you like to do next?", "Leave out the cache", True),
        ("Should I wait for the build or go on?", "Wait for it", False),
        ("Shall I commit this?", "Yes, commit", False),
        ("Should I use tabs or spaces?", "Spaces", True),
        ("How should retries be counted?", "Wait twice as long each time", True),
        ("Ready to deploy where?", "Staging only", True),
    ],
)
def test_an_option_that_only_says_how_to_go_on_now_is_no_choice(question, text, is_choice):
    options = ["Begin", "Wait for it", "Yes, commit", "Spaces", "Wait twice as long each time"]
    options += ["Staging only"]
    asked = Answered(notes="", options=options, question=question, text=text)

    assert bool(choices.of_answers([asked])) is is_choice


def refused(number: str) -> list[dict[str, Any]]:
    kind, body, _ = other_payloads.READERS["PostToolBatch"](recorded(number, "PostToolBatch"))
    assert kind in ("calls_refused", "")
    calls: list[dict[str, Any]] = body.get("calls", [])
    return calls


@pytest.mark.promise("W4")
@pytest.mark.parametrize(
    ("number", "question", "text"),
    [
        ("02a", "run touch built.txt", "use pnpm instead"),
        ("03c", "carry out the plan move to pnpm", "do not touch CI, only the lockfile"),
        ("08b", "edit /home/dev/project/notes.txt", "keep beta, add a new line"),
    ],
    ids=["command", "plan", "edit"],
)
def test_words_given_with_a_refusal_are_kept_with_what_was_refused(number, question, text):
    [call] = refused(number)
    choice = choices.of_refusal(call["words"], call["about"])

    assert choice is not None
    assert (choice.sort, choice.question, choice.text) == (choices.REFUSAL, question, text)


@pytest.mark.parametrize("number", ["01a", "01d", "02c"], ids=["answered", "chat", "allowed"])
def test_a_batch_in_which_nobody_refused_with_words_is_no_event(number):
    assert refused(number) == []


@pytest.mark.promise("W4")
@pytest.mark.parametrize(
    "words",
    [
        "why not a symlink?",
        "hm, does this work on a Mac",
        "wait, let me look",
        "let's talk about the names",
        "run the tests first",
        "keep going",
        "what is this for? and who calls it?",
        "lol",
        "",
        "The user wants to clarify these questions.\n Only one of them.",
    ],
)
def test_a_refusal_that_asks_waits_or_remarks_is_no_choice(words):
    assert choices.of_refusal(words, "edit a.py") is None


@pytest.mark.parametrize(
    "words",
    [
        "use pnpm instead",
        "no, the flag should be off by default",
        "can we use the logger? should be a warning",
        "I\u2019d rather have one table",
        "only the second fix",
        "don't add a dependency for this",
    ],
)
def test_a_refusal_that_says_what_is_wanted_is_a_choice(words):
    choice = choices.of_refusal(words, "edit a.py")

    assert choice is not None
    assert choice.text == words


@pytest.mark.promise("W4")
def test_words_given_with_a_yes_are_a_choice_and_a_bare_yes_is_none():
    choice = choices.of_approval("but pin the exact version", "run npm install left-pad")

    assert choice is not None
    assert (choice.sort, choice.question) == (choices.APPROVAL, "run npm install left-pad")
    for words in ("yes", "ok, go ahead", "looks good, thanks", "sure?", ""):
        assert choices.of_approval(words, "run npm install left-pad") is None


@pytest.mark.promise("W4")
@pytest.mark.parametrize("number", ["03b", "03e"])
def test_of_an_approved_plan_title_and_path_are_kept_and_nothing_else(number):
    payload = recorded(number, "PostToolUse", "ExitPlanMode")
    body = body_of(payload)
    choice = choices.of_plan(*user_replies.approved_plan(body["reply"]))

    assert choice is not None
    assert (choice.sort, choice.text, choice.question) == (choices.PLAN, "move to pnpm", "")
    assert choice.path == payload["tool_response"]["filePath"]


@pytest.mark.parametrize(
    ("plan", "title"),
    [
        ("# Plan: move to pnpm\n\n1. Replace", "move to pnpm"),
        ("Context first.\n\n## Two tables\n", "Two tables"),
        ("Just do it\nand be done", "Just do it"),
        ("  \n", ""),
    ],
)
def test_a_plan_is_called_by_its_first_heading_else_by_its_first_line(plan, title):
    choice = choices.of_plan(plan, "/plans/a.md")

    assert (choice.text if choice else "") == title


def test_reading_a_megabyte_of_words_is_no_matter_of_minutes():
    assert choices.of_refusal("(" * 500_000 + "why? " * 100_000, "edit a.py") is None
