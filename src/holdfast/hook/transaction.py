"""One event in one transaction: the steps of the table (`events.py`), in order, and the answer."""

from __future__ import annotations

from holdfast.hook.context import Work
from holdfast.hook.event import NOTICE, Answer, Remark
from holdfast.hook.events import COUNTED_FOR, EVENTS, KEEP, NEEDED, ONLY_OF, deed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from holdfast.hook.event import Event
    from holdfast.ledger.workspace import Workspace

# Events at which the branch is looked up again: a checkout happens inside a session.
BRANCH_READ_AT = frozenset({"prompt_given", "turn_ended", "moved"})


def receive(
    workspace: Workspace, event: Event, news: Iterable[str] = (), *, is_late: bool = False
) -> Work:
    """Do what the table says, in one transaction: whole or not at all. `news` is about us."""
    from holdfast.redaction.gate import gate_text

    deeds = tuple(name for name in EVENTS[event.kind][1] if _concerns(name, event))
    event.session = gate_text(event.session)  # asked for by the name it is kept under
    work = Work(workspace, event)
    work.is_late = is_late
    work.remarks += [Remark(NOTICE, line) for line in news]
    # Before the transaction, as much as can be: while it runs, all other hooks wait.
    work.settings = workspace.settings(_root(work))
    if not work.settings["enabled"]:
        return work
    _load(event.kind, deeds)
    if event.kind in COUNTED_FOR:
        deed("gates.count")(work)
    with work.store.transaction():
        if "adopted" in work.facts:
            deed("sessions.adopt")(work)
        for name in deeds:
            if name == KEEP:
                keep_event(work)
            elif name in NEEDED:
                deed(name)(work)
            else:
                _try_out(work, deed(name))
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


def settle(work: Work) -> None:
    """What follows the commit. Whatever happens here, the event is kept."""
    for name in EVENTS[work.event.kind][2]:
        deed(name)(work)


def settle_late(state: str, kind: str) -> None:
    """Of what follows an event that waited, only the registry: the next event renders it."""
    if "sessions.settle" in EVENTS[kind][2]:
        from holdfast.sessions import mirror

        mirror.mark_due(state)


def render_due(workspace: Workspace) -> None:
    """The registry of sessions, where an event before this one could not render it."""
    from holdfast.sessions import mirror

    mirror.render_due(workspace)


def look(event: Event) -> None:
    """Take the facts that an event needs before anything is opened."""
    for name in EVENTS[event.kind][0]:
        deed(name)(event)


def keep_event(work: Work) -> None:
    """The event itself as an entry, its paths told from the worktree's root."""
    event = work.event
    body = dict(event.body)
    path = body.get("path")
    if path and work.worktree and path.startswith(f"{work.worktree}/"):
        body["path"] = path[len(work.worktree) + 1 :]
    if work.gitdir and (event.kind in BRANCH_READ_AT or "git " in body.get("command", "")):
        from holdfast.sessions.branch import branch_of

        body["branch"] = branch_of(work.gitdir)
    work.kept = work.keep(event.kind, body, key=event.key)


def _concerns(name: str, event: Event) -> bool:
    return name not in ONLY_OF or event.body.get("deed") in ONLY_OF[name]


def _load(kind: str, deeds: tuple[str, ...]) -> None:
    """Import what the transaction will call."""
    from holdfast.ledger import projections

    for name in deeds:
        if name != KEEP:
            deed(name)
    for room in projections.DERIVED_BY[kind]:
        projections.deriver(room)


def _root(work: Work) -> str:
    """The root of the project an event belongs to; its session's place is looked up for it."""
    if work.event.kind == "session_began":
        work.worktree, work.gitdir = work.event.body["worktree"], work.event.body["gitdir"]
        return work.worktree
    if not work.event.session:
        return ""
    from holdfast.sessions.shelf import place_of

    found = place_of(work.store, work.event.session)
    if found is None:
        # Installed mid-session, or its beginning was lost: taken for begun.
        work.facts["adopted"] = deed("sessions.facts_of")(work.event)
        return str(work.facts["adopted"]["worktree"])
    work.project, work.worktree, work.gitdir = found
    return work.worktree
