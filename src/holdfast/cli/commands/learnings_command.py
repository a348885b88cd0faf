"""List what was learnt here, newest first, or drop what is no longer true."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

import click

from holdfast.cli.commands.learn_command import LearningRow, row
from holdfast.cli.helpers.place_here import SHORT, day, named, place, verbatim
from holdfast.cli.helpers.report import Report
from holdfast.rooms.sessions.life import short
from holdfast.rooms.work import commands
from holdfast.rooms.work import queries as work_queries


class LearningsListed(TypedDict):
    """What was learnt here, the newest first."""

    learnings: list[LearningRow]


class LearningDropped(TypedDict):
    """The one that was taken off the list."""

    dropped: str


PARAMETERS: list[click.Parameter] = [
    click.Option(["--limit"], type=click.IntRange(1), default=20, show_default=True),
    click.Option(["--drop"], metavar="ID", help="No longer true: take it off the list."),
]

ALL = 100_000


def run(*, limit: int, drop: str | None) -> Report[LearningsListed | LearningDropped]:
    here = place(to_say=drop is not None)
    store = here.workspace.store
    if drop is not None:
        learnings = [each.as_dict() for each in work_queries.learnings(store, here.project, ALL)]
        learning = named(learnings, drop, "learning", "holdfast learnings")
        commands.withdraw(here, learning["id"])
        line = f"{learning['id'][:SHORT]}  {verbatim(learning['text'], SHORT + 2)}"
        return Report(("Dropped:", line), {"dropped": learning["id"]})
    learnings = [each.as_dict() for each in work_queries.learnings(store, here.project, limit)]
    empty = "Nothing was learnt here yet. `holdfast learn TEXT` keeps something."
    rows = [row(learning) for learning in learnings]
    return Report(tuple(_line(learning) for learning in learnings) or (empty,), {"learnings": rows})


def _line(learning: Mapping[str, Any]) -> str:
    notes = [*learning["categories"], day(learning["at"])]
    notes.append(short(learning["session"]) if learning["session"] else "by command")
    if learning["source"] == "fix":
        notes.insert(0, "a fix that worked")
    return (
        f"{learning['id'][:SHORT]}  {verbatim(learning['text'], SHORT + 2)}  ({', '.join(notes)})"
    )
