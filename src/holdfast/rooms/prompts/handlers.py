"""What a prompt does to the goal and to the rules, kept as entries.

Runs inside the event's transaction, right after the prompt itself was kept.
"""

from __future__ import annotations

from holdfast.rooms.prompts import queries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.hook.event_context import EventContext
    from holdfast.rooms.prompts.queries import Goal
    from holdfast.rooms.prompts.understanding import Heard

REPEATED_OF = 200  # rules of other sessions that a prompt may say again, the latest


def on_prompt(context: EventContext) -> None:
    """Keep the goal, the rules, the withdrawals and the dead ends of a prompt that a person can
    have given: of one that the agent's own process did not send nothing is heard."""
    if context.kept is None or context.unverified:
        return
    from holdfast.rooms.prompts import understanding

    prompt = context.kept.body["prompt"]  # as it is kept: without its secrets
    heard = understanding.hear(prompt)
    before = _set_goal(context, heard, prompt)
    for words in heard.withdrawals:
        _take_back(context, words)
    for words in heard.affirmations:
        _strengthen(context, words)
    _keep_rules(context, heard, prompt)
    context.goal_before = before


def _keep_rules(context: EventContext, heard: Heard, prompt: str) -> None:
    """Keep what was heard; what another session had heard before is repeated instead."""
    if not heard.rules and not heard.dead_ends:
        return
    from holdfast.rooms.prompts.similarity import is_same_rule
    from holdfast.system.paths import digest

    store, session = context.store, context.event.session
    heard_in = digest(prompt.encode("utf-8", "surrogatepass"))
    known = {rule.text for rule in queries.rules(store, context.project, session)}
    before = queries.heard_elsewhere(store, context.project, session, REPEATED_OF)
    thread = queries.thread_of(store, session)
    given = [(rule.text, rule.sort, rule.lasting, rule.is_order) for rule in heard.rules]
    given += [(text, "dead_end", False, False) for text in heard.dead_ends]
    for number, (text, sort, lasting, is_order) in enumerate(given):
        same = [rule for rule in before if sort != "dead_end" and is_same_rule(rule.text, text)]
        if same and same[0].heard_in != heard_in:
            _repeat(context, same[0].id, text)
        elif text not in known:
            body = {"text": text, "sort": sort, "lasting": lasting, "thread": thread}
            body |= {"how": "prompt", "order": is_order, "heard_in": heard_in}
            context.keep("rule_given", body, key=context.consequence("rule", number))


def _repeat(context: EventContext, rule: str, words: str) -> None:
    body = {"subject": rule, "turn": "repeated", "how": "prompt", "words": words}
    context.keep("turned", body, key=context.consequence(f"repeated:{rule}"))


def _strengthen(context: EventContext, words: str) -> None:
    """What the user holds up in another session than it was said in was said again."""
    from holdfast.rooms.prompts.lifting import affirmed

    before = queries.heard_elsewhere(
        context.store, context.project, context.event.session, REPEATED_OF
    )
    for id_ in affirmed(words, [(rule.id, rule.text) for rule in reversed(before)]):
        _repeat(context, id_, words)


def _set_goal(context: EventContext, heard: Heard, prompt: str) -> Goal | None:
    """Set the goal when the prompt does so; the one before when it was changed."""
    from holdfast.rooms.prompts import goal, understanding

    store, session = context.store, context.event.session
    current = queries.goal_of(store, session)
    is_first = current is None or current.session != session
    judged = goal.judge(
        heard,
        current,
        is_first=is_first,
        is_related=current is not None and understanding.is_same_task(current.keywords, prompt),
        words=understanding.keywords(heard.goal) if heard.goal else (),
        topics=() if is_first else context.topics_before(),
    )
    if judged == goal.KEPT:
        return None
    body = {
        "goal": heard.goal,
        "keywords": understanding.keywords(heard.goal),
        "thread": "" if judged == goal.CHANGED else queries.thread_of(store, session),
        "how": "prompt",
    }
    context.keep("goal_set", body, key=context.consequence("goal"))
    return current


def _take_back(context: EventContext, words: str) -> None:
    """Withdraw the rule that the words lift, and let the person see it."""
    from holdfast.hook.briefing import inline
    from holdfast.rooms.prompts.lifting import lifted

    in_force = queries.rules(context.store, context.project, context.event.session)
    texts = {rule.id: rule.text for rule in in_force}
    for id_ in lifted(words, [(rule.id, rule.text, rule.sort) for rule in in_force]):
        body = {"subject": id_, "turn": "withdrawn", "how": "prompt", "words": words}
        context.keep("turned", body, key=context.consequence(f"turned:{id_}"))
        context.for_person.append(
            f"Rule lifted: {inline(texts[id_])} (undo: holdfast constraints keep {id_[:6]})"
        )
