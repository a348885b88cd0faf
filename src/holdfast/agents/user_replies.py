"""What a tool call brought back from the user: answers, an approved plan, words with a refusal.

Bodies of `tool_used` keep what the user said as `reply`, whichever agent sent it; a call's input is
the agent's own word, and tells only what was asked.
"""

from __future__ import annotations

from holdfast.agents.acts import PATH_FIELDS
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdfast.agents.acts import Input

ABOUT_FIELDS = ("command", *PATH_FIELDS, "url", "skill", "query", "title", "subject")
VERBS = {
    "run": "run",
    "create": "write",
    "edit": "edit",
    "read": "read",
    "search": "search",
    "fetch": "fetch",
    "skill": "use the skill",
}
ASKED_CAP = 500
# What clients write in a person's place.
CLIENTS_WORDS = ("the user wants to clarify these questions", "the user has indicated ")


class Answered(Value):
    """A question that an agent asked, and what the user said to it."""

    notes: str  # typed beside an option
    options: list[str]  # that were offered
    question: str
    text: str  # of several options, one after the other


def answers(given: Input, reply: Input) -> list[Answered]:
    """Questions with their answers, in the order they were asked."""
    texts, notes = _object(reply.get("answers")), _object(reply.get("annotations"))
    questions = given.get("questions")
    asked = [_object(each) for each in questions] if isinstance(questions, list) else []
    options = {_text(each.get("question")): _labels(each.get("options")) for each in asked}
    order = [question for question in options if question in texts]
    order += [question for question in texts if question not in options]
    return [
        Answered(
            notes=_text(_object(notes.get(question)).get("notes")),
            options=options.get(question, []),
            question=question,
            text=_text(texts[question]),
        )
        for question in order
    ]


def approved_plan(reply: Input) -> tuple[str, str]:
    """The beginning of a plan that the user has approved, and its file; "" where there is none."""
    return _text(reply.get("plan")), _text(reply.get("plan_file"))


def are_clients(words: str) -> bool:
    """Whether a client wrote these words, and no person."""
    return words.strip().lower().startswith(CLIENTS_WORDS)


def asked(tool: str, deed: str, given: Any) -> str:
    """What a call would have done, in plain words: "edit src/app.py", "run make"."""
    fields = _object(given)
    plan = _text(fields.get("plan")).lstrip()
    if plan:
        title = plan.split("\n", 1)[0].lstrip("# ").removeprefix("Plan: ")
        return f"carry out the plan {title[:ASKED_CAP]}"
    texts = [_text(fields.get(name)) for name in ABOUT_FIELDS]
    about = next((text for text in texts if text), "")[:ASKED_CAP]
    verb = VERBS.get(deed) if about else None
    return f"{verb} {about}" if verb else f"use {tool} ({about})" if about else f"use {tool}"


def _labels(options: Any) -> list[str]:
    listed = options if isinstance(options, list) else []
    return [_text(_object(option).get("label")) for option in listed]


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
