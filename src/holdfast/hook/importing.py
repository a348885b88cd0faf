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
    of live events. A session that hooks have seen is theirs. Where an import was undone, its keys
    are on gravestones: a new one marks its own;
  - rows that a fork or a resumed session brings along from another are that one's.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from holdfast.agents import histories
from holdfast.agents.told import parsed, seconds
from holdfast.agents.transcript_rows import Tail
from holdfast.errors import AgentError
from holdfast.hook.event import Event, session_id
from holdfast.hook.event_context import BRANCH_READ_AT, EventContext
from holdfast.hook.events import KEEP, Needed, Steps
from holdfast.hook.transaction import carry_out
from holdfast.ledger import queries as ledger
from holdfast.ledger.workspace import Workspace
from holdfast.redaction.gate import gate_id
from holdfast.rooms.identity import projection as identity
from holdfast.rooms.prompts import handlers as prompts, queries as prompt_queries, settling
from holdfast.rooms.prompts.settling import Record
from holdfast.rooms.recall import queries
from holdfast.rooms.sessions import handlers as sessions, queries as session_queries, work_tree
from holdfast.rooms.threads import handlers as threads
from holdfast.rooms.work import handlers as work
from holdfast.rooms.work.branches import handlers as branches
from holdfast.store.sqlite import Store
from holdfast.system import clock, processes
from holdfast.system.jsontext import plain

if TYPE_CHECKING:
    from holdfast.agents.told import Row
    from holdfast.config.settings import Settings

PROMPTS_CAP, LATEST_PROMPTS = 100_000, 20
SETTLED_AT = ("prompt_given", "turn_ended", "session_ended")
LAST_BYTES = 1 << 16  # of a transcript: when its last rows were written
LOG_PAGES = 4_000  # of the store: sessions share a copying back of its log
# Of each kind of event those handlers that learn from it; the others tell, or look at today.
STEPS = {
    "session_began": Steps(inside=(Needed(sessions.on_session_start),)),
    "prompt_given": Steps(inside=(prompts.settle, KEEP, prompts.on_prompt, threads.on_past_prompt)),
    "tool_used": Steps(inside=(KEEP, branches.on_tool_used)),
    "calls_refused": Steps(inside=(KEEP, prompts.on_refusals)),
    "turn_ended": Steps(inside=(KEEP, prompts.settle, work.learn_from_fixes)),
    "session_ended": Steps(
        inside=(prompts.settle, work.on_session_end, Needed(sessions.on_session_end))
    ),
}
REPLIED = Steps(inside=(KEEP, prompts.on_reply))
ONLY_KEPT = Steps(inside=(KEEP,))


class ImportContext(EventContext):
    """An event of the past: the branch is the one of its time, as its row has it."""

    def __init__(self, workspace: Workspace, event: Event, branch: str) -> None:
        super().__init__(workspace, event)
        self.row_branch = branch

    def branch(self) -> str:
        return self.row_branch

    def has_record(self) -> bool:
        return False  # it is the record

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
    agent: str = ""
    session: str = ""
    folder: str = ""  # that the session began in
    first_at: str = ""
    last_at: str = ""


@dataclass
class Taken:
    """What came of transcripts."""

    sessions: int = 0
    known: int = 0  # nothing new in them
    live: int = 0  # seen by hooks
    forgotten: int = 0
    empty: int = 0
    bytes: int = 0
    ids: list[str] = field(default_factory=list)  # of the sessions
    entries: Counter[str] = field(default_factory=Counter)  # by kind
    failures: list[str] = field(default_factory=list)


Progress = Callable[[int, int, Taken], None]


def listed(*folders_given: str) -> list[Transcript]:
    """The transcripts below folders, in order of their beginnings. A fork begins with the rows of
    its parent, which most often was over first. Those of subagents lie in folders of their own or
    are named after them."""
    transcripts_found = []
    for place, folders, names in (step for folder in folders_given for step in os.walk(folder)):
        folders[:] = [name for name in folders if name != "subagents"]
        for name in names:
            if name.endswith(".jsonl") and not name.startswith("agent-"):
                transcript = glance(os.path.join(place, name))
                if transcript is not None:
                    transcripts_found.append(transcript)
    return sorted(transcripts_found, key=lambda each: (each.first_at, each.last_at, each.session))


def glance(path: str) -> Transcript | None:
    """Whose transcript it is, when it began and ended; None for a file without a session."""
    agent = session = folder = first_at = ""
    try:
        size = os.path.getsize(path)
        with open(path, "rb") as lines:
            for row in parsed(lines):
                owner = histories.owner(row, path)
                agent = agent or owner.agent
                session, folder = session or owner.session, folder or owner.folder
                at = seconds(row)
                first_at = first_at or (clock.iso(at) if at is not None else "")
                if session and folder and first_at:
                    break
            lines.seek(max(size - LAST_BYTES, 0))
            ends = [at for row in parsed(lines) if (at := seconds(row))]
    except OSError:
        return None
    if not session or not first_at:
        return None
    last_at = clock.iso(max(ends)) if ends else first_at
    return Transcript(path, size, agent, gate_id(session_id(session)), folder, first_at, last_at)


class _Spoken:
    """What a whole transcript tells of its session's prompts, and the words beside them that are
    not kept yet. Rows of another session's are not among those."""

    def __init__(self, tail: Tail, own: list[Row]) -> None:
        self._settling = settling.Settling(tail.rows, set())
        places = {row.get("uuid"): place for place, row in enumerate(own)}
        words = settling.words_beside(tail)
        self._beside = [(places[row.uuid], row) for row in words if row.uuid in places]

    def look(self, context: ImportContext, rows: int) -> None:
        """What is known when there are so many rows; what becomes of a prompt is known at once."""
        many = PROMPTS_CAP if context.event.kind == "session_ended" else LATEST_PROMPTS
        waiting = prompt_queries.prompts_to_settle(context.store, context.event.session, many)
        spoken = []
        while self._beside and self._beside[0][0] < rows:
            spoken.append(self._beside.pop(0)[1])
        context.records = [Record(context.event.session, self._settling.of(waiting), spoken)]


class Import:
    """One run: which rows were met, and what came of them."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.taken = Taken()
        self._rows_met: dict[str, str] = {}  # uuid -> session
        self._places: dict[str, work_tree.Whereabouts] = {}
        self._settings: dict[str, Settings] = {}
        # Of the transcript at hand:
        self._transcript = _Spoken(histories.tail([]), [])
        self._placed: tuple[str, str, str] | None = None

    def know(self, transcripts_found: list[Transcript]) -> None:
        """Whose rows those are that forks bring along, of sessions that are not taken in."""
        for transcript in transcripts_found:
            try:
                self._rows(transcript)
            except OSError:
                continue  # it is gone: so are its forks' doubts

    def take_in(self, transcripts_found: list[Transcript], progress: Progress) -> Taken:
        self.workspace.store.log_pages = LOG_PAGES
        for number, transcript in enumerate(transcripts_found):
            progress(number, len(transcripts_found), self.taken)
            try:
                self._take_in(transcript)
            except (OSError, AgentError) as error:
                self.taken.failures.append(f"{transcript.path}: {error}")
        progress(len(transcripts_found), len(transcripts_found), self.taken)
        return self.taken

    def _take_in(self, transcript: Transcript) -> None:
        store, session = self.workspace.store, transcript.session
        before = queries.last_import(store, session)
        every, rows, parent = self._rows(transcript)
        undone = queries.times_undone(store, session)
        if undone < 0:
            self.taken.forgotten += 1
            return
        if queries.was_seen_live(store, session):
            self.taken.live += 1
            return
        if before is not None and before.rows >= len(rows):
            self.taken.known += 1
            return
        known = before.rows if before else 0
        recorded = histories.events(
            transcript.agent, transcript.session, transcript.path, rows, known
        )
        if not recorded:
            self.taken.empty += 1
            return
        # Looked at outside of the transaction: git may take its time.
        for each in recorded:
            self._where(each.event.cwd)
        self._transcript = _Spoken(histories.tail(every), rows)
        if parent and not known:
            recorded[0].event.body["source"] = "fork"
        with store.transaction(), self._of_the_past(f":again{undone}" if undone else ""):
            self._keep(transcript, recorded, len(rows), parent)
        self.taken.sessions += 1
        self.taken.ids.append(session)
        self.taken.bytes += transcript.bytes

    @contextmanager
    def _of_the_past(self, key_mark: str) -> Iterator[None]:
        """What is kept counts from its own time; a session's mind is written when it is whole."""
        self.workspace.is_of_the_past, self.workspace.key_mark = True, key_mark
        identity.hold()
        done = None
        try:
            yield
            done = self.workspace.store
        finally:
            identity.let_go(done)
            self.workspace.is_of_the_past, self.workspace.key_mark = False, ""

    def _rows(self, transcript: Transcript) -> tuple[list[Row], list[Row], str]:
        """All rows of a transcript, those of its own session, and the session that wrote the others
        first: a fork brings them along."""
        with open(transcript.path, "rb") as lines:
            every = list(parsed(lines))
        own, parent = [], ""
        for row in every:
            uuid = row.get("uuid")
            whose = transcript.session
            if isinstance(uuid, str):
                whose = self._rows_met.setdefault(uuid, whose)
            if whose == transcript.session:
                own.append(row)
            else:
                parent = whose
        return every, own, parent

    def _keep(
        self, transcript: Transcript, recorded: list[histories.Recorded], rows: int, parent: str
    ) -> None:
        store = self.workspace.store
        first, counted = ledger.next_seq(store), ledger.counted_last(store)
        for each in recorded:
            context = self._receive(each)
            if each.event.body.get("source") == "fork":
                sessions.link_to_parent(context, parent)
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

    def _receive(self, recorded: histories.Recorded) -> ImportContext:
        event, branch, rows = recorded
        context = ImportContext(self.workspace, event, branch)
        where = self._where(event.cwd)
        context.settings = self._settings_of(where.root)
        if event.kind == "session_began":
            self._placed = None
            event.body.update(_facts(event, where, branch))
            context.where = where
            context.worktree, context.gitdir = event.body["worktree"], event.body["gitdir"]
        else:
            self._place(context)
        if event.kind in SETTLED_AT:
            self._transcript.look(context, rows)
        carry_out(context, _steps(event))
        self.taken.failures += [f"{event.session}: {error}" for error in context.failures]
        return context

    def _place(self, context: ImportContext) -> None:
        """Where the session is: as it began, or began again."""
        if self._placed is None:
            self._placed = session_queries.place_of(context.store, context.event.session)
        if self._placed is not None:
            context.project, context.worktree, context.gitdir = self._placed

    def _where(self, folder: str) -> work_tree.Whereabouts:
        if folder not in self._places:
            where = work_tree.look(folder)
            known = self._places.get(where.root)
            where.root_commit = known.root_commit if known else work_tree.root_commit_of(where)
            self._places[folder] = self._places[where.root] = where
        return self._places[folder]

    def _settings_of(self, root: str) -> Settings:
        """Read once: nothing is worked on while transcripts are taken in."""
        if root not in self._settings:
            self._settings[root] = self.workspace.settings(root)
        return self._settings[root]

    def _count(self, since: int) -> None:
        for kind in queries.kinds_since(self.workspace.store, since):
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


def new_among(store: Store, transcripts_found: list[Transcript]) -> list[Transcript]:
    """Those that may hold something new: not taken in as they are, seen by hooks or forgotten."""
    new = []
    for each in transcripts_found:
        before = queries.last_import(store, each.session)
        is_known = before is not None and before.bytes >= each.bytes
        is_gone = queries.times_undone(store, each.session) < 0
        if not (is_known or is_gone or queries.was_seen_live(store, each.session)):
            new.append(each)
    return new
