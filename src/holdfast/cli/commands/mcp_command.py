"""Serve Holdfast's tools to agents, over stdio.

Put `holdfast mcp` into an agent's configuration, to be started in the project's folder. Needs the
extra `holdfast-agents[mcp]`.
"""

from __future__ import annotations

import click

from holdfast.cli.helpers import decision_views
from holdfast.cli.helpers.report import Report
from holdfast.errors import HoldfastError
from holdfast.mcp.answers import Checked, Held
from holdfast.rooms.decisions.noticed import noticing

PARAMETERS: list[click.Parameter] = []


def run() -> Report:
    try:
        from holdfast.mcp.server import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "holdfast":
            raise
        raise HoldfastError(
            f"the MCP server needs the package {error.name}, which is not installed",
            hint="install it with `pip install 'holdfast-agents[mcp]'`",
        ) from error
    serve(check_fork)
    return Report((), {"served": True})


def check_fork(statement: str) -> Checked:
    """What a statement goes against and touches. The store is opened for each question, and let
    go."""
    forks, touching = noticing.check(decision_views.here(), statement)
    held = [Held(**fork.as_dict()) for fork in (*forks, *touching)]
    first = next(iter((*forks, *touching)), None)
    return Checked(
        fork=bool(forks),
        decision=held[0] if held else None,
        where=held[0].where if held else [],
        advice=first.advice() if first else noticing.NOTHING,
        sure=held[0].sure if held else "",
        others=held[1:],
    )
