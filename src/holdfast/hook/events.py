"""THE TABLE: what each event does, in order.

Read it and you know what Holdfast does. `look` takes facts before anything is opened; the deeds
run in one transaction; what follows the commit only renders files. A deed is named `room.deed`
and imported when its event comes: a hook pays for its own event alone.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

KEEP = "keep"

# event: facts taken first, deeds in the transaction, what follows the commit
EVENTS: dict[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    "session_began": (
        ("sessions.look", "continuity.look"),
        (
            *("sessions.recover", "sessions.begin", "sessions.tell", "continuity.greet"),
            *("identity.restore", "decisions.papers.deeds.greet", "gates.greet"),
        ),
        ("sessions.settle", "decisions.papers.deeds.heal"),
    ),
    "prompt_given": (
        ("continuity.measure",),
        (KEEP, "continuity.heed", "continuity.sync", "gates.observe", "identity.heed"),
        ("identity.settle",),
    ),
    "command_typed": ((), (KEEP, "gates.witness_command"), ()),
    "tool_used": (
        (),
        (KEEP, "gates.witness", "decisions.noticed.edit.notice", "identity.witness"),
        ("identity.settle",),
    ),
    "context_closing": (
        ("continuity.measure",),
        (KEEP, "sessions.link_fork", "continuity.close", "decisions.papers.deeds.examine"),
        ("continuity.settle", "decisions.papers.deeds.settle"),
    ),
    "context_compacted": ((), (KEEP,), ()),
    "turn_ended": (
        ("continuity.measure",),
        (
            *(KEEP, "sessions.link_fork", "continuity.learn", "continuity.sync"),
            *("decisions.papers.deeds.examine", "gates.observe", "gates.ask"),
        ),
        ("continuity.settle", "gates.settle", "sessions.settle", "decisions.papers.deeds.settle"),
    ),
    "turn_failed": ((), (KEEP,), ()),
    "subagent_began": ((), (KEEP,), ()),
    "subagent_ended": ((), (KEEP,), ()),
    "notified": ((), (KEEP,), ()),
    "task_created": ((), (KEEP,), ()),
    "task_completed": ((), (KEEP,), ()),
    "instructions_loaded": ((), (KEEP,), ()),
    "moved": ((), (KEEP,), ()),
    "event_seen": ((), (KEEP,), ()),
    "probed": ((), (KEEP,), ()),
    "session_ended": (
        (),
        ("continuity.capture", "sessions.end", "sessions.link_fork", "gates.finish"),
        ("continuity.settle", "gates.settle", "sessions.settle", "decisions.papers.deeds.settle"),
    ),
}

# Deeds that only some events of their kind need: the others do not load them.
ONLY_OF = {"decisions.noticed.edit.notice": ("edit", "create")}
# Events at which numbers are asked for, which may take their time to be counted.
COUNTED_FOR = frozenset({"session_began", "turn_ended"})
# Events that are only judged (judge.py): nothing is kept, and the store is only read.
JUDGED = frozenset({"tool_asked"})

# Deeds without which an event is not kept; all others only follow from it.
NEEDED = frozenset({"sessions.recover", "sessions.begin", "sessions.end"})


def deed(name: str) -> Any:
    """The function that a name of the table means: of the room's deeds, or of a module beside."""
    verb = name.rpartition(".")[2]
    return getattr(__import__(f"holdfast.{where(name)}", fromlist=[verb]), verb)


def where(name: str) -> str:
    """The module of a deed."""
    module = name.rpartition(".")[0]
    return module if "." in module else f"{module}.deeds"
