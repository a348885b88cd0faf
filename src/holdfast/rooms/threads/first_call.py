"""Whether a call is the first of a session that began with a plan: asked at every call, so that it
loads next to nothing."""

from __future__ import annotations

from holdfast.rooms.threads import queries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.hook.event_context import EventContext


def on_tool_used(context: EventContext) -> None:
    """What is done with a first prompt, where a session was cleared and nothing was asked."""
    if context.kept is None or not queries.is_first_call(context.store, context.event.session):
        return
    from holdfast.rooms.threads import handlers

    handlers.on_plan_begun(context)
