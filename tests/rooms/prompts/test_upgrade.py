"""Which rules of earlier versions an upgrade takes for nobody's: by where they were heard."""

from __future__ import annotations

import pytest

from holdfast.ledger.entry import Entry
from holdfast.rooms.prompts.upgrade import not_the_users

RULE = "Never push to main"
PLAN = f"Implement the following plan:\n\n# Tags\n\n- {RULE}\n"
PASTE = f"Fix what the reviewer wrote:\n\n```\n{RULE}\n```\n"
CLIENT = f"This session is being continued from a previous conversation. {RULE}."
TYPED = f"Fix the loop. {RULE}."


def kept(*said: tuple[str, dict]) -> list[Entry]:
    return [
        Entry("m", number, "", "project", "session", "", kind, 1, body)
        for number, (kind, body) in enumerate(said, 1)
    ]


def prompt(text: str) -> tuple[str, dict]:
    return "prompt_given", {"prompt": text}


def rule(**more: str) -> tuple[str, dict]:
    return "rule_given", {"text": RULE, "how": "prompt", **more}


def turn(subject: Entry, name: str, words: str = "") -> tuple[str, dict]:
    return "turned", {"subject": subject.id, "turn": name, "how": "prompt", "words": words}


def why(*said: tuple[str, dict]) -> list[str]:
    return [reason for _, reason in not_the_users(kept(*said))]


@pytest.mark.promise("W1")
@pytest.mark.parametrize(
    ("heard_in", "reasons"),
    [
        (PLAN, ["heard in a plan"]),
        (CLIENT, ["heard in what the client wrote"]),
        (PASTE, ["heard in a paste or a quotation"]),
        (TYPED, []),
        (f"{PASTE}\n{RULE}!", []),
    ],
    ids=["plan", "client", "paste", "typed", "pasted and typed"],
)
def test_a_rule_is_the_users_only_where_the_user_typed_it(heard_in, reasons):
    assert why(prompt(heard_in), rule()) == reasons


@pytest.mark.promise("W1")
def test_what_was_given_by_command_or_says_its_prompt_or_has_lost_it_is_left_alone():
    assert why(prompt(PLAN), rule(how="command"), rule(prompt="id")) == []
    assert why(rule()) == []


@pytest.mark.promise("W1")
@pytest.mark.parametrize(
    ("name", "words", "later", "is_left"),
    [
        ("kept", "", TYPED, True),
        ("pointed", "", TYPED, True),
        ("repeated", RULE, TYPED, True),
        ("repeated", RULE, PLAN, False),
        ("scoped", "task", TYPED, False),
    ],
)
def test_what_the_person_made_a_rule_stays_one(name, words, later, is_left):
    (_, heard) = kept(prompt(PLAN), rule())

    reasons = why(prompt(PLAN), rule(), prompt(later), turn(heard, name, words))

    assert (reasons == []) is is_left
