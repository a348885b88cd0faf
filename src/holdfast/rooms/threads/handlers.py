"""What events do to threads: a session is linked when it begins or with what is asked first, and
told of the one that it goes on with. Everything runs inside the event's transaction."""

from __future__ import annotations

from holdfast.rooms.threads import linking, queries, terms
from holdfast.rooms.threads.thread_state import Look
from holdfast.rooms.work.queries import count_prompts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.hook.event_context import EventContext
    from holdfast.rooms.threads.linking import Match

SAME = ("compact", "resume")  # its own work comes back by itself


def on_session_start(context: EventContext) -> None:
    """By facts; the other open threads are told by title. A fork has its parent's transcript, which
    says all."""
    if context.kept is None:
        return
    if context.event.body["source"] in SAME:
        if context.event.body["source"] == "compact" or context.crashed:
            _tell_own(context)
        return
    is_fork = context.event.body["source"] == "fork"
    if is_fork or not context.settings["continuity.enabled"]:
        return
    context.is_own_branch = not terms.is_shared(context.branch())
    from holdfast.rooms.threads import thread_view

    look = _look(context)
    match = linking.at_start(context, look)
    thread = linking.keep(context, match, key="thread") if match else ""
    if match is not None:
        _tell(context, look, match, thread)
    context.remarks += thread_view.open_ones(context, look, beside=thread)


def _look(context: EventContext) -> Look:
    return Look(context.store, context.project, context.event.at, context.dirty())


def on_fork_linked(context: EventContext) -> None:
    """A fork goes on with what its parent does, which its transcript has told by now."""
    if context.forked is not None:
        parent = context.forked[0]
        match = linking.Match(parent, 1000, linking.FORK, ["it was forked there"])
        if queries.is_asked(context.store, parent):
            linking.keep(context, match, key="thread:fork")


def on_prompt(context: EventContext) -> None:
    """With its first prompt, and with a later one that says that other work goes on. That another
    task shares words with earlier work is too little: of the recorded ones few went on with it."""
    asked, is_first = _asked(context)
    if asked and (is_first or terms.goes_on(asked)):
        _goes_on(context, asked, is_first=is_first)


def on_past_prompt(context: EventContext) -> None:
    """With the first prompt of a session that is over, where nobody is told."""
    asked, is_first = _asked(context)
    if asked and is_first:
        _link(context, _look(context), asked)


def _asked(context: EventContext) -> tuple[str, bool]:
    """What a person asks, and whether it is the first of the session."""
    if context.kept is None or context.unverified:
        return "", False
    is_first = count_prompts(context.store, context.event.session) == 1
    return context.kept.body["prompt"], is_first


def on_plan_begun(context: EventContext) -> None:
    """With its first call, where a session began with a plan that was accepted: the client sends no
    prompt then."""
    from holdfast.rooms.prompts.handlers import keep_plan_begun_with

    plan = keep_plan_begun_with(context)
    if plan:
        _goes_on(context, plan)


def _goes_on(context: EventContext, asked: str, *, is_first: bool = True) -> None:
    """A session is told of the thread that its words name, once."""
    before = queries.told_of(context.store, context.event.session)
    look = _look(context)
    match = _link(context, look, asked, is_first=is_first)
    if match is not None:
        thread = queries.thread_of(context.store, match.session)
        if thread not in before:
            _tell(context, look, match, thread, asked, is_first=is_first)


def _link(context: EventContext, look: Look, asked: str, *, is_first: bool = True) -> Match | None:
    """By the words of what is asked, beside the facts; None where that says nothing new. The thread
    of a session is that of its first prompt: what a later one names is told and makes none."""
    store, session = context.store, context.event.session
    link = queries.link_of(store, session)
    if link is not None and (link.author == queries.PERSON or link.reason == linking.NAMED):
        return None
    if not queries.is_asked(store, session) or not context.settings["continuity.enabled"]:
        return None  # a program's
    if queries.source_of(store, session) == "fork":
        return None  # it has its parent's transcript, and is linked when that is known
    is_told = bool(queries.told_of(store, session))
    match = linking.by_words(context, look, asked, is_told=is_told, is_first=is_first)
    thread = queries.thread_of(store, match.session) if match else ""
    if match is None or thread in ("", link.thread if link else session):
        if link is not None and is_first:
            linking.leave(context, asked, link.thread)
        return None
    if not is_first:
        match = match.changed(strength=min(match.strength, queries.FILED - 1))
    linking.keep(context, match, key="thread:prompt" if is_first else context.consequence("thread"))
    return match


def _tell_own(context: EventContext) -> None:
    """The choices that were made for the work that goes on; the rest is told by others."""
    from holdfast.rooms.prompts import telling

    session = context.event.session
    thread = queries.thread_of(context.store, session)
    sessions = [session, *(each.id for each in queries.sessions_of(context.store, thread, session))]
    context.remarks += telling.choices_made(context, sessions, with_plans=True)


def _tell(
    context: EventContext,
    look: Look,
    match: Match,
    thread: str,
    asked: str = "",
    *,
    is_first: bool = True,
) -> None:
    """By facts, or by the words of what is asked. A later prompt takes nothing over."""
    from holdfast.rooms.prompts import telling
    from holdfast.rooms.threads import thread_view

    own = context.event.session
    drawn = thread_view.drawn(look, thread, but=own, shown=match.session, asked=asked)
    if drawn is not None:
        if is_first:
            context.goes_on_with = drawn.shown.id
        context.remarks += thread_view.gone_on_with(context, drawn, by_words=bool(asked))
        if not asked or match.strength >= queries.FILED:
            sessions = [each.id for each in drawn.sessions]
            context.remarks += telling.choices_made(context, sessions, with_plans=False)
