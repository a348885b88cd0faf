"""Whether Holdfast works here. The doctor tries it out.

A check is a function that looks and answers with findings; `CHECKS` is all of them. A finding
says how things stand, and carries the act that mends it where that can be done safely. The probe
runs the very hook command that is installed and reads its entry back from the store.

Law: "well" is said only of what was looked at. What was not looked at is said too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

WELL, NOTE, POOR, BROKEN = "well", "note", "poor", "broken"
MARKS = {WELL: "●", NOTE: "·", POOR: "◐", BROKEN: "○"}


@dataclass(frozen=True)
class Finding:
    """How one thing stands, and what mends it."""

    check: str
    standing: str
    message: str
    mend: Callable[[], object] | None = None


@dataclass(frozen=True)
class Patient:
    """What is looked at: a state home, and the project one is in."""

    state: str
    root: Path
