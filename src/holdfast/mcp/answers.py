"""What the tools answer. The SDK makes their schema from these classes."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Held:
    """A decision, how it stands, and how sure it is that something goes against it."""

    id: str
    text: str
    because: str
    at: str
    standing: str
    where: list[str] = field(default_factory=list)
    why: str = ""
    sure: str = ""


@dataclass
class Checked:
    """Whether a statement certainly goes against a decision in force, and which it touches."""

    fork: bool
    decision: Held | None
    where: list[str]
    advice: str
    sure: str
    others: list[Held] = field(default_factory=list)
