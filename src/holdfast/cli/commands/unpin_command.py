"""Remove a pin, by its label or its id.

An inherited pin is removed everywhere it was inherited to.
"""

from __future__ import annotations

from typing import TypedDict

import click

from holdfast.cli.helpers.place_here import SHORT, named, place, verbatim
from holdfast.cli.helpers.report import Report
from holdfast.rooms.work import commands


class Unpinned(TypedDict):
    """The id of the pin that is gone."""

    unpinned: str


PARAMETERS: list[click.Parameter] = [click.Argument(["name"])]


def run(*, name: str) -> Report[Unpinned]:
    here = place(to_say=True)
    pin = named(commands.pins_here(here), name, "pin", "holdfast pins")
    commands.withdraw(here, pin["id"])
    line = f"{pin['id'][:SHORT]}  {verbatim(pin['content'], SHORT + 2)}"
    return Report(("No longer pinned:", line), {"unpinned": pin["id"]})
