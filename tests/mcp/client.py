"""An MCP client in a process of its own server, started as an agent starts it."""

from __future__ import annotations

import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio

from mcp import Client, StdioServerParameters

LIMIT_S = 60


def asked(folder: Path, ask: Callable[[Client], Awaitable[Any]], *, session: str) -> Any:
    """What a client learns from a server of its own, inside an agent's session."""
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "holdfast", "mcp"],
        cwd=str(folder),
        env={**os.environ, "CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": session},
    )

    async def talk() -> Any:
        with anyio.fail_after(LIMIT_S):
            async with Client(server) as client:
                return await ask(client)

    return anyio.run(talk)


def called(folder: Path, *calls: tuple[str, dict[str, Any]], session: str) -> list[Any]:
    """What each call answers, one after the other, from one server."""

    async def each(client: Client) -> list[Any]:
        return [await client.call_tool(name, given) for name, given in calls]

    return list(asked(folder, each, session=session))


def call(folder: Path, tool: str, /, *, session: str, **given: Any) -> dict[str, Any]:
    """What one call answers, which must not be an error."""
    (answer,) = called(folder, (tool, given), session=session)
    assert not answer.is_error, answer.content
    content: dict[str, Any] = answer.structured_content
    return content
