"""A rebuild in the background: a room's rule of derivation has changed.

Started by a hook, detached; one at a time by a lock, with a hard limit of time, never restarted by
itself. It leaves an entry that says what it did. What earlier versions wrongly took for the user's
rules is disowned on the way (rooms/prompts/upgrade.py).
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

from holdfast.errors import Damaged, StoreError
from holdfast.ledger import replay
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.prompts import upgrade
from holdfast.system import clock, files, processes

LIMIT_S = 600
PATIENCE_S = 30.0


@contextmanager
def alone(state: str, wait_s: float = PATIENCE_S) -> Iterator[None]:
    """One at a time: two rebuilds, or a rebuild and a restore, would undo each other's rows."""
    lock = processes.Lock(f"{files.own_folder(state)}/rebuild.lock")
    try:
        if not lock.take(wait_s=wait_s):
            raise StoreError("the tables are being rebuilt", hint="try again in a minute")
        yield
    finally:
        lock.release()


def rebuild_stale(state: str) -> bool:
    """Rebuild when a room is stale and nobody else is at it; whether it was done."""
    before = signal.alarm(LIMIT_S)
    try:
        with alone(state, wait_s=0.0):
            return _rebuild(Workspace(state))
    except Damaged:
        raise  # nothing is derived from what is not what was written
    except StoreError:
        return False
    finally:
        signal.alarm(before)  # who had set one, has it still


def _rebuild(workspace: Workspace) -> bool:
    stale = workspace.stale
    if stale:
        # First: cut off in between, the rooms are still stale, and all of it is done again.
        upgrade.disown(workspace)
        entries = replay.rebuild(workspace.store)
        at = clock.now()
        with workspace.store.transaction():
            workspace.keep(
                "tables_rebuilt", {"rooms": stale, "entries": entries}, key=f"rebuilt:{at}", at=at
            )
    workspace.store.close()
    return bool(stale)
