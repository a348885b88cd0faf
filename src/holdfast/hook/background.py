"""What the launcher does besides answering an event, and besides brief and status line."""

from __future__ import annotations

from collections.abc import Callable

from holdfast.system import paths


def rebuild(state: str) -> str:
    """A detached rebuild of rooms whose rule has changed; one at a time, and not for ever."""
    from holdfast.ledger.replay import rebuild_stale
    from holdfast.system import leftovers

    leftovers.sweep(state)
    rebuild_stale(state)
    return ""


def pack(state: str) -> str:
    """Pack our modules anew, after an upgrade or when the pack is damaged; detached, too, and one
    at a time."""
    from holdfast.system import leftovers
    from holdfast.system.processes import Lock

    leftovers.sweep(state)
    lock = Lock(paths.pack_lock(state))
    if lock.take():
        from holdfast.hook.bundle import build

        if not build.is_current(state):
            build.write(state)
    return ""


def mend_bundle(state: str) -> None:
    """What was damaged was not run: it is counted, and packed anew by another process."""
    from holdfast.hook.record import run_detached
    from holdfast.ledger import faults

    faults.note(state, "bundle damaged", "hook/bundle", "modules were found one by one")
    run_detached("pack")


def dream(state: str, project: str, why: str) -> str:
    """A detached dream. What the store refuses is a counted fault: nothing of the dream is kept."""
    from holdfast.hook import consolidate
    from holdfast.ledger import faults
    from holdfast.ledger.spool import is_the_stores
    from holdfast.system import leftovers

    leftovers.sweep(state)
    try:
        consolidate.dream_detached(state, project, why)
    except Exception as error:
        if not is_the_stores(error):
            raise
        faults.count(state, "not dreamt", error)
    return ""


def trajectory(state: str, project: str, worktree: str, common: str) -> str:
    """A detached render of a trajectory that is far behind."""
    from holdfast.ledger.workspace import Workspace
    from holdfast.rooms.recovery.handlers import catch_up

    catch_up(Workspace(state), project, worktree, common)
    return ""


def agents_file(state: str, root: str) -> str:
    """A detached render of the block in a project's instruction file."""
    from holdfast.hook import agents_file

    return agents_file.refresh(state, root)


ERRANDS: dict[str, Callable[..., str]] = {
    "rebuild": rebuild,
    "pack": pack,
    "dream": dream,
    "trajectory": trajectory,
    "agents_file": agents_file,
}
