"""What is asked for in three sessions is offered to the person once, and told to no agent."""

from __future__ import annotations

import pytest

from cli.terminal import typed_and_told
from scenarios.story import A, B, C, D, Story

OFFER = 'Asked for in 3 of your last 3 sessions: "Commit this, please"'


def ask(story: Story, session: str, *prompts: str) -> tuple[str, str]:
    """What the agent of a session was told, and what the person was shown."""
    told, shown = [story.begin(session)], [story.door.shown]
    for prompt in prompts:
        told.append(story.say(session, prompt))
        shown.append(story.door.shown)
    story.end(session)
    return "\n".join(told), "\n".join(shown)


@pytest.mark.promise("W6")
def test_what_is_asked_for_in_three_sessions_is_offered_to_the_person_alone(story):
    ask(story, A, "commit this", "commit this")
    _, early = ask(story, B, "OK commit this")

    told, shown = ask(story, C, "Commit this, please")

    assert "Asked for" not in early
    assert f"{OFFER} (to have every session told: holdfast rules add TEXT)" in shown
    assert "Asked for" not in told
    assert story.holdfast("rules", "--candidates")["habits"] == [
        {"text": "Commit this, please", "sessions": 3, "of": 3}
    ]
    story.ends_well()


@pytest.mark.promise("W6")
def test_a_habit_is_offered_once_ever(story):
    offers = [ask(story, session, "commit this", "commit this")[1] for session in (A, B, C, D)]

    assert [shown.count("Asked for") for shown in offers] == [0, 0, 1, 0]
    assert len([body for body in story.bodies("turned") if body["turn"] == "offered"]) == 1
    story.ends_well()


@pytest.mark.promise("W6")
def test_what_is_a_rule_already_is_not_offered(story, repo):
    ask(story, A, "commit this")
    typed_and_told(repo, "rules", "add", "Commit this")

    assert not any("Asked for" in ask(story, session, "commit this")[1] for session in (B, C))
    story.ends_well()


@pytest.mark.promise("W6")
def test_answers_that_come_back_are_no_habit(story):
    answers = ("yes", "option 1", "fix the cart")

    assert not any("Asked for" in ask(story, session, *answers)[1] for session in (A, B, C))
    assert story.holdfast("rules", "--candidates")["habits"] == []
    story.ends_well()
