"""Show the goal in force here, set it, or correct what was taken for one.

`set TEXT` sets it. `accept` says that the current goal is a task of its own, not a sequel of the
one before. `keep` goes back to the goal before. While identity doubts that the work is still the
task (`holdfast consciousness`), `accept` and `keep` settle that doubt instead and leave the goal
alone: accept that the current work is the task, or keep to the task as it was given. All three
speak in your name, so run them yourself, in a terminal outside the agent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from holdfast.cli.helpers import person_check
from holdfast.cli.helpers.place_here import misuse, place, verbatim
from holdfast.cli.helpers.report import Data, Report
from holdfast.cli.helpers.wording import ago
from holdfast.hook.voice import inline
from holdfast.rooms.identity import brief, lookup
from holdfast.rooms.sessions.life import short
from holdfast.rooms.work import commands
from holdfast.rooms.work.commands import Place

PARAMETERS: list[click.Parameter] = [
    click.Argument(["act"], type=click.Choice(["show", "set", "accept", "keep"]), default="show"),
    click.Argument(["text"], nargs=-1),
]

BEFORE = 5
FIELDS = ("id", "goal", "at", "session", "keywords", "thread", "how")
DONE = {
    "set": "It is set.",
    "accept": "It is a task of its own.",
    "keep": "Back to it.",
}
SETTLED = {
    "accept": "What is being done is the task from now on.",
    "keep": "The task stands: what was done beside it is forgotten.",
}


def run(*, act: str, text: tuple[str, ...]) -> Report:
    if bool(text) != (act == "set"):
        misuse("`goal set` takes the goal's text" if act == "set" else f"{act} takes no text")
    if act == "show":
        return _shown(place())
    person_check.ask(f"goal {act}")
    here = place(to_say=True)
    if act != "set" and lookup.is_in_doubt(here.workspace.store, here.session):
        return _settled(here, act)
    if act == "set":
        made = commands.set_goal(here, " ".join(text))
    else:
        made = commands.accept_goal(here) if act == "accept" else commands.keep_goal(here)
    lines = [f"Goal      {verbatim(made['goal'], 10)}", f"          {DONE[act]}"]
    lines[1] += _when(here)
    return Report(tuple(lines), {"goal": _goal_data(made), "settled": None})


def _settled(here: Place, act: str) -> Report:
    """A doubt that is open is what is meant."""
    lookup.settle_doubt(here.workspace, here.session, act, at=here.at)
    reading = lookup.reading_of(here.workspace.store, here.session)
    lines = [f"Identity  {brief.of(reading)}  (session {short(here.session)})"]
    lines.append(f"          {SETTLED[act]} The goal itself is as it was: see `holdfast goal`.")
    goal = commands.goal_here(here)
    return Report(tuple(lines), {"goal": _goal_data(goal) if goal else None, "settled": act})


def _when(here: Place) -> str:
    if here.session:
        return f" Session {short(here.session)} is told at its next prompt."
    return " The next session begins with it."


def _shown(here: Place) -> Report:
    goal = commands.goal_here(here)
    before = commands.goals_before(here, goal)[:BEFORE]
    lines = []
    if goal:
        whose = f" in {short(goal['session'])}" if goal["session"] else ""
        lines.append(f"Goal      {verbatim(goal['goal'], 10)}")
        lines.append(f"Since     {ago(goal['at'], here.at)}{whose}, by {goal['how']}")
        if goal["keywords"]:
            lines.append(f"Keywords  {', '.join(goal['keywords'])}")
    else:
        lines.append("Goal      none yet: the first task a session is given becomes it,")
        lines.append("          or `holdfast goal set TEXT` sets it.")
    for number, former in enumerate(before):
        whose = f", {short(former['session'])}" if former["session"] else ""
        text = f"{inline(former['goal'], 90)}  ({ago(former['at'], here.at)}{whose})"
        lines.append(f"{'Before' if not number else '':10}{text}")
    data = {
        "goal": _goal_data(goal) if goal else None,
        "before": [_goal_data(former) for former in before],
    }
    return Report(tuple(lines), data)


def _goal_data(goal: Mapping[str, Any]) -> Data:
    return {name: goal[name] for name in FIELDS}
