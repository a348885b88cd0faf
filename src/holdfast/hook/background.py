"""What the launcher does besides answering an event, and besides the brief."""

from __future__ import annotations

from holdfast.agents import surroundings
from holdfast.system import files, paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def status_line(state: str) -> str:
    """The agent's status line: its brief; and what it is told of its context, which hooks are not,
    is written down for them."""
    from holdfast.hook import brief_file
    from holdfast.hook.event import session_id
    from holdfast.ledger import faults
    from holdfast.rooms.work.budget import figures_of
    from holdfast.system import jsontext

    try:
        payload = jsontext.loads(files.read_stdin()[0].decode("utf-8", "surrogateescape"))
    except ValueError as error:
        faults.count(state, "input unreadable", error)
        return f"{brief_file.read(surroundings.session_id())}\n"
    given = payload.get("session_id") if isinstance(payload, dict) else None
    session = session_id(given) if isinstance(given, str) else ""
    figures = figures_of(payload) if session else None
    if figures:
        brief_file.note_figures(session, *figures)
    return f"{brief_file.read(session or surroundings.session_id())}\n"


def rebuild(state: str) -> str:
    """A detached rebuild of rooms whose rule has changed; one at a time, and not for ever."""
    from holdfast.ledger.rebuild import rebuild_stale
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


ERRANDS: dict[str, Callable[..., str]] = {
    "statusline": status_line,
    "rebuild": rebuild,
    "pack": pack,
    "dream": dream,
    "trajectory": trajectory,
}
