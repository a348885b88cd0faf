"""List what was learnt here, newest first; or drop one that is no longer true."""

from __future__ import annotations

from typing import Any

import click

from holdfast.cli.commands.learn_command import FIELDS
from holdfast.cli.helpers.place_here import SHORT, day, named, place, verbatim
from holdfast.cli.helpers.report import Report
from holdfast.rooms.sessions.life import short
from holdfast.rooms.work import commands
from holdfast.rooms.work import queries as work_queries

PARAMETERS: list[click.Parameter] = [
    click.Option(["--limit"], type=click.IntRange(1), default=20, show_default=True),
    click.Option(["--drop"], metavar="ID", help="No longer true: take it off the list."),
]

ALL = 100_000


def run(*, limit: int, drop: str | None) -> Report:
    here = place(to_say=drop is not None)
    store = here.workspace.store
    if drop is not None:
        found = [row.as_dict() for row in work_queries.learnings(store, here.project, ALL)]
        one = named(found, drop, "learning", "holdfast learnings")
        commands.withdraw(here, one["id"])
        line = f"{one['id'][:SHORT]}  {verbatim(one['text'], SHORT + 2)}"
        return Report(("Dropped:", line), {"dropped": one["id"]})
    found = [row.as_dict() for row in work_queries.learnings(store, here.project, limit)]
    empty = "Nothing was learnt here yet. `holdfast learn TEXT` keeps something."
    told = [{name: one[name] for name in FIELDS} for one in found]
    return Report(tuple(_line(one) for one in found) or (empty,), {"learnings": told})


def _line(one: dict[str, Any]) -> str:
    said = [*one["categories"], day(one["at"])]
    said.append(short(one["session"]) if one["session"] else "by command")
    if one["source"] == "fix":
        said.insert(0, "a fix that worked")
    return f"{one['id'][:SHORT]}  {verbatim(one['text'], SHORT + 2)}  ({', '.join(said)})"
