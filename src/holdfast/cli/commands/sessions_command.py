"""List sessions, and show the chain of one: what came before it, and what after.

`restore-identity` and `persist-identity` are for hooks and read `{"session_id", "source"}` from
stdin if it is there. Exit codes: 0 done, 1 a warning, 2 the identity is damaged (restore-identity
only).
"""

from __future__ import annotations

from typing import TypedDict

import apsw
import click

from holdfast.cli.commands import consciousness_command
from holdfast.cli.helpers import checkpoint_views, person_check
from holdfast.cli.helpers.place_here import place
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.session_rows import (
    SessionRow,
    line,
    project_here,
    session_data,
    session_named,
)
from holdfast.cli.helpers.verbs import ID, LIMIT, Verb, argument, flag, option
from holdfast.cli.helpers.wording import plural
from holdfast.errors import HoldfastError, NotFound, StoreError
from holdfast.hook.voice import inline
from holdfast.ledger.workspace import Workspace, existing
from holdfast.rooms.prompts import queries as prompt_queries
from holdfast.rooms.sessions import chain, queries
from holdfast.rooms.sessions.life import short
from holdfast.rooms.sessions.queries import Session
from holdfast.rooms.work import commands
from holdfast.rooms.work.commands import Place
from holdfast.rooms.work.queries import heirs
from holdfast.system import clock


class SessionsListed(TypedDict):
    """Sessions, the newest first."""

    sessions: list[SessionRow]


class ChainLink(SessionRow):
    """A session of the chain, and how it came to be linked."""

    how: str
    asked: bool
    continued_by: list[str]


class UnknownLink(TypedDict):
    """A session that is named by another one and not known here."""

    id: str
    how: str
    asked: bool
    continued_by: list[str]


class Chain(TypedDict):
    """The sessions before and after one."""

    session: str
    chain: list[ChainLink | UnknownLink]


# A walk is worth an entry, and not worth waiting for: who looks gets an answer all the same.
PATIENCE_S = 0.2
UNWRITABLE = (
    *(apsw.BusyError, apsw.LockedError, apsw.ReadOnlyError, apsw.FullError, apsw.IOError),
    *(apsw.CantOpenError, apsw.PermissionsError, StoreError),
)
SessionContinued = TypedDict(
    "SessionContinued", {"continue": str, "session": str | None, "goal": str | None, "pins": int}
)


def listed(*, everywhere: bool, live: bool, limit: int) -> Report[SessionsListed]:
    """List sessions: the live ones and those that ended last, newest first."""
    workspace = existing()
    store, here = workspace.store, "" if everywhere else project_here(workspace)
    if live:
        known = sorted(queries.still_open(store), key=lambda each: each.active, reverse=True)
    elif everywhere:
        known = queries.latest(store, limit)
    else:
        known = queries.of_project(store, here, limit)
    shown = [each for each in known if everywhere or each.project == here][:limit]
    now = clock.now()
    lines = [line(session, now, named=everywhere) for session in shown]
    empty = "No sessions here yet." if not live else "No live sessions here."
    return Report(
        lines or [f"{empty} Start the agent in a project with Holdfast's hooks."],
        {"sessions": [session_data(session) for session in shown]},
    )


def walk(*, session: str | None, depth: int) -> Report[Chain]:
    """Show which sessions came before one, and which after; of the newest here without a name."""
    workspace = existing()
    if session:
        middle = session_named(workspace, session)
    else:
        newest = queries.of_project(workspace.store, project_here(workspace), 1)
        if not newest:
            raise NotFound("no session of this project", hint="see `holdfast sessions --all`")
        middle = newest[0]
    before = chain.before(workspace.store, middle.id, depth)
    after = chain.after(workspace.store, middle.id, depth)
    now = clock.now()
    lines: list[str] = []
    data: list[ChainLink | UnknownLink] = []
    for link in (*reversed(before), chain.Link(middle.id, ""), *after):
        linked = queries.find(workspace.store, link.session)
        pointer = "→" if link.session == middle.id else " "
        shown = line(linked, now, named=False) if linked else f"· {link.session or 'unknown'}"
        lines.append(f"{pointer} {shown}" + (f"  ({link.how})" if link.how else ""))
        bare: UnknownLink = {
            "id": link.session,
            "how": link.how,
            "asked": link.session == middle.id,
            "continued_by": heirs(workspace.store, link.session) if link.session else [],
        }
        data.append({**session_data(linked), **bare} if linked else bare)
    _keep(workspace, middle, depth=depth, links=len(before) + len(after))
    return Report(lines, {"session": middle.id, "chain": data})


def _keep(workspace: Workspace, session: Session, *, depth: int, links: int) -> None:
    place = Place(workspace, session.project, "", "", clock.now(), {})
    workspace.store.wait(PATIENCE_S)
    try:
        commands.walked(place, session.id, depth=depth, reached=links)
    except UNWRITABLE:
        pass


def _ask_for_a_person(here: Place, source: str) -> None:
    """Another task would free a session from its contract: only the user gives one."""
    store = here.workspace.store
    goal = prompt_queries.goal_of(store, source)
    is_other = goal and not prompt_queries.is_at_task(store, here.session, goal.thread, goal.goal)
    binds = checkpoint_views.gates_state(here)["task_contract"] if is_other else ""
    reason = person_check.doubt() if binds and here.session else ""
    if reason:
        raise HoldfastError(
            f"a contract binds this session to its task; only a person may give it another, and"
            f" {reason}; nothing was changed",
            hint=person_check.HINT,
        )


def continue_from(*, id_: str) -> Report[SessionContinued]:
    """Go on from a session by name, whatever its age.

    A live session here takes over that session's goal, rules and pins at once, and is told at its
    next prompt; without a live session the next one that begins does.
    """
    here = place(to_say=True)
    store = here.workspace.store
    source = session_named(here.workspace, id_)
    _ask_for_a_person(here, source.id)
    made = commands.continue_from(here, source.as_dict())
    goal, pins = prompt_queries.goal_of(store, source.id), len(made.get("pins", ()))
    who = f"Session {short(here.session)} goes" if here.session else "The next session here goes"
    lines = [f"{who} on from {short(source.id)}."]
    if goal:
        lines.append(f"Goal      {inline(goal.goal, 200)}")
    if pins:
        lines.append(f"Pins      {plural(pins, 'pin')} inherited")
    if here.session:
        lines.append("It is told at its next prompt.")
    data: SessionContinued = {
        "continue": source.id,
        "session": here.session or None,
        "goal": goal.goal if goal else None,
        "pins": pins,
    }
    return Report(lines, data)


VERBS = {
    "list": Verb(
        listed,
        flag("--all", "everywhere", help="Sessions of all projects."),
        flag("--live", help="Only those that have not ended."),
        LIMIT,
    ),
    "chain": Verb(
        walk,
        argument("session", required=False),
        option("--depth", type=click.IntRange(1, 1000), default=10, show_default=True),
    ),
    "continue": Verb(continue_from, ID),
    "restore-identity": Verb(consciousness_command.restore_identity),
    "persist-identity": Verb(consciousness_command.persist_identity),
}
