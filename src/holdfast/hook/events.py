"""THE TABLE: what each event does, in order.

Read it and you know what Holdfast does. Each row is a function, so that a hook imports the handlers
of its own event alone, and an editor follows every name. Of a row's steps, those `before` look at
the world before the store is opened; those `outside` count what may take its time; those `inside`
run in one transaction, whole or not at all; those `after` the commit only render files.
"""

from __future__ import annotations

from holdfast.system.value import Record, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.hook.context import Context
    from holdfast.hook.event import Event
    from holdfast.hook.event_context import EventContext

    Before = Callable[[Event], None]
    Handler = Callable[[EventContext], None]


class Needed(Value):
    """A handler without which its event is not kept; all others only follow from the event."""

    handler: Handler


class Steps(Record):
    """One row of the table."""

    inside: tuple[Handler | Needed, ...]
    before: tuple[Before, ...] = ()
    outside: tuple[Handler, ...] = ()
    after: tuple[Handler, ...] = ()


def _keep(context: EventContext) -> None:
    context.keep_event()


KEEP = Needed(_keep)


def _bring_up_to_date(context: EventContext) -> None:
    """After a checkpoint that came due at a prompt: the files that the end of a turn renders."""
    if context.checkpoint_cause:
        for render in _checkpoint_files():
            render(context)


def _checkpoint_files() -> tuple[Handler, ...]:
    """The files that tell how a session stands."""
    from holdfast.rooms.gates import handlers as gates
    from holdfast.rooms.recovery import handlers as recovery
    from holdfast.rooms.sessions import handlers as sessions
    from holdfast.rooms.work import handlers as work

    return work.after_commit, gates.after_commit, sessions.after_commit, recovery.after_commit


def _end_files() -> tuple[Handler, ...]:
    """The files that the end of a turn and of a session renders."""
    from holdfast.rooms.work import handlers as work

    return (*_checkpoint_files(), work.render_agents_file)


def session_began(_: Event) -> Steps:
    from holdfast.rooms.gates import handing_on, handlers as gates, vanished
    from holdfast.rooms.identity import handlers as identity
    from holdfast.rooms.prompts import handlers as prompts, pointed_lines
    from holdfast.rooms.recovery import handlers as recovery
    from holdfast.rooms.sessions import checked_acts as acts, handlers as sessions
    from holdfast.rooms.threads import handlers as threads
    from holdfast.rooms.work import handlers as work, status_facts

    return Steps(
        before=(sessions.before_session_start, work.look),
        outside=(
            gates.count_dynamic,
            prompts.look,
            work.read_instructions,
            recovery.read_notes,
            vanished.look,
        ),
        inside=(
            Needed(sessions.mark_crashed),
            Needed(sessions.on_session_start),
            prompts.look_at_crashed,
            prompts.settle,
            gates.on_calls_settled,
            acts.keep_not_clients,
            sessions.announce_crash,
            threads.on_session_start,
            work.on_session_start,
            pointed_lines.on_session_start,
            identity.on_session_start,
            recovery.on_session_start,
            handing_on.on_session_start,
            gates.on_session_start,
            acts.tell,
        ),
        after=(
            status_facts.gather,
            sessions.after_commit,
            recovery.heal_files,
            acts.mark_told,
            vanished.note,
            work.mirror_crashed,
            gates.mirror_crashed,
            sessions.mirror_others,
        ),
    )


def prompt_given(_: Event) -> Steps:
    from holdfast.rooms.gates import handing_on, handlers as gates
    from holdfast.rooms.identity import handlers as identity
    from holdfast.rooms.prompts import handlers as prompts, pointed_lines
    from holdfast.rooms.sessions import checked_acts as acts, hook_chain
    from holdfast.rooms.threads import handlers as threads
    from holdfast.rooms.work import handlers as work, status_facts

    return Steps(
        before=(work.measure, hook_chain.look_above),
        outside=(prompts.look,),
        inside=(
            hook_chain.judge,
            prompts.settle,  # those before it
            gates.on_calls_settled,
            acts.keep_not_clients,
            KEEP,
            acts.keep_unverified,
            acts.tell,
            prompts.on_prompt,
            pointed_lines.on_prompt,
            work.on_prompt,
            threads.on_prompt,
            work.on_thread_named,
            handing_on.on_prompt,
            work.on_first_prompt,
            work.checkpoint_when_due,
            gates.on_words,
            identity.on_prompt,
        ),
        after=(
            status_facts.gather_words,
            identity.after_commit,
            acts.mark_told,
            _bring_up_to_date,
        ),
    )


def command_typed(_: Event) -> Steps:
    from holdfast.rooms.gates import handlers as gates
    from holdfast.rooms.sessions import checked_acts as acts, hook_chain

    return Steps(
        before=(hook_chain.look_above,),
        inside=(hook_chain.judge, KEEP, acts.keep_unverified, gates.on_command_typed),
    )


def tool_used(event: Event) -> Steps:
    from holdfast.rooms.gates import handlers as gates
    from holdfast.rooms.identity import handlers as identity
    from holdfast.rooms.threads import first_call

    before: tuple[Before, ...] = ()
    outside: tuple[Handler, ...] = ()
    inside: list[Handler | Needed] = [
        KEEP,
        gates.on_tool_used,
        identity.on_tool_used,
        first_call.on_tool_used,
    ]
    if event.body["deed"] in ("edit", "create"):
        from holdfast.rooms.decisions.noticed import quote_removed

        inside.insert(1, quote_removed.on_edit)
    if "reply" in event.body:
        from holdfast.rooms.prompts import handlers as prompts

        inside.insert(1, prompts.on_reply)
    if event.body["deed"] == "run":
        from holdfast.rooms.work.branches import handlers as branches

        inside.append(branches.on_tool_used)
    if "reply" in event.body or event.body["deed"] in ("run", "skill"):
        # It may speak for the user, or satisfy what is required.
        from holdfast.rooms.sessions import checked_acts as acts, hook_chain

        before, outside = (hook_chain.look_above,), (gates.look_at_tree,)
        inside = [hook_chain.judge, *inside, acts.keep_unverified]
    return Steps(
        before=before, outside=outside, inside=tuple(inside), after=(identity.after_commit,)
    )


def calls_refused(_: Event) -> Steps:
    from holdfast.rooms.prompts import handlers as prompts
    from holdfast.rooms.sessions import checked_acts as acts, hook_chain

    return Steps(
        before=(hook_chain.look_above,),
        inside=(hook_chain.judge, KEEP, acts.keep_unverified, prompts.on_refusals),
    )


def context_closing(_: Event) -> Steps:
    from holdfast.rooms.gates import handing_on, handlers as gates
    from holdfast.rooms.prompts import handlers as prompts
    from holdfast.rooms.recovery import handlers as recovery
    from holdfast.rooms.sessions import checked_acts as acts, handlers as sessions
    from holdfast.rooms.threads import handlers as threads
    from holdfast.rooms.work import handlers as work

    return Steps(
        before=(work.measure,),
        outside=(prompts.look, work.read_instructions),
        inside=(
            KEEP,
            prompts.settle,
            gates.on_calls_settled,
            acts.keep_not_clients,
            sessions.link_fork,
            threads.on_fork_linked,
            work.on_context_closing,
            handing_on.on_context_closing,
            recovery.judge_checkpoint,
        ),
        after=(work.after_commit, recovery.after_commit),
    )


def turn_ended(_: Event) -> Steps:
    from holdfast.rooms.gates import handlers as gates, vanished
    from holdfast.rooms.prompts import handlers as prompts
    from holdfast.rooms.recovery import handlers as recovery
    from holdfast.rooms.sessions import checked_acts as acts, handlers as sessions
    from holdfast.rooms.threads import handlers as threads
    from holdfast.rooms.work import handlers as work, status_facts
    from holdfast.rooms.work.branches import handlers as branches

    return Steps(
        before=(work.measure,),
        outside=(
            gates.count_dynamic,
            gates.look_at_tree,
            vanished.look,
            prompts.look,
            branches.take_stock,
        ),
        inside=(
            KEEP,
            prompts.settle,
            gates.on_calls_settled,
            acts.keep_not_clients,
            branches.keep_stock,
            sessions.link_fork,
            threads.on_fork_linked,
            gates.on_fork_linked,
            work.learn_from_fixes,
            work.checkpoint_when_due,
            recovery.judge_checkpoint,
            gates.on_words,
            gates.on_stop,
        ),
        after=(
            vanished.note,
            status_facts.gather,
            *_end_files(),
        ),
    )


def turn_failed(_: Event) -> Steps:
    from holdfast.rooms.prompts import handlers as prompts
    from holdfast.rooms.sessions import checked_acts as acts

    return Steps(outside=(prompts.look,), inside=(KEEP, prompts.settle, acts.keep_not_clients))


def session_ended(_: Event) -> Steps:
    from holdfast.rooms.gates import handlers as gates
    from holdfast.rooms.prompts import handlers as prompts
    from holdfast.rooms.sessions import checked_acts as acts, handlers as sessions
    from holdfast.rooms.threads import handlers as threads
    from holdfast.rooms.work import handlers as work

    return Steps(
        outside=(prompts.look,),
        inside=(
            prompts.settle,
            gates.on_calls_settled,
            acts.keep_not_clients,
            work.on_session_end,
            Needed(sessions.on_session_end),
            sessions.link_fork,
            threads.on_fork_linked,
            gates.on_session_end,
        ),
        after=_end_files(),
    )


def only_kept(_: Event) -> Steps:
    return Steps(inside=(KEEP,))


EVENTS: dict[str, Callable[[Event], Steps]] = {
    "session_began": session_began,
    "prompt_given": prompt_given,
    "command_typed": command_typed,
    "tool_used": tool_used,
    "calls_refused": calls_refused,
    "context_closing": context_closing,
    "context_compacted": only_kept,
    "turn_ended": turn_ended,
    "turn_failed": turn_failed,
    "subagent_began": only_kept,
    "subagent_ended": only_kept,
    "notified": only_kept,
    "task_created": only_kept,
    "task_completed": only_kept,
    "instructions_loaded": only_kept,
    "moved": only_kept,
    "event_seen": only_kept,
    "probed": only_kept,
    "session_ended": session_ended,
}


def unknown_session() -> Handler:
    """Before anything else, where a session was not met: installed mid-session, or its beginning
    was lost. It is taken for begun."""
    from holdfast.rooms.sessions import handlers as sessions

    return sessions.adopt


def tool_asked() -> Callable[[Context], None]:
    """A tool call before it runs is only judged: nothing is kept, and the store is only read."""
    from holdfast.rooms.gates import pre_tool

    return pre_tool.judge


JUDGED = {"tool_asked": tool_asked}
