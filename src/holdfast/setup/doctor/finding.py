"""What a check answers with, and what it looks at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

WELL, NOTE, POOR, BROKEN = "well", "note", "poor", "broken"


@dataclass(frozen=True)
class Finding:
    """How one thing stands, and what mends it."""

    check: str
    standing: str
    message: str
    mend: Callable[[], None] | None = None


@dataclass(frozen=True)
class Patient:
    """What is looked at: a state home, and the project one is in."""

    state: str
    root: Path
