"""Play a demonstration: a session is killed mid-work, and the next one is told.

It runs in a scratch home and a scratch project; yours are not touched.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TypedDict

import click

from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.verbs import option
from holdfast.setup import demo


class DemoPlayed(TypedDict):
    """Where the demo was played, and its lines."""

    folder: str
    said: list[str]


PARAMETERS = [
    option("--folder", type=click.Path(file_okay=False), help="Where to play it."),
]


def run(*, folder: str | None) -> Report[DemoPlayed]:
    chosen = Path(folder) if folder else Path(tempfile.mkdtemp(prefix="holdfast-demo-"))
    lines: list[str] = []
    demo.play(chosen.resolve(), lines.append)
    state = f"HOLDFAST_STATE_HOME={demo.state_of(chosen.resolve())}"
    lines += [
        "",
        f"To look at it in a browser:             {state} holdfast serve --open",
        "To install it into a project of yours:  cd your-project && holdfast init",
        "To take it out again:                   holdfast uninstall",
    ]
    return Report(lines, {"folder": str(chosen), "said": lines})
