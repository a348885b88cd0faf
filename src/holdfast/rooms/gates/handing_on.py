"""What a session takes over from the one before: its confidence, and the contract of its task.

Laws: it comes along the chain, however the session before ended; a contract binds for the task that
it was made for: once the user has given another, or it is proved, it binds nobody and is handed on
to nobody; who set it stays with it; what was not proven when it was handed on is not proven
afterwards.
"""

from __future__ import annotations

from holdfast.hook import voice
from holdfast.hook.event import GATES, Remark
from holdfast.hook.voice import joined, ours
from holdfast.rooms.gates import queries, tier_one

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.hook.event_context import EventContext

TAKING_OVER = ("startup", "clear", "fork")
SET_BY = {"person": "the user", "agent": "an agent"}


def on_session_start(context: EventContext) -> None:
    """Take over what the session before left, and tell a contract that binds."""
    if context.kept is None:
        return
    source = context.event.body["source"]
    if source in TAKING_OVER:
        before = context.inherited_from
        if not before or before in context.live():  # what is at work hands nothing on
            before = context.previous()
        if not before or not context.settings["continuity.enabled"]:
            return
        _take_over(context, before)
        context.remarks += _contract_told(context)
    elif source == "compact" or context.crashed:
        context.remarks += carried_over(context)


def on_context_closing(context: EventContext) -> None:
    on_fork_linked(context)
    if context.kept is not None and "subagent" not in context.event.body:
        context.remarks += carried_over(context)


def carried_over(context: EventContext) -> list[Remark]:
    """What a summary must carry over, and is told again after it."""
    return [*_contract_told(context), *_confidence_told(context)]


def _take_over(context: EventContext, before: str) -> None:
    store, session = context.store, context.event.session
    if context.restored_tier1 is not None:
        for kind, body in tier_one.of_checkpoint(store, session, context.restored_tier1, before):
            context.keep(kind, body, key=context.consequence(f"restored:{kind}"))
        return
    moved = tier_one.confidence_from(
        store, session, queries.conduct_of(store, before).confidence, before
    )
    if moved:
        context.keep("confidence_moved", moved, key=context.consequence("confidence"))
    _take_contract(context, before)


def on_prompt(context: EventContext) -> None:
    """What was agreed on for the work that a first prompt goes on with."""
    before = context.goes_on_with
    if before and before not in context.live() and context.settings["continuity.enabled"]:
        _take_contract(context, before)
        context.remarks += _contract_told(context)


def on_fork_linked(context: EventContext) -> None:
    """A fork's parent is known when its first turn ends: the contract that was made before the fork
    began binds both; confidence has been the fork's own since then."""
    if context.forked is not None and context.settings["continuity.enabled"]:
        parent, begun = context.forked
        _take_contract(context, parent, until=begun)


def _take_contract(context: EventContext, before: str, *, until: str = "") -> None:
    store, session = context.store, context.event.session
    stored = tier_one.in_force(store, before, context.is_at_task)
    if stored is None or queries.contract(store, session) is not None:
        return
    if tier_one.is_proved(store, stored, before):
        return
    if not until or stored["rank"] < until:
        body = tier_one.handed_on(store, stored, before, context.task_of(before))
        context.keep("contract_set", body, key="contract:inherited")


def _contract_told(context: EventContext) -> list[Remark]:
    store, session = context.store, context.event.session
    stored = tier_one.in_force(store, session, context.is_at_task)
    if stored is None:
        return []
    text = ours(
        "Contract of this task, set by {} (asks for {}; {} % proven; mode {}):",
        ours(SET_BY.get(stored["author"], "command")),
        joined(", ", map(voice.word, stored["evidence_required"])) or ours("no evidence"),
        tier_one.proven(store, stored, session),
        voice.word(context.settings["completion.mode"]),
    )
    sources = [f"contract {session}"]
    return [Remark(GATES, text, stored["goal"], items=stored["criteria"], sources=sources)]


def _confidence_told(context: EventContext) -> list[Remark]:
    """Where something has moved it."""
    value = queries.conduct_of(context.store, context.event.session).confidence
    if value == queries.START:
        return []
    text = ours("Confidence in this work: {} of 100.", value)
    return [Remark(GATES, text, sources=[f"confidence {context.event.session}"])]
