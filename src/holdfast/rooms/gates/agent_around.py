"""Whether an agent is around a command, or has been: by what it leaves in the environment of what
it runs, by who started whom, and by signs that nobody typed it.

An agent that is around is a reason to refuse. An act that carries a sign is kept with it and told,
and waits for the person. So a sign is something that a person in another terminal does not leave,
never that an agent happened to be at work.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection

from holdfast.agents import surroundings
from holdfast.system import ancestors, files, jsontext, paths, processes
from holdfast.system.ancestors import Ancestor

NAMED = 5  # programs above a command, as a sign names them
AT_ONCE = 500  # ticks: what the first process of a container starts by itself, it starts with it


def agent_around(agents: Collection[tuple[int, str]]) -> str:
    """What speaks for an agent around this process, "" when nothing does. `agents` are the
    processes of open sessions, each by its number and its start; "" when that is not known."""
    for name in surroundings.SIGNS:
        if os.environ.get(name):
            return f"{name} is set"
    chain = ancestors.above()
    for process in chain:
        if _is_agent(process.pid, process.started, agents):
            return f"process {process.pid}, which started it, is an agent"
    for process in chain:
        for name in surroundings.SIGNS:
            if process.variable(name):
                return f"process {process.pid}, which started it, has {name} set"
    return "" if chain else _by_numbers(agents)


def why_no_person(agents: Collection[tuple[int, str]]) -> str:
    """What speaks against a person who is alone with this process, "" when nothing does."""
    if sys.stdin is None or sys.stdin.closed or not sys.stdin.isatty():
        return "there is no terminal here"
    sign = agent_around(agents)
    return f"an agent is around: {sign}" if sign else ""


def _by_numbers(agents: Collection[tuple[int, str]]) -> str:
    """The same where there is no /proc: by the numbers of parents alone."""
    pid = os.getpid()
    for _ in range(ancestors.LIMIT):
        pid = processes.parent_of(pid)
        if pid <= 0:
            break
        if _is_agent(pid, processes.process_started(pid), agents):
            return f"process {pid}, which started it, is an agent"
    return ""


def _is_agent(pid: int, started: str, agents: Collection[tuple[int, str]]) -> bool:
    # A number is given anew: the same process has the same start.
    return bool({"", started} & {start for number, start in agents if number == pid})


def signs(agents: Collection[tuple[int, str]]) -> list[str]:
    """What speaks against a person having typed this command, while an agent is at work. Nothing
    where no agent's process is there, and where the processes above cannot be told."""
    starts = {pid: processes.process_started(pid) for pid, _ in agents}
    if not any(start and _is_agent(pid, start, agents) for pid, start in starts.items()):
        return []
    chain = ancestors.above()
    if not ancestors.is_whole(chain):
        return []
    shells = [process for process in chain if process.is_typed_into()]
    if not shells:
        names = ", ".join(process.name for process in chain[:NAMED])
        return [f"no shell that somebody types into is above it ({names})"]
    return [sign for sign in (_left_behind(shells[-1], chain), _unwatched(shells)) if sign]


def _left_behind(shell: Ancestor, chain: list[Ancestor]) -> str:
    """A shell on a terminal of a program's making, and the program that made it is gone."""
    parent = next((process for process in chain if process.pid == shell.parent), None)
    if parent is None or not shell.terminal().startswith("/dev/pts/"):
        return ""
    is_manager = parent.name in ancestors.MANAGERS
    is_its_own = not is_manager and int(shell.started) - int(parent.started) <= AT_ONCE
    if not is_manager and (parent.pid != 1 or is_its_own):
        return ""
    return f"its shell ({shell.name} {shell.pid}) was left behind by what had started it"


def _unwatched(shells: list[Ancestor]) -> str:
    """A terminal in tmux that nobody is attached to."""
    for shell in shells:
        place, pane = shell.variable("TMUX").partition(",")[0], shell.variable("TMUX_PANE")
        if not place or not pane:
            continue
        ask = ("display-message", "-p", "-t", pane, "#{session_attached}")
        if processes.said_by(["tmux", "-S", place, *ask]) == "0":
            return "nobody is attached to the tmux session it was typed in"
    return ""


def registered(state: str) -> list[tuple[int, str]]:
    """The processes of open sessions, as the registry's mirror has them: without their starts."""
    try:
        mirror = jsontext.loads(files.read_text(paths.registry(state)) or "{}")
        return [(int(session["pid"]), "") for session in mirror.get("sessions", {}).values()]
    except (ValueError, KeyError, TypeError, AttributeError):
        return []  # torn: it is rendered anew at the next event
