"""The schema of a trajectory's lines: made of the table of kinds, so that the two cannot differ."""

from __future__ import annotations

from typing import Any

from holdfast.ledger.kinds import KINDS
from holdfast.rooms.trajectory.day_files import PHASES

TYPES = {str: "string", bool: "boolean", int: "integer", list: "array", dict: "object"}


def schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of one line."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "https://holdfast.dev/trajectory.schema.json",
        "title": "A line of a Holdfast trajectory",
        "description": "One entry of the ledger: when, by whom, in which phase, and what it says.",
        "type": "object",
        "properties": {
            "ts": {
                "type": "string",
                "pattern": r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$",
            },
            "agent": {"type": "string", "minLength": 1},
            "phase": {"enum": sorted({PHASES.get(kind, kind) for kind in KINDS})},
            "kind": {"enum": sorted(KINDS)},
            "session_id": {"type": "string", "maxLength": 100},
            "entry": {"type": "string", "pattern": r"^[^:]+:\d+$"},
            "data": {"type": "object"},
            # Of a fork: the decision in force, what was said or done, and which of them holds.
            **{key: {"type": "string"} for key in ("bead_id", "context_decision", "bead_decision")},
            "resolution": {"enum": ["bead_wins", "both_kept", "code_wins"]},
        },
        "required": ["ts", "agent", "phase", "kind", "session_id", "entry", "data"],
        "additionalProperties": False,
        "allOf": [_of_kind(kind) for kind in sorted(KINDS)],
    }


def _of_kind(kind: str) -> dict[str, Any]:
    fields = KINDS[kind].fields
    data = {
        "properties": {name.rstrip("?"): {"type": TYPES[type_]} for name, type_ in fields.items()},
        "required": [name for name in fields if not name.endswith("?")],
        "additionalProperties": False,
    }
    return {
        "if": {"properties": {"kind": {"const": kind}}},
        "then": {"properties": {"phase": {"const": PHASES.get(kind, kind)}, "data": data}},
    }
