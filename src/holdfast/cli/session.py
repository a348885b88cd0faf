"""Go on from a session by name, whatever its age: `holdfast session continue ID`.

A live session here takes over its goal, its rules and its pins at once, and is told at its next
prompt; without one, the next session that begins does.
"""

from __future__ import annotations

import click

from holdfast.briefing import inline
from holdfast.cli.here import place
from holdfast.cli.names import session_named
from holdfast.cli.report import Report
from holdfast.cli.words import plural
from holdfast.continuity import saying, shelf
from holdfast.sessions.life import short

PARAMETERS: list[click.Parameter] = [
    click.Argument(["act"], type=click.Choice(["continue"])),
    click.Argument(["id"]),
]


def run(*, act: str, id: str) -> Report:
    here = place(to_say=True)
    store = here.workspace.store
    source = session_named(here.workspace, id)
    made = saying.continue_from(here, source.as_dict())
    goal, pins = shelf.goal_of(store, source.id), len(made.get("pins", ()))
    who = f"Session {short(here.session)} goes" if here.session else "The next session here goes"
    lines = [f"{who} on from {short(source.id)}."]
    if goal:
        lines.append(f"Goal      {inline(goal['goal'], 200)}")
    if pins:
        lines.append(f"Pins      {plural(pins, 'pin')} inherited")
    if here.session:
        lines.append("It is told at its next prompt.")
    data = {
        act: source.id,
        "session": here.session or None,
        "goal": goal["goal"] if goal else None,
        "pins": pins,
    }
    return Report(tuple(lines), data)
