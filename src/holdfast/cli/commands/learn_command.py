"""Record something learnt, for the sessions to come.

Fixes are learnt without this command: when a command fails, files are edited, and it then passes.
"""

from __future__ import annotations

import click

from holdfast.cli.helpers.place_here import SHORT, place, verbatim
from holdfast.cli.helpers.report import Report
from holdfast.rooms.work import commands

PARAMETERS: list[click.Parameter] = [
    click.Argument(["text"], nargs=-1, required=True),
    click.Option(["--category", "categories"], multiple=True, help="What it is about; repeatable."),
]

FIELDS = ("id", "text", "source", "categories", "at", "session")


def run(*, text: tuple[str, ...], categories: tuple[str, ...]) -> Report:
    made = commands.learn(place(to_say=True), " ".join(text), categories)
    line = f"{made['id'][:SHORT]}  {verbatim(made['text'], SHORT + 2)}"
    return Report(("Learnt:", line), {"learning": {name: made[name] for name in FIELDS}})
