"""What an agent's event leaves behind: kept, derived from, answered; or set aside, never lost.

The larger half of the hook (entry_point.py), which a judgement before a tool call does not load.
"""

from __future__ import annotations

import sys
import time

from holdfast.system import files, paths
from holdfast.system.environment import env

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdfast.hook.event import Event, Remark
    from holdfast.hook.event_context import EventContext
    from holdfast.hook.voice import Ours
    from holdfast.ledger.workspace import Workspace

# How long an event waits for its turn; then it waits in the spool, and the agent does not.
PATIENCE_S = 1.0
# When an event has waited there for so long, the store is not busy but stuck.
STUCK_S = 60.0
# Closing the last connection would copy the log back and delete it, at every event. So nothing is
# closed: the log is safe as it stands, and is copied back when it has grown.
OPEN: list[Workspace] = []


def deal_with(state: str, agent: Any, event: Event, *, is_packed: bool) -> str:
    """Keep an event, do what it asks for, and say what there is to say."""
    from holdfast.hook.transaction import look, receive

    try:
        steps = look(event)
        from holdfast.ledger.workspace import Workspace

        workspace = Workspace(state, busy_s=PATIENCE_S)
        OPEN.append(workspace)
        _take_in(state, workspace)
        news, committed = own_news(workspace, event)
        context = _counted(state, receive(workspace, event, news, steps=steps))
    except BaseException as error:  # the event must not be lost, whatever it was
        _set_aside(state, event, error)
        return _answer_unkept(state, agent, event, error)
    try:
        if workspace.has_new_settings:
            from holdfast.ledger import spool

            spool.try_again(state)
        _take_in_late(state, workspace)
        for handler in steps.after:
            handler(context)
        why = context.dream_why or ("end" if event.kind == "session_ended" else "")
        if why:
            from holdfast.hook import consolidate

            consolidate.start(state, context.project, why, settings=context.settings)
        if news:
            from holdfast.ledger.faults import mark_told

            mark_told(state, event.at)
        if committed:
            from holdfast.config import trust

            trust.note_told(state, event.body["worktree"], committed)
        if workspace.stale:
            run_detached("rebuild")
        is_unbundled = not is_packed and not env("HOLDFAST_NO_BUNDLE")
        if event.kind == "session_began" and is_unbundled:
            run_detached("pack")
    except Exception as error:
        _count(state, "not settled", error)
    return str(agent.write(context.answer, event.kind, event.name))


def _answer_unkept(state: str, agent: Any, event: Event, error: BaseException) -> str:
    """A session that begins is told what is known, even where nothing can be written."""
    if event.kind != "session_began":
        return ""
    from holdfast.hook import unkept
    from holdfast.ledger import spool
    from holdfast.system import refused

    refusal = refused.explained(error, state)
    if refusal:
        answer = unkept.answer(state, event, refusal)
    elif spool.is_the_stores(error) and not _is_busy(error):
        answer = unkept.unreadable(event)
    else:
        return ""
    return str(agent.write(answer, event.kind, event.name))


def run_detached(errand: str) -> None:
    from holdfast.system.processes import spawn_detached

    spawn_detached([sys.executable, "-I", "-S", sys.argv[0], errand])


def _counted(state: str, context: EventContext) -> EventContext:
    """What should have followed from an event and failed is counted."""
    from holdfast.redaction import gate

    for failure in context.failures:
        _count(state, "not done", failure)
    while gate.FAILED:
        _count(state, "pattern given up", gate.FAILED.pop())
    return context


def note_cost(state: str, agent: Any, event: Event, ms: float) -> None:
    """What this hook took, as one small record."""
    from holdfast.errors import StoreError
    from holdfast.ledger import hook_costs

    number = list(agent.HOOKS).index(event.name) if event.name in agent.HOOKS else hook_costs.OTHER
    kept_at = OPEN[-1].store.kept_at if OPEN else 0
    try:
        hook_costs.note(
            state,
            event.session,
            number,
            ms,
            at=time.time(),
            failed=_has_failed(),
            place=kept_at,
        )
    except (OSError, StoreError):
        pass  # somebody else's folder, or no space: what is wrong there is counted elsewhere


def _has_failed() -> bool:
    """Whether a fault was counted; where none was, what counts them is not even loaded."""
    faults = sys.modules.get("holdfast.ledger.faults")
    return bool(faults and faults.COUNTED)


def catch_up(state: str) -> None:
    """What waits in the spool may be what satisfied a gate: it counts before one is judged. Where
    nothing can be written, it is judged without."""
    from holdfast.ledger.workspace import Workspace

    try:
        OPEN.append(Workspace(state, busy_s=PATIENCE_S))
        _take_in(state, OPEN[-1])
    except Exception as error:
        from holdfast.system import refused

        if not (_is_busy(error) or refused.cause_of(error, state)):
            raise


def _take_in(state: str, workspace: Workspace) -> None:
    """Events that waited come before this one."""
    if not any(map(files.names_in, paths.spools(state))):
        return
    from holdfast.hook import transaction
    from holdfast.hook.events import EVENTS
    from holdfast.ledger import spool
    from holdfast.rooms.sessions import handlers, registry_file

    def receive(event: Event) -> None:
        """Of what follows an event that waited, only the registry: the next event renders it."""
        steps = EVENTS[event.kind](event)
        _counted(state, transaction.receive(workspace, event, steps=steps, is_late=True))
        if handlers.after_commit in steps.after:
            registry_file.mark_due(state)

    spool.take_in(
        state, receive, lambda path, error: _count(state, "event in the spool refused", error)
    )


def _take_in_late(state: str, workspace: Workspace) -> None:
    """Events whose turn did not come while ours did; without waiting. Then the registry of
    sessions, where an event before this one could not render it."""
    workspace.store.wait(0)
    try:
        _take_in(state, workspace)
        if files.exists(paths.registry_due(state)):
            from holdfast.rooms.sessions import registry_file

            registry_file.render_due(workspace)
    except Exception as error:
        if not _is_busy(error):
            raise


def _set_aside(state: str, event: Event, error: BaseException) -> None:
    """Into the spool. That its turn did not come is no fault, unless nobody's ever comes."""
    from holdfast.ledger import spool

    kind = "store unavailable" if spool.is_the_stores(error) else "event not kept"
    if not spool.put(state, event):
        _count(state, "event lost", error)
    elif not _is_busy(error):
        _count(state, kind, error)
    elif spool.longest_wait_s(state, event.at) > STUCK_S:
        _count(state, "store locked for long", error)
    elif OPEN:
        # It may have been the last one, and the store free by now: nobody else would take it in.
        _take_in_late(state, OPEN[-1])


def _is_busy(error: BaseException) -> bool:
    return type(error).__module__ == "apsw" and type(error).__name__ in {"BusyError", "LockedError"}


def _count(state: str, kind: str, error: BaseException) -> None:
    from holdfast.ledger import faults

    faults.count(state, kind, error)


def own_news(workspace: Workspace, event: Event) -> tuple[list[Remark], str]:
    """What went wrong with us and with configuration, said when a session begins; and the digest of
    committed configuration that is told of for the first time."""
    if event.kind != "session_began":
        return [], ""
    from holdfast.config import settings
    from holdfast.ledger import faults

    root = event.body["worktree"]
    workspace.settings(root)  # compiles what has changed, and notes what is wrong with it
    workspace.requirements(root)
    kept = settings.as_compiled(workspace.state, root)
    own, problems = faults.news(workspace.state), settings.problems(kept)
    waiting, unread, committed = settings.of_repository(kept)
    if not (own or problems or waiting or unread):
        return [], ""
    from holdfast.hook.event import NOTICE, Remark
    from holdfast.hook.voice import ours

    news = []
    if own:
        text = ours("About Holdfast itself:")
        news.append(Remark(NOTICE, text, own))
    if problems:
        text = ours("Wrong in the configuration (`holdfast config check` tells more):")
        news.append(Remark(NOTICE, text, items=problems))
    if waiting or unread:
        from holdfast.config import trust

        if trust.is_told(workspace.state, root, committed):
            return news, ""
        news.append(Remark(NOTICE, _about_repository(waiting, unread)))
        return news, committed
    return news, ""


def _about_repository(waiting: int, unread: int) -> Ours:
    """What a repository brought along that does not count, in one line and in our own words."""
    from holdfast.hook.voice import joined, ours

    parts = []
    if waiting:
        many = ours("1 thing waits") if waiting == 1 else ours("{} things wait", waiting)
        parts.append(ours("{} for `holdfast trust` (`--show` names what)", many))
    if unread:
        many = ours("1 part does") if unread == 1 else ours("{} parts do", unread)
        parts.append(
            ours("{} not read (`holdfast req verify` and `holdfast config check` say why)", many)
        )
    what = joined(" and ", parts)
    return ours("Of this repository's committed configuration {}.", what)
