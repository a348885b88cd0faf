"""MCP over HTTP: the same tools, for the session of who asks, and never the person's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp.client.streamable_http import streamable_http_client

from conftest import Door, make_repo, payload
from holdfast.cli.helpers.agent_tools import OFFERS
from holdfast.ledger import queries as ledger
from holdfast.ledger.workspace import Workspace
from law import assert_replay_law
from mcp import Client
from web.served import LIMIT_S, Served, serve

pytestmark = [pytest.mark.promise("A4"), pytest.mark.promise("A5")]


@pytest.fixture
def server(home: Path, tmp_path: Path) -> Iterator[Served]:
    """Started by a person at a terminal, in another project than the agent's."""
    made = serve(make_repo(tmp_path / "elsewhere"), "--mcp")
    yield made
    made.close()


def begin(door: Door, session: str = "s1") -> None:
    said = payload("SessionStart.startup", session_id=session, cwd=str(door.folder))
    done = door.run(json.dumps(said).encode(), CLAUDE_PID=str(os.getpid()))
    assert done.returncode == 0


def asked(server: Served, state: str, ask: Callable[[Client], Awaitable[Any]]) -> Any:
    token = (Path(state) / "token").read_text().strip()

    async def talk() -> Any:
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(headers=headers, timeout=LIMIT_S) as web:
            transport = streamable_http_client(
                f"http://127.0.0.1:{server.port}/mcp", http_client=web
            )
            async with Client(transport) as client:
                return await ask(client)

    return anyio.run(talk)


def test_the_tools_are_those_of_stdio_and_act_for_the_session_that_asks(door, server, state, repo):
    begin(door)

    async def work(client: Client) -> tuple[Any, ...]:
        listed = await client.list_tools()
        status = await client.call_tool("status", {})
        made = await client.call_tool("decide", {"text": "Use SQLite for the queue."})
        pinned = await client.call_tool("pin", {"text": "The queue is in queue.py"})
        resource = await client.read_resource("holdfast://handoff/s1")
        wrong = await client.call_tool("unpin", {"name": "nothing-like-it"})
        return listed, status, made, pinned, resource, wrong

    listed, status, made, pinned, resource, wrong = asked(server, state, work)

    assert [tool.name for tool in listed.tools] == [tool.name for tool in OFFERS.tools]
    assert status.structured_content["project"] == str(repo)
    assert status.structured_content["session"] == "s1"
    assert not made.is_error
    assert not pinned.is_error
    assert resource.contents
    assert wrong.is_error
    assert "no pin" in wrong.content[0].text
    entries = [e for _, e in ledger.read(Workspace(state).store, session="s1")]
    (decision,) = [entry for entry in entries if entry.kind == "decision_made"]
    assert decision.body["source"] == "agent"
    assert_replay_law(state, repo)


def test_nothing_that_is_the_persons_is_done_though_a_person_started_the_server(
    door, server, state
):
    assert "only shows" not in server.said  # the dashboard beside it may act
    begin(door)

    async def work(client: Client) -> list[Any]:
        return [
            await client.call_tool(name, {})
            for name in ("satisfy", "approve", "withdraw", "trust", "rules_add", "forget")
        ]

    assert all(answer.is_error for answer in asked(server, state, work))


def test_a_program_whose_session_nobody_knows_is_told_so(door, server, state):
    async def work(client: Client) -> Any:
        return await client.call_tool("status", {})

    answer = asked(server, state, work)
    assert answer.is_error
    assert "no open session" in answer.content[0].text


def test_without_the_token_nothing_is_answered(door, server, state):
    begin(door)
    said = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'
    for key in (None, "Bearer x"):
        answer = server.request(
            "POST",
            "/mcp",
            said,
            Authorization=key,
            Origin=None,
            Content_Type="application/json",
            Accept="application/json, text/event-stream",
        )
        assert answer.status == 401
        assert "decide" not in answer.text


def test_the_token_of_a_child_of_the_agent_acts_for_nobody(door, server, state):
    begin(door)
    token = (Path(state) / "token").read_text().strip()
    script = (
        "import http.client, sys\n"
        "c = http.client.HTTPConnection('127.0.0.1', int(sys.argv[1]))\n"
        'said = \'{"jsonrpc": "2.0", "id": 1, "method": "tools/call",'
        ' "params": {"name": "status", "arguments": {}}}\'\n'
        "c.request('POST', '/mcp', said, {'Authorization': 'Bearer ' + sys.stdin.read(),"
        " 'Content-Type': 'application/json',"
        " 'Accept': 'application/json, text/event-stream'})\n"
        "print(c.getresponse().read().decode())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(server.port)],
        input=token,
        capture_output=True,
        text=True,
        check=True,
        timeout=LIMIT_S,
    )
    assert "no open session" in done.stdout
