"""A rebuild in the background: a room's rule of derivation has changed.

Started by a hook, detached; one at a time by a lock, with a hard limit of time, never restarted by
itself. It leaves an entry that says what it did.
"""

from __future__ import annotations

import signal

from holdfast import platform
from holdfast.ledger import replay
from holdfast.workspace import Workspace

LIMIT_S = 600


def rebuild_stale(state: str) -> bool:
    """Rebuild when a room is stale and nobody else is at it; whether it was done."""
    lock = platform.Lock(f"{platform.own_folder(state)}/rebuild.lock")
    if not lock.take():
        return False
    signal.alarm(LIMIT_S)
    workspace = Workspace(state)
    stale = workspace.stale
    if stale:
        entries = replay.rebuild(workspace.store)
        at = platform.now()
        with workspace.store.transaction():
            workspace.keep(
                "tables_rebuilt", {"rooms": stale, "entries": entries}, key=f"rebuilt:{at}", at=at
            )
    workspace.store.close()
    lock.release()
    signal.alarm(0)
    return bool(stale)
