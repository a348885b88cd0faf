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


def gates_state(place: Place) -> Body:
    """Confidence and contract of the session here, as a checkpoint keeps them."""
    store = place.workspace.store
    mode = place.settings["completion.mode"]
    return tier_one.tier1(store, place.about, mode, _at_task(place, place.about))


def refusal(place: Place, origin: Checkpoint) -> str:
    """Why a checkpoint may not come back here and now, "" when it may."""
    store = place.workspace.store
    try:
        tier1 = tiers.brought_up(origin.tier1, origin.version)
    except StoreError as error:
        return str(error)
    session = queries.find(store, origin.session)
    where = session.worktree if session else ""
    own = {place.session, origin.session if origin.session == place.about else ""}
    return tiers.refusal(
        project=origin.project,
        here=place.project,
        path_exists=files.exists(where) if where else True,
        session=origin.session,
        live={session.id for session in queries.still_open(store)} - own,
        keywords=[*activity.topics(store, origin.session, 20), *tier1["goal_keywords"]],
        current_keywords=_keywords(place),
        age_hours=fading.hours_since(origin.at, place.at),
        max_age_hours=place.settings["continuity.lookback_days"] * 24.0,
    )


def restore(place: Place, given: str) -> Report[CheckpointRestored]:
    """Go on from a checkpoint: at once in a live session, else in the next one that begins."""
    origin = _named(place, given)
    tier1 = tiers.brought_up(origin.tier1, origin.version)
    why = refusal(place, origin)
    if why:
        raise HoldfastError(
            f"checkpoint {origin.id[:SHORT]} is not restored: {why}",
            hint=f"`holdfast sessions continue {short(origin.session)}` goes on from its session",
        )
    by_person = not person_check.doubt()
    if place.session:
        return _report(place, origin, tier1, _in_session(place, origin, tier1, by_person))
    if not by_person:
        raise HoldfastError(
            "no session is at work here, and only a person may say what the next one begins with",
            hint=person_check.HINT,
        )
    commands.restore_next(place, origin)
    return _report(place, origin, tier1, [("state_inherited", {"pins": tier1["pins"]})])


def _in_session(
    place: Place, origin: Checkpoint, tier1: Body, by_person: bool
) -> list[tuple[str, Body]]:
    """What comes back at once. An agent brings back nothing that lowers what is asked of it."""
    store = place.workspace.store
    cap = place.settings["continuity.max_inherited_pins"]
    with store.transaction():
        entries = tier_one.of_checkpoint(store, place.session, tier1, origin.session)
        if not by_person:
            entries = [each for each in entries if _is_free(place, *each)]
        body = checkpoint_restoring.inheritance(
            store, place.session, origin, tier1, cap=cap, by_person=by_person
        )
        entries.insert(0, ("state_inherited", body))
        for kind, each in entries:
            commands.keep(place, kind, each)
    return entries


def _is_free(place: Place, kind: str, body: Body) -> bool:
    """Whether an agent may bring it back: a lower confidence, a contract where none is in force."""
    if kind == "confidence_moved":
        return bool(body["change"] < 0)
    store = place.workspace.store
    return tier_one.in_force(store, place.session, _at_task(place, place.session)) is None


def _report(
    place: Place, origin: Checkpoint, tier1: Body, entries: list[tuple[str, Body]]
) -> Report[CheckpointRestored]:
    store, kept = place.workspace.store, dict(entries)
    taken = f"{TAKEN.get(origin.cause, origin.cause)}, {ago(origin.at, place.at)}"
    who = f"Session {short(place.session)} goes" if place.session else "The next session here goes"
    name = f"checkpoint {origin.id[:SHORT]} of {short(origin.session)} ({taken})"
    lines = [f"{who} on from {name}."]
    goal = prompt_queries.goal_named(store, kept["state_inherited"].get("goal", ""))
    goal = goal or prompt_queries.goal_named(store, tier1["original_goal"])
    if goal:
        lines.append(f"Goal      {inline(goal.goal, 200)}")
    lines += _gates_lines(place, origin, tier1, kept)
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
    is_there = not project or other_tools.is_there(other_tools.SERENA, project, place.root)
    if not is_there:
        lines.append(f"Serena    {inline(project)} is gone, and is not offered")
    if place.session:
        lines.append("It is told at its next prompt.")
    data: CheckpointRestored = {
        "checkpoint": origin.id,
        "from": origin.session,
        "session": place.session or None,
        "goal": goal.goal if goal else None,
        "confidence": tier1["confidence"],
        "contract": tier1["task_contract"] or None,
        "pins": many,
        "todos": todos,
        "serena_project": project if is_there else None,
        "restored": [kind for kind, _ in entries] if place.session else [],
    }
    return Report(lines, data)


def _gates_lines(place: Place, origin: Checkpoint, tier1: Body, kept: dict[str, Body]) -> list[str]:
    store, lines = place.workspace.store, []
    value = tier1["confidence"]
    current = gates.conduct_of(store, place.session).confidence if place.session else value
    if value is not None and value == current:
        lines.append(f"Confidence {value} of 100")
    elif value is not None:
        lines.append(f"Confidence stays at {current}: only a person may raise it to {value}")
    stored = tier_one.contract_named(store, origin.session, tier1["task_contract"])
    if stored and ("contract_set" in kept or not place.session):
        asks = ", ".join(stored["evidence_required"]) or "no evidence"
        lines.append(f"Contract  {inline(stored['goal'])} (asks for {asks})")
    return lines


def _named(place: Place, given: str) -> Checkpoint:
    store = place.workspace.store
    if not given:
        last = activity.last_checkpoint(store, place.project)
        if last is None:
            raise NotFound("no checkpoint here yet", hint="`holdfast context checkpoint` takes one")
        return last
    if len(given) < LEAST:
        message = f"{given} is too short: give at least {LEAST} characters of a checkpoint's id"
        raise NotFound(message, hint="see `holdfast context status`")
    known = activity.checkpoints_like(store, place.project, given.lower(), 2)
    if not known:
        raise NotFound(f"no checkpoint {given} here", hint="see `holdfast context status`")
    if len(known) > 1:
        raise Ambiguous(f"{given} fits several", hint="give more of its id")
    return known[0]


def _at_task(place: Place, session: str) -> Callable[[str, str], bool]:
    store = place.workspace.store
    return lambda thread, words: prompt_queries.is_at_task(store, session, thread, words)


def _keywords(place: Place) -> list[str]:
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
        session=place.about,
        key="",
        at=place.at,
        cwd=os.getcwd(),
        body=body,
    )
    handlers.look(event)
    goal = prompt_queries.goal_of(place.workspace.store, place.session) if place.session else None
    return [*event.body.get("keywords", ()), *(goal.keywords if goal else ())]
