"""What the tools answer. The SDK makes their schema from these classes."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Held:
    """A decision that holds."""

    id: str
    text: str
    because: str
    at: str
    standing: str
    where: list[str] = field(default_factory=list)
    why: str = ""


@dataclass
class Checked:
    """Whether a statement contradicts a decision in force."""

    fork: bool
    decision: Held | None
    where: list[str]
    advice: str
    judged_by: str
    others: list[Held] = field(default_factory=list)
