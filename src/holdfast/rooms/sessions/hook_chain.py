"""Whether an event came from the agent's own process: by the processes between it and our hook.

The client starts every hook the same way, so how the hook of a session's start hung below the
agent's process is what others are measured by. An event whose hook hangs elsewhere was not sent by
the client: an agent that runs the launcher by its shell cannot speak as a person, nor satisfy what
is required. Neither can an agent that another agent started: its words are the other agent's.

Laws: only what is certain is called unverified; without /proc, without a start to measure by, with
a process that is gone or in another namespace, nothing is said. What is not unverified is believed
for its own session, and waits for the agent's own record before others are told of it.
"""

from __future__ import annotations

import sys

from holdfast.rooms.sessions import queries
from holdfast.rooms.sessions.queries import DOUBTED
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
BY_CLIENT = "by_client"  # it hangs below the agent as the hooks of its start did
LIMIT = 24  # processes above a hook that are looked at
OURS = "hook"  # a shell that runs the installed command and nothing else
AGENTS = "agent"  # instead of a chain: another agent has started this one
REPLACED = "replaced"  # how a session ends that did not say so
# What a script runs in. Below nothing but these it was left behind.
INTERPRETERS = ("python", "perl", "ruby", "node", "bun", "deno", "timeout", "xargs")
ALONE = "."  # the agent starts the hook itself, without a shell


def look_above(event: Event) -> None:
    """Take the processes above the hook before anything is opened: they are gone in a moment."""
    event.body[CHAIN] = look()


def judge(context: EventContext) -> None:
    """Mark an event that the agent's own process did not send: it is kept, and heard by nobody.
    Any other waits for the agent's record, where it keeps one."""
    event = context.event
    chain = event.body.pop(CHAIN, [])
    session = queries.find(context.store, event.session)
    if session is None:
        return
    if chain:
        others = queries.still_open(context.store)
        context.unverified = why_not(context.store, chain, session, others)
    if context.unverified:
        event.body["unverified"] = True
        event.key = f"unverified:{event.key}"  # the event that it stands in for may still come
    elif _speaks(event) and context.has_record():
        event.body["awaits"] = True
        if chain and is_below(context.store, chain, session):
            event.body[BY_CLIENT] = True


def _speaks(event: Event) -> bool:
    """Whether an event speaks for the user, or satisfies something: of commands checks may."""
    if event.body.get("deed") != "run":
        return True
    from holdfast.shell.check_tools import names_check

    return names_check(event.body.get("command", ""))


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
    same = [each for each in others if (each.pid, each.process_started) == (pid, started)]
    hook = next(filter(None, (queries.hook_of(store, session) for session in same)), "")
    if any(each.ended_at is None or each.end_reason == REPLACED for each in same):
        # A process has one session at a time, and says when that ends.
        return f"{DOUBTED} {hook.removeprefix(DOUBTED).strip()}".strip()
    if hook:
        return hook
    if _is_left_behind(chain, pid) and any(map(_is_at_work, others)):
        return DOUBTED
    between = _between(chain, pid, started)
    return "" if between is None else _written(between)


def _is_at_work(session: Session) -> bool:
    started = session.process_started
    return session.ended_at is None and processes.process_started(session.pid) == started != ""


def _is_left_behind(chain: list[Link], pid: int) -> bool:
    """Whether nothing but scripts is above an agent: what had started them has left them behind."""
    if pid <= 1:
        return True
    numbers = [int(link[0]) for link in chain]
    if pid not in numbers:
        return False
    above = chain[numbers.index(pid) :]
    return all(
        int(number) <= 1 or name in ancestors.MANAGERS or name in SHELLS or _is_script(name)
        for number, _, name, _ in above
    ) and not any(ancestors.terminal_of(int(link[0])) for link in above)


def _is_script(name: str) -> bool:
    return name.startswith(INTERPRETERS)


def why_not(store: Store, chain: list[Link], session: Session, others: Iterable[Session]) -> str:
    """Why an event cannot have come from its session's agent, or from a person through it; "" when
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
    known = known.removeprefix(DOUBTED).strip()
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


def is_below(store: Store, chain: list[Link], session: Session) -> bool:
    """Whether a hook hangs below its agent as the one of the start did."""
    known = queries.hook_of(store, session)
    between = _between(chain, session.pid, session.process_started)
    return bool(known) and not known.startswith((AGENTS, DOUBTED)) and between is not None


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
