"""Whether an event came from the agent's own process: by the processes between it and our hook.

The client starts every hook the same way, so how the hook of a session's start hung below the
agent's process is what others are measured by. A prompt whose hook hangs elsewhere was not sent by
the client: an agent that runs the launcher by its shell cannot speak as a person. So is a prompt of
an agent that another agent started: its words are the other agent's.

Law: only what is certain is called unverified. Without /proc, without a start to measure by, with
a process that is gone or in another namespace, nothing is said and nothing changes.
"""

from __future__ import annotations

import sys

from holdfast.rooms.sessions import queries
from holdfast.system import ancestors, processes
from holdfast.system.paths import digest
from holdfast.system.processes import SHELLS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.hook.event import Event
    from holdfast.hook.event_context import EventContext
    from holdfast.rooms.sessions.queries import Session
    from holdfast.store.sqlite import Store

    # A process above the hook: its number, its start, its name, and what a shell was given to run.
    Link = list[str]

# Until a prompt or a start is judged, its body has the processes above its hook.
CHAIN = "chain"
LIMIT = 24  # processes above a hook that are looked at
OURS = "hook"  # a shell that runs the installed command and nothing else
AGENTS = "agent"  # instead of a chain: another agent has started this one
ALONE = "."  # the agent starts the hook itself, without a shell


def look_above(event: Event) -> None:
    """Take the processes above the hook before anything is opened: they are gone in a moment."""
    event.body[CHAIN] = look()


def judge_prompt(context: EventContext) -> None:
    """Mark a prompt that the agent's own process did not send: it is kept, and heard by nobody."""
    chain = context.event.body.pop(CHAIN, [])
    session = queries.find(context.store, context.event.session) if chain else None
    if session is None:
        return
    context.unverified = why_not(context.store, chain, session, queries.still_open(context.store))
    if context.unverified:
        context.event.body["unverified"] = True


def look() -> list[Link]:
    """The processes above this hook, the nearest first; [] where they cannot be told."""
    own = f"{sys.executable} -I -S {sys.argv[0]}"
    chain = ancestors.above(LIMIT)
    if not ancestors.is_whole(chain):
        return []
    return [[str(link.pid), link.started, link.name, _text_of(link, own)] for link in chain]


def _text_of(link: ancestors.Ancestor, own: str) -> str:
    """What a shell was given to run: that it is our command, else a digest, never the text."""
    if link.name not in SHELLS:
        return ""
    text = link.command_text().strip()
    return OURS if text == own else digest(text.encode("utf-8", "surrogateescape"))[:8]


def of_start(
    store: Store, chain: list[Link], pid: int, started: str, others: Iterable[Session]
) -> str:
    """How the hook of a session's start hangs below its agent; "" when that is not known. Where
    the same process began a session before, the first one tells."""
    if not chain or not started:
        return ""
    if _other_agent(chain, pid, started, others):
        return AGENTS
    for session in others:
        if (session.pid, session.process_started) == (pid, started):
            hook = queries.hook_of(store, session)
            if hook:
                return hook
    between = _between(chain, pid, started)
    return "" if between is None else _written(between)


def why_not(store: Store, chain: list[Link], session: Session, others: Iterable[Session]) -> str:
    """Why a prompt cannot have come from its session's agent, or from a person through it; "" when
    it can have."""
    if not chain:
        return ""
    pid, started = session.pid, session.process_started
    known = queries.hook_of(store, session)
    other = _other_agent(chain, pid, started, others)
    if other:
        return f"an agent (process {other}) has started what sent it"
    if known == AGENTS:
        return "another agent has started this one"
    if not known:
        return ""
    between = _between(chain, pid, started)
    if between is None:
        is_there = (
            processes.process_started(pid) == started and session.namespace == processes.namespace()
        )
        above = ", ".join(link[2] for link in chain[:4])
        return f"process {pid}, the agent, did not start it ({above} did)" if is_there else ""
    if _is_as_before(_written(between), known):
        return ""
    return f"the agent did not start it as its hooks: through {', '.join(e[2] for e in between)}"


def _other_agent(chain: list[Link], pid: int, started: str, others: Iterable[Session]) -> int:
    """The process of another open session above the hook, 0 when there is none."""
    above = {(link[0], link[1]) for link in chain}
    for session in others:
        process = (str(session.pid), session.process_started)
        if process in above and process != (str(pid), started):
            return session.pid
    return 0


def _between(chain: list[Link], pid: int, started: str) -> list[Link] | None:
    """The processes between the hook and the agent; None when the agent is not above the hook."""
    for at, link in enumerate(chain):
        if (link[0], link[1]) == (str(pid), started):
            return chain[:at]
    return None


def _written(between: list[Link]) -> str:
    """`sh:hook` for a shell that runs our command; the nearest first."""
    return " ".join(f"{link[2].replace(' ', '_')}:{link[3]}" for link in between) or ALONE


def _is_as_before(now: str, before: str) -> bool:
    """Whether a hook hangs as the one of the start did. Where that one was not our command in a
    shell, it is somebody's own wrapper: then the programs count, and not what they were given."""
    if now == before or _is_installed(now):
        return True
    return not _is_installed(before) and _programs(now) == _programs(before)


def _is_installed(written: str) -> bool:
    return written == ALONE or all(part.endswith(f":{OURS}") for part in written.split(" "))


def _programs(written: str) -> list[str]:
    return [part.rpartition(":")[0] for part in written.split(" ")]
