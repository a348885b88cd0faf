"""Which words lift a rule, and which hold it up."""

from __future__ import annotations

import pytest

from holdfast.continuity.lifting import affirms, lifted

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
def test_what_holds_a_rule_up_is_known() -> None:
    assert affirms("You forgot the rule about main again!")
    assert affirms("Remember: no emojis")
    assert not affirms("forget the rule about main")
