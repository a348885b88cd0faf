"""What events do to threads: a session is linked when it begins or with its first prompt, and told
of the one that it goes on with. Everything runs inside the event's transaction."""

from __future__ import annotations

from holdfast.rooms.threads import linking, queries
from holdfast.rooms.work.queries import count_prompts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.hook.event_context import EventContext

SAME = ("compact", "resume")  # its own work comes back by itself


def on_session_start(context: EventContext) -> None:
    """By facts; where there are none, the open threads are told by title. A fork has its parent's
    transcript, which says all."""
    if context.kept is None or context.event.body["source"] in SAME:
        return
    match = linking.at_start(context)
    if match is not None:
        _tell(context, linking.keep(context, match, key="thread"), by_words=False)
    elif context.settings["briefing.threads"]:
        from holdfast.rooms.threads import thread_view

        context.remarks += thread_view.open_ones(context, context.event.body.get("files", ()))


def on_prompt(context: EventContext) -> None:
    """With its first prompt: by the words, unless facts are surer."""
    if context.kept is None or context.unverified:
        return
    session = context.event.session
    if count_prompts(context.store, session) != 1 or linking.is_named_by_person(
        context.store, session
    ):
        return
    if not queries.is_asked(context.store, session):
        return  # a program's
    link = queries.link_of(context.store, session)
    match = linking.by_words(context, context.kept.body["prompt"])
    if match is None:
        return
    named = queries.thread_of(context.store, match.session)
    if named in ("", link.thread if link else session):
        return
    worth = match.worth - (linking.AGAINST_A_FACT if link else 0.0)
    if worth > linking.FILED:
        linking.keep(context, match, key="thread:prompt")
    if worth > linking.TOLD:
        _tell(context, named, by_words=True)


def _tell(context: EventContext, thread: str, *, by_words: bool) -> None:
    if not context.settings["briefing.threads"]:
        return
    from holdfast.rooms.threads import thread_view

    drawn = thread_view.drawn(
        context.store,
        context.project,
        thread,
        now=context.event.at,
        dirty=context.event.body.get("files", ()),
        but=context.event.session,
    )
    if drawn is not None:
        context.goes_on_with = drawn.shown
        context.remarks += thread_view.gone_on_with(context, drawn, by_words=by_words)
