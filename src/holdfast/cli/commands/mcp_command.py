"""Serve Holdfast's tools to agents, over stdio.

Put `holdfast mcp` into an agent's configuration, to be started in the project's folder. Needs the
extra `mcp`.
"""

from __future__ import annotations

from typing import TypedDict

from holdfast.cli.helpers.agent_tools import OFFERS
from holdfast.cli.helpers.report import Report
from holdfast.errors import HoldfastError


def missing(error: ModuleNotFoundError, what: str, extra: str) -> HoldfastError:
    """What to tell of a package that is not there; a module of ours that is not there is a bug."""
    if (error.name or "").partition(".")[0] == "holdfast":
        raise error
    again = f"uv tool install '.[{extra}]'` or `pipx install --force '.[{extra}]'"
    return HoldfastError(
        f"{what} needs the package {error.name}, which is not installed",
        hint=f"in the clone run `{again}`",
    )


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
