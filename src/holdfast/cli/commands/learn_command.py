"""Record something learnt, for the sessions to come.

Fixes are learnt without this command: when a command fails, files are edited, and it then passes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

import click

from holdfast.cli.helpers.place_here import SHORT, place, verbatim
from holdfast.cli.helpers.report import Report
from holdfast.rooms.work import commands


class LearningRow(TypedDict):
    """Something that was learnt."""

    id: str
    text: str
    source: str
    categories: list[str]
    at: str
    session: str


class Learnt(TypedDict):
    """What was learnt now."""

    learning: LearningRow


PARAMETERS: list[click.Parameter] = [
    click.Argument(["text"], nargs=-1, required=True),
    click.Option(["--category", "categories"], multiple=True, help="What it is about; repeatable."),
]


def run(*, text: tuple[str, ...], categories: tuple[str, ...]) -> Report[Learnt]:
    made = commands.learn(place(to_say=True), " ".join(text), categories)
    line = f"{made['id'][:SHORT]}  {verbatim(made['text'], SHORT + 2)}"
    return Report(("Learnt:", line), {"learning": row(made)})


def row(learning: Mapping[str, Any]) -> LearningRow:
    return {
        "id": learning["id"],
        "text": learning["text"],
        "source": learning["source"],
        "categories": learning["categories"],
        "at": learning["at"],
        "session": learning["session"],
    }
