"""What identity does: restore it, watch it, say when it changes.

Everything but `after_commit` runs inside the event's transaction. The agent is told of a change of
class once, with the goal; a subagent is told nothing, for it has a task of its own.
"""

from __future__ import annotations

from holdfast.hook.event import GOAL, NOTICE, Remark
from holdfast.hook.voice import joined, ours
from holdfast.rooms.identity import brief
from holdfast.rooms.identity.projection import GOES_ON, folded
from holdfast.rooms.identity.queries import SCALE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.hook.event_context import EventContext
    from holdfast.ledger.kinds import Body
    from holdfast.rooms.identity.mind import Reading
    from holdfast.rooms.identity.projection import Folded
    from holdfast.rooms.identity.queries import MindRow

# After so many events the same class is told again, when it was left meanwhile.
TOLD_AGAIN = 20


# Beginnings


def on_session_start(context: EventContext) -> None:
    """Take over the task of the session before, or begin afresh."""
    if context.kept is None or not context.settings["identity.enabled"]:
        return
    from holdfast.rooms.identity import queries

    source, session = context.event.body["source"], context.event.session
    before = context.inherited_from or context.previous()
    _tell_damage(context, session if source in GOES_ON else before)
    if source in GOES_ON:
        mind = queries.mind_of(context.store, session)
        if mind is not None and mind.events:
            context.brief = brief.marked(mind.reading())
    elif before and source != "clear":
        _inherit(context, before)
    elif queries.is_unborn(context.store, session):
        # A fresh start, which knows what is usual in the project all the same.
        newest = queries.latest(context.store, context.project)
        _inherit(context, newest if newest != session else "", is_fresh=True)


def _tell_damage(context: EventContext, session: str) -> None:
    """A snapshot that is not what was written is told, and left as it is."""
    from holdfast.errors import Damaged, StoreError
    from holdfast.rooms.identity import queries

    try:
        queries.snapshot_of(context.store, session)
    except Damaged as error:
        context.failures.append(error)
        text = ours("The kept identity of an earlier session cannot be read:")
        context.remarks.append(Remark(NOTICE, text, f"{error}; {error.hint}"))
    except StoreError:
        pass  # a newer version's


def _inherit(context: EventContext, before: str, *, is_fresh: bool = False) -> None:
    from holdfast.errors import Damaged
    from holdfast.rooms.identity import queries

    try:
        mind = queries.mind_of(context.store, before) if before else None
    except Damaged as error:
        context.failures.append(error)
        text = ours("The identity of the session before cannot be read:")
        context.remarks.append(Remark(NOTICE, text, f"{error}; {error.hint}"))
        return
    if mind is None:
        return
    body: Body = {"from": before, "legacy": mind.legacy(is_fresh=is_fresh)}
    if not context.goal():
        body["without_goal"] = True
    made = context.keep("identity_inherited", body, key=context.consequence("identity"))
    state = folded(made) if made else None
    if state is None or is_fresh:
        return
    reading = state.mind.reading()
    context.brief = brief.marked(reading)
    if not mind.reading().is_provisional and context.settings["identity.remarks"]:
        text = ours(
            "{}; provisional, by branch and changed files, until the fifth event.",
            brief.restored(before[: brief.SHORT], reading.ic),
        )
        context.remarks.append(Remark(NOTICE, text))


# What is asked and done


def on_prompt(context: EventContext) -> None:
    """After a prompt: that a new task is the anchor now, or what has changed."""
    looked = _looked(context)
    if looked is None:
        return
    state, reading = looked
    if context.settings["identity.always"]:
        context.remarks.append(Remark(NOTICE, joined("\n", brief.block(reading))))
    if not context.settings["identity.remarks"]:
        return
    if state.entry.kind == "goal_set":
        if state.row.source or reading.events > 2:  # the first task of all is no change
            context.remarks.append(Remark(GOAL, brief.ANCHORED))
        return
    if _is_news(state.row, reading):
        _tell(context, reading)
    elif state.row.told_class and reading.klass in brief.SOUND and not reading.is_provisional:
        _note(context, reading, "")
        context.remarks.append(Remark(NOTICE, joined("\n", brief.block(reading))))


def on_tool_used(context: EventContext) -> None:
    """After a tool: whether the work has left its purpose."""
    if context.kept is None or context.unverified or "subagent" in context.kept.body:
        return
    looked = _looked(context)
    if looked is None or not context.settings["identity.remarks"]:
        return
    state, reading = looked
    if _is_news(state.row, reading):
        _tell(context, reading)


def _looked(context: EventContext) -> tuple[Folded, Reading] | None:
    """The mind that this event was folded into, and its reading, which the brief file will say."""
    state = folded(context.kept) if context.kept is not None else None
    if state is None or not context.settings["identity.enabled"]:
        return None
    reading = state.mind.reading()
    context.brief = brief.marked(reading)
    return state, reading


def _is_news(row: MindRow, reading: Reading) -> bool:
    """A class below sound that is worse than the one told last, or comes back after a while."""
    if not brief.is_off_task(reading):
        return False
    if not row.told_class:
        return not row.told_at or reading.events - row.told_at >= TOLD_AGAIN
    return (row.told_class, reading.klass) == ("warning", "degraded")


def _tell(context: EventContext, reading: Reading) -> None:
    _note(context, reading, reading.klass)
    goal = context.goal()
    text = ours("{}:" if goal else "{}.", brief.drifted(reading))
    context.remarks.append(Remark(GOAL, text, goal))
    if reading.klass == "degraded":
        context.dream_why = "crisis"


def _note(context: EventContext, reading: Reading, klass: str) -> None:
    body = {"class": klass, "ic": round(reading.ic * SCALE), "events": reading.events}
    context.keep("identity_told", body, key=context.consequence("identity"))


# After the commit


def after_commit(context: EventContext) -> None:
    """The brief file."""
    line, facts = context.brief, context.status_facts
    if (line or facts) and context.kept is not None and not context.is_late:
        from holdfast.hook import brief_file

        brief_file.update(context.event.session, context.kept.seq, line, facts)
