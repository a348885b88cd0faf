"""What the server offers, without the SDK: tools that are called, resources that are read, prompts;
and what tools answer: the SDK makes their schemas from these classes.

An offer is a function, and its docstring is what a client is told of it. The function holds no rule
of ours; what it raises as a HoldfastError is told as one line and a hint.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Offer:
    function: Callable[..., Any]
    title: str

    @property
    def description(self) -> str:
        return " ".join((self.function.__doc__ or "").split())


@dataclass(frozen=True, slots=True)
class Tool(Offer):
    """Its name is the function's, its schemas come from the function's types."""

    reads_only: bool = False
    destroys: bool = False
    repeats: bool = False  # called twice with the same words, it does no more than once

    @property
    def name(self) -> str:
        return self.function.__name__


@dataclass(frozen=True, slots=True)
class Resource(Offer):
    """A text at an address; `{name}` in it is the function's argument."""

    uri: str
    mime_type: str = "text/markdown"


@dataclass(frozen=True, slots=True)
class Prompt(Offer):
    """What a person may ask for by name."""

    name: str


@dataclass(frozen=True, slots=True)
class Offers:
    tools: tuple[Tool, ...]
    resources: tuple[Resource, ...]
    prompts: tuple[Prompt, ...]


# What tools answer


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
