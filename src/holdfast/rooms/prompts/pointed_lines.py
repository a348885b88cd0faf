"""The person sees what was kept in their name because an agent pointed at it, and which rules of
theirs are told again.

Laws: the line is for the person and for no model; it comes with the next prompt of the session in
which the agent pointed, or else with the next start in the project; it says how to undo it. What
is told again is said once, at the first start that tells it.
"""

from __future__ import annotations

from holdfast.rooms.prompts import choice_queries, queries
from holdfast.system import environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.hook.event_context import EventContext
    from holdfast.hook.voice import Ours
    from holdfast.rooms.prompts.choice_queries import Pointed

SHORT = 6  # characters of an id that are shown


def on_prompt(context: EventContext) -> None:
    """What was pointed at since the prompt before."""
    if context.kept is None:
        return
    store, session = context.store, context.event.session
    since = queries.prompt_before(store, session, context.kept.id)
    _show(context, choice_queries.pointed_in(store, session, since))


def on_session_start(context: EventContext) -> None:
    """What was pointed at since the start before, in a session that nobody spoke to any more."""
    if context.kept is None:
        return
    store, session = context.store, context.event.session
    since = queries.start_before(store, context.project, session)
    pointed = choice_queries.pointed_here(store, context.project, since)
    unseen = [
        each
        for each in pointed
        if each.session != session
        and not (each.session and queries.was_spoken_to(store, each.session, each.at))
    ]
    _show(context, unseen)
    _show_told_again(context)


def line_of(pointed: Pointed) -> Ours:
    """What was kept, in one line, with what undoes it."""
    from holdfast.hook.voice import ours, quoted, word

    answers = ours("")
    if pointed.question:
        answers = ours(", to the agent's question: {}", quoted(pointed.question))
    kind = word(pointed.kind)
    return ours(
        "Kept as your {}, because the agent pointed at it: {}{} (undo: holdfast {}s drop {})",
        kind,
        quoted(pointed.text),
        answers,
        kind,
        word(pointed.id[:SHORT]),
    )


def _show(context: EventContext, pointed: list[Pointed]) -> None:
    for each in pointed:
        context.for_person.append(line_of(each))
        if each.kind == "rule":
            environment.bring("rule_gates")
            from holdfast.rooms.prompts import gate_offers

            offer = gate_offers.offer(each.id, each.text)
            context.for_person += [offer] if offer else []


def _show_told_again(context: EventContext) -> None:
    """Orders that an earlier version told at eight starts, in one line."""
    rules = [rule for remark in context.remarks for rule in remark.rules]
    again = queries.told_again(context.store, context.project, rules, context.event.at)
    if not again:
        return
    from holdfast.hook.voice import ours, quoted, word

    id_, text = again[0]
    line = ours(
        "Told again, until you drop it: your rule {} (holdfast rules drop {})",
        quoted(text),
        word(id_[:SHORT]),
    )
    if len(again) > 1:
        line = ours(
            "Told again, until you drop them: {} of your rules (holdfast rules lists them)",
            len(again),
        )
    context.for_person.append(line)
