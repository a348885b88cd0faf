"""Pause every hook: nothing is kept and nothing is said.

Without --for it lasts until `holdfast unpause`. HOLDFAST_OFF=1 in an agent's environment does the
same for that agent only. With --uninstall the hooks are also removed from every settings file. What
was kept stays. An agent cannot run this.
"""

from __future__ import annotations

from typing import TypedDict

import click

from holdfast.cli.helpers import person_check
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.verbs import flag, option
from holdfast.cli.helpers.wording import duration, local_time
from holdfast.config import pause_file
from holdfast.setup import install
from holdfast.system import clock, paths


class Paused(TypedDict):
    """The file that pauses Holdfast, until when (None: until `holdfast unpause`), and the settings
    files that lost its hooks."""

    paused: bool
    until: str | None
    file: str
    uninstalled: list[str]


def seconds_in(_: click.Context, __: click.Parameter, value: str | None) -> float | None:
    seconds = duration(value or "")
    if value is not None and not seconds:
        raise click.BadParameter(f"{value} is not a time such as 30m, 2h or 1d")
    return seconds or None


PARAMETERS = [
    option(
        "--for", "seconds", callback=seconds_in, metavar="TIME", help="How long: 45s, 30m, 2h, 1d."
    ),
    flag("--uninstall", help="Also remove the hooks everywhere."),
]


def run(*, seconds: float | None, uninstall: bool) -> Report[Paused]:
    person_check.ask_outside("pause")
    state = paths.state_home()
    now = clock.now()
    end = "" if seconds is None else clock.iso(clock.seconds_of(now) + seconds)
    pause_file.begin(state, end, by=pause_file.SIGNED)
    until = f"{local_time(end, now)}, or `holdfast unpause`" if end else "`holdfast unpause`"
    lines = [f"Paused in every project until {until}: hooks leave at once, nothing is kept."]
    if not end:
        lines += [
            "Two ways do this from outside, without Holdfast itself:",
            f"  the file {paths.pause(state)}, for everybody: as long as it is there",
            "  HOLDFAST_OFF=1 in an agent's environment, for that agent",
        ]
    files = install.installed(state) if uninstall else []
    for path in files:
        change = install.uninstall(state, path)
        lines.append(f"{path} {'had no hooks of ours' if change.is_none else 'is as it was'}.")
    uninstalled = [str(path) for path in files]
    data: Paused = {
        "paused": True,
        "until": end or None,
        "file": paths.pause(state),
        "uninstalled": uninstalled,
    }
    return Report(lines, data)
