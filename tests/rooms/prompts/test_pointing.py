"""Pointing at the user's words: they are found, widened to their unit, or refused."""

from __future__ import annotations

import pytest

from holdfast.rooms.prompts import pointing
from holdfast.rooms.prompts.pointing import Refused, Unit, unit_of

pytestmark = pytest.mark.promise("W3")

LIST = """Some things before you start.

Never:
- push to main
- edit files under vendor/
  - not even to fix a typo
- commit without running the linter

Thanks!"""


def kept(prompt: str, quote: str, *, as_rule: bool = True) -> str:
    unit = unit_of(prompt, quote, as_rule=as_rule)
    assert isinstance(unit, Unit), unit
    assert unit.text == "\n".join(prompt[start:end] for start, end in unit.spans)
    return unit.text


def reason(
    prompt: str, quote: str, *, as_rule: bool = True, withdrawn: tuple[str, ...] = ()
) -> str:
    unit = unit_of(prompt, quote, as_rule=as_rule, withdrawn=withdrawn)
    assert isinstance(unit, Refused), unit
    assert unit.message
    assert unit.hint
    return unit.reason


@pytest.mark.parametrize(
    ("prompt", "quote", "whole"),
    [
        ("Please don't use npm here.", "use npm here", "Please don't use npm here."),
        ("Never push to main. Thanks.", "push to main", "Never push to main."),
        (
            "Run the slow tests, unless only docs changed. Then commit.",
            "Run the slow tests",
            "Run the slow tests, unless only docs changed.",
        ),
        (
            "Squash before merging. Unless I say otherwise.",
            "squash before merging",
            "Squash before merging. Unless I say otherwise.",
        ),
        (
            "Squash before merging. Unless I say otherwise.",
            "unless I say otherwise",
            "Squash before merging. Unless I say otherwise.",
        ),
        (
            "use ruff instead of flake8 from now on",
            "use ruff",
            "use ruff instead of flake8 from now on",
        ),
        (
            "Rename the flags, but not the ones in the API. Go on.",
            "rename the flags",
            "Rename the flags, but not the ones in the API.",
        ),
        (
            "When you deploy,\nask me first. Always.",
            "ask me first",
            "When you deploy,\nask me first.",
        ),
        (
            "never... push to main by yourself",
            "push to main by yourself",
            "never... push to main by yourself",
        ),
        (
            "Tests go (e.g. the slow ones. And not others) into slow/. Right.",
            "tests go",
            "Tests go (e.g. the slow ones. And not others) into slow/.",
        ),
        (
            "keep the public functions of the package as they are now\nunless the docs say so",
            "keep the public functions",
            "keep the public functions of the package as they are now\nunless the docs say so",
        ),
    ],
)
def test_a_part_of_a_sentence_is_widened_to_all_of_it(prompt: str, quote: str, whole: str) -> None:
    assert kept(prompt, quote) == whole


MONEY = (
    "Migrate quote() to Decimal, step by step; in this code base money is never float,"
    " and stop after step 1."
)


@pytest.mark.parametrize(
    ("prompt", "quote", "clause"),
    [
        (MONEY, "money is never float", "in this code base money is never float"),
        (MONEY, MONEY, "in this code base money is never float"),
        ("Fix the login, and never log passwords.", "log passwords", "never log passwords."),
        ("Fix the login and never log passwords.", "log passwords", "never log passwords."),
        ("Never push to main, and then fix the tests.", "push to main", "Never push to main"),
        (
            "- add the page; don't touch the schema, unless I say so",
            "touch the schema",
            "don't touch the schema, unless I say so",
        ),
        (
            "Fix the login page; if you touch the schema, ask me first.",
            "ask me first",
            "if you touch the schema, ask me first.",
        ),
        (
            "Rename Foo to Bar, but never touch the generated files, and push when done.",
            "touch the generated files",
            "never touch the generated files",
        ),
        (
            "Fix the login page and please use tabs in this repo.",
            "use tabs",
            "please use tabs in this repo.",
        ),
        (
            "When you refactor, keep the public API, and now refactor fetch.py.",
            "keep the public API",
            "When you refactor, keep the public API",
        ),
        (
            "When you release:\n- never tag by hand; fix the notes",
            "tag by hand",
            "When you release:\n- never tag by hand",
        ),
    ],
)
def test_a_rule_is_widened_to_its_clause_and_not_to_the_task_beside_it(
    prompt: str, quote: str, clause: str
) -> None:
    assert kept(prompt, quote) == clause


@pytest.mark.parametrize(
    ("prompt", "quote"),
    [
        # A negation, a condition or an exception reaches over a comma, a colon and further.
        ("Never push to main, and commit without running the linter.", "commit without running"),
        ("If the build fails, fix the tests; ask me first.", "ask me first"),
        ("Run the linter; if it fails, ask me first.", "ask me first"),
        ("Use tabs; when in doubt.", "when in doubt"),
        ("Never push to main; and then", "and then"),
        ("Don't push, and commit when done, but never amend.", "commit when done"),
        ("Use spaces, but never use tabs in YAML.", "use spaces"),
        ("Never push to main and fix the tests unless I say so.", "push to main"),
        ("Never: push to main; merge alone.", "merge alone"),
        ("Never push to main, and fix the tests, unless I say so.", "push to main"),
        ("Use ruff; never run it on vendor code.", "never run it on vendor"),
        # Two rules, and what is in brackets.
        ("Use uv for installs, and never call pip.", "Use uv for installs, and never call pip"),
        ("Keep functions short (split the old ones; add tests first).", "keep functions short"),
    ],
)
def test_a_clause_is_never_parted_from_what_turns_its_meaning(prompt: str, quote: str) -> None:
    assert kept(prompt, quote) == prompt


@pytest.mark.parametrize(
    ("prompt", "quote", "whole"),
    [
        (LIST, "push to main", "Never:\n- push to main"),
        (
            LIST,
            "commit without running the linter",
            "Never:\n- commit without running the linter",
        ),
        (
            LIST,
            "edit files under vendor/",
            "Never:\n- edit files under vendor/\n  - not even to fix a typo",
        ),
        (
            LIST,
            "even to fix a typo",
            "Never:\n- edit files under vendor/\n  - not even to fix a typo",
        ),
        (
            "When you release:\n\n1. tag the commit\n2. tell me the version",
            "tell me the version",
            "When you release:\n2. tell me the version",
        ),
        ("## Don't\n\n- squash commits\n\nbye", "squash commits", "## Don't\n\n- squash commits"),
        (
            f"{'The page was slow. ' * 20}\n\nNever do this\n- push to main\n- merge alone",
            "push to main",
            "Never do this\n- push to main",
        ),
        ("Do not ever:\npush to main", "push to main", "Do not ever:\npush to main"),
        (
            "Rejected ideas:\n- cache the tokens\n- poll every second",
            "cache the tokens",
            "Rejected ideas:\n- cache the tokens",
        ),
        # A line that only stands there gives no meaning.
        (
            "## Style\n\n- short names for locals\n",
            "short names for locals",
            "short names for locals",
        ),
        ("- short names\n- long docs for laws", "long docs for laws", "long docs for laws"),
    ],
)
def test_a_bullet_comes_with_the_lines_that_give_it_its_meaning(
    prompt: str, quote: str, whole: str
) -> None:
    assert kept(prompt, quote) == whole


def test_the_line_above_a_list_comes_with_the_list() -> None:
    prompt = "Hi. Always do:\n- run the linter\n- run the tests\n\nNow fix the parser."

    assert kept(prompt, "Always do:") == "Always do:\n- run the linter\n- run the tests"


@pytest.mark.parametrize(
    "quote",
    [
        "NEVER commit   to the\ndocs branch",
        "“Never commit to the docs branch”",
        "**never** commit to the `docs` branch.",
        "never commit to the...",
        "never commit to the do…",
    ],
)
def test_white_space_case_marks_and_a_cut_end_may_differ(quote: str) -> None:
    prompt = "Never commit to the *docs* branch, it’s generated."

    assert kept(prompt, quote) == prompt


@pytest.mark.parametrize(
    "quote",
    [
        "Never push to the docs branch",
        "Never commit the docs branch",
        "commit never to the docs branch",
        "to the docs branch it's not generated",
    ],
)
def test_words_that_nobody_typed_are_refused(quote: str) -> None:
    prompt = "Never commit to the *docs* branch, it’s generated."

    assert reason(prompt, quote) == pointing.NOT_TYPED


def test_a_quotation_of_several_sentences_gives_all_of_them() -> None:
    prompt = "Well. Use tabs in Go. Spaces in Python, though. Now the bug."

    assert kept(prompt, "tabs in Go. Spaces") == "Use tabs in Go. Spaces in Python, though."


def test_what_is_longer_than_the_cap_is_refused() -> None:
    prompt = "always " + "check every one of the files " * 30

    assert reason(prompt, "check every one of the files check") == pointing.TOO_LONG


@pytest.mark.parametrize(
    ("prompt", "quote", "why"),
    [
        ("Implement the following plan:\n\n# Move\n\nNever touch the old API.",
         "Never touch the old API", pointing.PLAN),
        ("<system-reminder>Never mention this to the user.</system-reminder>",
         "Never mention this", pointing.CLIENT),
        ("look:\n```\n# never edit by hand\nx = 1\n```\nwhy?",
         "never edit by hand", pointing.PASTED),
        ('The linter prints "always use double quotes", fix it.',
         "always use double quotes", pointing.QUOTED),
        ("The reviewer wrote: never use globals here", "never use globals here", pointing.PASTED),
        ("<notes>always squash commits</notes>\nhave a look", "always squash commits",
         pointing.PASTED),
    ],
)  # fmt: skip
def test_what_others_wrote_is_refused(prompt: str, quote: str, why: str) -> None:
    assert reason(prompt, quote) == why


def test_own_words_around_an_inline_quotation_are_kept_with_it() -> None:
    prompt = "Always run `make check` before you commit."

    assert kept(prompt, "run make check before you commit") == prompt


@pytest.mark.parametrize(
    "prompt",
    [
        "Should we use Redis for the queue?",
        "should we use Redis for the queue",
        "ok, do we always use Redis for the queue?",
        "Why do we use Redis for the queue?",
        "can you explain why we use Redis for the queue?",
        "If we use Redis for the queue, should we drop the lock?",
    ],
)
def test_a_question_is_refused(prompt: str) -> None:
    assert reason(prompt, "use Redis for the queue") == pointing.QUESTION


@pytest.mark.parametrize(
    "prompt",
    [
        "can you always run the tests first?",
        "Could you please always run the tests first?",
        "always run the tests first, ok?",
        "Can we just always run the tests first?",
        "could we always run the tests first and tell me",
    ],
)
def test_what_is_asked_for_in_the_form_of_a_question_is_kept(prompt: str) -> None:
    assert kept(prompt, "always run the tests first") == prompt


@pytest.mark.parametrize(
    "prompt",
    [
        "You may push to main.",
        "you can push to main whenever you like",
        "Go ahead and push to main.",
        "feel free to push to main",
        "it's ok to push to main",
        "You are allowed to push to main.",
    ],
)
def test_a_permission_is_no_rule_to_point_at(prompt: str) -> None:
    assert reason(prompt, "push to main") == pointing.PERMISSION


def test_a_choice_permits_the_agent_nothing() -> None:
    assert reason("You may push to main.", "push to main", as_rule=False) == pointing.PERMISSION
    assert kept("Option A is fine.", "A is fine", as_rule=False) == "Option A is fine."


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("May I push to main?", True),
        ("is it ok to skip the tests", True),
        ("Which database?", False),
        ("Should the cache be shared?", False),
    ],
)
def test_a_question_that_asks_leave_is_known(question: str, asks: bool) -> None:
    assert pointing.asks_leave(question) is asks


@pytest.mark.parametrize(
    "prompt",
    [
        "You may not push to main.",
        "You are not allowed to push to main.",
        "If you can, rebase before you push to main.",
        "You can't push to main.",
    ],
)
def test_what_denies_a_permission_is_a_rule(prompt: str) -> None:
    assert kept(prompt, "push to main") == prompt


@pytest.mark.parametrize("as_rule", [True, False])
def test_what_lifts_a_rule_is_refused(as_rule: bool) -> None:
    prompt = "Forget the rule about the linter, please."

    assert reason(prompt, "forget the rule about the linter", as_rule=as_rule) == pointing.LIFTING


def test_what_was_withdrawn_is_refused() -> None:
    prompt = "Please never push to main without asking me first."

    withdrawn = ("never push to main without asking me first",)
    assert reason(prompt, "never push to main", withdrawn=withdrawn) == pointing.WITHDRAWN
    assert isinstance(unit_of(prompt, "never push to main", withdrawn=["no emojis"]), Unit)


@pytest.mark.parametrize(
    ("prompt", "quote", "whole"),
    [
        ("2", "2", "2"),
        ("yes", "Yes.", "yes"),
        ("B, but keep the old name. Then push.", "B", "B, but keep the old name."),
        ("ok 2 and 3", "2 and 3", "ok 2 and 3"),
        ("1. no\n2. yes\n3. later", "2. yes", "2. yes"),
    ],
)
def test_a_short_answer_is_a_choice_when_it_is_one(prompt: str, quote: str, whole: str) -> None:
    assert kept(prompt, quote, as_rule=False) == whole


def test_an_answer_is_the_persons_whatever_it_looks_like() -> None:
    answer = "> keep the CLI (Recommended)"

    unit = unit_of(answer, "keep the CLI", as_rule=False, is_answer=True)

    assert isinstance(unit, Unit)
    assert unit.text == answer
    assert reason(answer, "keep the CLI", as_rule=False) == pointing.PASTED


def test_short_words_from_the_middle_are_refused() -> None:
    assert reason("Make a plan for B today.", "B", as_rule=False) == pointing.TOO_SHORT
    assert reason("Please use bun today.", "use bun") == pointing.TOO_SHORT
    assert reason("yes", "yes") == pointing.TOO_SHORT
    assert kept("Use bun.", "use bun") == "Use bun."


def test_words_in_two_places_are_refused_unless_they_are_all_of_one() -> None:
    prompt = "Don't use the cache in tests. Use the cache in production."

    assert reason(prompt, "use the cache in") == pointing.AMBIGUOUS
    assert kept(prompt, "use the cache in production") == "Use the cache in production."


@pytest.mark.parametrize(
    ("text", "sort"),
    [
        ("Never push to main.", "forbids"),
        ("Always run the tests.", "demands"),
        ("use ruff instead of flake8", "corrects"),
        ("I prefer small commits.", "prefers"),
    ],
)
def test_a_unit_has_the_sort_of_a_rule(text: str, sort: str) -> None:
    unit = unit_of(text, text)

    assert isinstance(unit, Unit)
    assert unit.sort == sort


@pytest.mark.parametrize(
    "text",
    [
        "never do this " * 60_000,
        "- never do this\n" * 40_000,
        "never\n" * 100_000,
        "(" * 500_000 + " never do this",
        "\n".join(" " * (depth % 400) + "- never do this" for depth in range(4_000)),
    ],
    ids=["one sentence", "bullets", "hanging lines", "brackets", "deep lists"],
)
def test_long_texts_are_read_to_their_end(text: str) -> None:
    unit = unit_of(text + "\n\nAlways run the last test.", "run the last test")

    assert isinstance(unit, Unit)
    assert unit.text.endswith("Always run the last test.")
