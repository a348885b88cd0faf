"""A session's life, as a table.

A session works, rests or has ended. What an entry does to it depends only on the phase it is in
and the kind of the entry, so the whole life fits in `LIFE`. What the table does not name changes
nothing: a tool's report that comes in after the end does not wake the session.
"""

from __future__ import annotations

WORKING, RESTING, ENDED = "working", "resting", "ended"

LIFE: dict[tuple[str, str], str] = {
    (RESTING, "prompt_given"): WORKING,
    # The agent woke by itself: a background task ended, or a schedule came due.
    (RESTING, "tool_used"): WORKING,
    (RESTING, "session_ended"): ENDED,
    (RESTING, "session_crashed"): ENDED,
    (WORKING, "turn_ended"): RESTING,
    (WORKING, "turn_failed"): RESTING,
    (WORKING, "session_ended"): ENDED,
    (WORKING, "session_crashed"): ENDED,
    # The agent died mid-turn and came back: nobody told us that the turn had ended.
    (WORKING, "session_began"): RESTING,
    # Resumed. A session that has ended may begin again.
    (ENDED, "session_began"): RESTING,
    (ENDED, "prompt_given"): WORKING,
}

# Beginnings that are no beginning of a life: the context was compacted under a running session.
SAME_LIFE = frozenset({"compact"})


def step(phase: str, kind: str) -> str:
    return LIFE.get((phase, kind), phase)


def short(session: str) -> str:
    """The display alias of a session: eight characters, as people know it from the agents."""
    return session.replace("-", "")[:8]


def diagram() -> str:
    """The table as a mermaid state diagram, for docs/internals/architecture.md."""
    arrows = [f"    {phase} --> {to}: {kind}" for (phase, kind), to in LIFE.items()]
    return "\n".join(["stateDiagram-v2", *arrows])
