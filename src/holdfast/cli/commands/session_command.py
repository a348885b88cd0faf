"""Continue from another session, or restore and save a session's identity.

`restore-identity` and `persist-identity` are for hooks and read `{"session_id", "source"}` from
stdin if it is there. Exit codes: 0 done, 1 a warning, 2 the identity is damaged (restore-identity
only).
"""

from __future__ import annotations

from typing import TypedDict

from holdfast.cli.helpers import checkpoint_views, identity_answers, person_check
from holdfast.cli.helpers.place_here import place
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.session_names import session_named
from holdfast.cli.helpers.verbs import ID, Verb
from holdfast.cli.helpers.wording import plural
from holdfast.errors import HoldfastError
from holdfast.hook.voice import inline
from holdfast.rooms.prompts import queries as prompt_queries
from holdfast.rooms.prompts import task_at_hand
from holdfast.rooms.sessions.life import short
from holdfast.rooms.work import commands
from holdfast.rooms.work.commands import Place

SessionContinued = TypedDict(
    "SessionContinued", {"continue": str, "session": str | None, "goal": str | None, "pins": int}
)


def _ask_for_a_person(here: Place, source: str) -> None:
    """Another task would free a session from its contract: only the user gives one."""
    store = here.workspace.store
    goal = prompt_queries.goal_of(store, source)
    is_other = goal and not task_at_hand.is_at(store, here.session, goal.thread, goal.goal)
    binds = checkpoint_views.gates_state(here)["task_contract"] if is_other else ""
    reason = person_check.why_not() if binds and here.session else ""
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
    return Report(tuple(lines), data)


VERBS = {
    "continue": Verb(continue_from, [ID]),
    "restore-identity": Verb(identity_answers.restore),
    "persist-identity": Verb(identity_answers.persist),
}
DEFAULT = ""
