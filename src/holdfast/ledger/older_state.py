"""State files of the designs that Holdfast grew from: what of them is taken in, and what is not.

Known by what they hold: a branch's requirement states, a registry of live sessions, a session's own
file. Laws:
  - a file that cannot be read as one of these is an error, and nothing of it is taken; what is not
    taken is named with the reason, and the files stay as they are;
  - whatever is taken in keeps its own time and is marked as imported; a second time nothing is;
  - what was satisfied counts no further than its file says, and only where the project demands it
    with that scope: the person who imports vouches for that it was done, and for no proof that a
    requirement names beside it;
  - pins and tasks count as an agent's words, never as the user's.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast.errors import HoldfastError
from holdfast.ledger.queries import is_kept
from holdfast.rooms.gates import queries, scopes
from holdfast.rooms.gates.gate_commands import Place
from holdfast.rooms.sessions import queries as sessions
from holdfast.rooms.work.pins import is_critical
from holdfast.system import clock, files, paths

if TYPE_CHECKING:
    from holdfast.ledger.kinds import Body

FILES_CAP = 1_000
FILE_CAP_BYTES = 4 << 20
ITEMS_CAP = 50  # of a sort in one session's file
TEXT_CAP = 1_000
BRANCH_SCOPES = ("branch", "permanent")
NOTHING = "nothing was imported"


@dataclass(frozen=True)
class OldSatisfaction:
    """A requirement that was satisfied for a whole branch."""

    branch: str
    requirement: str
    scope: str
    by: str
    at: str
    expires_at: str | None


@dataclass(frozen=True)
class OldNote:
    """A pin or an open task of a session's own file."""

    sort: str  # pin, task
    session: str
    text: str
    label: str
    at: str


@dataclass(frozen=True)
class OldState:
    """What the files of a path hold."""

    files: tuple[str, ...]
    satisfied: tuple[OldSatisfaction, ...]
    notes: tuple[OldNote, ...]
    left_out: tuple[str, ...]


def read(path: str) -> OldState:
    """Of a file, or of every JSON file in a folder."""
    names = _files(path)
    satisfied: list[OldSatisfaction] = []
    notes: list[OldNote] = []
    left_out: list[str] = []
    for name in names:
        record = _object(name)
        try:
            if isinstance(record.get("session_id") or record.get("id"), str):
                _session(record, notes)
            elif isinstance(record.get("requirements"), dict) and "branch" in record:
                _branch(record, satisfied, left_out)
            elif isinstance(record.get("sessions"), dict):
                left_out += [
                    f"session {session}: a registry says who is at work, which is over with them"
                    for session in record["sessions"]
                ]
            else:
                raise ValueError("it is neither a branch's states, a registry nor a session")
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
            raise HoldfastError(f"{name} is no state file: {error}", hint=NOTHING) from error
    return OldState(tuple(names), tuple(satisfied), tuple(notes), tuple(left_out))


def key_of(*words: str) -> str:
    """The natural key of what is taken in: a second time it is known."""
    return f"imported:{paths.digest(json.dumps(words).encode('utf-8', 'backslashreplace'))}"


def _files(path: str) -> list[str]:
    if not os.path.isdir(path):
        return [path]
    names = [
        os.path.join(folder, name)
        for folder, _, inside in os.walk(path)
        for name in inside
        if name.endswith(".json")
    ]
    if not names or len(names) > FILES_CAP:
        count = f"{len(names)} JSON files" if names else "no JSON file"
        raise HoldfastError(f"{path} holds {count}", hint=f"at most {FILES_CAP} are read at a time")
    return sorted(names)


def _object(path: str) -> dict[str, Any]:
    content = files.read_bytes(path, FILE_CAP_BYTES + 1)
    if content is None or len(content) > FILE_CAP_BYTES:
        why = "cannot be read" if content is None else "is too long"
        raise HoldfastError(f"{path} {why}", hint=NOTHING)
    try:
        record = json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise HoldfastError(f"{path} is no JSON: {error}", hint=NOTHING) from error
    if not isinstance(record, dict):
        raise HoldfastError(f"{path} is no state file: it is no object", hint=NOTHING)
    return record


def _branch(record: dict[str, Any], satisfied: list[OldSatisfaction], left_out: list[str]) -> None:
    branch = _text(record["branch"])
    for name, state in record["requirements"].items():
        scope = _text(state.get("scope") or "session")
        if scope in BRANCH_SCOPES and state.get("satisfied") is True:
            expires = state.get("expires_at")
            satisfied.append(
                OldSatisfaction(
                    branch,
                    _text(name),
                    scope,
                    _text(state.get("satisfied_by") or ""),
                    _time(state["satisfied_at"]),
                    None if expires is None else _time(expires),
                )
            )
        left_out += [
            f"{name} on {branch}: it counts for session {session} alone"
            for session, own in (state.get("sessions") or {}).items()
            if own.get("satisfied") is True
        ]


def _session(record: dict[str, Any], notes: list[OldNote]) -> None:
    session = _text(record.get("session_id") or record.get("id"))
    ended = record.get("end_time") or record.get("last_active") or record["start_time"]
    for pin in _list(record, "working_memory"):
        text, label = _text(pin["content"]), _text(pin.get("label") or "")
        notes.append(OldNote("pin", session, text, label, _time(pin.get("pinnedAt") or ended)))
    for task in _list(record, "pending_tasks"):
        words = f"[{_text(task['task_id'])}] {_text(task['title'])}"
        notes.append(OldNote("task", session, words, "", _time(ended)))


def _list(record: dict[str, Any], name: str) -> list[Any]:
    items = record.get(name) or []
    if isinstance(items, str):  # as a column of the design's database has it
        items = json.loads(items)
    if not isinstance(items, list):
        raise ValueError(f"{name} is no list")
    return items[:ITEMS_CAP]


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is no text")
    return " ".join(value.split())[:TEXT_CAP]


def _time(value: object) -> str:
    """Seconds of the epoch, or a time as ISO 8601 writes it."""
    from datetime import UTC, datetime

    if isinstance(value, int | float) and not isinstance(value, bool):
        seconds = float(value)
    elif isinstance(value, str):
        moment = datetime.fromisoformat(value)
        seconds = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    else:
        raise ValueError(f"{value!r} is no time")
    if not 0 <= seconds < 1 << 33:
        raise ValueError(f"{value!r} is no time")
    return clock.iso(seconds)


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
