"""Which rooms derive from which kinds, and by which version of their rule.

A room's `derive` is called in the transaction that keeps the entry. It reads the entry and its
own tables and nothing else (the replay law); raising a room's version here makes the next hook
start a rebuild beside the old tables.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdfast.ledger.entry import Entry
    from holdfast.store.sqlite import Store

ROOMS = {
    "sessions": 1,
    "work": 1,
    "gates": 1,
    "identity": 2,
    "decisions": 1,
    "tracker": 1,
    "consolidation": 1,
}

_SESSIONS, _WORK = ("sessions",), ("work",)
_GATES, _DECISIONS = ("gates",), ("decisions",)
_TRACKER = ("tracker",)
_BOTH = ("sessions", "work")
_ALL = ("sessions", "work", "gates", "identity")
_EVERY = (*_ALL, *_DECISIONS, *_TRACKER)
_IDENTITY = ("identity",)
_LIVES = ("sessions", "identity")
DERIVED_BY: dict[str, tuple[str, ...]] = {
    "project_met": _SESSIONS,
    "project_aliased": _SESSIONS,
    "projects_merged": ("sessions", "work", "identity", *_DECISIONS, *_TRACKER, "consolidation"),
    "session_began": _LIVES,
    "session_linked": _LIVES,
    "session_crashed": _LIVES,
    "session_ended": _LIVES,
    "session_archived": _EVERY,
    "session_restored": (),
    "session_forgotten": (*_EVERY, "consolidation"),
    "entry_forgotten": (),  # its session is derived again, which is no matter of one room
    "project_forgotten": (*_EVERY, "consolidation"),
    "prompt_given": _ALL,
    "command_typed": ("sessions", "gates"),
    "tool_used": _ALL,
    "context_closing": _BOTH,
    "context_compacted": _BOTH,
    "turn_ended": _ALL,
    "turn_failed": _SESSIONS,
    "subagent_began": _SESSIONS,
    "subagent_ended": _SESSIONS,
    "notified": _SESSIONS,
    "task_created": _BOTH,
    "task_completed": _BOTH,
    "instructions_loaded": _SESSIONS,
    "moved": _SESSIONS,
    "tables_rebuilt": (),
    "entries_lost": (),
    "store_repaired": (),
    "goal_set": ("work", "gates", "identity"),
    "rule_given": _WORK,
    "pinned": _WORK,
    "learnt": _WORK,
    "turned": _WORK,
    "state_inherited": _WORK,
    "checkpoint_taken": _WORK,
    "handoff_given": _WORK,
    "chain_walked": (),
    "context_given": _WORK,
    "requirement_met": _GATES,
    "requirement_triggered": _GATES,
    "requirement_cleared": _GATES,
    "gates_switched": _GATES,
    "tools_denied": _GATES,
    "evidence_seen": _GATES,
    "confidence_moved": _GATES,
    "contract_set": _GATES,
    "stop_blocked": _GATES,
    "stop_passed": _GATES,
    "identity_inherited": _IDENTITY,
    "identity_told": _IDENTITY,
    "identity_settled": _IDENTITY,
    "identity_persisted": _IDENTITY,
    "recalled": ("consolidation",),
    "dreamt": ("consolidation",),
    "tidied": _WORK,
    "decision_made": _DECISIONS,
    "claim_made": _DECISIONS,
    "item_opened": _DECISIONS,
    "item_resolved": _DECISIONS,
    "fork_noticed": _DECISIONS,
    "ghost_checked": _DECISIONS,
    "identified": _TRACKER,
    "identifiers_verified": _TRACKER,
    "item_tracked": _TRACKER,
    "item_told": _TRACKER,
    "checkpoint_judged": (),
    "handoff_logged": (),
    "state_synced": (),
    "state_healed": (),
    "probed": (),
    "event_seen": _SESSIONS,
}


def deriver(room: str) -> Any:
    """The room's module that holds TABLES, derive and drop."""
    return __import__(f"holdfast.rooms.{room}.projection", fromlist=["derive"])


def derive(store: Store, entry: Entry, rooms: tuple[str, ...]) -> None:
    for room in rooms:
        deriver(room).derive(store, entry)


def stale(store: Store) -> list[str]:
    """Rooms whose tables were filled by another rule than this program's."""
    filled = dict(store.rows("select room, version from derivations"))
    return [room for room, version in ROOMS.items() if filled.get(room) != version]
