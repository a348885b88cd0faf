"""A program that opens session after session with the same words is nobody's last session: what
it asks is no goal and no rule, and the person's own unfinished work is told behind all of them."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from conftest import Door, git
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.prompts import queries
from holdfast.rooms.sessions.queries import previous_of
from law import assert_replay_law
from scenarios.story import A, B, C, Story

pytestmark = pytest.mark.promise("W7")
TASK = "Let the importer round money half to even"
REVIEW = "Review the latest commits for mistakes. Never touch the code. Write what you find to "
ROUNDS = [f"{number}{C[1:]}" for number in range(4)]


@pytest.fixture
def story(door: Door, repo: Path, tmp_path: Path) -> Story:
    return Story(door, repo, tmp_path)


def automated(story: Story, session: str, text: str, hours: float, source: str = "sdk") -> None:
    story.begin(session, hours=hours)
    story.source = source
    story.say(session, text, hours=hours)
    story.stop(session, "The commits hold no mistake that I can see.", hours=hours)
    story.end(session, hours=hours)
    story.source = "typed"


def unfinished(story: Story, hours: float) -> None:
    story.begin(A, hours=hours)
    story.say(A, TASK, hours=hours)
    (story.repo / "README.md").write_text("rounded\n")
    story.edit(A, "README.md", hours=hours)
    story.stop(A, "The importer rounds now.\n\nNext: round the refunds as well", hours=hours)
    story.end(A, hours=hours)


def test_what_a_program_opens_sessions_with_is_neither_goal_nor_last_session(story):
    unfinished(story, 9)
    for number, session in enumerate(ROUNDS):
        automated(story, session, f"{REVIEW}round-{number}.md", 8 - number)

    told = story.begin(B)

    assert f'> asked: "{TASK}"' in told
    assert "Review the latest commits" not in told
    with closing(Workspace(story.state).store) as store:
        assert [queries.goal_of(store, session) for session in ROUNDS] == [None] * 4
        assert previous_of(store, B) == (A, "followed")
    assert_replay_law(story.state, story.repo)


def test_the_third_is_briefed_like_any_other(story):
    unfinished(story, 9)
    for number, session in enumerate(ROUNDS[:3]):
        automated(story, session, f"{REVIEW}round-{number}.md", 8 - number)

    assert TASK in story.begin(ROUNDS[3])


@pytest.mark.parametrize(
    ("texts", "source"),
    [
        ([f"{REVIEW}one.md", f"{REVIEW}two.md"], "sdk"),  # twice is a person, too
        (["Go on with the work."] * 4, "sdk"),  # so short that people say it
        ([f"{REVIEW}{number}.md" for number in range(4)], "typed"),  # at a keyboard
    ],
)
def test_what_a_person_says_again_is_still_asked(story, texts, source):
    git(story.repo, "switch", "-q", "-c", "topic")
    for number, text in enumerate(texts):
        automated(story, ROUNDS[number], text, 8 - number, source)

    told = story.begin(B)

    assert f'> asked: "{texts[-1][:30]}' in told


def test_a_rule_that_was_announced_stays_and_no_more_are_heard(story):
    for number, session in enumerate(ROUNDS):
        automated(
            story, session, f"{REVIEW}round-{number}.md. Never use {number} tabs.", 8 - number
        )
    story.begin(B)

    with closing(Workspace(story.state).store) as store:
        (project,) = {row[0] for row in store.rows("select project from sessions")}
        rules = [rule.text for rule in queries.all_rules(store, project)]
    assert any("Never touch the code" in rule for rule in rules)
    assert not any("3 tabs" in rule for rule in rules)
