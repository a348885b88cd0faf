"""What events do here: with its first prompt a session is told where that lies which it names."""

from __future__ import annotations

from holdfast.rooms.work.queries import count_prompts
from holdfast.system.environment import bring

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.hook.event_context import EventContext


def on_prompt(context: EventContext) -> None:
    """Once in a session: later the agent knows. Nothing is looked for before that is clear."""
    if context.kept is None or context.unverified or context.is_late:
        return
    if count_prompts(context.store, context.event.session) != 1:
        return
    bring("first_prompt")
    from holdfast.rooms.work.places import first_prompt

    context.remarks += first_prompt.remarks(context, context.kept.body["prompt"])
