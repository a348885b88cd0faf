"""Recorded sessions of Claude Code, as the events that their client sent to the hooks.

Rows are read as `holdfast import --transcripts` reads them (agents/claude_code/history.py, whose
laws hold here); this adds which turn of prompts.jsonl.gz an event is, which events are sent, and
the order of sessions on one machine. Nothing is played here: field.py does that.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from holdfast.agents.claude_code import history
from holdfast.agents.told import Told

# Tools through which the user speaks: nothing of what is understood hangs on the others.
SPEAKING = frozenset({"AskUserQuestion", "ExitPlanMode"})
LOOKING = frozenset({"Read", "Grep", "Glob", "LS"})
KILLED = "killed"  # no event: the agent's process is ended, and nobody hears of it
KILLED_EVERY = 7


@dataclass(frozen=True)
class Choice:
    """Which events are sent."""

    tools: bool = True
    looking: bool = True
    plans_as_prompts: bool = False
    batches: bool = False  # the end of each batch of calls, which a user may have installed

    def takes(self, tool: str) -> bool:
        return tool in SPEAKING or (self.tools and (self.looking or tool not in LOOKING))


@dataclass(frozen=True)
class Recording:
    """A session as it was recorded."""

    id: str
    developer: str
    repository: str
    path: Path


@dataclass(frozen=True)
class Event:
    """Something that the client told its hooks."""

    at: float  # seconds since 1970
    session: str
    name: str  # as the hooks know it, or KILLED
    rows: int  # how many the transcript had
    cwd: str
    branch: str
    fields: dict[str, Any] = field(default_factory=dict)
    turn: str = ""  # the turn of prompts.jsonl that it is

    @property
    def source(self) -> str:
        return str(self.fields.get("source", ""))


@dataclass(frozen=True)
class Turn:
    """A line of prompts.jsonl.gz."""

    id: str
    session: str
    uuid: str
    text: str


class Turns:
    """Which line of prompts.jsonl.gz a row is: by its uuid, else by its text, each once."""

    def __init__(self, turns: Iterable[Turn]) -> None:
        self._by_uuid = {turn.uuid: turn.id for turn in turns if turn.uuid}
        self._by_text: dict[str, list[str]] = {}
        for turn in turns:
            self._by_text.setdefault(_squeezed(turn.text), []).append(turn.id)
        self._taken: set[str] = set()

    def find(self, uuid: str, text: str = "") -> str:
        id_ = self._by_uuid.get(uuid, "")
        if not id_ and text:
            same = self._by_text.get(_squeezed(text), [])
            id_ = next((each for each in same if each not in self._taken), "")
        self._taken.add(id_)
        return id_


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


def recordings(data: Path) -> list[Recording]:
    """The sessions of a folder that are there, in order of their beginnings."""
    known = json.loads((data / "index.json").read_text(encoding="utf-8"))["sessions"]
    return [
        Recording(each["session"], each["developer"], each["repository"], data / each["file"])
        for each in sorted(known, key=lambda each: (each["first"], each["session"]))
        if (data / each["file"]).exists()
    ]


def turns_of(data: Path) -> dict[str, list[Turn]]:
    """The turns of each session, in order."""
    by_session: dict[str, list[Turn]] = {}
    for line in read_lines(data / "prompts.jsonl.gz"):
        turn = Turn(line["id"], line["session"], line.get("uuid", ""), line["text"])
        by_session.setdefault(turn.session, []).append(turn)
    return by_session


class Reader:
    """One session's rows, read by the product's own reader, with the turns that they are."""

    def __init__(self, session: str, turns: Turns, choice: Choice) -> None:
        self.session = session
        self.turns = turns
        self.choice = choice
        self.events: list[Event] = []
        self._reader = WithPlans() if choice.plans_as_prompts else history.Reader()

    def read(self, rows: list[dict[str, Any]]) -> list[Event]:
        """The events of a session, in order; it is still open after the last."""
        for told in self._reader.read(rows):
            turn = self.turns.find(told.row, told.text)
            if self._is_sent(told):
                self.events.append(self._event(told, turn))
        return self.events

    @property
    def is_open(self) -> bool:
        return self._reader.is_open

    def end(self, *, killed: bool) -> None:
        if self.is_open and killed:
            self._reader.end(KILLED)
        elif self.is_open:
            self._reader.end(reason="other")
        else:
            return
        self.events.append(self._event(self._reader.events[-1]))

    def _event(self, told: Told, turn: str = "") -> Event:
        place = (told.rows, told.cwd, told.branch)
        return Event(told.at, self.session, told.name, *place, told.fields, turn)

    def _is_sent(self, told: Told) -> bool:
        is_tool = told.name in ("PostToolUse", "PostToolUseFailure")
        return not is_tool or self.choice.takes(str(told.fields["tool_name"]))


class WithPlans(history.Reader):
    """Accepted plans as prompts, though in life no hook hears of them."""

    def _plan(self, row: dict[str, Any], text: str) -> None:
        self._prompt(row, text)


def together(sessions: list[Reader]) -> tuple[list[Event], dict[str, str]]:
    """All events of sessions on one machine in order of time, and which session goes on in
    which one's process. A session that begins with `clear` follows the one of the same folder that
    ended last; every seventh of the others is killed."""
    heirs: dict[str, str] = {}
    for reader in sessions:
        first = reader.events[0]
        if first.source != "clear":
            continue
        before = [
            other
            for other in sessions
            if other.events[0].cwd == first.cwd
            and other.is_open
            and other is not reader
            and other.session not in heirs.values()
            and other.events[-1].at <= first.at
        ]
        if before:
            heirs[reader.session] = max(before, key=lambda other: other.events[-1].at).session
    for number, reader in enumerate(sessions, 1):
        reader.end(killed=number % KILLED_EVERY == 0 and reader.session not in heirs.values())
    by_id = {reader.session: reader for reader in sessions}
    for heir, before_it in heirs.items():
        ended = by_id[before_it].events
        fields = {**ended[-1].fields, "reason": "clear"}
        at = by_id[heir].events[0].at - 0.001
        ended[-1] = replace(ended[-1], at=max(ended[-1].at, at), fields=fields)
    # The sort is stable, so a session's own events stay in order.
    events = [event for reader in sessions for event in reader.events]
    return sorted(events, key=lambda event: event.at), heirs


def _squeezed(text: str) -> str:
    return " ".join(text.split())
