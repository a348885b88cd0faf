"""Switch Holdfast off until `holdfast unpause`.

What was kept stays. With --uninstall the hooks are also removed from every settings file. An agent
cannot run this.
"""

from __future__ import annotations

from typing import TypedDict

import click

from holdfast.cli.helpers import person_check
from holdfast.cli.helpers.report import Report
from holdfast.config import pause_file
from holdfast.setup import install
from holdfast.system import paths


class SwitchedOff(TypedDict):
    """The file that switches Holdfast off, and the settings files that lost its hooks."""

    paused: bool
    file: str
    uninstalled: list[str]


PARAMETERS: list[click.Parameter] = [
    click.Option(["--uninstall"], is_flag=True, help="Also remove the hooks everywhere."),
]


def run(*, uninstall: bool) -> Report[SwitchedOff]:
    person_check.ask_outside("off")
    state = paths.state_home()
    pause_file.begin(state, by=pause_file.SIGNED)
    lines = [
        "Holdfast is off in every project: every hook leaves at once. What was kept stays.",
        "Two ways do this from outside, without Holdfast itself:",
        f"  the file {paths.pause(state)}, for everybody: as long as it is there",
        "  HOLDFAST_OFF=1 in an agent's environment, for that agent",
        "`holdfast unpause` switches it on again.",
    ]
    files = install.installed(state) if uninstall else []
    for path in files:
        change = install.uninstall(state, path)
        lines.append(f"{path} {'had no hooks of ours' if change.is_none else 'is as it was'}.")
    return Report(
        tuple(lines),
        {"paused": True, "file": paths.pause(state), "uninstalled": [str(path) for path in files]},
    )
