"""Lifecycle figures: what was captured, restored, decayed, surfaced, walked, loaded and said.

Summed from entries, so that they are the same on every machine that has them; what was archived
or forgotten still counts by its header, without what its text told.
"""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median
from typing import Any

KINDS = (
    *("session_began", "session_ended", "session_crashed", "state_inherited", "chain_walked"),
    *("checkpoint_taken", "context_given", "goal_set", "rule_given", "pinned", "learnt"),
    *("handoff_given", "instructions_loaded", "command_typed", "tool_used"),
)
CAUSES = ("compact", "stop", "delta", "clear", "hand")


def summed(rows: Iterable[tuple[str, str, str, int, int, int, int]]) -> dict[str, Any]:
    """`rows` are kind, session, sort, number, tokens or pins, tasks, decayed."""
    counts = dict.fromkeys(KINDS, 0)
    sessions: dict[str, set[str]] = {kind: set() for kind in KINDS}
    causes = dict.fromkeys(CAUSES, 0)
    pins = tasks = decayed = skills = 0
    tokens: dict[str, int] = {}
    for kind, session, sort, number, amount, surfaced, dropped in rows:
        counts[kind] += number
        sessions[kind].add(session)
        tasks, decayed = tasks + surfaced, decayed + dropped
        if kind == "context_given":
            tokens[session] = tokens.get(session, 0) + amount
        elif kind == "state_inherited":
            pins += amount
        elif kind == "checkpoint_taken" and sort:
            causes[sort] = causes.get(sort, 0) + number
        elif kind == "tool_used" and sort:
            skills += number
    return {
        "sessions": {
            "begun": len(sessions["session_began"]),
            "captured": len(sessions["session_ended"]),
            "crashed": len(sessions["session_crashed"]),
            "restored": len(sessions["state_inherited"]),
        },
        "inherited": {"pins": pins, "tasks": tasks, "decayed": decayed},
        "checkpoints": {"taken": counts["checkpoint_taken"], "by_cause": causes},
        "chain_walks": counts["chain_walked"],
        "goals": counts["goal_set"],
        "rules": {"given": counts["rule_given"]},
        "pins": counts["pinned"],
        "learnings": counts["learnt"],
        "handoffs": counts["handoff_given"],
        "loaded": {
            "instructions": counts["instructions_loaded"],
            "commands": counts["command_typed"],
            "skills": skills,
        },
        "said": {
            "tokens": sum(tokens.values()),
            "sessions": len(tokens),
            "median_tokens": round(median(tokens.values())) if tokens else 0,
        },
    }
