"""Show the goal in force here, set it, or correct what was taken for one.

While identity doubts that the work is still the task (`holdfast consciousness`), `accept` and
`keep` settle that doubt instead and leave the goal alone: accept that the current work is the task,
or keep to the task as it was given. Everything but `show` speaks in your name, so run it yourself,
in a terminal outside the agent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

from holdfast.cli.helpers import person_check, place_here
from holdfast.cli.helpers.place_here import verbatim
from holdfast.cli.helpers.report import Report, shaped
from holdfast.cli.helpers.verbs import Verb, argument, flag
from holdfast.cli.helpers.wording import ago
from holdfast.hook.voice import inline
from holdfast.rooms.identity import brief, lookup
from holdfast.rooms.prompts import task
from holdfast.rooms.sessions.life import short
from holdfast.rooms.work import commands
from holdfast.rooms.work.commands import Place


class GoalRow(TypedDict):
    """What the work is for, since when and whose word that is."""

    id: str
    goal: str
    at: str
    session: str
    keywords: list[str]
    thread: str
    how: str


class GoalShown(TypedDict):
    """The goal in force, and those before it."""

    goal: GoalRow | None
    before: list[GoalRow]
    why: str


class GoalChanged(TypedDict):
    """The goal now; `settled` says which doubt was settled instead of changing it."""

    goal: GoalRow | None
    settled: str | None


BEFORE = 5
WHY = {"plan": "the plan that was approved", "command": "said with `holdfast goal set`"}
DONE = {
    "set": "It is set.",
    "accept": "It is a task of its own.",
    "keep": "Back to it.",
}
SETTLED = {
    "accept": "What is being done is the task from now on.",
    "keep": "The task stands: what was done beside it is forgotten.",
}


def show(*, why: bool) -> Report[GoalShown]:
    """Show the goal in force, since when and whose, and those before it."""
    place = place_here.place()
    goal = commands.goal_here(place)
    before = commands.goals_before(place, goal)[:BEFORE]
    reason = _why(goal) if goal and why else ""
    lines = []
    if goal:
        whose = f" in {short(goal['session'])}" if goal["session"] else ""
        lines.append(f"Goal      {verbatim(goal['goal'], 10)}")
        lines.append(f"Since     {ago(goal['at'], place.at)}{whose}, by {goal['how']}")
        if why:
            lines.append(f"Why       {reason}")
        if goal["keywords"]:
            lines.append(f"Keywords  {', '.join(goal['keywords'])}")
    else:
        lines.append("Goal      none yet: the first task a session is given becomes it,")
        lines.append("          or `holdfast goal set TEXT` sets it.")
    for number, former in enumerate(before):
        whose = f", {short(former['session'])}" if former["session"] else ""
        text = f"{inline(former['goal'], 90)}  ({ago(former['at'], place.at)}{whose})"
        lines.append(f"{'Before' if not number else '':10}{text}")
    data: GoalShown = {
        "goal": shaped(GoalRow, goal) if goal else None,
        "before": [shaped(GoalRow, former) for former in before],
        "why": reason,
    }
    return Report(lines, data)


def _why(goal: Mapping[str, Any]) -> str:
    if goal["how"] == "prompt":
        return f"{task.why(goal['goal'])} in a prompt"
    return WHY[goal["how"]]


def set_goal(*, text: tuple[str, ...]) -> Report[GoalChanged]:
    """Set the goal."""
    place = person_check.ask_here("goal set")
    return _done(place, "set", commands.set_goal(place, " ".join(text)))


def accept() -> Report[GoalChanged]:
    """Say that the current goal is a task of its own, not a sequel of the one before."""
    place = person_check.ask_here("goal accept")
    return _settled(place, "accept") or _done(place, "accept", commands.accept_goal(place))


def keep() -> Report[GoalChanged]:
    """Go back to the goal before."""
    place = person_check.ask_here("goal keep")
    return _settled(place, "keep") or _done(place, "keep", commands.keep_goal(place))


def _done(place: Place, verb: str, made: Mapping[str, Any]) -> Report[GoalChanged]:
    lines = [f"Goal      {verbatim(made['goal'], 10)}", f"          {DONE[verb]}{_when(place)}"]
    return Report(lines, {"goal": shaped(GoalRow, made), "settled": None})


def _settled(place: Place, act: str) -> Report[GoalChanged] | None:
    """A doubt that is open is what is meant; None where there is none."""
    if not lookup.is_in_doubt(place.workspace.store, place.session):
        return None
    lookup.settle_doubt(place.workspace, place.session, act, at=place.at)
    reading = lookup.reading_of(place.workspace.store, place.session)
    lines = [f"Identity  {brief.of(reading)}  (session {short(place.session)})"]
    lines.append(f"          {SETTLED[act]} The goal itself is as it was: see `holdfast goal`.")
    goal = commands.goal_here(place)
    return Report(lines, {"goal": shaped(GoalRow, goal) if goal else None, "settled": act})


def _when(place: Place) -> str:
    if place.session:
        return f" Session {short(place.session)} is told at its next prompt."
    return " The next session begins with it."


VERBS = {
    "show": Verb(show, flag("--why", help="Say by which form of words it was taken for a goal.")),
    "set": Verb(set_goal, argument("text", nargs=-1, required=True)),
    "accept": Verb(accept),
    "keep": Verb(keep),
}
