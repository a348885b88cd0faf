"""A person's pin is the project's; an agent's is its session's, and says that an agent made it."""

from __future__ import annotations

import pytest

from cli.terminal import typed, typed_and_told
from scenarios.story import A, B, C, D, Story

pytestmark = pytest.mark.promise("C5")

FACT = "The staging database is read-only"
BY_AGENT = "The cache lives in var/"


@pytest.fixture
def story(door, repo, tmp_path) -> Story:
    door.somebody = door.agent()
    return Story(door, repo, tmp_path)


def test_what_a_person_pins_beside_an_idle_session_is_told_to_every_later_one(story):
    story.begin(A)
    story.say(A, "Draw the map")
    story.stop(A)

    pinned = typed(story.repo, "pin", FACT)

    assert pinned.stdout.startswith("Pinned for every session here:\n")
    assert f"> {FACT}\n" in story.say(A, "Go on") + "\n"  # the idle one is told, too
    story.end(A)
    for session in (B, C, D, *(f"{number:08}" for number in range(9))):
        assert f"> {FACT}\n" in story.begin(session) + "\n"
        story.say(session, "Write something else entirely")
        story.end(session)
    story.ends_well()


def test_an_agents_pins_have_a_cap_and_a_persons_are_not_counted(story):
    story.begin(A)
    for number in range(10):
        story.holdfast("pin", f"Thing {number}", session=A)
        typed_and_told(story.repo, "pin", f"Fact {number}")

    assert typed(story.repo, "pin", "Fact 10").returncode == 0

    begun = story.clear(A, B)
    listed = typed(story.repo, "pins").stdout
    assert [number for number in range(11) if f"Fact {number} " not in listed] == []
    assert "Fact 0" in begun
    story.ends_well()


def test_an_agents_pin_says_so_wherever_it_is_told(story):
    story.begin(A)
    story.say(A, "Draw the map")
    typed_and_told(story.repo, "pin", FACT)
    story.holdfast("pin", BY_AGENT, "--critical", session=A)
    (found,) = typed_and_told(story.repo, "recall", "where does the cache live")["found"]
    assert (found["text"], found["who"]) == (BY_AGENT, "the agent")

    told = [
        story.say(A, "Go on"),
        typed(story.repo, "pins").stdout,
        typed(story.repo, "handoff", "--session", A).stdout,
        *story.compact(A),
        story.clear(A, B),
    ]

    for text in told:
        (line,) = [line for line in text.splitlines() if BY_AGENT in line]
        assert "pinned by an agent" in line
        assert [line for line in text.splitlines() if FACT in line and "by an agent" in line] == []
    story.ends_well()


def test_a_task_that_an_agent_pinned_says_so_too(story):
    story.begin(A)
    story.say(A, "Draw the map")
    typed_and_told(story.repo, "pin", "TODO: ask Mira")
    story.holdfast("pin", "TODO: move the cache", session=A)
    story.end(A)

    tasks = story.begin(B).partition("PENDING TASKS:")[2].partition("\n\n")[0]

    assert "TODO: move the cache (last stage: pinned by an agent, " in tasks
    assert "TODO: ask Mira (last stage: pinned, " in tasks
    story.ends_well()
