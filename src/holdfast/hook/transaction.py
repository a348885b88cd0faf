"""One event in one transaction: the steps of the table (`events.py`), in order, and the answer."""

from __future__ import annotations

from holdfast.hook.context import Work
from holdfast.hook.event import NOTICE, Answer, Remark
from holdfast.hook.events import EVENTS, Needed, unknown_session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from holdfast.hook.event import Event
    from holdfast.hook.events import Steps
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
    news: Iterable[str] = (),
    *,
    steps: Steps | None = None,
    is_late: bool = False,
) -> Work:
    """Do what the table says, in one transaction: whole or not at all. `news` is about us."""
    from holdfast.redaction.gate import gate_text

    steps = steps or EVENTS[event.kind](event)
    event.session = gate_text(event.session)  # asked for by the name it is kept under
    work = Work(workspace, event)
    work.is_late = is_late
    work.remarks += [Remark(NOTICE, line) for line in news]
    # Before the transaction, as much as can be: while it runs, all other hooks wait.
    work.settings = workspace.settings(_root(work))
    if not work.settings["enabled"]:
        return work
    _load(event.kind)
    for handler in steps.outside:
        handler(work)
    with work.store.transaction():
        if "adopted" in work.facts:
            unknown_session()(work)
        for step in steps.inside:
            if isinstance(step, Needed):
                step.handler(work)
            else:
                _try_out(work, step)
        if not is_late:
            _try_out(work, _compose)
    return work


def _try_out(work: Work, act: Callable[[Work], None]) -> None:
    """What follows from an event may fail; the event itself is kept all the same."""
    remarks, lines = len(work.remarks), len(work.for_person)
    try:
        work.store.try_out(lambda: act(work))
    except Exception as error:  # ours: the store's own go on to the door, which has a spool
        from holdfast.ledger.spool import is_the_stores

        if is_the_stores(error):
            raise
        del work.remarks[remarks:], work.for_person[lines:]
        work.failures.append(error)


def _compose(work: Work) -> None:
    """The answer, and an entry of what it costs the agent in tokens."""
    if work.kept is None or not (work.remarks or work.for_person):
        return
    from holdfast.hook import briefing

    context = briefing.compose(work.remarks, **_voice(work))
    work.answer = Answer(
        context or work.answer.context,
        refusal=work.answer.refusal,
        for_person="\n".join(work.for_person),
    )
    if context:
        body = {"tokens": briefing.count(context), "characters": len(context)}
        if "told" in work.facts:
            body["told"] = work.facts["told"]
        work.keep("context_given", body, key=work.consequence("given"))


def _voice(work: Work) -> dict[str, Any]:
    """How an answer opens, and how long it may be: less as the agent's context fills."""
    from holdfast.hook import briefing

    marker = work.facts.get("marker", briefing.RUNNING)
    limit = "prompt" if work.event.kind == "prompt_given" else "start"
    tokens = work.settings[f"briefing.{limit}_tokens"]
    return {
        "tokens": tokens,
        "heading": briefing.heading(marker),
        "share": work.facts.get("share", 1.0),
    }


def _load(kind: str) -> None:
    """Import the projections that the transaction will call."""
    from holdfast.ledger import projections

    for room in projections.DERIVED_BY[kind]:
        projections.deriver(room)


def _root(work: Work) -> str:
    """The root of the project an event belongs to; its session's place is looked up for it."""
    if work.event.kind == "session_began":
        work.worktree, work.gitdir = work.event.body["worktree"], work.event.body["gitdir"]
        return work.worktree
    if not work.event.session:
        return ""
    from holdfast.rooms.sessions.queries import place_of

    found = place_of(work.store, work.event.session)
    if found is None:
        from holdfast.rooms.sessions.handlers import facts_of

        work.facts["adopted"] = facts_of(work.event)
        return str(work.facts["adopted"]["worktree"])
    work.project, work.worktree, work.gitdir = found
    return work.worktree
