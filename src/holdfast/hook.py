"""The door agents knock on.

It runs in front of somebody's work, many times an hour, so it keeps three promises: it answers
quickly, it imports next to nothing, and it never stands in the way. It exits with 0 whatever
happens; what it could not keep waits in the spool; what went wrong is a counted fault.
"""

from __future__ import annotations

import gc
import sys
import time

from holdfast import paths, platform
from holdfast.platform import env, system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from holdfast import lifecycle
    from holdfast.event import Event
    from holdfast.workspace import Workspace

INPUT_CAP_BYTES = 16 << 20
SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ash", "ksh", "fish", "busybox"})
# How long an event waits for its turn; then it waits in the spool, and the agent does not.
PATIENCE_S = 1.0
# When an event has waited there for so long, the store is not busy but stuck.
STUCK_S = 60.0
# Closing the last connection would copy the log back and delete it, at every event. So nothing is
# closed: the log is safe as it stands, and is copied back when it has grown.
_OPEN: list[Workspace] = []


# What the interpreter took to come here is told by the processor's time, the rest by the clock.
_STARTED_MS = time.process_time() * 1000
_STARTED = time.perf_counter()
_FAULTS: list[str] = []

# The launcher's own: loads what is needed next from one file, where there is such a file
# (packed.py). Without it each module is found when it is asked for, which takes longer.
_BRING: Callable[[str], bool] | None = getattr(sys.modules["__main__"], "bring", None)


def bring(group: str) -> bool:
    """Load a group of modules; False when the pack is gone or stale."""
    return _BRING is not None and _BRING(group)


def main() -> None:
    """Answer one event, and leave without unwinding: the store's log is safe as it stands."""
    if is_off():
        system._exit(0)
    state = paths.state_home()
    system.umask(0o077)
    try:
        if len(sys.argv) > 1:
            gc.enable()
            said = ERRANDS[sys.argv[1]](state, *sys.argv[2:])
        else:
            gc.disable()  # a process of milliseconds has nothing to collect
            said = answer(state, *read_input())
        if said:
            platform.write_all(1, said.encode("utf-8", "backslashreplace"))
    except BaseException as error:  # whatever it is: docs/decisions/0003-never-in-the-way.md
        _count(state, "door", error)
    finally:  # and whatever that was, too: half of the package may be gone
        system._exit(0)


def brief(_: str, session: str = "") -> str:
    """The session's brief as its sheet has it: no database, no stdin."""
    bring("brief")
    from holdfast import sheet

    return f"{sheet.format_brief(session or env('CLAUDE_CODE_SESSION_ID'))}\n"


def status_line(state: str) -> str:
    """The agent's status line: its brief; and what it is told of its context, which hooks are not,
    is written down for them."""
    from holdfast import jsontext, sheet
    from holdfast.continuity.budget import figures_of
    from holdfast.event import session_id

    try:
        said = jsontext.loads(read_input()[0].decode("utf-8", "surrogateescape"))
    except ValueError as error:
        _count(state, "input unreadable", error)
        return f"{sheet.read(env('CLAUDE_CODE_SESSION_ID'))}\n"
    given = said.get("session_id") if isinstance(said, dict) else None
    session = session_id(given) if isinstance(given, str) else ""
    figures = figures_of(said) if session else None
    if figures:
        sheet.note_figures(session, *figures)
    return f"{sheet.read(session or env('CLAUDE_CODE_SESSION_ID'))}\n"


def rebuild(state: str) -> str:
    """A detached rebuild of rooms whose rule has changed; one at a time, and not for ever."""
    from holdfast.ledger.rebuild import rebuild_stale

    rebuild_stale(state)
    return ""


def pack(state: str) -> str:
    """Pack our modules anew, after an upgrade; detached, too."""
    from holdfast import packing

    packing.write(state)
    return ""


def dream(state: str, project: str, why: str) -> str:
    """A detached dream. What the store refuses is a counted fault: nothing of the dream is kept."""
    from holdfast import dreaming
    from holdfast.ledger.spool import is_the_stores

    try:
        dreaming.dream_detached(state, project, why)
    except Exception as error:
        if not is_the_stores(error):
            raise
        _count(state, "not dreamt", error)
    return ""


# What the launcher does besides answering an event.
ERRANDS: dict[str, Callable[..., str]] = {
    "brief": brief,
    "statusline": status_line,
    "rebuild": rebuild,
    "pack": pack,
    "dream": dream,
}


def is_off() -> bool:
    """Switched off by variable or file, or started from within one of our own processes."""
    return (
        env("HOLDFAST_OFF") not in ("", "0")
        or (env(platform.INSIDE) != "" and len(sys.argv) == 1)
        or is_paused(paths.state_home())
    )


def is_paused(state: str) -> bool:
    if not platform.exists(paths.pause(state)):
        return False
    from holdfast import pause

    return bool(pause.until(state))


def read_input() -> tuple[bytes, bool]:
    """All of stdin up to a cap, and whether there was more. The rest is read and let go, so
    that the agent never writes into a closed pipe."""
    raw = platform.read_all(0, INPUT_CAP_BYTES + 1)
    if len(raw) <= INPUT_CAP_BYTES:
        return raw, False
    while system.read(0, 1 << 20):
        pass
    return raw[:INPUT_CAP_BYTES], True


def answer(state: str, raw: bytes, was_cut: bool) -> str:
    """What to print. Faults are counted here; only what nobody foresaw is raised."""
    bring("event")
    from holdfast.agents import claude_code as agent

    event = _event(state, agent, raw, was_cut)
    if event is None:
        return ""
    if event.kind == "tool_asked":
        return _judge(state, agent, event)  # writes nothing, its own cost neither
    said = _deal_with(state, agent, event)
    _note_cost(state, agent, event)
    return said


def _judge(state: str, agent: Any, event: Event) -> str:
    """Answer an event that nothing is kept of. Whatever goes wrong lets through, and is counted."""
    try:
        from holdfast import settings

        if settings.demands_nothing(state, env("CLAUDE_PROJECT_DIR")):
            return ""
        bring(event.kind)
        from holdfast import moment
        from holdfast.reading import Reading

        _catch_up(state)
        judged = moment.judge(Reading(state, busy_s=PATIENCE_S), event)
        for failure in judged.failures:
            _count(state, "not judged", failure)
        return str(agent.write(judged.answer, event.kind))
    except Exception as error:
        _count(state, "not judged", error)
        return ""


def _catch_up(state: str) -> None:
    """What waits in the spool may be what satisfied a gate: it counts before one is judged."""
    if not any(map(platform.names_in, paths.spools(state))):
        return
    from holdfast.workspace import Workspace

    workspace = Workspace(state, busy_s=PATIENCE_S)
    _OPEN.append(workspace)
    try:
        _take_in(state, workspace)
    except Exception as error:
        if not _is_busy(error):
            raise


def _deal_with(state: str, agent: Any, event: Event) -> str:
    """Keep an event, do what it asks for, and say what there is to say."""
    is_packed = bring(event.kind)
    if event.kind == "tool_used":
        bring(f"tool_used.{event.body['deed']}")
    from holdfast import lifecycle

    try:
        lifecycle.look(event)
        from holdfast.workspace import Workspace

        workspace = Workspace(state, busy_s=PATIENCE_S)
        _OPEN.append(workspace)
        _take_in(state, workspace)
        news = _own_news(workspace, event)
        work = _receive(state, workspace, event, news)
    except BaseException as error:  # the event must not be lost, whatever it was
        _set_aside(state, event, error)
        return ""
    try:
        _take_in_late(state, workspace)
        lifecycle.settle(work)
        if news:
            from holdfast.faults import mark_told

            mark_told(state, event.at)
        if workspace.stale:
            _run_detached("rebuild")
        if event.kind == "session_began" and not is_packed:
            _run_detached("pack")
    except Exception as error:
        _count(state, "not settled", error)
    return str(agent.write(work.answer, event.kind, event.name))


def _run_detached(errand: str) -> None:
    platform.spawn_detached([sys.executable, "-I", "-S", sys.argv[0], errand])


def _receive(
    state: str,
    workspace: Workspace,
    event: Event,
    news: Iterable[str] = (),
    *,
    is_late: bool = False,
) -> lifecycle.Work:
    """Keep an event; what should have followed from it and failed is counted."""
    from holdfast import lifecycle

    work = lifecycle.receive(workspace, event, news, is_late=is_late)
    for failure in work.failures:
        _count(state, "not done", failure)
    return work


def _own_news(workspace: Workspace, event: Event) -> list[str]:
    """What went wrong with us, said once when a session begins, in a line each."""
    if event.kind != "session_began":
        return []
    from holdfast import faults, settings

    root = event.body["worktree"]
    workspace.settings(root)  # compiles what has changed, and notes what is wrong with it
    workspace.requirements(root)
    said = (faults.news(workspace.state), *settings.problems(workspace.state, root))
    return [line for line in said if line]


def _note_cost(state: str, agent: Any, event: Event) -> None:
    from holdfast import costs
    from holdfast.errors import StoreError

    number = list(agent.HOOKS).index(event.name) if event.name in agent.HOOKS else costs.OTHER
    ms = _STARTED_MS + (time.perf_counter() - _STARTED) * 1000
    kept_at = _OPEN[-1].store.kept_at if _OPEN else 0
    try:
        costs.note(
            state,
            event.session,
            number,
            ms,
            at=time.time(),
            failed=bool(_FAULTS),
            place=kept_at,
        )
    except (OSError, StoreError):
        pass  # somebody else's folder, or no space: what is wrong there is counted elsewhere


def _event(state: str, agent: Any, raw: bytes, was_cut: bool) -> Event | None:
    from holdfast import jsontext
    from holdfast.errors import AgentError

    text = raw.decode("utf-8", "surrogateescape")
    try:
        said = jsontext.loads(text)
    except ValueError as error:
        said = jsontext.salvage(text)
        _count(state, "input too large" if was_cut else "input unreadable", error)
        if not said:
            return None
    if not isinstance(said, dict):
        _count(state, "input unreadable", TypeError(type(said).__name__))
        return None
    try:
        pid = agent_process()
        if "holdfast_probe" in said:
            return _probe(str(said["holdfast_probe"]))
        starts = said.get("hook_event_name") == "SessionStart"
        process = (pid, platform.process_started(pid) if starts else "")
        event: Event = agent.read(said, raw=raw, at=platform.now(), process=process, size=_size)
        return event
    except AgentError as error:
        _count(state, "input unreadable", error)
        return None


def _probe(nonce: str) -> Event:
    """The doctor's own event: it belongs to no session, and is kept like any other."""
    from holdfast.event import Event

    return Event(
        agent="holdfast",
        kind="probed",
        session="",
        key=f"probe:{nonce}",
        at=platform.now(),
        cwd="",
        body={"nonce": nonce},
    )


def agent_process() -> int:
    """The agent's own process: it says so, else it is the first ancestor that is no shell."""
    told = env("CLAUDE_PID")
    if told.isdecimal() and 0 < int(told) < 1 << 31:
        return int(told)
    pid = system.getppid()
    for _ in range(4):
        if platform.name_of(pid) not in SHELLS:
            break
        pid = platform.parent_of(pid)
    return int(pid)


def _take_in(state: str, workspace: Workspace) -> None:
    """Events that waited come before this one."""
    if not any(map(platform.names_in, paths.spools(state))):
        return
    from holdfast.ledger import spool

    spool.take_in(
        state,
        lambda event: _receive(state, workspace, event, is_late=True),
        lambda path, error: _count(state, "event in the spool refused", error),
    )


def _take_in_late(state: str, workspace: Workspace) -> None:
    """Events whose turn did not come while ours did; without waiting."""
    workspace.store.wait(0)
    try:
        _take_in(state, workspace)
    except Exception as error:
        if not _is_busy(error):
            raise


def _set_aside(state: str, event: Event, error: BaseException) -> None:
    """Into the spool. That its turn did not come is no fault, unless nobody's ever comes."""
    from holdfast.ledger import spool

    kind = "store unavailable" if spool.is_the_stores(error) else "event not kept"
    if not spool.put(state, event):
        _count(state, "event lost", error)
    elif not _is_busy(error):
        _count(state, kind, error)
    elif spool.longest_wait_s(state, event.at) > STUCK_S:
        _count(state, "store locked for long", error)
    elif _OPEN:
        # It may have been the last one, and the store free by now: nobody else would take it in.
        _take_in_late(state, _OPEN[-1])


def _is_busy(error: BaseException) -> bool:
    return type(error).__module__ == "apsw" and type(error).__name__ in {"BusyError", "LockedError"}


def _count(state: str, kind: str, error: BaseException) -> None:
    from holdfast import faults

    _FAULTS.append(kind)
    trace, place = error.__traceback__, ""
    while trace is not None:
        place = f"{trace.tb_frame.f_code.co_filename.rpartition('/')[2]}:{trace.tb_lineno}"
        trace = trace.tb_next
    faults.note(state, kind, place, f"{type(error).__name__}: {error}")


def _size(path: str) -> int:
    try:
        return int(system.stat(path).st_size) if path else 0
    except (OSError, ValueError):
        return 0
