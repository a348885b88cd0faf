"""One event in one transaction: the steps of the table (`events.py`), in order, and the answer."""

from __future__ import annotations

from holdfast.hook.event import Answer
from holdfast.hook.event_context import EventContext
from holdfast.hook.events import EVENTS, Needed, unknown_session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from holdfast.hook.event import Event, Remark
    from holdfast.hook.events import Steps
    from holdfast.ledger.kinds import Body
    from holdfast.ledger.workspace import Workspace


def look(event: Event) -> Steps:
    """An event's row of the table, once what it needs was looked at; nothing is open yet."""
    steps = EVENTS[event.kind](event)
    for handler in steps.before:
        handler(event)
    return steps


def receive(
    workspace: Workspace,
    event: Event,
    news: Iterable[Remark] = (),
    *,
    steps: Steps | None = None,
    is_late: bool = False,
) -> EventContext:
    """Do what the table says, in one transaction: whole or not at all. `news` is about us."""
    from holdfast.redaction.gate import gate_id

    steps = steps or EVENTS[event.kind](event)
    event.session = gate_id(event.session)  # asked for by the name it is kept under
    context = EventContext(workspace, event)
    context.is_late = is_late
    context.remarks += news
    # Before the transaction, as much as can be: while it runs, all other hooks wait.
    context.settings = workspace.settings(_root(context))
    if not context.settings["enabled"]:
        if event.kind == "session_began":
            _tell_gone(context)
        return context
    _load(event.kind)
    for handler in steps.outside:
        _attempt(context, handler, lambda act: act())
    with context.store.transaction():
        if context.adopted is not None:
            unknown_session()(context)
        carry_out(context, steps)
        if not is_late:
            _attempt(context, _compose, context.store.try_out)
    return context


def _tell_gone(context: EventContext) -> None:
    """A setting switches hooks off here: what is demanded no longer is told all the same, once."""
    from holdfast.hook import briefing
    from holdfast.hook.voice import joined
    from holdfast.rooms.gates import vanished

    context.remarks.clear()
    _attempt(context, vanished.look, lambda act: act())
    lines = joined("\n", context.for_person)
    context.answer = Answer(briefing.compose(context.remarks), for_person=lines)


def carry_out(context: EventContext, steps: Steps) -> None:
    """The steps that run inside of the transaction; what is not needed may fail."""
    for step in steps.inside:
        if isinstance(step, Needed):
            step.handler(context)
        else:
            _attempt(context, step, context.store.try_out)


def _attempt(
    context: EventContext,
    handler: Callable[[EventContext], None],
    run: Callable[[Callable[[], None]], None],
) -> None:
    """What follows from an event may fail; the event itself is kept all the same."""
    remarks, lines = len(context.remarks), len(context.for_person)
    try:
        run(lambda: handler(context))
    except Exception as error:  # ours: the store's own go on to the door, which has a spool
        from holdfast.ledger.spool import is_the_stores

        if is_the_stores(error):
            raise
        del context.remarks[remarks:], context.for_person[lines:]
        context.failures.append(error)


def _compose(context: EventContext) -> None:
    """The answer, and an entry of what it costs the agent in tokens."""
    if context.kept is None or not (context.remarks or context.for_person):
        return
    from holdfast.hook import briefing
    from holdfast.hook.voice import joined, ours

    voice = voice_of(context)
    parts = briefing.paragraphs(context.remarks, **voice)
    text = joined("\n\n", [voice["heading"], *(part.text for part in parts)]) if parts else ours("")
    if context.event.kind == "session_began":
        line = briefing.in_short(parts)
        context.for_person += [line] if line else []
    context.answer = Answer(
        text or context.answer.context,
        refusal=context.answer.refusal,
        for_person=joined("\n", context.for_person),
    )
    if text:
        body: Body = {"tokens": briefing.count(text), "characters": len(text)}
        body["lines"] = [part.as_body() for part in parts]
        if context.told_state is not None:
            body["told"] = context.told_state
        rules = briefing.rules_in(text, context.remarks)
        if rules:
            body["rules"] = rules
        tasks = briefing.tasks_in(text, context.remarks)
        if tasks:
            body["tasks"] = tasks
        context.keep("context_given", body, key=context.consequence("given"))


def voice_of(context: EventContext) -> dict[str, Any]:
    """How an answer opens, and how long it may be: less as the agent's context fills."""
    from holdfast.hook import briefing

    marker = context.marker or briefing.RUNNING
    limit = "prompt" if context.event.kind == "prompt_given" else "start"
    tokens = context.settings[f"briefing.{limit}_tokens"]
    return {
        "tokens": tokens,
        "heading": briefing.heading(marker),
        "share": context.share,
    }


def _load(kind: str) -> None:
    """Import the projections that the transaction will call."""
    from holdfast.ledger import projections
    from holdfast.ledger.kinds import KINDS

    for room in KINDS[kind].rooms:
        projections.projection_of(room)


def _root(context: EventContext) -> str:
    """The root of the project an event belongs to; its session's place is looked up for it."""
    if context.event.kind == "session_began":
        context.worktree, context.gitdir = (
            context.event.body["worktree"],
            context.event.body["gitdir"],
        )
        return context.worktree
    if not context.event.session:
        return ""
    from holdfast.rooms.sessions.queries import place_of

    place = place_of(context.store, context.event.session)
    if place is None:
        from holdfast.rooms.sessions.handlers import facts_of

        context.adopted = facts_of(context.event)
        return str(context.adopted["worktree"])
    context.project, context.worktree, context.gitdir = place
    return context.worktree
