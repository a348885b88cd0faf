"""Where a line of a briefing came from: its sources, each found in the ledger; and what a session
was told, line by line.

A source is a name (hook/event.py): of a rule, a goal or the like by its id, of a session's last
prompt, message or list, of what it ran at a time, of a session as a whole, or of git.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from holdfast.errors import NotFound
from holdfast.ledger import timeline_queries as timeline
from holdfast.ledger.entry_words import SECTIONS, summary_of
from holdfast.ledger.timeline_queries import KeptEntry
from holdfast.rooms.decisions import queries as decisions
from holdfast.rooms.prompts import choice_queries, queries as prompts
from holdfast.rooms.sessions import queries as sessions
from holdfast.rooms.sessions.life import short
from holdfast.rooms.work import queries as work
from holdfast.store.sqlite import Store

LATEST = 1 << 62


@dataclass(frozen=True)
class Origin:
    """One source: what it is, what it says, and where more of it is shown."""

    sort: str
    text: str
    at: str = ""
    session: str = ""
    number: int = 0  # of the entry, 0 where there is none
    is_gone: bool = False  # it was forgotten

    @property
    def href(self) -> str:
        if self.number:
            return f"/entries/{self.number}"
        return f"/sessions/{self.session}" if self.session else ""


# Kinds of entries whose ids name what they gave, and how that is found.
_NAMED: dict[str, tuple[str, str, Callable[[Store, str], object]]] = {
    "rule": ("rule", "rule_given", prompts.rule),
    "goal": ("goal", "goal_set", prompts.goal_named),
    "choice": ("choice", "choice_made", choice_queries.choice),
    "pin": ("pin", "pinned", work.pin),
}
_LAST: dict[str, tuple[str, tuple[str, ...], str]] = {
    "prompt": ("prompt", ("prompt_given",), ""),
    "turn": ("what the agent said last", ("turn_ended", "context_compacted"), ""),
    "todos": ("the agent's list", ("tool_used", "task_created", "task_completed"), '"todo'),
    "contract": ("contract", ("contract_set",), ""),
    "confidence": ("confidence", ("confidence_moved",), ""),
}
_TIMED = {
    "said": ("prompt", "prompt_given"),
    "run": ("command that was run", "tool_used"),
    "seen": ("what a command showed", "work_seen"),
    "handoff": ("handoff", "handoff_given"),
    "turned": ("taken back", "turned"),
}
_PLAIN = {
    "git": ("git", "as git showed it at that moment"),
    "gates": ("requirements", "what is demanded here, and how it stood then"),
}


def origin_of(store: Store, source: str, *, before: int = LATEST) -> Origin:
    """What a source names, as it was before a place in the ledger."""
    sort, _, name = source.partition(" ")
    if sort in _PLAIN:
        return Origin(*_PLAIN[sort])
    if sort == "session":
        return Origin("session", f"what is known of session {short(name)}", session=name)
    if sort == "thread":
        return Origin("thread", f"holdfast threads why {short(name)}", session=name)
    if sort == "decision":
        return _decision(store, name)
    if sort in _NAMED:
        title, kind, find = _NAMED[sort]
        return _named(store, title, kind, find(store, name))
    if sort in _LAST:
        title, kinds, holding = _LAST[sort]
        entry = timeline.last_of(store, name, kinds, before=before, holding=holding)
        return _of_entry(store, title, entry, name)
    if sort in _TIMED:
        title, kind = _TIMED[sort]
        session, _, at = name.rpartition(" ")
        return _of_entry(store, title, timeline.at_time(store, session, kind, at), session)
    return Origin(sort, "of a newer version")


def _named(store: Store, title: str, kind: str, row: object) -> Origin:
    if row is None:
        return Origin(title, "it was forgotten", is_gone=True)
    session, at = str(getattr(row, "session", "")), str(getattr(row, "at", ""))
    return _of_entry(store, title, timeline.at_time(store, session, kind, at), session)


def _decision(store: Store, id_: str) -> Origin:
    try:
        decision = decisions.find(store, id_)
    except NotFound:
        return Origin("decision", "it was forgotten", is_gone=True)
    return _named(store, "decision", "decision_made", decision)


def _of_entry(store: Store, title: str, entry: KeptEntry | None, session: str) -> Origin:
    if entry is None and sessions.find(store, session) is None:  # it would begin, or is unknown
        return Origin(title, "as it is when a session begins")
    if entry is None:
        return Origin(title, "it is not in the ledger any more", session=session, is_gone=True)
    if entry.body is None:
        return Origin(
            title, "its text was forgotten", entry.at, session, number=entry.seq, is_gone=True
        )
    return Origin(title, summary_of(entry).text, entry.at, entry.session, number=entry.seq)


@dataclass(frozen=True)
class ToldLine:
    """One remark that was told."""

    title: str
    tokens: int
    origins: list[Origin]


def told_lines(store: Store, entry: KeptEntry) -> list[ToldLine]:
    """The lines of an entry that says what was told; nothing of any other."""
    if entry.kind != "context_given" or entry.body is None:
        return []
    lines = [line for line in entry.body.get("lines") or [] if isinstance(line, dict)]
    return [
        ToldLine(
            SECTIONS.get(str(line.get("section")), str(line.get("section"))),
            int(line.get("tokens", 0)),
            [
                origin_of(store, source, before=entry.place)
                for source in line.get("sources") or []
                if isinstance(source, str)
            ],
        )
        for line in lines
    ]
