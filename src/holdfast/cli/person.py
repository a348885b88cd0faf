"""Acts that are the person's: they want a terminal, and no agent around them.

An agent has a shell of its own, so neither alone is enough: what it runs has no terminal, unless it
makes one; and what it runs it has started, whatever became of its environment.
"""

from __future__ import annotations

import sys

from holdfast import paths, platform
from holdfast.errors import HoldfastError
from holdfast.gates.around import agent_around
from holdfast.sessions import shelf
from holdfast.store.sqlite import Store

HINT = "type it yourself, in a terminal of your own outside the agent"


def ask(act: str) -> None:
    """Return when a person is alone with the command; HoldfastError otherwise."""
    found = why_not()
    if found:
        raise HoldfastError(f"`{act}` is the person's, and {found}; nothing was changed", hint=HINT)


def why_not() -> str:
    """What speaks against a person, "" when one is alone here."""
    if sys.stdin is None or not sys.stdin.isatty():
        return "there is no terminal here"
    found = agent_around(_agents())
    return f"an agent is around: {found}" if found else ""


def _agents() -> list[tuple[int, str]]:
    """The processes of open sessions."""
    path = paths.store(paths.state_home())
    if not platform.exists(path):
        return []
    found = shelf.still_open(Store(path, create=False))
    return [(one.pid, one.process_started) for one in found]
