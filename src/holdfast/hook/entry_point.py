"""The door agents knock on.

It runs in front of somebody's work, many times an hour, so it keeps three promises: it answers
quickly, it imports next to nothing, and it never stands in the way. It exits with 0 whatever
happens; what it could not keep waits in the spool; what went wrong is a counted fault.
"""

from __future__ import annotations

import gc
import sys
import time

from holdfast.agents import surroundings
from holdfast.system import clock, environment, files, paths
from holdfast.system.environment import bring, env, system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdfast.hook.event import Event
    from holdfast.ledger.reader import Reading

# How long a judgement waits for the store.
PATIENCE_S = 1.0
STATUS_LINE = "statusline"
# Nothing is closed: the process ends in a moment.
OPEN: list[Reading] = []

# What the interpreter took to come here is told by the processor's time, the rest by the clock.
STARTED_MS = time.process_time() * 1000
STARTED = time.perf_counter()


def main() -> None:
    """Answer one event, and leave without unwinding: the store's log is safe as it stands."""
    if is_off() and sys.argv[1:2] != [STATUS_LINE]:  # the user's own is shown all the same
        system._exit(0)
    state = paths.state_home()
    system.umask(0o077)
    try:
        if len(sys.argv) > 1:
            gc.enable()
            answer_text = run_errand(state, *sys.argv[1:])
        else:
            gc.disable()  # a process of milliseconds has nothing to collect
            answer_text = answer(state, *files.read_stdin())
        if answer_text:
            files.write_all(1, answer_text.encode("utf-8", "backslashreplace"))
        if environment.is_bundle_damaged():
            from holdfast.hook import background

            background.mend_bundle(state)
    except BaseException as error:  # docs/internals/decisions/0003-never-in-the-way.md
        count_fault(state, "door", error)
    finally:  # and whatever that was, too: half of the package may be gone
        system._exit(0)


def run_errand(state: str, name: str, *words: str) -> str:
    """What the launcher does besides answering an event."""
    if name == "brief":
        return brief(*words)
    if name == STATUS_LINE:
        bring(STATUS_LINE)
        from holdfast.hook import status_line

        return status_line.show(state, *words, is_off=is_off())
    from holdfast.hook.background import ERRANDS

    return ERRANDS[name](state, *words)


def brief(session: str = "") -> str:
    """The session's brief as its file has it: no database, no stdin."""
    bring("brief")
    from holdfast.hook import brief_file

    return f"{brief_file.format_brief(session or brief_file.session_here())}\n"


def is_off() -> bool:
    """Switched off by variable or file, or started from within one of our own processes."""
    return (
        env("HOLDFAST_OFF") not in ("", "0")
        or (env(environment.INSIDE) != "" and len(sys.argv) == 1)
        or is_paused(paths.state_home())
    )


def is_paused(state: str) -> bool:
    if not files.exists(paths.pause(state)):
        return False
    from holdfast.config import pause_file

    return bool(pause_file.until(state))


def answer(state: str, raw: bytes, was_cut: bool) -> str:
    """What to print. Faults are counted here; only what nobody foresaw is raised."""
    bring("event")
    from holdfast.agents.known import speaker

    payload = _payload(state, raw, was_cut)
    if payload is None:
        return ""
    agent = speaker(payload)
    event = _event(state, agent, payload, raw)
    if event is None:
        return ""
    if event.kind == "tool_asked":
        return _judge(state, agent, event)  # writes nothing, its own cost neither
    if event.kind == "session_began":
        from holdfast.hook import ahead

        ahead.ask(event)
    is_packed = bring(event.kind)
    if event.kind == "tool_used":
        bring(f"tool_used.{event.body['deed']}")
    from holdfast.hook import record

    answer_text = record.deal_with(state, agent, event, is_packed=is_packed)
    ms = STARTED_MS + (time.perf_counter() - STARTED) * 1000
    record.note_cost(state, agent, event, ms)
    return answer_text


def _judge(state: str, agent: Any, event: Event) -> str:
    """Answer an event that nothing is kept of. Whatever goes wrong lets through, and is counted."""
    try:
        from holdfast.config import compiled

        if compiled.demands_nothing(state, surroundings.project_folder()):
            return ""
        bring(event.kind)
        from holdfast.hook import judge
        from holdfast.ledger.reader import Reading

        if any(map(files.names_in, paths.spools(state))):
            from holdfast.hook.record import catch_up

            catch_up(state)
        OPEN.append(Reading(state, busy_s=PATIENCE_S))
        judged = judge.judge(OPEN[-1], event)
        for failure in judged.failures:
            count_fault(state, "not judged", failure)
        return str(agent.write(judged.answer, event.kind))
    except Exception as error:
        count_fault(state, "not judged", error)
        return _judge_without_store(state, agent, event, error)


def _judge_without_store(state: str, agent: Any, event: Event, error: Exception) -> str:
    """Where the store cannot be read, what needs none of it is judged all the same."""
    from holdfast.ledger import spool

    if not spool.is_the_stores(error):
        return ""
    try:
        from holdfast.hook import judge

        return str(agent.write(judge.without_store(state, event).answer, event.kind))
    except Exception as again:
        count_fault(state, "not judged", again)
        return ""


def _payload(state: str, raw: bytes, was_cut: bool) -> dict[str, Any] | None:
    """What the agent sent; None when there is nothing to be read."""
    from holdfast.system import jsontext

    text = raw.decode("utf-8", "surrogateescape")
    try:
        payload = jsontext.loads(text)
    except ValueError as error:
        payload = jsontext.salvage(text)
        count_fault(state, "input too large" if was_cut else "input unreadable", error)
        return payload or None
    if isinstance(payload, dict):
        return payload
    count_fault(state, "input unreadable", TypeError(type(payload).__name__))
    return None


def _event(state: str, agent: Any, payload: dict[str, Any], raw: bytes) -> Event | None:
    from holdfast.errors import AgentError

    try:
        pid = agent_process()
        if "holdfast_probe" in payload:
            return _probe(str(payload["holdfast_probe"]))
        starts = payload.get("hook_event_name") == "SessionStart"
        process = (pid, _started(pid) if starts else "")
        event: Event | None = agent.read(
            payload, raw=raw, at=clock.now(), process=process, size=_size
        )
        return event
    except AgentError as error:
        count_fault(state, "input unreadable", error)
        return None


def _started(pid: int) -> str:
    bring("processes")
    from holdfast.system.processes import process_started

    return process_started(pid)


def _probe(nonce: str) -> Event:
    """The doctor's own event: it belongs to no session, and is kept like any other."""
    from holdfast.hook.event import Event

    return Event(
        agent="holdfast",
        kind="probed",
        session="",
        key=f"probe:{nonce}",
        at=clock.now(),
        cwd="",
        body={"nonce": nonce},
    )


def agent_process() -> int:
    """The agent's own process: it says so, else it is the first ancestor that is no shell; 0 is
    nobody's number, and says that nobody knows."""
    declared = surroundings.process_id()
    if declared.isdecimal() and int(declared) < 1 << 31:
        return int(declared)
    bring("processes")
    from holdfast.system.processes import SHELLS, name_of, parent_of

    pid = int(system.getppid())
    for _ in range(4):
        if name_of(pid) not in SHELLS:
            break
        pid = parent_of(pid)
    return int(pid)


def count_fault(state: str, kind: str, error: BaseException) -> None:
    from holdfast.ledger import faults

    faults.count(state, kind, error)


def _size(path: str) -> int:
    try:
        return int(system.stat(path).st_size) if path else 0
    except (OSError, ValueError):
        return 0
