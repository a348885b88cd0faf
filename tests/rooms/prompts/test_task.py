"""Which turns give a task, and which of their words are the goal."""

from __future__ import annotations

import pytest

from holdfast.rooms.prompts.understanding import hear

pytestmark = pytest.mark.promise("C1")

TASKS = [
    "Add a --json flag to the export command",
    "let's drop the retry cache completely",
    "can you fix the broken links in the handbook?",
    "Could we show the file size in the list instead?",
    "I'd like the importer to skip empty rows",
    "we should store the token in the keychain",
    "need a small patch for the status line",
    "the upload page is slow on mobile, can you take a look?",
    "please rename the parser module to reader",
    "I think we need to rework how drafts are saved",
    "when the queue is full the worker dies, let's add a limit",
    "Do a thorough review of the scheduler",
    "The export works but add a header row to it",
    "/home/dev/app.py crashes on empty rows, add a guard for them",
]
OPENERS = [
    "the nightly build fails",
    "can you review the changes in this branch?",
    "why is the linter failing?",
    "how can we support a second currency?",
    "Check whether the release notes miss anything",
]
NOTHING = [
    "yes, please add it",
    "ok, let's go with option 2",
    "commit and push please",
    "can you create a draft PR for this branch?",
    "run the tests",
    "rebase onto main",
    "log a bug for this and let's move on",
    "where do we set the timeout?",
    "can you explain how the cache is filled?",
    "what does the second flag do?",
    "is the header still used anywhere?",
    "thanks, looks good",
    "let's do it",
    "can you do the fix?",
    "finish what you started",
]


@pytest.mark.parametrize("prompt", TASKS)
def test_a_request_in_any_of_its_forms_gives_a_task(prompt: str) -> None:
    heard = hear(prompt)

    assert (heard.goal, heard.only_opens) == (prompt, False)


@pytest.mark.parametrize("prompt", OPENERS)
def test_a_report_or_a_wish_to_look_only_opens_a_session(prompt: str) -> None:
    heard = hear(prompt)

    assert (heard.goal, heard.only_opens) == (prompt, True)


@pytest.mark.parametrize("prompt", NOTHING)
def test_consent_questions_and_single_operations_give_no_task(prompt: str) -> None:
    assert hear(prompt).goal == ""


@pytest.mark.parametrize(
    ("prompt", "goal"),
    [
        (
            (
                "We moved the docs last week and the old banner is still on three pages, which"
                " confuses everybody who follows it. Replace the old banner on every page."
            ),
            "Replace the old banner on every page.",
        ),
        (
            "The stock report shows no totals. Fix the problem",
            "The stock report shows no totals. Fix the problem",
        ),
        (
            "https://example.org/issues/12 investigate why the totals are missing in the report",
            "investigate why the totals are missing in the report",
        ),
        (
            "fix the lint errors:\n  src/a.py:1:2: E501 line too long\n  src/b.py:3:4: F401 unused",
            "fix the lint errors",
        ),
        (
            (
                "<ide_opened_file>The user opened notes.md in the IDE.</ide_opened_file>\n"
                "Write a plan for the desktop build"
            ),
            "Write a plan for the desktop build",
        ),
        (
            (
                "It is red.\n\n$ make test\nerror: 2 failed\n\nCan you make the tests independent"
                " of the clock?"
            ),
            "Can you make the tests independent of the clock?",
        ),
    ],
    ids=["background", "pointing", "an address", "a paste", "the client's tag", "a log"],
)
def test_the_goal_is_the_part_that_asks(prompt: str, goal: str) -> None:
    assert hear(prompt).goal == goal


@pytest.mark.parametrize(
    ("prompt", "goal"),
    [
        (
            "/plan:write I want an export that streams its rows",
            "I want an export that streams its rows",
        ),
        (
            "/check https://example.org/pull/12",
            "/check https://example.org/pull/12",
        ),
        ("/check", ""),
        ("/check --all", ""),
        ("/home/dev/notes.md", ""),
    ],
)
def test_a_command_with_arguments_is_a_task(prompt: str, goal: str) -> None:
    assert hear(prompt).goal == goal
