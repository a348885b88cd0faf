"""Whether an agent is around a command: by what it leaves in the environment of what it runs, and
by who started whom. Satisfying and switching are the person's, and an agent has a shell, too.
"""

from __future__ import annotations

import os
from collections.abc import Collection

from holdfast.agents import surroundings
from holdfast.system import files, jsontext, paths, processes

ANCESTORS = 64  # a chain that is longer than this ends nowhere


def agent_around(agents: Collection[tuple[int, str]]) -> str:
    """What speaks for an agent around this process, "" when nothing does. `agents` are the
    processes of open sessions, each by its number and its start; "" when that is not known."""
    for name in surroundings.SIGNS:
        if os.environ.get(name):
            return f"{name} is set"
    pid = os.getpid()
    for _ in range(ANCESTORS):
        pid = processes.parent_of(pid)
        if pid <= 0:
            break
        # A number is given anew: the same process has the same start.
        starts = [started for number, started in agents if number == pid]
        if starts and {"", processes.process_started(pid)} & set(starts):
            return f"process {pid}, which started it, is an agent"
    return ""


def registered(state: str) -> list[tuple[int, str]]:
    """The processes of open sessions, as the registry's mirror has them: without their starts."""
    try:
        mirror = jsontext.loads(files.read_text(paths.registry(state)) or "{}")
        return [(int(session["pid"]), "") for session in mirror.get("sessions", {}).values()]
    except (ValueError, KeyError, TypeError, AttributeError):
        return []  # torn: it is rendered anew at the next event
