"""The MCP server: what an agent may ask, over stdio.

It holds no rule: a tool is a function that it is given, called in a thread of its own. The SDK is
heavy and an extra of its own, so it is imported here and nowhere else, when the server is started.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations

from holdfast import __version__
from holdfast.errors import HoldfastError
from holdfast.mcp.answers import Checked

INSTRUCTIONS = (
    "Holdfast keeps this project's decisions. Before you act on a choice that may have been made"
    " already, ask check_fork: it says which decision holds, and where."
)


def serve(check_fork: Callable[[str], Checked]) -> None:
    """Answer on stdin and stdout until the client goes."""
    server(check_fork).run("stdio")


def server(check_fork: Callable[[str], Checked]) -> MCPServer[Any]:
    made: MCPServer[Any] = MCPServer(
        "holdfast", version=__version__, instructions=INSTRUCTIONS, log_level="WARNING"
    )

    def asked(statement: str) -> Checked:
        try:
            return check_fork(statement)
        except HoldfastError as error:
            raise ToolError(f"{error}. {error.hint}".strip()) from error

    made.add_tool(
        asked,
        name="check_fork",
        title="Check a statement against the decisions",
        description=(
            "Say what you are about to do or claim, in one sentence; the answer shows the decisions"
            " in force that it speaks of, how they stand and where they are grounded. `certain`: it"
            " chooses otherwise. `look`: read the decision and judge for yourself; silence does not"
            " mean that nothing was decided. Changes state: what is certain is kept in the ledger"
            " as a fork. Decisions are never changed by it."
        ),
        # Every fork that is asked about is one more entry, so it is not idempotent.
        annotations=ToolAnnotations(
            read_only_hint=False,
            destructive_hint=False,
            idempotent_hint=False,
            open_world_hint=False,
        ),
        structured_output=True,
    )
    return made
