"""How checks were run when they passed is told at a start, unless the agent reads it anyway."""

from __future__ import annotations

import pytest

from holdfast.agents.surroundings import INSTRUCTIONS
from scenarios.story import A, B, C, Story

OPENING = "Commands that passed here: "


@pytest.fixture
def story(door, repo, tmp_path) -> Story:
    return Story(door, repo, tmp_path)


def line_in(said: str) -> str:
    lines = [line for line in said.splitlines() if line.startswith(OPENING)]
    return lines[0].removeprefix(OPENING).partition(" (last ")[0] if lines else ""


def session(story: Story, name: str, *commands: str, hours: float = 0.0) -> str:
    said = story.begin(name, hours=hours)
    story.say(name, "Make the cart add up", hours=hours)
    for command in commands:
        story.run(name, command, hours=hours)
    story.end(name, hours=hours)
    return said


@pytest.mark.promise("C3")
def test_what_passed_is_told_in_one_form_without_pipes_and_folders_of_the_moment(story, repo):
    session(story, A, "mise run test 2>&1 | tail -40", f"cd {repo} && mise run lint", "ls")
    session(story, B, "CI=1 mise run test", "mise run lint | head", "go test -run TestCart ./cart")

    said = story.begin(C)

    assert line_in(said) == "tests `mise run test`, lint `mise run lint`"
    story.ends_well()


@pytest.mark.promise("C3")
def test_the_folder_that_a_check_is_run_in_is_told(story):
    session(story, A, "cd web && npm run lint")

    assert line_in(story.begin(B)) == "lint `cd web && npm run lint`"
    story.ends_well()


@pytest.mark.promise("C3")
@pytest.mark.parametrize(
    ("days", "sessions", "is_told"),
    [(10, (A,), True), (20, (A,), False), (20, (A, B), True)],
)
def test_what_passed_once_is_told_for_two_weeks(story, days, sessions, is_told):
    for name in sessions:
        session(story, name, "mise run test", hours=days * 24.0)

    assert bool(line_in(story.begin(C))) is is_told
    story.ends_well()


@pytest.mark.promise("C3")
def test_what_an_instruction_file_names_is_not_told_again(story, repo):
    session(story, A, "mise run test", "make lint")
    (repo / INSTRUCTIONS[0]).write_text("# App\n\n- run `mise run test` before a commit\n")

    assert line_in(story.begin(B)) == "lint `make lint`"

    (repo / INSTRUCTIONS[0]).write_text("# App\n\nmise run test:ci   # all\nmake lint\n")

    assert line_in(story.begin(C)) == "tests `mise run test`"
    story.ends_well()


@pytest.mark.promise("C3")
@pytest.mark.parametrize(
    "command", ["go test -run TestCart ./...", "go build ./...", "cat test.txt", "pytest --co"]
)
def test_parts_builds_alone_and_what_is_no_check_are_not_told(story, command):
    session(story, A, command)

    assert line_in(story.begin(B)) == ""
    story.ends_well()


@pytest.mark.promise("C3")
def test_a_run_that_failed_behind_a_pipe_has_not_passed(story):
    story.begin(A)
    story.say(A, "Make the cart add up")
    story.run(A, "mise run test | tail", "--- FAIL: TestCart (0.1s)\nFAIL")
    story.end(A)

    assert line_in(story.begin(B)) == ""
    story.ends_well()


@pytest.mark.promise("C3")
@pytest.mark.parametrize(("sessions", "is_told"), [((A,), False), ((A, B), True)])
def test_a_form_that_never_ran_is_told_beside_one_that_passes_from_the_second_time_on(
    story, sessions, is_told
):
    for name in sessions:
        story.begin(name)
        story.say(name, "Make the cart add up")
        story.fail(name, "rtk bun test", "Exit code 127\nzsh: command not found: rtk")
        story.run(name, "bun run test:ci")
        story.end(name)

    said = story.begin(C)

    assert line_in(said) == "tests `bun run test:ci`"
    assert ("`rtk bun test` did not run here." in said) is is_told
    story.ends_well()
