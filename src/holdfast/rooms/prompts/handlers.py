"""What a prompt does to the goal and to the rules, kept as entries.

Runs inside the event's transaction, right after the prompt itself was kept.
"""

from __future__ import annotations

from holdfast.rooms.prompts import queries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.hook.event_context import EventContext
    from holdfast.ledger.kinds import Body
    from holdfast.rooms.prompts.queries import Goal
    from holdfast.rooms.prompts.understanding import Heard

PERSON = "person"
REPEATED_OF = 200  # rules of other sessions that a prompt may say again, the latest


def on_prompt(context: EventContext) -> None:
    """Keep the goal, the rules, the withdrawals and the dead ends of a prompt."""
    if context.kept is None:
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
    known = {rule.text for rule in queries.rules(store, context.project, session, context.branch())}
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
            body |= {"order": is_order, "heard_in": heard_in, "branch": context.branch()}
            body |= _by_prompt(context)
            rule = context.keep("rule_given", body, key=context.consequence("rule", number))
            if rule is not None and is_order:
                _show(context, rule.id, rule.body["text"])


def _by_prompt(context: EventContext) -> Body:
    """Who said it, and where."""
    prompt = context.kept.id if context.kept else ""
    return {"how": "prompt", "author": PERSON, "prompt": prompt}


def _repeat(context: EventContext, id_: str, words: str) -> None:
    """What was a candidate is a rule from now on; what was one, lasts."""
    before = queries.rule(context.store, id_)
    body = {"subject": id_, "turn": "repeated", "how": "prompt", "words": words}
    context.keep("turned", body, key=context.consequence(f"repeated:{id_}"))
    if before is not None and not before.standing:
        _show(context, id_, before.text)


def on_stop(context: EventContext) -> None:
    """Let the person see which rules the agent has pointed at in this turn."""
    if context.kept is None or context.event.body["again"]:
        return
    store, session = context.store, context.event.session
    since = queries.last_prompt_at(store, session)
    for rule in queries.pointed_since(store, session, since):
        _show(context, rule.id, rule.text)


def _show(context: EventContext, id_: str, text: str) -> None:
    """One line for the person, with the command that undoes it."""
    from holdfast.hook.briefing import inline

    context.for_person.append(
        f"Kept as your rule: {inline(text)} (undo: holdfast rules drop {id_[:6]})"
    )


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
        **_by_prompt(context),
    }
    context.keep("goal_set", body, key=context.consequence("goal"))
    return current


def _take_back(context: EventContext, words: str) -> None:
    """Withdraw the rule that the words lift, and let the person see it."""
    from holdfast.hook.briefing import inline
    from holdfast.rooms.prompts.lifting import lifted

    store, session = context.store, context.event.session
    in_force = queries.rules(store, context.project, session, context.branch())
    texts = {rule.id: rule.text for rule in in_force}
    for id_ in lifted(words, [(rule.id, rule.text, rule.sort) for rule in in_force]):
        body = {"subject": id_, "turn": "withdrawn", "how": "prompt", "words": words}
        context.keep("turned", body, key=context.consequence(f"turned:{id_}"))
        context.for_person.append(
            f"Rule lifted: {inline(texts[id_])} (undo: holdfast rules keep {id_[:6]})"
        )
