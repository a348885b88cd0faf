"""The tools of MCP for agents that ask over HTTP: each call in a process of its own.

Laws: a call acts for the session of the process that holds the connection, in that session's work
tree, and for no other: where that is not known, the call is refused. It runs as what an agent runs,
without a terminal and with the agent's marks, so that nothing of the person's is done by it.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any

import click

from holdfast.agents import surroundings
from holdfast.errors import HoldfastError
from holdfast.ledger.reader import Reading
from holdfast.mcp.offers import Offers
from holdfast.rooms.sessions import queries
from holdfast.rooms.sessions.queries import Session
from holdfast.system import files, paths, peers, processes
from holdfast.web.doors import CALLER

LIMIT_S = 60.0
MODULE = "holdfast.cli.helpers.remote_tools"
UNKNOWN = HoldfastError(
    "Holdfast knows no open session of the program that asks",
    hint="start the agent in a project where `holdfast init` was run, and let it connect itself",
)


def remote(offers: Offers) -> Offers:
    """The same offers, done elsewhere."""
    return Offers(
        tuple(replace(tool, function=_elsewhere(tool.function)) for tool in offers.tools),
        tuple(replace(each, function=_elsewhere(each.function)) for each in offers.resources),
        tuple(replace(each, function=_elsewhere(each.function)) for each in offers.prompts),
    )


def caller_session(state: str) -> Session:
    """The session of the process at the other end of the connection."""
    if not files.exists(paths.store(state)):
        raise UNKNOWN
    pid = peers.at_other_end(*CALLER.get()).pid
    started = processes.process_started(pid)
    sessions = [
        session
        for session in queries.still_open(Reading(state).store)
        if pid > 0 and (session.pid, session.process_started) == (pid, started)
    ]
    if not sessions:
        raise UNKNOWN
    return max(sessions, key=lambda session: session.begun)


def _elsewhere(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def called(*arguments: Any, **named: Any) -> Any:
        session = caller_session(paths.state_home())
        agent = surroundings.AGENTS[0]
        try:
            done = subprocess.run(
                [sys.executable, "-m", MODULE, function.__name__],
                input=pickle.dumps((arguments, named)),
                cwd=session.worktree,
                env=os.environ | dict.fromkeys(agent.SIGNS, "1") | {agent.SESSION_ID: session.id},
                stdout=subprocess.PIPE,
                timeout=LIMIT_S,
                check=True,
            )
        except subprocess.TimeoutExpired:
            raise HoldfastError("the tool took too long", hint="ask again") from None
        except (OSError, subprocess.CalledProcessError) as error:
            hint = f"is {session.worktree} still there? See `holdfast doctor`"
            raise HoldfastError("the tool did not run", hint=hint) from error
        is_answer, answer, hint = pickle.loads(done.stdout)  # noqa: S301 - from our own process
        if not is_answer:
            raise HoldfastError(answer, hint=hint)
        return answer

    return called


def main() -> None:
    """In a process of its own, which stands where the agent stands: call the function that is
    named, and print what it answers."""
    from holdfast.cli.helpers import agent_tools

    function = getattr(agent_tools, sys.argv[1])
    arguments, named = pickle.load(sys.stdin.buffer)  # noqa: S301 - from the server
    try:
        answer = (True, function(*arguments, **named), "")
    except HoldfastError as error:
        answer = (False, str(error), error.hint)
    except click.UsageError as error:
        answer = (False, error.format_message(), "")
    sys.stdout.buffer.write(pickle.dumps(answer))


if __name__ == "__main__":
    main()
