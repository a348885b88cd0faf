"""How often requirements would have stood in the way of the last sessions of a project.

Law: it is judged by what is kept of those sessions, with the triggers that count before a tool;
what was proved or done by then, as entries have it, is not asked for, and what a session was asked
for once is done, unless each action uses it up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.config import layers
from holdfast.config.requirement import BLOCKING, GUARD, PROTECTED_BRANCH, SINGLE_USE, compile_all
from holdfast.rooms.gates.judgement import gating
from holdfast.rooms.gates.rule_turns import acts_and_proofs

if TYPE_CHECKING:
    from holdfast.config.requirement_type import Requirement
    from holdfast.store.sqlite import Store

    Place = tuple[str, str, str]  # a session, its branch, its worktree


def times(store: Store, sessions: list[Place], text: str) -> int:
    """How often a file with this text would have spoken."""
    requirements, _ = compile_all([("preset", layers.table_of(text.encode()))])
    return sum(_in_session(store, place, requirements) for place in sessions)


def _in_session(store: Store, place: Place, requirements: dict[str, Requirement]) -> int:
    session, branch, worktree = place
    asked: list[str] = []
    for call, proved in acts_and_proofs(store, session, worktree):
        for name, each in gating(requirements, call, lambda _: None).items():
            if _is_open(each, branch, proved) and (
                each["scope"] == SINGLE_USE or name not in asked
            ):
                asked.append(name)
    return len(asked)


def _is_open(requirement: Requirement, branch: str, proved: set[str]) -> bool:
    if requirement["stop_only"] or not requirement["enabled"]:
        return False
    if requirement["type"] == GUARD:
        is_protected = branch in requirement["protected_branches"]
        return requirement["guard_type"] == PROTECTED_BRANCH and is_protected
    skills = {*requirement["satisfied_by_skill"]}
    wants = {*requirement["evidence_required"]}
    is_done = bool(skills & proved) or (bool(wants) and wants <= proved)
    return requirement["type"] == BLOCKING and not is_done
