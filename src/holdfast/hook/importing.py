"""Transcripts from before Holdfast was installed, taken in as if its hooks had seen them.

A transcript's rows become the events that the client's hooks would have brought
(agents/histories.py), and the same handlers keep what they say: origins, rules, choices, goals,
acts, commits and pull requests. `STEPS` says which handlers those
are: nobody is told anything, and nothing is asked of git, of processes or of today's files, which
are not those of the time.

Laws:
  - a session is taken in whole, in one transaction, or not at all; cut off and run again gives the
    same entries;
  - entries keep their own times, and an entry says which of them came of a transcript;
  - what was taken in before, or was seen by a hook, is not taken in again: natural keys are those
    of live events. A session that hooks have seen is theirs;
  - rows that a fork or a resumed session brings along from another are that one's.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from holdfast.agents import histories, transcripts
from holdfast.errors import AgentError
from holdfast.hook.event import Event, session_id
from holdfast.hook.event_context import BRANCH_READ_AT, EventContext
from holdfast.hook.events import KEEP, Needed, Steps
from holdfast.hook.transaction import carry_out
from holdfast.ledger import queries as ledger
from holdfast.ledger.workspace import Workspace
from holdfast.redaction.gate import gate_text
from holdfast.rooms.prompts import handlers as prompts
from holdfast.rooms.prompts import queries as prompt_queries
from holdfast.rooms.prompts import settling
from holdfast.rooms.recall import import_queries
from holdfast.rooms.sessions import handlers as sessions
from holdfast.rooms.sessions import work_tree
from holdfast.rooms.work import handlers as work
from holdfast.rooms.work.branches import handlers as branches
from holdfast.system import clock, processes
from holdfast.system.jsontext import plain

if TYPE_CHECKING:
    from holdfast.agents.histories import Row
    from holdfast.config.settings import Settings

PROMPTS_CAP = 100_000
# Of each kind of event those handlers that learn from it; the others tell, or look at today.
STEPS = {
    "session_began": Steps(inside=(Needed(sessions.on_session_start),)),
    "prompt_given": Steps(inside=(KEEP, prompts.on_prompt)),
    "tool_used": Steps(inside=(KEEP, branches.on_tool_used)),
    "calls_refused": Steps(inside=(KEEP, prompts.on_refusals)),
    "turn_ended": Steps(inside=(KEEP, work.learn_from_fixes)),
    "session_ended": Steps(
        inside=(prompts.settle, work.on_session_end, Needed(sessions.on_session_end))
    ),
}
REPLIED = Steps(inside=(KEEP, prompts.on_reply))
ONLY_KEPT = Steps(inside=(KEEP,))


class ImportContext(EventContext):
    """An event of the past: the branch is the one of its time, as its row has it."""

    __slots__ = ("row_branch",)

    def __init__(self, workspace: Workspace, event: Event, branch: str) -> None:
        super().__init__(workspace, event)
        self.row_branch = branch

    def branch(self) -> str:
        return self.row_branch

    def keep_event(self) -> None:
        body = self.event.body
        if self.row_branch and not self.gitdir and self.event.kind in BRANCH_READ_AT:
            body["branch"] = self.row_branch  # of a folder that is gone
        super().keep_event()


@dataclass(frozen=True)
class Transcript:
    """A session's file, and the session that it holds."""

    path: str
    bytes: int
    session: str = ""
    folder: str = ""  # that the session began in
    first_at: str = ""


@dataclass
class Taken:
    """What came of transcripts."""

    sessions: int = 0
    known: int = 0  # nothing new in them
    live: int = 0  # seen by hooks
    forgotten: int = 0
    empty: int = 0
    bytes: int = 0
    entries: Counter[str] = field(default_factory=Counter)  # by kind
    failures: list[str] = field(default_factory=list)


Progress = Callable[[int, int, Taken], None]


def listed(folder: str) -> list[Transcript]:
    """The transcripts below a folder, in order of their beginnings. Those of subagents lie in
    folders of their own or are named after them."""
    transcripts_found = []
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != "subagents"]
        for name in names:
            if name.endswith(".jsonl") and not name.startswith("agent-"):
                transcript = glance(os.path.join(place, name))
                if transcript is not None:
                    transcripts_found.append(transcript)
    return sorted(transcripts_found, key=lambda each: (each.first_at, each.session))


def glance(path: str) -> Transcript | None:
    """Whose transcript it is and when it began; None for a file without a session."""
    session = folder = first_at = ""
    try:
        size = os.path.getsize(path)
        with open(path, "rb") as lines:
            for row in histories.parsed(lines):
                session = session or str(row.get("sessionId") or "")
                folder = folder or str(row.get("cwd") or "")
                at = histories.seconds(row)
                first_at = first_at or (clock.iso(at) if at is not None else "")
                if session and folder and first_at:
                    break
    except OSError:
        return None
    if not session or not first_at:
        return None
    return Transcript(path, size, session_id(session), folder, first_at)


class Import:
    """One run: which rows were met, and what came of them."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.taken = Taken()
        self._rows_met: dict[str, str] = {}  # uuid -> session
        self._places: dict[str, work_tree.Whereabouts] = {}
        self._settings: dict[str, Settings] = {}

    def take_in(self, transcripts_found: list[Transcript], progress: Progress) -> Taken:
        for number, transcript in enumerate(transcripts_found):
            progress(number, len(transcripts_found), self.taken)
            try:
                self._take_in(transcript)
            except (OSError, AgentError) as error:
                self.taken.failures.append(f"{transcript.path}: {error}")
        progress(len(transcripts_found), len(transcripts_found), self.taken)
        return self.taken

    def _take_in(self, transcript: Transcript) -> None:
        store, session = self.workspace.store, gate_text(transcript.session)
        before = import_queries.last_import(store, session)
        if ledger.has_forgotten(store, session, ("session_forgotten",)):
            self.taken.forgotten += 1
            return
        if import_queries.was_seen_live(store, session):
            self.taken.live += 1
            return
        with open(transcript.path, "rb") as lines:
            rows = [row for row in histories.parsed(lines) if self._is_own(row, session)]
        if before is not None and before.rows >= len(rows):
            self.taken.known += 1
            return
        known = before.rows if before else 0
        recorded = histories.events(transcript.session, transcript.path, rows, known)
        if not recorded:
            self.taken.empty += 1
            return
        # One look at the folder, outside of the transaction: git may take its time.
        self._where(transcript.folder)
        with store.transaction():
            self.workspace.is_of_the_past = True
            try:
                self._keep(transcript, recorded, len(rows))
            finally:
                self.workspace.is_of_the_past = False
        self.taken.sessions += 1
        self.taken.bytes += transcript.bytes

    def _is_own(self, row: Row, session: str) -> bool:
        """Rows that another session wrote first are its own: a fork brings them along."""
        uuid = row.get("uuid")
        return not isinstance(uuid, str) or self._rows_met.setdefault(uuid, session) == session

    def _keep(self, transcript: Transcript, recorded: list[histories.Recorded], rows: int) -> None:
        store = self.workspace.store
        first, counted = ledger.next_seq(store), ledger.counted_last(store)
        for event, branch, _ in recorded:
            context = self._receive(event, branch)
        ended = Event(
            agent=histories.AGENT,
            kind="session_ended",
            session=transcript.session,
            key="",
            at=context.event.at,
            cwd=transcript.folder,
            body={"reason": "other"},
            transcript=transcript.path,
        )
        self._receive(ended, context.row_branch)
        self._count(first)
        body = {
            "file": transcript.path,
            "rows": rows,
            "bytes": transcript.bytes,
            "first": first,
            "last": ledger.next_seq(store) - 1,
        }
        entry = context.keep("transcript_imported", body, key=f"imported:{rows}")
        if entry is not None:  # what is kept next follows what was kept before
            ledger.count_from(store, entry, counted)

    def _receive(self, event: Event, branch: str) -> ImportContext:
        context = ImportContext(self.workspace, event, branch)
        event.session = gate_text(event.session)
        where = self._where(event.cwd)
        context.settings = self._settings_of(where.root)
        if event.kind == "session_began":
            event.body.update(_facts(event, where, branch))
            context.worktree, context.gitdir = event.body["worktree"], event.body["gitdir"]
        else:
            self._place(context)
        if event.kind == "session_ended":
            _look(context)
        carry_out(context, _steps(event))
        self.taken.failures += [f"{event.session}: {error}" for error in context.failures]
        return context

    def _place(self, context: ImportContext) -> None:
        from holdfast.rooms.sessions.queries import place_of

        place = place_of(context.store, context.event.session)
        if place is not None:
            context.project, context.worktree, context.gitdir = place

    def _where(self, folder: str) -> work_tree.Whereabouts:
        if folder not in self._places:
            self._places[folder] = work_tree.look(folder)
        return self._places[folder]

    def _settings_of(self, root: str) -> Settings:
        """Read once: nothing is worked on while transcripts are taken in."""
        if root not in self._settings:
            self._settings[root] = self.workspace.settings(root)
        return self._settings[root]

    def _count(self, since: int) -> None:
        for kind in import_queries.kinds_since(self.workspace.store, since):
            self.taken.entries[kind] += 1


def _steps(event: Event) -> Steps:
    if "reply" in event.body:
        return REPLIED
    if event.kind == "tool_used" and event.body["deed"] != "run":
        return ONLY_KEPT
    return STEPS.get(event.kind, ONLY_KEPT)


def _facts(event: Event, where: work_tree.Whereabouts, branch: str) -> dict[str, object]:
    """Of a beginning that is long over: where it was, and that no process belongs to it."""
    return {
        "cwd": event.cwd,
        "worktree": plain(where.root),
        "gitdir": plain(where.gitdir),
        "branch": plain(branch),
        "channel": "",
        "transcript": event.transcript,
        "pid": 0,
        "process_started": "",
        "boot": "",
        "host": processes.host(),
        "namespace": "",
    }


def _look(context: ImportContext) -> None:
    """What the whole transcript tells of the session's prompts, and of words beside them."""
    event = context.event
    waiting = prompt_queries.prompts_to_settle(context.store, event.session, PROMPTS_CAP)
    tail = transcripts.read(event.agent, event.transcript, 0, os.path.getsize(event.transcript))
    context.settlements = settling.settle(waiting, tail)
    context.spoken_beside = settling.words_beside(tail)


def estimate(transcripts_found: list[Transcript]) -> tuple[int, int]:
    """How many sessions and bytes there are."""
    return len(transcripts_found), sum(each.bytes for each in transcripts_found)
