"""The MCP server: what an agent may ask, over stdio.

It holds no rule: what it offers is given to it, and each call runs in a thread of its own. The SDK
is heavy and an extra of its own, so it is imported here and nowhere else, when the server starts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from functools import wraps
from typing import Any

import click
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ToolError
from mcp.types import ToolAnnotations

from holdfast import __version__
from holdfast.errors import HoldfastError
from holdfast.hook.voice import harmless
from holdfast.mcp.offers import Offers

INSTRUCTIONS = (
    "Holdfast keeps what earlier sessions of this project knew: the user's rules and choices,"
    " decisions with the lines of code they rest on, where the work stopped. Ask `recover` when you"
    " lack that, `check_fork` before you act on a choice that may have been made already. Tell it"
    " what should outlast this session: `decide` when something is settled, `remember` to keep the"
    " user's own words as a rule or a choice, `handoff` before you stop with work unfinished."
)


def serve(offers: Offers) -> None:
    """Answer on stdin and stdout until the client goes."""
    server(offers).run("stdio")


def server(offers: Offers) -> MCPServer[Any]:
    made: MCPServer[Any] = MCPServer(
        "holdfast", version=__version__, instructions=INSTRUCTIONS, log_level="WARNING"
    )
    for tool in offers.tools:
        made.add_tool(
            _told(tool.function, ToolError),
            name=tool.name,
            title=tool.title,
            description=tool.description,
            annotations=ToolAnnotations(
                read_only_hint=tool.reads_only,
                destructive_hint=tool.destroys,
                idempotent_hint=tool.reads_only or tool.repeats,
                open_world_hint=False,
            ),
            structured_output=True,
        )
    for resource in offers.resources:
        made.resource(
            resource.uri,
            title=resource.title,
            description=resource.description,
            mime_type=resource.mime_type,
        )(_told(resource.function, ResourceError))
    for prompt in offers.prompts:
        made.prompt(prompt.name, title=prompt.title, description=prompt.description)(
            _told(prompt.function, ValueError)
        )
    return made


def _told(function: Callable[..., Any], error_class: type[Exception]) -> Callable[..., Any]:
    """A function whose expected errors are one line and a hint for the client."""

    @wraps(function)
    def called(*arguments: Any, **named: Any) -> Any:
        try:
            return inert(function(*arguments, **named))
        except HoldfastError as error:
            raise error_class(inert(f"{error}. {error.hint}".strip())) from error
        except click.UsageError as error:
            raise error_class(inert(error.format_message())) from error

    return called


def inert(answer: Any) -> Any:
    """An answer in which every text is harmless (hook/voice.py): its fields are data."""
    if isinstance(answer, str):
        return harmless(answer)
    if isinstance(answer, list):
        return [inert(each) for each in answer]
    if isinstance(answer, dict):
        return {harmless(str(name)): inert(each) for name, each in answer.items()}
    if is_dataclass(answer) and not isinstance(answer, type):
        return replace(
            answer, **{each.name: inert(getattr(answer, each.name)) for each in fields(answer)}
        )
    return answer
