"""What of a prompt outlives it: heard verbatim, and only when it is a person's own word."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given, settings, strategies as st

from holdfast.rooms.prompts.similarity import taken_back
from holdfast.rooms.prompts.task import GOAL_CAP
from holdfast.rooms.prompts.understanding import hear, is_same_task, keywords

PLAIN = {
    "Please don't modify anything in vendor/": "Please don't modify anything in vendor/",
    "dont use semicolons": "dont use semicolons",
    "Rename the cart and don't touch the theme": "don't touch the theme",
    "Update the map, and please do not change the schema": "please do not change the schema",
    "Fix the login, never edit the lock file": "never edit the lock file",
    "you mustn't edit the lock file": "you mustn't edit the lock file",
    "please don't change the schema of this project": (
        "please don't change the schema of this project"
    ),
}

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
    "of something said before": "don't touch this",
    "nothing that an agent does": "don't worry about the theme",
    "a wish": "keep commits atomic",
    "asked for": "don't you want to run the tests?",
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
@pytest.mark.parametrize(("prompt", "rule"), PLAIN.items(), ids=PLAIN)
def test_the_plain_form_of_a_rule_is_heard_without_the_task_beside_it(prompt, rule) -> None:
    (heard,) = hear(prompt).rules

    assert (heard.text, heard.sort, heard.is_order) == (rule, "forbids", False)


@pytest.mark.promise("C1")
@pytest.mark.parametrize("prompt", [prompt for prompt, rule in PLAIN.items() if prompt == rule])
def test_what_says_nothing_but_a_rule_is_no_goal(prompt: str) -> None:
    assert hear(prompt).goal == ""


@pytest.mark.promise("C2")
@pytest.mark.parametrize("prompt", NOT_RULES.values(), ids=NOT_RULES)
def test_what_is_no_order_to_the_agent_is_no_rule(prompt: str) -> None:
    assert hear(prompt).rules == []


@pytest.mark.promise("C2")
@pytest.mark.parametrize("prompt", NOT_SAID, ids=range(len(NOT_SAID)))
def test_what_tools_put_into_a_prompt_is_not_heard(prompt: str) -> None:
    heard = hear(prompt)
    assert (heard.goal, heard.is_change) == ("", False)
    assert heard.rules == heard.withdrawals == []


@pytest.mark.promise("C1")
@pytest.mark.parametrize(("before", "is_heard"), [(0, True), (99, True), (101, False)])
def test_of_a_long_prompt_the_first_eight_hundred_words_are_heard(before, is_heard) -> None:
    told = "The page is blue. "  # which counts for four words more than it has
    prompt = f"{told * before}Add a footer to every page. {told * 400}"

    assert ("Add a footer" in hear(prompt).goal) is is_heard


@pytest.mark.promise("C1")
def test_a_person_is_heard_around_what_tools_put_in() -> None:
    heard = hear(
        "<ide_opened_file>The user opened never_again.py</ide_opened_file>\n"
        "Add a sitemap to the docs site, and don't touch the theme."
    )
    assert heard.goal.startswith("Add a sitemap")
    assert [rule.text for rule in heard.rules] == ["don't touch the theme"]


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
    for text in [*(r.text for r in heard.rules), *heard.withdrawals, heard.goal]:
        assert text in prompt
    assert all(rule.text for rule in heard.rules)
    assert all(heard.withdrawals)
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


@pytest.mark.promise("C1")
def test_a_task_after_words_of_change_is_the_new_one() -> None:
    heard = hear("stop, something more urgent came in: add message editing, with its history kept")
    assert heard.is_change
    assert "add message editing" in heard.goal
