"""Judging a tool call before it runs: nothing is kept, and the store is only read."""

from __future__ import annotations

from holdfast.hook.context import Context
from holdfast.hook.events import JUDGED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.hook.event import Event
    from holdfast.ledger.reader import Reading


def judge(workspace: Reading, event: Event) -> Context:
    """Judge an event that nothing is kept of. Where its session is not known yet, its place is
    looked up: what is demanded there counts from the first call on."""
    from holdfast.config import compiled

    context = Context(workspace, event)
    if compiled.is_off():
        return context
    from holdfast.rooms.sessions.queries import place_of

    place = place_of(context.store, event.session)
    if place is None:
        from holdfast.rooms.sessions.handlers import facts_of, known_project

        facts = facts_of(event)
        project = known_project(context.store, facts["worktree"], facts["gitdir"])
        place = (project, facts["worktree"], facts["gitdir"])
    context.project, context.worktree, context.gitdir = place
    JUDGED[event.kind]()(context)
    if workspace.unread:
        from holdfast.errors import SettingsError

        context.failures += [SettingsError(line) for line in workspace.unread]
    return context


def without_store(state: str, event: Event) -> Context:
    """Judge an event where the store cannot be read, by what was compiled and by git alone."""
    from holdfast.config import compiled
    from holdfast.ledger.reader import Unread
    from holdfast.rooms.gates import pre_tool
    from holdfast.rooms.sessions.handlers import facts_of

    context = Context(Unread(state), event)
    if not compiled.is_off():
        facts = facts_of(event)
        context.worktree, context.gitdir = facts["worktree"], facts["gitdir"]
        pre_tool.judge_without_state(context)
    return context
