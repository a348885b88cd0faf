"""Some acts are for a person alone: an agent must not do them in the person's name.

An agent has a shell of its own, so two things are checked. What an agent runs has no terminal,
unless it makes one; and it is a child of the agent's process, whatever its environment says.

Every such command checks here. `ask` wants both, a terminal and no agent: for what is kept as the
person's own word, such as a rule, a goal or a satisfaction. `ask_outside` wants no agent only: a
script that pauses or uninstalls Holdfast is a person's, as long as no agent has started it. What
passes and has signs that speak against a person all the same is kept, and waits: it takes no effect
before the person types it, and is told with its signs. A dashboard is a person's when it was served
by one.
"""

from __future__ import annotations

import shlex
import sys

import apsw

from holdfast.cli.helpers import place_here
from holdfast.errors import HoldfastError, StoreError
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.gates.agent_around import agent_around, registered, signs, why_no_person
from holdfast.rooms.gates.protection.persons_acts import undoing
from holdfast.rooms.sessions import checked_acts, queries
from holdfast.rooms.work.commands import Place
from holdfast.store.sqlite import Store
from holdfast.system import files, paths

HINT = "type it yourself, in a terminal of your own outside the agent"
SERVED: list[str] = []  # of the dashboard that this process serves: what speaks against a person


def ask(act: str) -> None:
    """Return when a person is alone with the command; HoldfastError otherwise. `act` is the words
    after `holdfast`, as the table has them (rooms/gates/protection/persons_acts.py)."""
    _refuse(act, why_not())
    keep(act)


def ask_here(act: str) -> Place:
    """Where the person who was asked for acts."""
    ask(act)
    return place_here.place(to_say=True)


def ask_outside(act: str) -> None:
    """Return when no agent is around, with a terminal or without; HoldfastError otherwise."""
    _refuse(act, _agent())
    keep(act)


def why_not() -> str:
    """What speaks against a person, "" when one is alone here."""
    return why_no_person(_agents())


def doubt() -> str:
    """The same, or what makes it doubtful: what is kept all the same is kept as an agent's."""
    agents = _agents()
    return why_no_person(agents) or ("" if SERVED else "; ".join(signs(agents)))


def why_no_dashboard() -> str:
    """What speaks against a person who serves a dashboard here. What is done in it from now on is
    the person's, though nobody types it."""
    SERVED.append(why_not())
    return SERVED[-1]


def keep(act: str) -> None:
    """Keep that an act was checked, where it has signs, or where what it keeps is held against its
    check; return when it may be done. One that has signs waits for the person."""
    against = signs(_agents())
    waits = against and not SERVED
    if against or act.startswith(checked_acts.COUNTED):
        _keep(act, against, f"holdfast {shlex.join(sys.argv[1:])}" if waits else "")
    if waits:
        raise HoldfastError(
            f"it may not be you who runs `holdfast {act}`: {'; '.join(against)}; it waits for you,"
            " and nothing was changed",
            hint=HINT,
        )


def keep_foreign_pause(state: str) -> None:
    """That Holdfast was paused, and by no command of its own."""
    _keep("pause", [f"{paths.pause(state)} was written by hand"])


def _keep(act: str, against: list[str], waits: str = "") -> None:
    state = paths.state_home()
    if not files.exists(paths.store(state)):
        return
    try:
        undo = "" if waits else undoing(act)
        checked_acts.keep(Workspace(state), act, against, undo, waits)
    except (StoreError, apsw.Error, OSError):
        pass  # it must be possible to switch off what is broken


def _refuse(act: str, why: str) -> None:
    if why:
        raise HoldfastError(
            f"only a person may run `holdfast {act}`, and {why}; nothing was changed", hint=HINT
        )


def _agent() -> str:
    agent = agent_around(_agents())
    return f"an agent is around: {agent}" if agent else ""


def _agents() -> list[tuple[int, str]]:
    """The processes of open sessions; those of the registry when the store cannot be read, for it
    must be possible to switch off what is broken."""
    state = paths.state_home()
    path = paths.store(state)
    if not files.exists(path):
        return []
    try:
        sessions = queries.still_open(Store(path, create=False))
    except (StoreError, apsw.Error):
        return registered(state)
    return [(session.pid, session.process_started) for session in sessions]
