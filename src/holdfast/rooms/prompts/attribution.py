"""Who said it: how a kept statement names its author, wherever it is told.

Law: no rule and no goal is told without its author. Only a person's words are called the user's;
what an agent noted is called the agent's note.
"""

from __future__ import annotations

from holdfast.hook.voice import Ours, named, ours

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.rooms.prompts.queries import GivenRule, Goal

PERSON, AGENT = "person", "agent"
POINTED, PLAN = "pointed", "plan"
# Told to an agent. An author that only a newer version knows is named as it is.
AUTHORS = {
    PERSON: "the user",
    AGENT: "an agent's note, not the user's words",
    "client": "written by the client, not by the user",
    "file": "from a file, not the user's words",
    "tool": "printed by a tool, not the user's words",
}
POINTED_AT = "the user's words, pointed at by the agent"
# Told to the person.
YOURS, HEARD, POINTED_FOR_YOU = "you", "heard in your prompt", "the agent pointed at your words"


def author_of(rule: GivenRule) -> str:
    """For an agent: whose words a rule is."""
    if rule.author == PERSON and rule.standing == POINTED:
        return POINTED_AT
    return AUTHORS.get(rule.author, rule.author)


def whose(rule: GivenRule) -> str:
    """For the person: whose words a rule is."""
    if rule.author != PERSON:
        return AUTHORS.get(rule.author, rule.author)
    if POINTED in (rule.standing, rule.how):
        return POINTED_FOR_YOU
    return YOURS if rule.how == "command" else HEARD


def attributed(rule: GivenRule) -> str:
    """A rule as it is told: word for word, with its author and its day."""
    return f"{rule.text}  ({author_of(rule)}, {rule.at[:10]}{_broken(rule)})"


def _broken(rule: GivenRule) -> str:
    """How often it was broken, and when last."""
    times, _, last = rule.broken.partition(" ")
    if times == "0":
        return ""
    from holdfast.system import clock

    days = int(clock.seconds_of(clock.now()) // 86_400 - clock.seconds_of(last) // 86_400)
    day = {0: "today", 1: "yesterday"}.get(days, f"on {last[:10]}")
    return f"; broken once {day}" if times == "1" else f"; broken {times} times, last {day}"


def goal_title(goal: Goal) -> Ours:
    """What a goal is called: the user's, or whose it is."""
    if goal.author != PERSON:
        known = goal.author in AUTHORS
        return ours("The goal ({})", ours(AUTHORS[goal.author]) if known else named(goal.author))
    if goal.how == PLAN:
        return ours("The user's goal, by the title of a plan that the user accepted")
    return ours("The user's goal")
