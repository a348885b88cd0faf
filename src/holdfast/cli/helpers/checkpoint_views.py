"""Checkpoints by command: what gates keep in one, whether one may come back, what it brings."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, TypedDict

from holdfast.cli.helpers import person_check
from holdfast.cli.helpers.place_here import LEAST, SHORT
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.wording import ago, plural
from holdfast.errors import Ambiguous, HoldfastError, NotFound, StoreError
from holdfast.hook.event import Event
from holdfast.hook.voice import inline
from holdfast.rooms.gates import queries as gates, tier_one
from holdfast.rooms.prompts import queries as prompt_queries
from holdfast.rooms.sessions import queries, work_tree
from holdfast.rooms.sessions.life import short
from holdfast.rooms.work import (
    checkpoint as tiers,
    checkpoint_restoring,
    commands,
    fading,
    handlers,
    other_tools,
    queries as activity,
    summary,
)
from holdfast.rooms.work.commands import Place
from holdfast.rooms.work.queries import Checkpoint
from holdfast.system import files

if TYPE_CHECKING:
    from holdfast.ledger.kinds import Body


CheckpointRestored = TypedDict(
    "CheckpointRestored",
    {
        "checkpoint": str,
        "from": str,
        "session": str | None,
        "goal": str | None,
        "confidence": int,
        "contract": str | None,
        "pins": int,
        "todos": int,
        "serena_project": str | None,
        "restored": list[str],
    },
)


TAKEN = {
    "compact": "before a compaction",
    "stop": "after a turn",
    "delta": "at a prompt",
    "clear": "at /clear",
    "hand": "by hand",
}


def gates_state(here: Place) -> Body:
    """Confidence and contract of the session here, as a checkpoint keeps them."""
    store = here.workspace.store
    mode = here.settings["completion.mode"]
    return tier_one.tier1(store, here.about, mode, _at_task(here, here.about))


def refusal(here: Place, origin: Checkpoint) -> str:
    """Why a checkpoint may not come back here and now, "" when it may."""
    store = here.workspace.store
    try:
        tier1 = tiers.brought_up(origin.tier1, origin.version)
    except StoreError as error:
        return str(error)
    session = queries.find(store, origin.session)
    where = session.worktree if session else ""
    own = {here.session, origin.session if origin.session == here.about else ""}
    return tiers.refusal(
        project=origin.project,
        here=here.project,
        path_exists=files.exists(where) if where else True,
        session=origin.session,
        live={session.id for session in queries.still_open(store)} - own,
        keywords=[*activity.topics(store, origin.session, 20), *tier1["goal_keywords"]],
        current_keywords=_keywords(here),
        age_hours=fading.hours_since(origin.at, here.at),
        max_age_hours=here.settings["continuity.lookback_days"] * 24.0,
    )


def restore(here: Place, given: str) -> Report[CheckpointRestored]:
    """Go on from a checkpoint: at once in a live session, else in the next one that begins."""
    origin = _named(here, given)
    tier1 = tiers.brought_up(origin.tier1, origin.version)
    why = refusal(here, origin)
    if why:
        raise HoldfastError(
            f"checkpoint {origin.id[:SHORT]} is not restored: {why}",
            hint=f"`holdfast sessions continue {short(origin.session)}` goes on from its session",
        )
    by_person = not person_check.doubt()
    if here.session:
        return _report(here, origin, tier1, _in_session(here, origin, tier1, by_person))
    if not by_person:
        raise HoldfastError(
            "no session is at work here, and only a person may say what the next one begins with",
            hint=person_check.HINT,
        )
    commands.restore_next(here, origin)
    return _report(here, origin, tier1, [("state_inherited", {"pins": tier1["pins"]})])


def _in_session(
    here: Place, origin: Checkpoint, tier1: Body, by_person: bool
) -> list[tuple[str, Body]]:
    """What comes back at once. An agent brings back nothing that lowers what is asked of it."""
    store = here.workspace.store
    cap = here.settings["continuity.max_inherited_pins"]
    with store.transaction():
        entries = tier_one.of_checkpoint(store, here.session, tier1, origin.session)
        if not by_person:
            entries = [each for each in entries if _is_free(here, *each)]
        body = checkpoint_restoring.inheritance(
            store, here.session, origin, tier1, cap=cap, by_person=by_person
        )
        entries.insert(0, ("state_inherited", body))
        for kind, each in entries:
            commands.keep(here, kind, each)
    return entries


def _is_free(here: Place, kind: str, body: Body) -> bool:
    """Whether an agent may bring it back: a lower confidence, a contract where none is in force."""
    if kind == "confidence_moved":
        return bool(body["change"] < 0)
    store = here.workspace.store
    return tier_one.in_force(store, here.session, _at_task(here, here.session)) is None


def _report(
    here: Place, origin: Checkpoint, tier1: Body, entries: list[tuple[str, Body]]
) -> Report[CheckpointRestored]:
    store, kept = here.workspace.store, dict(entries)
    taken = f"{TAKEN.get(origin.cause, origin.cause)}, {ago(origin.at, here.at)}"
    who = f"Session {short(here.session)} goes" if here.session else "The next session here goes"
    name = f"checkpoint {origin.id[:SHORT]} of {short(origin.session)} ({taken})"
    lines = [f"{who} on from {name}."]
    goal = prompt_queries.goal_named(store, kept["state_inherited"].get("goal", ""))
    goal = goal or prompt_queries.goal_named(store, tier1["original_goal"])
    if goal:
        lines.append(f"Goal      {inline(goal.goal, 200)}")
    lines += _gates_lines(here, origin, tier1, kept)
    many = len(kept["state_inherited"]["pins"])
    if many:
        lines.append(f"Pins      {plural(many, 'pin')}")
    todos = len(summary.open_todos(store, tier1["todos"])) if tier1["todos"] else 0
    if todos:
        lines.append(f"To do     {plural(todos, 'open item')} of its list")
    changed = len(tier1["files_created"]) + len(tier1["files_edited"])
    if changed:
        lines.append(f"Files     {changed} changed by then")
    project = tier1["serena_project"]
    is_there = not project or other_tools.is_there(other_tools.SERENA, project, here.root)
    if not is_there:
        lines.append(f"Serena    {inline(project)} is gone, and is not offered")
    if here.session:
        lines.append("It is told at its next prompt.")
    data: CheckpointRestored = {
        "checkpoint": origin.id,
        "from": origin.session,
        "session": here.session or None,
        "goal": goal.goal if goal else None,
        "confidence": tier1["confidence"],
        "contract": tier1["task_contract"] or None,
        "pins": many,
        "todos": todos,
        "serena_project": project if is_there else None,
        "restored": [kind for kind, _ in entries] if here.session else [],
    }
    return Report(lines, data)


def _gates_lines(here: Place, origin: Checkpoint, tier1: Body, kept: dict[str, Body]) -> list[str]:
    store, lines = here.workspace.store, []
    value = tier1["confidence"]
    current = gates.conduct_of(store, here.session).confidence if here.session else value
    if value is not None and value == current:
        lines.append(f"Confidence {value} of 100")
    elif value is not None:
        lines.append(f"Confidence stays at {current}: only a person may raise it to {value}")
    stored = tier_one.contract_named(store, origin.session, tier1["task_contract"])
    if stored and ("contract_set" in kept or not here.session):
        asks = ", ".join(stored["evidence_required"]) or "no evidence"
        lines.append(f"Contract  {inline(stored['goal'])} (asks for {asks})")
    return lines


def _named(here: Place, given: str) -> Checkpoint:
    store = here.workspace.store
    if not given:
        last = activity.last_checkpoint(store, here.project)
        if last is None:
            raise NotFound("no checkpoint here yet", hint="`holdfast context checkpoint` takes one")
        return last
    if len(given) < LEAST:
        message = f"{given} is too short: give at least {LEAST} characters of a checkpoint's id"
        raise NotFound(message, hint="see `holdfast context status`")
    known = activity.checkpoints_like(store, here.project, given.lower(), 2)
    if not known:
        raise NotFound(f"no checkpoint {given} here", hint="see `holdfast context status`")
    if len(known) > 1:
        raise Ambiguous(f"{given} fits several", hint="give more of its id")
    return known[0]


def _at_task(here: Place, session: str) -> Callable[[str, str], bool]:
    store = here.workspace.store
    return lambda thread, words: prompt_queries.is_at_task(store, session, thread, words)


def _keywords(here: Place) -> list[str]:
    """What the place says the work is about, as a session that begins here would hear it."""
    where = work_tree.look(os.getcwd())
    body = {
        "source": "startup",
        "gitdir": where.gitdir,
        "branch": where.branch,
        "worktree": where.root,
    }
    event = Event(
        agent="",
        kind="session_began",
        session=here.about,
        key="",
        at=here.at,
        cwd=os.getcwd(),
        body=body,
    )
    handlers.look(event)
    goal = prompt_queries.goal_of(here.workspace.store, here.session) if here.session else None
    return [*event.body.get("keywords", ()), *(goal.keywords if goal else ())]
