"""What the tools answer. The SDK makes their schema from these classes."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Status:
    """Where the work stands here, and whether Holdfast is well."""

    project: str
    branch: str
    session: str
    goal: str
    rules: int
    pins: int
    decisions: int
    broken_decisions: int
    context_phase: str
    open_requirements: list[str]
    faults: int
    paused: bool


@dataclass
class Recovered:
    """What was kept of the work here, as text."""

    level: int
    text: str
    tokens: int


@dataclass
class Recalled:
    """What was said and done before, quoted, with what it costs."""

    level: str
    text: str
    tokens: int


@dataclass
class Rule:
    """Something the user demands, word for word."""

    id: str
    text: str
    sort: str
    at: str
    whose: str
    scope: str


@dataclass
class Rules:
    rules: list[Rule]


@dataclass
class Choice:
    """Something the user settled, and what it answers."""

    id: str
    text: str
    question: str
    sort: str
    at: str
    branch: str


@dataclass
class Choices:
    choices: list[Choice]


@dataclass
class Remembered:
    """The user's words that are kept now: the whole sentence that was quoted from."""

    id: str
    kind: str
    text: str
    scope: str
    about: str
    is_new: bool


@dataclass
class Decided:
    """A decision that was kept, and how its evidence stands."""

    id: str
    text: str
    standing: str
    supersedes: str
    evidence: list[str]
    left_out: list[str]


@dataclass
class Pinned:
    id: str
    content: str
    label: str
    critical: bool


@dataclass
class Unpinned:
    id: str


@dataclass
class Handoff:
    """What whoever goes on is told, as Markdown."""

    session: str
    text: str
    written: bool


@dataclass
class Checkpoint:
    id: str
    session: str
    text: str


@dataclass
class Continued:
    """The session that the work goes on from."""

    source: str
    session: str
    goal: str
    pins: int


@dataclass
class Requirement:
    """One demand: open, satisfied, near its limit, or off; and what to do about it."""

    name: str
    standing: str
    advice: str


@dataclass
class Requirements:
    branch: str
    satisfied: int
    total: int
    paused: bool
    requirements: list[Requirement]


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
