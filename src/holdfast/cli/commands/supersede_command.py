"""Replace a decision in force with a better one; the old one stays readable."""

from __future__ import annotations

import click

from holdfast.cli.commands.decide_command import Decided, kept
from holdfast.cli.helpers import decision_views
from holdfast.cli.helpers.report import Report

PARAMETERS: list[click.Parameter] = [
    click.Argument(["id_"], metavar="ID"),
    click.Argument(["text"], nargs=-1, required=True),
    *decision_views.REASONS,
]


def run(*, id_: str, text: tuple[str, ...], **reasons: object) -> Report[Decided]:
    return kept(id_, " ".join(text), **reasons)  # type: ignore[arg-type]
