"""Taking in what older state files hold, where it says something that is not known here.

Laws: whatever is taken in keeps its own time and is marked as imported; a second time nothing is
kept. What was satisfied counts no further than its file says, and only where the project demands it
with that scope: the person who imports vouches for that it was done, and for no proof that a
requirement names beside it. Pins and tasks count as an agent's words, never as the user's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.ledger.older_state import OldNote, OldSatisfaction, OldState, key_of
from holdfast.ledger.queries import is_kept
from holdfast.rooms.gates import queries, scopes
from holdfast.rooms.sessions import queries as sessions
from holdfast.rooms.work.pins import is_critical

if TYPE_CHECKING:
    from holdfast.ledger.kinds import Body
    from holdfast.rooms.gates.gate_commands import Place

IMPORTED = "imported"
AGENT = "agent"
KEPT_HERE = "it is known here"


@dataclass(frozen=True)
class Draft:
    """One entry that is to be kept, and how it is told."""

    kind: str
    key: str
    at: str
    body: Body
    words: str


@dataclass(frozen=True)
class Plan:
    """What would be taken in, and what not, each with its reason."""

    drafts: tuple[Draft, ...]
    left_out: tuple[str, ...]


def plan(place: Place, old: OldState) -> Plan:
    """What an import comes to; nothing is changed."""
    drafts: dict[str, Draft] = {}
    left_out = list(old.left_out)
    for state in old.satisfied:
        why = _why_not(place, state)
        words = f"{state.requirement} on {state.branch}"
        draft = _met(state, words)
        if why or is_kept(place.workspace.store, "", draft.key):
            left_out.append(f"{words}: {why or KEPT_HERE}")
        else:
            drafts.setdefault(draft.key, draft)
    for note in old.notes:
        draft = _noted(note)
        is_ours = sessions.find(place.workspace.store, note.session) is not None
        if is_ours or is_kept(place.workspace.store, "", draft.key):
            left_out.append(f"{draft.words}: {KEPT_HERE}")
        else:
            drafts.setdefault(draft.key, draft)
    return Plan(tuple(drafts.values()), tuple(left_out))


def take_in(place: Place, planned: Plan) -> int:
    """Keep it, all of it or nothing; how many entries were new."""
    count = 0
    with place.workspace.store.transaction():
        for draft in planned.drafts:
            entry = place.workspace.keep(
                draft.kind, draft.body, key=draft.key, at=draft.at, project=place.project
            )
            count += entry is not None
    return count


def _why_not(place: Place, state: OldSatisfaction) -> str:
    requirement = place.requirements.get(state.requirement)
    if requirement is None or requirement["type"] == scopes.GUARD:
        return "nothing of that name is demanded here"
    if requirement["scope"] != state.scope:
        return f"its scope is {requirement['scope']} here, and was {state.scope}"
    if state.at > place.at:
        return "it is dated in the future"
    if state.expires_at is not None and state.expires_at <= place.at:
        return "it has expired"
    known = queries.last_act_at(
        place.workspace.store, place.project, state.branch, state.requirement
    )
    return KEPT_HERE if known >= state.at else ""


def _met(state: OldSatisfaction, words: str) -> Draft:
    body: Body = {
        "requirement": state.requirement,
        "branch": state.branch,
        "whose": scopes.ROOT,
        "by": IMPORTED,
        "words": state.by,
        "since": state.at,
    }
    if state.expires_at is not None:
        body["expires_at"] = state.expires_at
    key = key_of("requirement_met", state.branch, state.requirement, state.at)
    return Draft("requirement_met", key, state.at, body, f"{words}, satisfied by {state.by}")


def _noted(note: OldNote) -> Draft:
    key = key_of(note.sort, note.session, note.text, note.label)
    if note.sort == "pin":
        body: Body = {
            "content": note.text,
            "label": note.label,
            "critical": is_critical(note.text, note.label),
            "author": AGENT,
            "imported": note.session,
        }
        return Draft("pinned", key, note.at, body, f"pin: {note.text}")
    body = {"sort": "next_step", "text": note.text, "source": IMPORTED}
    return Draft("item_opened", key, note.at, body, f"task: {note.text}")
