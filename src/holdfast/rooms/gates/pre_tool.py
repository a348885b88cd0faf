"""Before a tool runs: which requirements count, what they rest on, and the refusal.

Apart from the room's other deeds, because every tool call pays for what it loads. It only reads;
whatever fails lets through and is told.
"""

from __future__ import annotations

from holdfast.hook.event import Answer
from holdfast.rooms.gates.judgement import Call, asked, is_plan, tried, unmet
from holdfast.rooms.gates.judgement_facts import Facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdfast.hook.context import Moment


def facts_of(work: Moment) -> Facts:
    """The facts of this event's session, at this moment."""
    if "gates" not in work.facts:
        event = work.event
        work.facts["gates"] = Facts(
            work.store,
            state=work.state,
            project=work.project,
            session=event.session,
            worktree=work.worktree,
            branch=work.branch(),
            now=event.at,
            others=work.companions(),
            failed=work.failures.append,
        )
    found: Facts = work.facts["gates"]
    return found


def demanded(work: Moment) -> dict[str, Any]:
    """The requirements that count here and now: compiled, and not switched off."""
    compiled = work.requirements()["requirements"]
    if not compiled:
        return {}
    is_off, switched = facts_of(work).switches()
    if is_off:
        return {}
    return {name: each for name, each in compiled.items() if name not in switched}


def call_of(work: Moment) -> Call:
    said = work.event.body
    path = said.get("path", "")
    return Call(
        said["tool"],
        said["deed"],
        path=_from_root(path, work.worktree, work.event.cwd) if path else "",
        where=path,
        command=said.get("command", ""),
        folder=work.event.cwd,
        subagent=said.get("subagent", ""),
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


def judge(work: Moment) -> None:
    """Refuse a call that asks for what is open; write nothing."""
    requirements = demanded(work)
    if not requirements:
        return
    from holdfast.rooms.gates.protection import protected_places

    call, failed = call_of(work), work.failures.append
    refused = tried(failed, protected_places.refusal, call, work.state)
    if refused:
        work.answer = Answer(refusal=refused)
        return
    before = {name: each for name, each in requirements.items() if not each["stop_only"]}
    concerned = asked(before, call, failed)
    if not concerned or is_plan(call) or tried(failed, protected_places.is_own_command, call):
        return
    facts = facts_of(work)
    found = unmet(concerned, facts, failed)
    if found:
        from holdfast.rooms.gates import refusals

        said = refusals.said(work.state, work.event, call, found, failed)
        work.answer = Answer(refusal=said)
    elif facts.near:
        _warn(work, facts.near)


def _warn(work: Moment, near: dict[str, dict[str, Any]]) -> None:
    """A number that is near its limit is worth a word, once in a while."""
    from holdfast.rooms.gates import messages, refusals

    said = [
        messages.warning(name, values)
        for name, values in near.items()
        if refusals.is_new(work.state, work.event, f"near:{name}", work.failures.append)
    ]
    work.answer = Answer("\n".join(said))
