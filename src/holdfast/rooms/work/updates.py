"""What an agent is told between beginnings: only what changed, and only what it cannot know.

What the user says in the session itself is in its context already; what a command or another
session changed is not, and neither is how full the window is.
"""

from __future__ import annotations

from holdfast.hook.event import GATES, GOAL, Remark
from holdfast.hook.voice import ours, word
from holdfast.rooms.prompts import queries as prompt_queries
from holdfast.rooms.prompts.attribution import PERSON, goal_title
from holdfast.rooms.work import budget, meanwhile, queries as work_queries, start_view

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.hook.event_context import EventContext
    from holdfast.ledger.kinds import Body
    from holdfast.rooms.work.queries import Activity

CLOSING = ours(
    "Close what is open: finish the step at hand, bring the to-do list and the tracker's items up"
    " to date, and end with a message that says what is done and what comes next."
)
HOW = {"continued": "Continued from", "restored": "Restored from a checkpoint of"}


def tell(context: EventContext) -> None:
    """Remarks on what has changed since this session was last told."""
    store, session = context.store, context.event.session
    done = work_queries.activity(store, session)
    if done is None:
        return
    last_told = done.last_told
    since = last_told.get("at", "")
    goal = prompt_queries.goal_of(store, session)
    continued = _continued(context, since)
    if not continued and goal is not None and goal.how == "command" and goal.at > since:
        text = ours("{}, set by command:", goal_title(goal))
        context.remarks.append(Remark(GOAL, text, goal.goal, sources=[f"goal {goal.id}"]))
    _rules_given(context, since)
    meanwhile.tell(context, done)
    pinned = [pin for pin in work_queries.pins(store, context.project, session) if pin.at > since]
    if pinned:
        context.remarks.append(start_view.pins_remark(ours("Pinned since:"), pinned, ours("")))
    phase, is_exhausted = _phase(context, done, last_told)
    if context.remarks:
        context.told_state = {"at": context.event.at, "phase": phase, "exhausted": is_exhausted}


def _continued(context: EventContext, since: str) -> bool:
    """That a session was named to go on from, or a checkpoint of it, and what came with it."""
    store, session = context.store, context.event.session
    sources = [
        origin
        for origin in work_queries.inheritances(store, session)
        if origin.how in HOW and origin.at > since
    ]
    for origin in sources:
        source = origin.source
        name, goal = word(source[:8]), prompt_queries.goal_left(store, source)
        text = ours(
            "{} {} (`holdfast handoff --session {}` tells where it stood).{}",
            ours(HOW[origin.how]),
            name,
            name,
            ours(" {} there:", goal_title(goal)) if goal else ours(""),
        )
        of_goal = [f"goal {goal.id}"] if goal else []
        told_from = [f"session {source}", *of_goal]
        context.remarks.append(Remark(GOAL, text, goal.goal if goal else "", sources=told_from))
        pins = [pin for pin in work_queries.inherited_pins(store, session) if pin.source == source]
        if pins:
            text = ours("Pins that came with it:")
            context.remarks.append(start_view.pins_remark(text, pins, ours("")))
    return bool(sources)


def _rules_given(context: EventContext, since: str) -> None:
    store, session = context.store, context.event.session
    kept = prompt_queries.kept_since(store, context.project, since, but=session)
    fresh = [
        rule
        for rule in prompt_queries.rules(store, context.project, session, context.branch())
        if rule.id in kept
        or (rule.at > since and (rule.session != session or rule.how == "command"))
    ]
    if fresh:
        from holdfast.rooms.work.written_rules import not_written

        fresh = not_written(context, fresh)
    of_user = [rule for rule in fresh if rule.author == PERSON]
    notes = [rule for rule in fresh if rule.author != PERSON]
    if of_user:
        text = ours("Rules the user has given elsewhere, word for word:")
        context.remarks.append(start_view.rules_remark(text, of_user))
    if notes:
        text = ours("Noted as a rule elsewhere:")
        context.remarks.append(start_view.rules_remark(text, notes))


def _phase(context: EventContext, done: Activity, last_told: Body) -> tuple[str, bool]:
    """The context phase when it changed, and once that the window runs out."""
    tokens, window = done.tokens, done.window
    if not tokens or not window:
        return last_told.get("phase", budget.VERBOSE), False
    phase = budget.phase(tokens, window)
    context.share = budget.share(phase)
    is_new = phase != last_told.get("phase", budget.VERBOSE)
    is_high = phase in (budget.SIGNALS, budget.CRITICAL)
    if is_new and is_high and context.settings["briefing.preamble"]:  # else on the status line
        context.remarks.append(start_view.phase(phase, tokens, window))
    limit = context.settings["budget.exhausted_tokens"]
    exhausted = budget.is_exhausted(tokens, window, limit)
    if exhausted and not last_told.get("exhausted"):
        set_ = ours("; {} are set as its limit", limit) if limit > 0 else ours("")
        share = tokens * 100 // window
        text = ours(
            "The context holds {} of {} tokens ({} %{}). {}", tokens, window, share, set_, CLOSING
        )
        context.remarks.append(Remark(GATES, text))
    return phase, exhausted
