"""What a compiled requirement holds. For the type checker: no hook loads this.

Compiled requirements are JSON that every tool call reads, so they stay tables, and no class is
built of them. `requirement.FIELDS` reads a file into this shape, every field filled in, and says
what each one means.
"""

from __future__ import annotations

from typing import NotRequired, TypedDict


class Trigger(TypedDict):
    """A tool that a requirement stands in front of."""

    tool: str
    command_pattern: str
    paths: list[str]
    literals: NotRequired[list[str]]  # of the pattern, in what is compiled for hooks


class ActionTrigger(TypedDict, total=False):
    """An action that a requirement stands in front of, with the arguments that are asked for."""

    action: str
    branch: list[str]
    remote: list[str]
    path: list[str]
    base: list[str]
    to: list[str]
    flags: list[str]
    program: list[str]
    instead: list[str]
    flag: list[str]
    host: list[str]
    model: list[str]
    name: list[str]
    message: str
    pattern: str
    force: bool
    amend: bool
    create: bool
    merge: bool
    comment: bool
    draft: bool


class RuleBehind(TypedDict):
    """The rule that a requirement was made of."""

    id: str
    words: str
    at: str
    kind: str


class EvidenceFile(TypedDict):
    """A file that has to be there."""

    dirs: list[str]
    require_markers: list[str]
    require_verdict: str
    max_age_seconds: int | None


class Thresholds(TypedDict):
    """Where a number is too high, and where it comes near that."""

    block: float
    warn: float | None


class Lasting(TypedDict):
    """How long a satisfaction lasts: all that is needed to keep one."""

    scope: str
    approval_ttl: int
    replan_ttl: int | None


class Requirement(Lasting):
    """One requirement, with every field."""

    enabled: bool
    type: str
    trigger_tools: list[Trigger]
    trigger: list[ActionTrigger]
    opaque: str
    answer: str
    rule: RuleBehind | None
    checklist: list[str]
    message: str
    short_message: str
    description: str
    satisfied_by_skill: list[str]
    auto_resolve_skill: str
    stop_only: bool
    evidence: EvidenceFile | None
    evidence_required: list[str]
    evidence_runs: list[str]
    evidence_first: list[str]
    min_confidence: int | None
    for_subagents: bool
    calculator: str
    thresholds: Thresholds  # of a dynamic one; None else
    cache_ttl: int
    blocking_message: str
    guard_type: str
    protected_branches: list[str]
    deprecated: bool
    deprecated_message: str


Requirements = dict[str, Requirement]  # by their names
