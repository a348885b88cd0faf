"""What of a prompt outlives it: heard verbatim, and only when it is a person's own word."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.rooms.prompts.similarity import taken_back
from holdfast.rooms.prompts.understanding import GOAL_CAP, hear, is_same_task, keywords

RULES = [
    ("Please don't modify anything in vendor/", "forbids", "don't modify anything in vendor"),
    ("no third party libs", "forbids", "no third party libs"),
    ("hands off the billing module", "forbids", "hands off the billing module"),
    ("leave package-lock.json alone", "forbids", "leave package-lock.json alone"),
    ("quit apologizing and just do the work", "forbids", "quit apologizing"),
    ("we do not use default exports here", "forbids", "we do not use default exports here"),
    ("core must never import from plugins", "forbids", "core must never import from plugins"),
    (
        "nothing outside of packages/core should change",
        "forbids",
        "nothing outside of packages/core",
    ),
    (
        "Refactor the parser without breaking the public API",
        "forbids",
        "without breaking the public",
    ),
    ("dont use semicolons", "forbids", "dont use semicolons"),
    ("we're on python 3.9, so no match statements", "forbids", "no match statements"),
    ("always run the tests before committing", "demands", "always run the tests"),
    ("All new code must be covered by tests", "demands", "All new code must be covered"),
    ("keep commits atomic", "demands", "keep commits atomic"),
    ("Before you push, run the full test suite", "demands", "Before you push, run the full"),
    ("from now on, reply in French", "demands", "from now on, reply in French"),
    ("ask before installing new packages", "demands", "ask before installing new packages"),
    ("could you always show me the diff before committing?", "demands", "always show me the diff"),
    ("one commit per change please", "demands", "one commit per change please"),
    ("no, use poetry", "corrects", "use poetry"),
    ("not axios, we use fetch", "corrects", "not axios, we use fetch"),
    ("wrong, the entry point is cli.py, not main.py", "corrects", "the entry point is cli.py"),
    ("i asked for postgres, not sqlite", "corrects", "i asked for postgres, not sqlite"),
    ("I prefer composition over inheritance", "prefers", "I prefer composition over"),
    ("I'd rather you asked before making big changes", "prefers", "I'd rather you asked before"),
    ("we tend to keep controllers thin", "prefers", "we tend to keep controllers thin"),
    ("generated files are never to be checked in", "forbids", "generated files are never to be"),
    ("until Monday please no deploys", "forbids", "no deploys"),
    ("Fix the typos, but not by rewriting the page", "forbids", "not by rewriting the page"),
    ("Speed up the parser without any new globals", "forbids", "without any new globals"),
    ("the v1 endpoints have to keep working", "demands", "the v1 endpoints have to keep"),
    ("in commit messages refer to the ticket", "demands", "refer to the ticket"),
]

NOT_RULES = {
    "a question": "should we always validate input?",
    "a question that doubts": "why don't we use redis here?",
    "a statement about the program": "it never returns on my machine",
    "a requirement": "Users must never see the posts of others. Implement that filter.",
    "a condition of the program": "When the list is empty, don't render the header",
    "the moment": "don't commit yet",
    "another moment": "wait, don't do that",
    "another choice": "no, the other file",
    "doubt": "maybe we should always retry, not sure",
    "a quotation": 'The style guide says: "Never use more than two levels."',
    "a quoted sentence": '"Never push to main" is what the README says, fun',
    "a review": "> Never allocate in Update(). Please don't use LINQ here.\n\nwhat does he mean?",
    "a fence": "what is this?\n```c\n/* never call this twice */\n// don't edit\n```",
    "an unclosed fence": "what is this?\n```\nnever call this twice",
    "a log": "warning: field `a` is never read\nerror: must not be null\na.rs:1:2: never used",
    "an indented listing": "look:\n\n    never call this twice\n    always lock first",
    "a diff": "+  // always lock first\n@@ -1 +1 @@",
    "the words of others": "the docs say you should always close the connection",
    "an empty no": "no worries",
    "an answer": "no",
}

NOT_SAID = [
    "<command-name>/clear</command-name>\n<command-args>never push</command-args>",
    "<local-command-stdout>Never push to main. Add a test.</local-command-stdout>",
    "<local-command-stdout>You can now push again, and never mind the rest that was cut off",
    "[Request interrupted by user]",
    "[Request interrupted by user for tool use]",
    "This session is being continued from a previous conversation.\nNever push. Add a login page.",
]


@pytest.mark.promise("C2")
@pytest.mark.parametrize(("prompt", "sort", "part"), RULES, ids=[row[0][:40] for row in RULES])
def test_a_rule_is_heard_verbatim_with_its_sort(prompt: str, sort: str, part: str) -> None:
    rules = hear(prompt).rules
    assert [rule.sort for rule in rules][:1] == [sort]
    assert any(part in rule.text for rule in rules)


@pytest.mark.promise("C2")
@pytest.mark.parametrize("prompt", NOT_RULES.values(), ids=NOT_RULES)
def test_what_is_no_order_to_the_agent_is_no_rule(prompt: str) -> None:
    assert hear(prompt).rules == []


@pytest.mark.promise("C2")
@pytest.mark.parametrize("prompt", NOT_SAID, ids=range(len(NOT_SAID)))
def test_what_tools_put_into_a_prompt_is_not_heard(prompt: str) -> None:
    heard = hear(prompt)
    assert (heard.goal, heard.continues, heard.is_change) == ("", False, False)
    assert heard.rules == heard.withdrawals == heard.dead_ends == []


@pytest.mark.promise("C2")
@pytest.mark.parametrize(("before", "is_heard"), [(0, True), (99, True), (101, False)])
def test_of_a_long_prompt_the_first_eight_hundred_words_are_heard(before, is_heard) -> None:
    told = "The page was slow. "  # which counts for four words more than it has
    prompt = f"{told * before}Never push to main. {told * 400}"

    assert [rule.text for rule in hear(prompt).rules] == ["Never push to main"] * is_heard


@pytest.mark.promise("C2")
@pytest.mark.parametrize(
    ("prompt", "rule"),
    [
        (
            "Never push to main, because the CI deploys it",
            "Never push to main, because the CI deploys it",
        ),
        ("Use only urllib, we had requests before and hated it since", "Use only urllib"),
    ],
)
def test_a_reason_belongs_to_its_rule_and_a_story_does_not(prompt: str, rule: str) -> None:
    assert [each.text for each in hear(prompt).rules] == [rule]


@pytest.mark.promise("C2")
def test_a_person_is_heard_around_what_tools_put_in() -> None:
    heard = hear(
        "<ide_opened_file>The user opened never_again.py</ide_opened_file>\n"
        "Add a sitemap to the docs site, but don't touch the theme."
    )
    assert heard.goal.startswith("Add a sitemap")
    assert [rule.text for rule in heard.rules] == ["don't touch the theme"]


@pytest.mark.promise("C2")
@pytest.mark.parametrize(
    ("prompt", "lasting"),
    [
        ("never push to main", True),
        ("we don't mock the database here", True),
        ("from now on answer in Spanish", True),
        ("don't change the schema for this one", False),
        ("keep the diff small this time", False),
        ("no new dependencies please", False),
    ],
)
def test_only_what_is_said_for_good_lasts(prompt: str, lasting: bool) -> None:
    assert [rule.lasting for rule in hear(prompt).rules] == [lasting]


@pytest.mark.promise("C2")
def test_of_an_accepted_plan_only_its_title_is_heard() -> None:
    heard = hear(
        "Implement the following plan:\n\n# Plan: tags\n\n## Steps\n- never store duplicates\n"
        "- always sort by name\n\n## Constraints\n- The wire format stays as it is.\n- No unsafe.\n"
    )
    assert heard.rules == []
    assert heard.goal == "tags"


@pytest.mark.promise("C2")
@pytest.mark.parametrize(
    ("prompt", "text"),
    [
        ("forget that rule", "forget that rule"),
        ("ok you can add dependencies now", "ok you can add dependencies now"),
        (
            "the no-dependencies rule no longer applies",
            "the no-dependencies rule no longer applies",
        ),
        ("Let's drop the no-comments rule", "Let's drop the no-comments rule"),
        ("you may push to main now", "you may push to main now"),
        ("My ban on recursion: lifted.", "My ban on recursion: lifted"),
    ],
)
def test_a_rule_that_is_taken_back_is_heard_verbatim(prompt: str, text: str) -> None:
    heard = hear(prompt)
    assert heard.withdrawals == [text]
    assert heard.rules == []


@pytest.mark.promise("C2")
@pytest.mark.parametrize(
    "prompt",
    [
        "you can find the logs in /var/log",
        "remove the rate limit",
        "can I use lodash again?",
        "ok you can continue",
        "ignore this error",
        "the outage is over",
        'Can we add "You can press the arrow key to get the line again. Then Enter"',
        "you forgot the rule about main again",
        "don't forget the rule about main, it still applies",
    ],
)
def test_what_takes_no_rule_back_is_no_withdrawal(prompt: str) -> None:
    assert hear(prompt).withdrawals == []


@pytest.mark.promise("C2")
@pytest.mark.parametrize(
    "prompt",
    [
        "we tried increasing the timeout, didn't help",
        "switching to async was a dead end",
        "memoizing the component made it worse",
        "been down that road with federation, we ripped it out",
        "I gave the official SDK a shot, it can't stream",
        "swapping the driver gave us nothing",
    ],
)
def test_an_approach_that_failed_is_a_dead_end(prompt: str) -> None:
    assert hear(prompt).dead_ends == [prompt]


@pytest.mark.promise("C2")
@pytest.mark.parametrize(
    "prompt",
    [
        "the test failed again",
        "I tried to log in and got a 500",
        "uploading a file doesn't work on safari",
        "we upgraded to 5.0 and now it crashes",
    ],
)
def test_a_failure_of_the_program_is_no_dead_end(prompt: str) -> None:
    assert hear(prompt).dead_ends == []


@pytest.mark.promise("C1")
@pytest.mark.parametrize(
    "prompt",
    [
        "Add pagination to the users endpoint",
        "Our build takes 20 minutes. Make it faster.",
        "can you make the list sortable by date?",
        "I'd like to have a CLI command that prints the config",
        "test_reconnect fails one time in twenty, figure out why and fix it",
        "The header overlaps the menu on small screens. Can you fix that?",
        "Bisect the regression in the tokenizer",
        "is there any chance you could break up UserSettings.tsx?",
        "Next thing: the metrics page loads 40 charts at once",
    ],
)
def test_a_task_that_stands_on_its_own_is_a_goal_in_the_users_words(prompt: str) -> None:
    assert hear(prompt).goal == prompt


@pytest.mark.promise("C1")
@pytest.mark.parametrize(
    "prompt",
    [
        "hello",
        "thanks!",
        "option 2",
        "run the tests",
        "commit this",
        "fix it",
        "and now the same for the other one",
        "can you add a test for that?",
        "where is RetryBudget used?",
        "can you explain how the cache works?",
        "never push to main",
        "continue",
        "continue, the network should be better now",
        "do we need to write a plan first?",
        "revert the second hunk, the rest can stay",
        "the tests pass on my machine",
        "/compact",
        "FAILED tests/test_a.py::test_b - AssertionError: must not be reopened\n2 failed",
    ],
)
def test_a_step_a_question_or_a_rule_is_no_goal(prompt: str) -> None:
    assert hear(prompt).goal == ""


@pytest.mark.promise("C1")
def test_a_long_goal_is_cut_after_a_sentence_and_stays_verbatim() -> None:
    prompt = "Add an audit log to the billing service. " + "It records who changed what. " * 20
    goal = hear(prompt).goal
    assert goal.endswith(".")
    assert goal in prompt
    assert len(goal) <= GOAL_CAP


@pytest.mark.promise("C1")
@pytest.mark.parametrize(
    ("prompt", "is_change"),
    [
        ("New task: rename the package to acme-core", True),
        ("next up: write the release notes for 2.4", True),
        ("Forget the login thing, instead add a health check endpoint", True),
        ("Add pagination to the users endpoint", False),
    ],
)
def test_a_change_of_task_is_heard_when_it_is_said(prompt: str, is_change: bool) -> None:
    heard = hear(prompt)
    assert heard.goal
    assert heard.is_change is is_change


@pytest.mark.promise("C1")
@pytest.mark.parametrize(
    "prompt", ["continue", "yes, go ahead", "ok keep going pls", "Carry on where you stopped."]
)
def test_going_on_is_neither_goal_nor_rule(prompt: str) -> None:
    heard = hear(prompt)
    assert heard.continues
    assert (heard.goal, heard.rules) == ("", [])


IN_FORCE = [
    ("main", "never push to main"),
    ("migrations", "don't touch the migrations"),
    ("packages", "no new dependencies"),
    ("tests", "always run the tests before committing"),
]


@pytest.mark.promise("C2")
@pytest.mark.parametrize(
    ("words", "taken"),
    [
        ("pushing is okay now", ["main"]),
        ("you can edit migration files again", ["migrations"]),
        ("adding packages is fine after all", ["packages"]),
        ("scratch what I said about tests", ["tests"]),
        ("forget that rule", ["tests"]),
        ("forget all rules", ["main", "migrations", "packages", "tests"]),
        ("forget the rule about tabs", []),
        ("you can use lodash now", []),
    ],
)
def test_words_take_back_the_rule_they_name_and_no_other(words: str, taken: list[str]) -> None:
    assert taken_back(words, IN_FORCE) == taken


@pytest.mark.promise("C2")
def test_of_two_rules_meant_equally_well_the_older_stays() -> None:
    rules = [("old", "every handler must have a test"), ("new", "no test may sleep")]
    assert taken_back("forget what I said about tests", rules) == ["new"]
    assert taken_back("forget that rule", []) == []


@pytest.mark.promise("C1")
@pytest.mark.parametrize(
    ("prompt", "is_same"),
    [
        ("the upload endpoint returns 500 with limits on, fix that", True),
        ("now limit the rate of the download endpoint too", True),
        ("run the tests", True),
        ("Write a blog post about kafka", False),
        ("rename the package to acme", False),
    ],
)
def test_a_prompt_about_the_same_things_is_the_same_task(prompt: str, is_same: bool) -> None:
    goal = keywords("Add rate limiting to the upload endpoint")
    assert is_same_task(goal, prompt) is is_same


@pytest.mark.promise("C1")
def test_keywords_are_content_words_with_names_kept_whole() -> None:
    text = "Fix login_test in src/auth.py: don't break the login, see https://example.org/x"
    assert keywords(text) == ["fix", "login_test", "src", "auth.py", "break", "login"]
    assert keywords(text, 2) == ["fix", "login_test"]
    assert keywords("") == []


WORDS = (
    "never don't always no use keep not we tried it failed forget the rule please push main tests"
    " and but without changing i prefer said you can again now only stop adding from now on leave"
    " alone if before you every must new dependencies make sure that"
)
MARKS = [
    ", ",
    ". ",
    "; ",
    ": ",
    "? ",
    "!",
    "(",
    ")",
    "```",
    "`",
    '"',
    "'",
    "- ",
    "\n",
    "\n\n",
    "# ",
]
MARKS += ["# ", "> ", "<a>", "</a>", "\u2014", "\U0001f600", "\x00", "\r\n", "    "]
SPEECH = st.lists(st.sampled_from([*WORDS.split(), *MARKS]), max_size=60).map(" ".join)


@pytest.mark.promise("C2")
@settings(max_examples=400, deadline=None)
@given(st.one_of(st.text(max_size=300), SPEECH))
def test_everything_heard_is_in_the_prompt_whatever_the_prompt(prompt: str) -> None:
    heard = hear(prompt)
    for text in [*(r.text for r in heard.rules), *heard.withdrawals, *heard.dead_ends, heard.goal]:
        assert text in prompt
    assert all(rule.text for rule in heard.rules)
    assert all([*heard.withdrawals, *heard.dead_ends])
    assert len(heard.goal) <= GOAL_CAP
    assert is_same_task(keywords(prompt), prompt)
    taken_back(prompt, [("a", prompt)])


ODD = {
    "one word": "x" * 20_000,
    "nul": "\x00" * 20_000,
    "lines": "a\n" * 10_000,
    "quotes": '"' * 20_000,
    "apostrophes": " '" * 10_000,
    "closing tags": "</a>" * 5_000,
    "colons": ":" * 20_000,
    "commas": "no, " * 5_000,
    "bullets": "- no x\n" * 2_900,
    "another script": "不要推送" * 5_000,
    "orders": "please don't touch it and always run the tests, but never push; " * 300,
}


@pytest.mark.promise("C2")
@pytest.mark.parametrize("prompt", ODD.values(), ids=ODD)
def test_an_odd_prompt_is_heard_in_a_bounded_number_of_steps(prompt: str) -> None:
    calls = [0]

    def count(*_: object) -> None:
        calls[0] += 1

    sys.setprofile(count)
    try:
        hear(prompt)
    finally:
        sys.setprofile(None)
    assert calls[0] < 3_000_000


@pytest.mark.promise("C2")
@pytest.mark.parametrize(
    ("words", "gone"),
    [
        ("forget that rule", ["b"]),
        ("scratch what I said", ["b"]),
        ("go ahead", []),
        ("ok fine", []),
    ],
)
def test_words_that_name_nothing_take_back_the_last_rule_only_if_they_point_at_it(
    words: str, gone: list[str]
) -> None:
    assert taken_back(words, [("a", "never push to main"), ("b", "keep the log format")]) == gone


@pytest.mark.promise("C2")
def test_what_failed_is_kept_with_how_it_failed() -> None:
    said = "we tried the disk cache and it gets evicted too early, don't go there again"
    assert hear(said).dead_ends == [said]


@pytest.mark.promise("C1")
def test_a_task_after_words_of_change_is_the_new_one() -> None:
    heard = hear("stop, something more urgent came in: add message editing, with its history kept")
    assert heard.is_change
    assert "add message editing" in heard.goal
