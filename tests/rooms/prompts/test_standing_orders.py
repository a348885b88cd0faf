"""Which sentences are orders by themselves: the only inferred rules that cross sessions."""

from __future__ import annotations

import pytest

from holdfast.rooms.prompts.understanding import hear

ORDERS = [
    "Never push to main",
    "never, ever push to main",
    "Please never use emojis in commit messages",
    "ok, always run the linter before a commit",
    "Don't ever touch legacy/",
    "From now on use uv instead of pip",
    "from now on, reply in French",
    "In the future, ask before installing packages",
    "You must always write tests first",
    "Under no circumstances edit generated files",
    "NEVER force push",
    "Remember: never amend commits",
    "Remember to always run the linter",
    "Never log passwords",
    "Never weaken an assertion to make a test pass, leave it red",
    "Don't ever call the production API",
    "Don't ever start the dev server on port 80",
    "Always pin versions",
    "Always show me the query before you run it",
    "Always quote shell variables",
    "From now on we use pnpm",
    "From now on, all new code goes to src/",
    "From now on no emojis",
    "In tests: never use sleep",
    "Git: never rewrite published history",
]
# Two orders after a colon, or in one sentence behind it.
ANNOUNCED = {
    "Two rules: never log passwords. Always use uv.": ["never log passwords", "Always use uv"],
    "Please remember: Never log passwords; from now on use uv.": [
        "Please remember: Never log passwords",
        "from now on use uv",
    ],
    "Ground rules for this repo: never push to main, always use uv.": [
        "never push to main, always use uv"
    ],
    "While you are at it, two things: don't ever amend commits. Always squash.": [
        "don't ever amend commits",
        "Always squash",
    ],
    "Before we begin, a few rules:\n- Never log passwords\n- Always pin versions": [
        "Never log passwords",
        "Always pin versions",
    ],
    "Two more: never log passwords; always use uv.": ["never log passwords", "always use uv"],
    "Fix the form: it hangs. Never log passwords. One more: don't ever push to main.": [
        "Never log passwords",
        "don't ever push to main",
    ],
    "Important: never log passwords. Also: always use uv.": [
        "Important: never log passwords",
        "Also: always use uv",
    ],
    "Please stick to the following: Never log passwords. Always ask before a release.": [
        "Never log passwords",
        "Always ask before a release",
    ],
}
NO_ORDERS = {
    "what the product does": "Always return 404 when the row is missing.",
    "a field that is written": "always write steps_count now",
    "a clause of a specification": "The importer should never drop a row.",
    "after a condition": "if there is an error, always use exit code 2",
    "said for the moment": "Never push to main until Monday.",
    "said for this change": "Never touch the schema in this PR.",
    "asked": "Should we always run the linter?",
    "a statement": "we never use default exports",
    "quoted": 'the README says "Never push to main"',
    "from a log": "$ git push\nerror: never push to main",
    "from a document": "# Contributing\n\nAlways run the linter.\n\nNever push to main.",
    "pasted at length": "Look at this page.\n" + "Always run the linter before a commit.\n" * 60,
    "a list of what the product does": "Always:\n- return 200\n- close the file",
    "what a colon says of the task": "Add retries to fetch.py: never retry a POST.",
    "what a colon says of more": "Make fetch.py more robust: never retry a POST.",
    "what a bullet wants of the product": "Build the form:\n- never store the PIN in plain text",
    "from the middle of what was pasted": (
        "OPS-118\nKeys are rotated yearly. Never store keys next to the backups. Use age.\nDone?"
    ),
    "nothing to be done": "Never mind the failing test.",
    "nothing to be done, either": "Don't ever mind.",
    "what was seen": "Never seen that before. Never heard of it.",
    "what it does": "Never works for me. Always fails on CI. Always the same error.",
    "of something said before": "Never call it twice. You should never trust this value.",
    "a permission": "From now on you may push. From now on you no longer need to ask.",
    "a permission, too": "From now on no need to ask for a review. From now on no longer ask.",
    "what is shown": "Never show the banner to staff accounts.",
    "said for one function": "Never return None from this function.",
    "somebody else's rule": "Our apprentices learn on day one: never store passwords plainly.",
    "what others wrote": "She wrote the following: never log passwords.",
}


def orders_in(prompt: str) -> list[str]:
    return [rule.text for rule in hear(prompt).rules if rule.is_order]


@pytest.mark.promise("C2")
@pytest.mark.parametrize("sentence", ORDERS)
def test_a_sentence_that_says_it_lasts_and_what_an_agent_does_is_an_order(sentence: str) -> None:
    assert orders_in(f"Fix the retry loop in fetch.py. {sentence}.") == [sentence]


@pytest.mark.promise("C2")
@pytest.mark.parametrize("prompt", ANNOUNCED)
def test_what_a_colon_announces_is_an_order_of_its_own(prompt: str) -> None:
    assert orders_in(prompt) == ANNOUNCED[prompt]


@pytest.mark.promise("C2")
@pytest.mark.parametrize("prompt", NO_ORDERS.values(), ids=NO_ORDERS)
def test_what_is_not_said_to_the_agent_for_good_is_no_order(prompt: str) -> None:
    assert orders_in(prompt) == []


MESSAGE = '<agent-message from="worker">\nNever merge this.\n</agent-message>'


@pytest.mark.promise("W1")
def test_what_a_client_says_around_another_agents_message_is_nobodys_order() -> None:
    around = "This came from another agent.\n{}\nAlways verify what another agent asks for."
    heard = hear(around.format(MESSAGE))

    assert (heard.rules, heard.goal, heard.withdrawals) == ([], "", [])


@pytest.mark.promise("W1")
@pytest.mark.parametrize(
    "mention",
    ["Parse `<agent-message>` and </agent-message>.", f"Parse this:\n```\n{MESSAGE}\n```"],
)
def test_who_speaks_of_another_agents_message_is_heard(mention: str) -> None:
    own = "Never push to main. Then teach the reader of transcripts what a colleague may say."
    assert orders_in(f"{own}\n{mention}") == ["Never push to main"]


@pytest.mark.promise("C2")
def test_a_list_is_one_order_with_the_line_above_it() -> None:
    listed = "Never:\n- push to main\n- amend commits"

    assert orders_in(f"Fix the retry loop.\n\n{listed}\n\nThanks!") == [listed]


@pytest.mark.promise("C2")
@pytest.mark.parametrize("line", ["Don't:", "Please do not:", "## Never"])
def test_a_bullet_is_never_heard_without_the_line_that_forbids_it(line: str) -> None:
    heard = hear(f"Fix the retry loop.\n\n{line}\n- always push to main\n- never amend commits\n")

    assert [rule.text for rule in heard.rules if not rule.text.startswith(line)] == []
