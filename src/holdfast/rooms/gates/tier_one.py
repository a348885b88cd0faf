"""Confidence and contract: as a session keeps them, a checkpoint holds them, another takes over.

Laws: a contract that is handed on says where it was first set, and what was not proven by then; a
checkpoint names it by its entry; what was forgotten since does not come back.
"""

from __future__ import annotations

from holdfast.ledger import queries as ledger
from holdfast.rooms.gates import contract, queries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.ledger.kinds import Body
    from holdfast.rooms.gates.queries import StoredContract
    from holdfast.store.sqlite import Store

INHERITED = "inherited"


def confidence_from(store: Store, session: str, value: int, before: str) -> Body | None:
    """The entry by which a session goes on with another's confidence; None where it is the same."""
    change = value - queries.conduct_of(store, session).confidence
    if not change:
        return None
    reason = f"{INHERITED} {change:+d}: as session {before[:8]} left it"
    return {"value": value, "change": change, "observation": INHERITED, "reason": reason}


def of_checkpoint(store: Store, session: str, tier1: Body, before: str) -> list[tuple[str, Body]]:
    """The entries by which a session goes on with what a checkpoint of another kept of it; what an
    older version did not keep, and what was forgotten since, is left as it is."""
    entries: list[tuple[str, Body]] = []
    value = tier1["confidence"]
    moved = confidence_from(store, session, value, before) if value is not None else None
    if moved:
        entries.append(("confidence_moved", moved))
    stored = contract_named(store, before, tier1["task_contract"])
    current = queries.contract(store, session)
    if stored and (current is None or current["id"] != stored["id"]):
        entries.append(("contract_set", handed_on(store, stored, before)))
    return entries


def contract_named(store: Store, session: str, id_: str) -> StoredContract | None:
    """A contract of a session by its entry, whatever was agreed on since."""
    for _, entry in ledger.read(store, session=session) if id_ else ():
        if entry.id == id_:
            body = entry.body
            return {
                "at": entry.at,
                "goal": body["goal"],
                "criteria": body["criteria"],
                "evidence_required": body["evidence_required"],
                "refused": 0,
                "id": id_,
                "thread": body.get("thread", ""),
                "author": body.get("author", ""),
                "source": body.get("from", ""),
                "unproven": body.get("unproven", []),
                "edits_wait": body.get("edits_wait", False),
                "rank": entry.rank,
            }
    return None


def in_force(
    store: Store, session: str, is_at_task: Callable[[str, str], bool]
) -> StoredContract | None:
    """A session's contract, if it asks for anything and its task is still the one at hand."""
    stored = queries.contract(store, session)
    if stored is None or not (stored["goal"] or stored["evidence_required"]):
        return None
    return stored if is_at_task(stored["thread"], stored["goal"]) else None


def is_proved(store: Store, stored: StoredContract, session: str) -> bool:
    evidence, edits = queries.evidence(store, session), queries.edits(store, session)
    return contract.is_proved(stored, evidence, edits)


def handed_on(store: Store, stored: StoredContract, before: str, task: str = "") -> Body:
    """The entry by which a session goes on with the contract of another; one that was made for
    whatever came is by then for the task that did, or for what it says itself."""
    edits = queries.edits(store, before)
    shown = contract.shown(stored, queries.evidence(store, before))
    unproven = list(contract.unproven(contract.of(stored), shown, edits))
    return {
        "goal": stored["goal"],
        "criteria": stored["criteria"],
        "evidence_required": stored["evidence_required"],
        "author": stored["author"],
        "thread": stored["thread"] or task or stored["id"],
        "from": stored["source"] or before,
        "unproven": unproven,
        "edits_wait": bool(unproven) and contract.awaits_proof(stored, edits),
    }


def tier1(store: Store, session: str, mode: str, is_at_task: Callable[[str, str], bool]) -> Body:
    """What a checkpoint keeps of it. The contract is named by its id: what is forgotten where it
    was set is forgotten here."""
    stored = in_force(store, session, is_at_task)
    return {
        "confidence": queries.conduct_of(store, session).confidence,
        "completion_confidence": proven(store, stored, session) if stored else None,
        "ralph_mode": mode,
        "task_contract": stored["id"] if stored else "",
    }


def proven(store: Store, stored: StoredContract, session: str) -> int:
    """How much of what a contract asks for stands, in percent."""
    shown = contract.shown(stored, queries.evidence(store, session))
    return contract.proven(contract.of(stored), shown, queries.edits(store, session))
