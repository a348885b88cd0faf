"""Which words lift a rule, and which hold it up."""

from __future__ import annotations

import pytest

from holdfast.rooms.prompts.lifting import affirmed, lifted

RULES = [
    ("main", "Never push to main", "forbids"),
    ("linter", "Always run the linter", "demands"),
    ("emojis", "no emojis in commit messages", "forbids"),
]


@pytest.mark.promise("C2")
@pytest.mark.parametrize(
    ("words", "ids"),
    [
        ("You may push now.", ["main"]),
        ("you can push to main again", ["main"]),
        ("forget the rule about the linter", ["linter"]),
        ("the rule about emojis no longer applies", ["emojis"]),
        ("forget all rules", ["main", "linter", "emojis"]),
        # What permits something else, or nothing new, lifts nothing.
        ("you can push the feature branch now", []),
        ("you can comment on the issue for me", []),
        ("go ahead", []),
        ("we don't have sessions any more", []),
        # Who holds a rule up never lifts it.
        ("you forgot the rule about main again", []),
        ("don't forget the rule about the linter", []),
        ("the rule about emojis still applies", []),
        ("I told you to ignore no rule about main", []),
    ],
)
def test_only_words_of_lifting_about_a_rule_lift_it(words: str, ids: list[str]) -> None:
    assert lifted(words, RULES) == ids


@pytest.mark.promise("C2")
@pytest.mark.parametrize(
    ("words", "ids"),
    [
        ("You forgot the rule about main again!", ["main"]),
        ("Don't forget: no pushing to main", ["main"]),
        ("Remember, no emojis in commit messages", ["emojis"]),
        # What only recalls something is about no rule.
        ("Ah I remember now, I had pushed the linter to main", []),
        ("keep in mind that users run the linter twice on main", []),
        ("forget the rule about main", []),
    ],
)
def test_a_rule_is_held_up_by_who_speaks_of_it_or_says_it_again(words: str, ids: list[str]) -> None:
    assert affirmed(words, [(id_, text) for id_, text, _ in RULES]) == ids
