"""Words that lift a rule, and words that affirm one.

People lift a rule about once in a thousand turns, and complain that it was forgotten far more
often. Laws: who affirms a rule never lifts it; a lifting says so, by naming the rule as a rule or
by permitting outright what it forbids; what permits names nothing that the rule does not.
"""

from __future__ import annotations

from holdfast.rooms.prompts.similarity import (
    EDGES,
    TAKING_BACK,
    has_any,
    is_same_rule,
    stems,
    taken_back,
)

AFFIRMING = (
    " forgot ", " forgotten ", " forgetting ", " don't forget ", " do not forget ",
    " still applies ", " still apply ", " still holds ", " still hold ", " still stands ",
    " still stand ", " still valid ", " still in force ", " keep in mind ", " remember ",
    " reminder ", " i told you ", " i said ", " i already said ", " i already told ",
    " you broke ", " you violated ", " you ignored ", " you keep ", " stick to ", " keep to ",
    " not again ", " why did you ",
)  # fmt: skip
LIFTING = (
    " no longer ", " not any more ", " any more ", " anymore ", " forget ", " drop ",
    " ignore ", " disregard ", " scrap ", " scratch ", " lift ", " lifted ", " withdraw ",
    " cancel ", " revoke ", " retract ", " off the table ", " never mind ", " nevermind ",
)  # fmt: skip
RULE_WORDS = (
    " rule ", " rules ", " constraint ", " constraints ", " restriction ", " restrictions ",
    " instruction ", " instructions ", " ban ", " policy ", " requirement ",
)  # fmt: skip
PERMITTING = (
    " you may ", " you can ", " you're allowed ", " you are allowed ", " feel free ",
    " it's fine to ", " it's okay to ", " it's ok to ", " it is fine to ", " it is okay to ",
    " it is ok to ", " is fine ", " is allowed ", " are allowed ",
)  # fmt: skip
CHANGED = (
    " now ",
    " again ",
    " after all ",
    " from now on ",
    " anyway ",
    " any more ",
    " anymore ",
)


def affirms(words: str) -> bool:
    """Whether the words hold a rule up: it was forgotten, it still applies."""
    return has_any(_spoken(words), AFFIRMING)


def affirmed(words: str, rules: list[tuple[str, str]]) -> list[str]:
    """The ids of the rules that the words hold up: they speak of a rule, or say it again. The
    newest is last."""
    if not affirms(words):
        return []
    if has_any(_spoken(words), RULE_WORDS):
        return taken_back(words, rules)
    return [id_ for id_, text in rules if is_same_rule(text, words)][-1:]


def may_lift(words: str) -> bool:
    """Whether the words lift something; what, the rules in force say."""
    spoken = _spoken(words)
    return not has_any(spoken, AFFIRMING) and (_names_a_rule(spoken) or _permits(spoken))


def lifted(words: str, rules: list[tuple[str, str, str]]) -> list[str]:
    """The ids of the rules that the words lift. A rule is its id, its text and its sort; the
    newest is last."""
    if not may_lift(words):
        return []
    if _names_a_rule(_spoken(words)):
        return taken_back(words, [(id_, text) for id_, text, _ in rules])
    named = stems(words, TAKING_BACK)
    meant = [
        id_ for id_, text, sort in rules if sort == "forbids" and named and named <= stems(text)
    ]
    return meant[-1:]


def _names_a_rule(spoken: str) -> bool:
    return has_any(spoken, LIFTING) and has_any(spoken, RULE_WORDS)


def _permits(spoken: str) -> bool:
    return has_any(spoken, PERMITTING) and has_any(spoken, CHANGED)


def _spoken(words: str) -> str:
    text = words.lower().replace("\u2019", "'")
    return f" {' '.join(word.strip(EDGES) for word in text.split())} "
