"""Before a tool runs: which requirements count, what they rest on, and the refusal.

Apart from the room's other handlers, because every tool call pays for what it loads. It only reads;
whatever fails lets through and is told.
"""

from __future__ import annotations

from holdfast.hook.event import Answer
from holdfast.rooms.gates.judgement import asked_of, attempt, gating, is_plan, unmet
from holdfast.rooms.gates.judgement_facts import Facts
from holdfast.rooms.gates.tool_call import Call
from holdfast.system import environment, files, paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.config.requirement_type import Requirements
    from holdfast.hook.context import Context
    from holdfast.rooms.gates.judgement_facts import Open

STATELESS = "protected_branch"  # the guard that git alone answers


def facts_of(context: Context) -> Facts:
    """The facts of this event's session, at this moment."""
    if context.gate_facts is None:
        event = context.event
        context.gate_facts = Facts(
            context.store,
            state=context.state,
            project=context.project,
            session=event.session,
            worktree=context.worktree,
            branch=context.branch(),
            now=event.at,
            others=context.companions(),
            failed=context.failures.append,
            tree=context.tree,
            may_look=context.may_look,
        )
    facts: Facts = context.gate_facts
    return facts


def demanded(context: Context) -> Requirements:
    """The requirements that count here and now: compiled, and not switched off."""
    compiled: Requirements = context.requirements()["requirements"]
    if not compiled:
        return {}
    is_off, switched = facts_of(context).switches()
    if is_off:
        return {}
    return {name: each for name, each in compiled.items() if name not in switched}


def call_of(context: Context) -> Call:
    body = context.event.body
    path = body.get("path", "")
    return Call(
        body["tool"],
        body["deed"],
        path=_from_root(path, context.worktree, context.event.cwd) if path else "",
        where=path,
        command=body.get("command", ""),
        folder=context.event.cwd,
        subagent=body.get("subagent", ""),
        input=body.get("input") or {},
        root=context.worktree,
    )


def _from_root(path: str, root: str, folder: str) -> str:
    """A path from the worktree's root where it lies inside, however it was written."""
    inside = f"{root}/"
    if not path.startswith(inside) or "/." in path or "//" in path:
        import os

        path = os.path.normpath(os.path.join(folder, path))
        if not path.startswith(inside):
            real = os.path.realpath(path)  # by a link to the root, or above it
            path = real if real.startswith(inside) else path
    return path[len(inside) :] if root and path.startswith(inside) else path


def judge(context: Context) -> None:
    """Refuse a call that asks for what is open; the store is only read."""
    requirements = demanded(context)
    if not requirements:
        return
    call, failed = call_of(context), context.failures.append
    concerned, open_ = _judged(context, requirements, call)
    if files.exists(paths.gate_level(context.state)):
        from holdfast.rooms.gates import judgement_log

        names = [each.name for each in open_]
        attempt(failed, judgement_log.note_call, context, call, concerned, names)


def judge_without_state(context: Context) -> None:
    """Where the store cannot be read: what needs none of it holds as it was compiled last, the rest
    passes and says so."""
    requirements: Requirements = context.requirements()["requirements"]
    if not requirements:
        return
    facts_of(context).know_no_state()
    holds = {n: each for n, each in requirements.items() if each["guard_type"] == STATELESS}
    call, failed = call_of(context), context.failures.append
    _judged(context, holds, call)
    if context.answer.refusal or is_plan(call):
        return
    rest = {n: each for n, each in requirements.items() if n not in holds}
    passed = sorted(gating(asked_of(rest, call), call, failed))
    if not passed:
        return
    from holdfast.hook.voice import code, joined, ours
    from holdfast.rooms.gates import refusals

    if refusals.is_new(context.state, context.event, "without state", failed):
        names = joined(", ", [code(name, 60) for name in passed])
        context.answer = Answer(
            ours("Holdfast cannot read its store, so this passed without a look at: {}.", names)
        )


def _judged(
    context: Context, requirements: Requirements, call: Call
) -> tuple[Requirements, list[Open]]:
    """The answer to a call; which requirements it asks for, and those of them that are open."""
    from holdfast.rooms.gates.protection import protected_places

    failed = context.failures.append
    refused = attempt(failed, protected_places.refusal, call, context.state)
    if refused:
        context.answer = Answer(refusal=refused)
        return {}, []
    concerned = gating(asked_of(requirements, call), call, failed)
    if not concerned or is_plan(call) or attempt(failed, protected_places.is_own_command, call):
        return {}, []
    facts = facts_of(context)
    facts.is_before_tool = True
    open_ = unmet(concerned, facts, failed)
    if any(each.requirement["rule"] for each in open_):
        environment.bring("rule_gates")
        from holdfast.rooms.gates import rule_gates

        open_ = attempt(failed, rule_gates.speaking, context, call, open_) or []
    if open_:
        from holdfast.agents import known
        from holdfast.rooms.gates import refusals

        asks = all(map(call.is_asked, open_)) and known.shows_why(context.event.agent, call.tool)
        text = refusals.refusal(context.state, context.event, call, open_, failed, asks=asks)
        context.answer = Answer(refusal=text, asks=asks)
    elif facts.near:
        _warn(context, facts.near)
    return concerned, open_


def _warn(context: Context, near: dict[str, dict[str, object]]) -> None:
    """A number that is near its limit is worth a word, once in a while."""
    from holdfast.hook.voice import joined
    from holdfast.rooms.gates import messages, refusals

    warnings = [
        messages.warning(name, values)
        for name, values in near.items()
        if refusals.is_new(context.state, context.event, f"near:{name}", context.failures.append)
    ]
    context.answer = Answer(joined("\n", warnings))
