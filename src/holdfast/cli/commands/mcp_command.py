"""Serve Holdfast's tools to agents, over stdio.

Put `holdfast mcp` into an agent's configuration, to be started in the project's folder. Needs the
extra `mcp`.
"""

from __future__ import annotations

from typing import TypedDict

from holdfast.cli.helpers.agent_tools import OFFERS
from holdfast.cli.helpers.extra_packages import missing
from holdfast.cli.helpers.report import Report


class Served(TypedDict):
    """The server ended as it should."""

    served: bool


def run() -> Report[Served]:
    try:
        from holdfast.mcp.server import serve
    except ModuleNotFoundError as error:
        raise missing(error, "the MCP server", "mcp") from error
    serve(OFFERS)
    return Report((), {"served": True})
