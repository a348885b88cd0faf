"""Pin what sessions here must keep in sight.

What you pin is the project's: every session is told. An agent's pin is its session's, at most ten
of them, and says that an agent pinned it. A pin with the word CRITICAL in it, or with --critical,
comes first and is inherited longest.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

import click

from holdfast.cli.helpers import person_check
from holdfast.cli.helpers.place_here import SHORT, place, verbatim
from holdfast.cli.helpers.report import Report
from holdfast.rooms.prompts.attribution import AGENT, PERSON
from holdfast.rooms.sessions.life import short
from holdfast.rooms.work import commands


class PinRow(TypedDict):
    """Something that sessions keep in sight."""

    id: str
    content: str
    label: str
    critical: bool
    at: str
    session: str
    author: str


class Pinned(TypedDict):
    """The pin that was set."""

    pin: PinRow


PARAMETERS: list[click.Parameter] = [
    click.Argument(["text"], nargs=-1, required=True),
    click.Option(["--label"], default="", help="A name for it, to unpin it by."),
    click.Option(["--critical"], is_flag=True, help="Inherited before others, and for longer."),
]


def run(*, text: tuple[str, ...], label: str, critical: bool) -> Report[Pinned]:
    here = place(to_say=True)
    author = AGENT if person_check.why_not() else PERSON
    made = commands.pin(here, " ".join(text), label=label, critical=critical, author=author)
    where = f"in {short(made['session'])}" if made["session"] else "for every session here"
    mark = "Pinned as CRITICAL" if made["critical"] else "Pinned"
    line = f"{made['id'][:SHORT]}  {verbatim(made['content'], SHORT + 2)}"
    return Report((f"{mark} {where}:", line), {"pin": row(made)})


def row(pin: Mapping[str, Any]) -> PinRow:
    return {
        "id": pin["id"],
        "content": pin["content"],
        "label": pin["label"],
        "critical": bool(pin["critical"]),
        "at": pin["at"],
        "session": pin["session"],
        "author": pin["author"],
    }
