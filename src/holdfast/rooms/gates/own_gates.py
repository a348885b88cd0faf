"""The person's own gates, made of rules: a file outside of every repository, by command alone.

Laws: what stands there counts in all worktrees of one repository, and above everything else that is
demanded; it is written whole or not at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.config import layers
from holdfast.config.compiled import own_gates
from holdfast.config.field import key_of
from holdfast.config.requirement import ASKS, DENY
from holdfast.errors import HoldfastError
from holdfast.rooms.prompts import templates
from holdfast.system import files

if TYPE_CHECKING:
    from holdfast.config.field import Table
    from holdfast.rooms.prompts.queries import GivenRule
    from holdfast.rooms.prompts.templates import Proposal

SHORT = 6  # characters of an id
HEADING = b"# Gates made of your rules. `holdfast rules enforce ID --off` takes one away.\n"


def enforce(root: str, rule: GivenRule, answer: str) -> tuple[str, Proposal, str]:
    """Make the gate that a rule's words propose: its name, the proposal, and whether it asks."""
    proposal = templates.propose(rule.text)
    if proposal is None:
        raise HoldfastError(
            "no template fits the words of this rule, so nothing can check it",
            hint="reword it, or write a requirement: docs/reference/gates.md",
        )
    answer = answer or (DENY if proposal.kind == templates.PROVE else ASKS)
    gates = read(root)
    gates[name_of(rule)] = {
        "scope": "single_use",
        "trigger": proposal.actions,
        "for_subagents": True,
        "answer": answer,
        **proposal.demand,
        "rule": {"id": rule.id, "words": rule.text, "at": rule.at, "kind": proposal.kind},
    }
    _write(root, gates)
    return name_of(rule), proposal, answer


def release(root: str, rule: GivenRule) -> bool:
    """Take the gate of a rule away; whether there was one."""
    gates = read(root)
    was_there = gates.pop(name_of(rule), None) is not None
    if was_there:
        _write(root, gates)
    return was_there


def name_of(rule: GivenRule) -> str:
    return f"rule_{rule.id[:SHORT]}"


def read(root: str) -> Table:
    """The gates by their names."""
    path = own_gates(root)
    if not files.exists(path):
        return {}
    try:
        gates = layers.table_of(layers.content_of(path)).get("requirements")
    except layers.Unreadable as error:
        raise HoldfastError(f"{path}: {error}", hint="mend it, or remove it") from error
    return {key_of(name): body for name, body in gates.items()} if isinstance(gates, dict) else {}


def _write(root: str, gates: Table) -> None:
    path = own_gates(root)
    files.own_folder(path.rpartition("/")[0])
    files.write_whole(path, HEADING + layers.content_with({"requirements": gates}))
