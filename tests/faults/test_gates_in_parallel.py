"""Many judgements and many satisfactions at once on one branch: none is lost, and nothing fails."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from around import fault_kinds, waiting

from cli.terminal import typed
from scenarios.story import A, Story

MANY = 32
NAMES = [f"gate_{number:02d}" for number in range(MANY)]
EACH_BY_ITS_SKILL = "requirements:\n" + "".join(
    f"  {name}: {{satisfied_by_skill: skill-{name}, scope: {scope}}}\n"
    for name, scope in zip(NAMES, ["session", "branch", "single_use", "permanent"] * 8, strict=True)
)
ONE = "requirements: {planned: {satisfied_by_skill: plan}}\n"


def all_at_once(*acts: Callable[[], object]) -> list[object]:
    """Every act in a thread of its own; what each answers. What one raises is raised here."""
    with ThreadPoolExecutor(len(acts)) as pool:
        return [one.result(timeout=300) for one in [pool.submit(act) for act in acts]]


def judged(story: Story, session: str, number: int) -> Callable[[], object]:
    return lambda: story.ask_edit(session, f"src/part_{number}.py")


def assert_nothing_failed(story: Story) -> None:
    story.stop(A, stop_hook_active=True)  # what still waits is taken in
    assert fault_kinds(story.state) == []
    assert waiting(story.state) == []


@pytest.mark.timeout(600)
@pytest.mark.promise("G3")
def test_skills_and_judgements_at_once_in_one_session_lose_nothing(story: Story) -> None:
    story.demand(EACH_BY_ITS_SKILL)
    story.begin(A)

    answers = all_at_once(
        *(judged(story, A, number) for number in range(MANY)),
        *(lambda name=name: story.skill(A, f"skill-{name}") for name in NAMES),
    )

    assert all(isinstance(one, str) for one in answers[:MANY])
    assert story.ask_edit(A) == "", "a satisfaction was lost"
    assert_nothing_failed(story)
    story.stop(A)  # what the agent's record has counts for the branch
    met = [one["requirement"] for one in story.bodies("requirement_met")]
    assert sorted(set(met)) == NAMES
    shown = story.mirrored()
    assert [name for name in NAMES if shown[name].get("satisfied")] == NAMES[1::2]
    assert all(
        shown[name]["sessions"]["aaaaaaaa"]["satisfied"]
        for name in NAMES
        if "sessions" in shown[name]
    )
    story.ends_well()


@pytest.mark.exhaustive
@pytest.mark.timeout(600)
@pytest.mark.promise("G3")
def test_many_sessions_of_a_branch_satisfy_and_are_judged_at_once(story: Story) -> None:
    story.demand(ONE)
    sessions = [f"{number:08x}-0000-4000-8000-000000000000" for number in range(1, MANY)]
    story.begin(A)
    for session in sessions:
        story.begin(session)

    all_at_once(
        *(judged(story, A, number) for number in range(MANY)),
        *(lambda one=one: story.skill(one, "plan") for one in sessions),
    )

    assert "planned" in story.ask_edit(A), "it saw what another session satisfied"
    assert [one for one in sessions if story.ask_edit(one) != ""] == []
    assert_nothing_failed(story)
    assert sorted(story.mirrored()["planned"]["sessions"]) == sorted(one[:8] for one in sessions)
    story.ends_well()


@pytest.mark.timeout(600)
@pytest.mark.promise("G3")
def test_the_persons_commands_and_judgements_at_once_lose_nothing(story: Story) -> None:
    story.demand(EACH_BY_ITS_SKILL)
    story.begin(A)

    answers = all_at_once(
        *(judged(story, A, number) for number in range(MANY)),
        *(
            lambda name=name: typed(story.repo, "req", "satisfy", name, "--session", A)
            for name in NAMES
        ),
    )

    assert {(one.returncode, one.stderr) for one in answers[MANY:]} == {(0, "")}  # type: ignore[attr-defined]
    assert story.ask_edit(A) == "", "a satisfaction was lost"
    assert_nothing_failed(story)
    assert sorted(one["requirement"] for one in story.bodies("requirement_met")) == NAMES
    story.ends_well()


@pytest.mark.timeout(600)
@pytest.mark.promise("G4")
def test_a_review_is_used_up_once_however_many_commits_end_at_once(story: Story) -> None:
    story.demand(
        """
requirements:
  reviewed:
    scope: single_use
    satisfied_by_skill: review
    trigger_tools: [{tool: Bash, command_pattern: git commit}]
"""
    )
    story.begin(A)
    story.skill(A, "review")

    all_at_once(*(lambda: story.run(A, "git commit -m x") for _ in range(MANY // 4)))

    assert "reviewed" in story.ask_run(A, "git commit -m y")
    assert_nothing_failed(story)
    assert len(story.bodies("requirement_cleared")) == 1
    story.skill(A, "review")
    assert story.ask_run(A, "git commit -m y") == ""
    story.ends_well()
