"""Serve Holdfast's tools to agents, over stdio.

Put `holdfast mcp` into an agent's configuration, to be started in the project's folder. Needs the
extra `holdfast-agents[mcp]`.
"""

from __future__ import annotations

import click

from holdfast.cli.helpers.agent_tools import OFFERS
from holdfast.cli.helpers.report import Report
from holdfast.errors import HoldfastError

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
    serve(OFFERS)
    return Report((), {"served": True})
