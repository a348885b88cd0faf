"""Gates made of rules: whether one speaks of a call.

Laws: a gate speaks as long as its rule is in force; a prohibition is lifted for one act by the
person's own words for that very act in the last prompt, proof and order never; what the person
allowed is not asked again in the same turn.
"""

from __future__ import annotations

from holdfast.rooms.prompts import queries as prompt_queries
from holdfast.rooms.prompts.templates import FORBID, PROVE, lifts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.config.requirement_type import Requirement
    from holdfast.hook.context import Context
    from holdfast.rooms.gates.judgement_facts import Open
    from holdfast.rooms.gates.tool_call import Call

ALLOWED = "allowed"
ASKED = "asked"  # how: by a Yes
WORDS_CAP = 300


def speaking(context: Context, call: Call, open_: list[Open]) -> list[Open]:
    """Those of what is open that speak of a call."""
    in_force = {
        rule.id
        for rule in prompt_queries.rules(
            context.store, context.project, context.event.session, context.branch()
        )
    }
    return [each for each in open_ if _speaks(context, call, each.requirement, in_force)]


def _speaks(context: Context, call: Call, requirement: Requirement, in_force: set[str]) -> bool:
    rule = requirement["rule"]
    if rule is None or (rule["id"] in in_force and rule["kind"] == PROVE):
        return True
    return rule["id"] in in_force and not is_allowed(context, call, requirement)


def is_allowed(context: Context, call: Call, requirement: Requirement) -> bool:
    """By the person's words in the last prompt, or by a Yes since."""
    prompt = prompt_queries.last_words(context.store, context.event.session)
    rule = requirement["rule"]
    if prompt is None or rule is None:
        return False
    since = [
        turn
        for turn in prompt_queries.turns_of(context.store, rule["id"], ALLOWED)
        if turn.session == context.event.session and turn.at >= prompt.at
    ]
    is_one_act = rule["kind"] != FORBID
    if any(
        turn.how == ASKED and not (is_one_act and turn.words != words_of(call)) for turn in since
    ):
        return True
    return not since and _is_ordered(prompt.text, requirement, context.branch())


def _is_ordered(prompt: str, requirement: Requirement, branch: str) -> bool:
    from holdfast.rooms.prompts.typed_text import own_words

    return lifts(own_words(prompt), requirement["trigger"], branch)


def words_of(call: Call) -> str:
    return (call.command or f"{call.tool} {call.path}")[:WORDS_CAP]
