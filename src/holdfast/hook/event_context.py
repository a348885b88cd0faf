"""An event that is kept, at work: what handlers find out for each other, and what they keep.

The fields name the room that sets them. A judgement before a tool call does without all of it
(hook/context.py).
"""

from __future__ import annotations

from holdfast.hook.context import Context
from holdfast.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdfast.config.settings import Settings
    from holdfast.hook.event import Event, Remark
    from holdfast.hook.voice import Ours
    from holdfast.ledger.entry import Entry
    from holdfast.ledger.kinds import Body
    from holdfast.rooms.decisions.decision import Decision
    from holdfast.rooms.prompts.settling import AwaitedCall, Record
    from holdfast.rooms.recovery.full_checkpoint import Checkup
    from holdfast.rooms.sessions.queries import Session
    from holdfast.rooms.sessions.work_tree import Whereabouts
    from holdfast.rooms.work.branches.branch_state import BranchState
    from holdfast.rooms.work.meanwhile_queries import SessionElsewhere
    from holdfast.rooms.work.relevance import ScoredSession

CRASHED = "crashed"
LATEST_SESSIONS = 30  # among which others are looked for
LOADING_SESSIONS = 3  # the latest, which tell the instruction files of a project
# Events at which the branch is looked up again: a checkout happens inside a session.
BRANCH_READ_AT = frozenset({"prompt_given", "turn_ended", "moved"})


class EventContext(Context):
    """One event at work: the store it is kept in, what was found out, what is worth saying."""

    def __init__(self, workspace: Any, event: Event) -> None:
        super().__init__(workspace, event)
        self.may_look = False
        self.kept: Entry | None = None
        self.remarks: list[Remark] = []
        self.for_person: list[Ours] = []  # lines that the person sees and no model
        self.settings: Settings = {}
        self.is_late = False  # it waited in the spool: nobody is listening any more
        self.where: Whereabouts | None = None  # where a session begins, if that was looked at
        # What the status line tells and this event may have changed; set by work and gates.
        self.status_facts: dict[str, str] = {}
        # Set by sessions.
        self.adopted: Body | None = None  # the place of a session that was not met
        self.crashed = ""  # the session that this one follows, when it crashed
        self.forked: tuple[str, str] | None = None  # a fork's parent found just now; its beginning
        self.is_id_wrong = False  # the project's id on file, which is written anew
        self.recovered: list[str] = []  # sessions that were found crashed just now
        self.told_acts = ""  # what is to be noted of having told the person of acts
        self.unverified = ""  # why the event cannot speak for a person
        # Set by prompts.
        self.not_clients: list[tuple[str, str, str]] = []  # what spoke, why not, its entry's id
        self.records: list[Record] = []  # what agents' records tell of what had waited for them
        # Set by threads.
        self.goes_on_with = ""  # the session whose work a beginning goes on with
        self.is_own_branch = False  # the branch is no one that many tasks share
        self._dirty: list[str] | None = None
        # Set by work.
        self.active: dict[str, str] = {}  # where the work stands, in a line each
        self.branch_state: BranchState | None = None  # as git shows it when a turn ends
        self.checkpoint_cause = ""
        self.chosen: list[ScoredSession] = []  # earlier sessions that matter now
        self.inherited_from = ""
        self.inherited_worktree = ""
        self.restored_tier1: Body | None = None  # of a checkpoint that a person named
        self.instructions: list[str] | None = None  # what the agent reads by itself, once read
        self.marker = ""  # which heading the answer has
        # What the files of sessions say of them, by session; gates add to it.
        self.mirrored: dict[str, dict[str, Any]] = {}
        self.share = 1.0  # of the budget: less as the agent's context fills
        self.told_decisions: list[str] = []  # that they are broken, and need not be told again
        self.told_state: Body | None = None  # what the agent knows by now
        # Set by gates.
        self.seen_demands = ""  # what is demanded and installed now, where that has changed
        # Set by identity.
        self.brief = ""
        self.dream_why = ""
        # Set by recovery.
        self.checkup: Checkup | None = None
        self.pressing: list[str] = []  # what of it asks for an answer before the end

    def keep_event(self) -> None:
        """Keep the event itself, its paths told from the worktree's root."""
        body = dict(self.event.body)
        path = body.get("path")
        if path and self.worktree and path.startswith(f"{self.worktree}/"):
            body["path"] = path[len(self.worktree) + 1 :]
        if self.gitdir and (self.event.kind in BRANCH_READ_AT or "git " in body.get("command", "")):
            body["branch"] = self.branch()
        self.kept = self.keep(self.event.kind, body, key=self.event.key)

    def keep(self, kind: str, body: Body, *, key: str) -> Entry | None:
        """Keep an entry of this event's own session."""
        from holdfast.ledger.kinds import KINDS  # a judgement does not need it

        event = self.event
        entry: Entry | None = self.workspace.keep(
            kind,
            body,
            key=key,
            at=event.at,
            project=self.project,
            session=event.session,
            agent=event.agent,
            cap=KINDS[kind].cap,
        )
        return entry

    def keep_for(self, session: Session, kind: str, body: Body, *, key: str) -> Entry | None:
        """Keep an entry about another session."""
        entry: Entry | None = self.workspace.keep(
            kind,
            body,
            key=key,
            at=self.event.at,
            project=session.project,
            session=session.id,
            agent=session.agent,
        )
        return entry

    def branch_of(self, session: str) -> str:
        """The branch that a session was on last."""
        from holdfast.rooms.sessions.queries import find

        other = find(self.store, session)
        return other.branch if other else ""

    def keep_of(self, session: str, kind: str, body: Body, *, key: str) -> bool:
        """Keep an entry of this event's session or of another; whether it is new."""
        if session == self.event.session:
            return self.keep(kind, body, key=key) is not None
        from holdfast.rooms.sessions.queries import find

        other = find(self.store, session)
        return other is not None and self.keep_for(other, kind, body, key=key) is not None

    def note(self, kind: str, body: Body, *, key: str, project: str) -> None:
        """Keep an entry of the project, of no session."""
        self.workspace.keep(kind, body, key=key, at=self.event.at, project=project)

    def consequence(self, name: str, number: int = 0) -> str:
        """The natural key of what this event brought about: kept twice, it is kept once. What a
        person named comes last: behind `auth` the redaction gate takes a number for a secret."""
        kept = self.kept
        if kept is None:
            return f"{name}:{self.event.key}"
        sort, colon, named = name.partition(":")
        return f"{sort}:{kept.machine}:{kept.seq}:{number}{colon}{named}"

    def previous(self) -> str:
        from holdfast.rooms.sessions.queries import previous_of

        link = previous_of(self.store, self.event.session)
        return link[0] if link else ""

    def goal(self) -> str:
        """What the user set out to do, in the user's words; "" when that is not known."""
        from holdfast.rooms.prompts.queries import goal_of

        goal = goal_of(self.store, self.event.session)
        return goal.goal if goal else ""

    def has_rules(self) -> bool:
        """Whether a rule may be in force here."""
        from holdfast.rooms.prompts.queries import has_rules

        return has_rules(self.store, self.project)

    def is_at_task(self, thread: str, words: str) -> bool:
        """Whether the session is still at the task of a thread, or at one of the same words."""
        from holdfast.rooms.prompts.queries import is_at_task

        return is_at_task(self.store, self.event.session, thread, words)

    def task_of(self, session: str) -> str:
        """The thread of a session's task; "" before it was given one."""
        from holdfast.rooms.prompts.queries import thread_of_task

        return thread_of_task(self.store, session)

    def open_gates(self) -> int:
        """How many requirements are open here and now."""
        if not self.requirements()["requirements"]:
            return 0
        from holdfast.rooms.gates.judgement import unmet
        from holdfast.rooms.gates.pre_tool import demanded, facts_of

        self.gate_facts = None  # with what this very event has brought
        return len(unmet(demanded(self), facts_of(self), self.failures.append))

    def gates_state(self) -> Body:
        """Confidence and contract as a checkpoint keeps them."""
        from holdfast.rooms.gates.tier_one import tier1

        mode = self.settings["completion.mode"]
        return tier1(self.store, self.event.session, mode, self.is_at_task)

    def is_contract_proven(self) -> bool:
        """Whether the session's contract is in force, asks for evidence, and all of it is newer
        than the edits it covers; and the turn left nothing else open."""
        from holdfast.rooms.gates import queries, tier_one

        stored = tier_one.in_force(self.store, self.event.session, self.is_at_task)
        if stored is None or not stored["evidence_required"]:
            return False
        if queries.conduct_of(self.store, self.event.session).left_open:
            return False
        return tier_one.proven(self.store, stored, self.event.session) == 100

    def likely_project(self) -> str:
        """The project, before it is looked for with all that takes; "" when it is not sure."""
        from holdfast.rooms.sessions.project import PATH, is_at_home
        from holdfast.rooms.sessions.queries import projects_with
        from holdfast.rooms.sessions.work_tree import id_on_file

        if self.gitdir:
            id_ = id_on_file(self.common())
            return id_ if is_at_home(self.store, id_, self.worktree, self.common()) else ""
        return next(iter(projects_with(self.store, PATH, self.worktree)), "")

    def loaded_instructions(self, project: str) -> list[str]:
        """The instruction files that a project's latest sessions had from their start on; what
        lies in the worktree is told from its root."""
        from holdfast.agents.surroundings import LOADED_LATER
        from holdfast.rooms.sessions.queries import loaded_instructions
        from holdfast.system import jsontext

        bodies = map(jsontext.loads, loaded_instructions(self.store, project, LOADING_SESSIONS))
        return [body["path"] for body in bodies if body["reason"] not in LOADED_LATER]

    def session(self) -> dict[str, Any] | None:
        """This event's session as the registry has it."""
        from holdfast.rooms.sessions.queries import find

        session = find(self.store, self.event.session)
        return session.as_dict() if session else None

    def has_record(self) -> bool:
        """Whether the agent keeps a record of the session, which will tell what was so."""
        from holdfast.agents.transcripts import FOLDERS

        return bool(self.event.transcript) and self.event.agent in FOLDERS

    def record_of(self, session: str) -> tuple[str, str, bool]:
        """An agent, where it keeps its record of a session, and whether that is to be believed:
        not that of a session which nothing but scripts had begun, wherever they say it lies."""
        from holdfast.agents.transcripts import is_in_place
        from holdfast.rooms.sessions.queries import find, is_doubted

        known = find(self.store, session)
        is_own = session == self.event.session
        path = self.event.transcript if is_own else ""
        if known is None:
            return self.event.agent, path, True
        if known.transcript and (not path or files.exists(known.transcript)):
            path = known.transcript
        is_believed = not is_doubted(self.store, known) or is_in_place(known.agent, path)
        return known.agent, path, is_believed

    def what_spoke(self) -> str:
        """What this event is, as the person is told of it."""
        from holdfast.rooms.prompts.settling import what_spoke

        return what_spoke(self.event.kind, self.event.body)

    def awaited_calls(self, session: str) -> list[AwaitedCall]:
        """The calls of a session that wait for the agent's record."""
        from holdfast.rooms.prompts.settling import AwaitedCall
        from holdfast.rooms.sessions.queries import awaited_calls

        return [
            AwaitedCall(id_, at, by_client, kind, key.partition(":")[2], body)
            for id_, at, by_client, kind, key, body in awaited_calls(self.store, session)
        ]

    def crashed_sessions(self) -> list[Session]:
        """The other sessions that were found crashed just now."""
        from holdfast.rooms.sessions.queries import find

        sessions = [find(self.store, id_) for id_ in self.recovered if id_ != self.event.session]
        return [session for session in sessions if session is not None]

    def dirty(self) -> list[str]:
        """The files that are not committed, as far as they are looked for when a session begins."""
        changed = self.event.body.get("files")
        if changed is None:
            return []
        if self._dirty is None:
            from holdfast.rooms.work.places.new_files import new_files

            self._dirty = [*changed, *new_files(self.store, self.project, self.event)]
        return self._dirty

    def live(self) -> set[str]:
        """The other sessions that are open."""
        from holdfast.rooms.sessions.queries import still_open

        return {session.id for session in still_open(self.store)} - {self.event.session}

    def others_since(self, since: str) -> list[SessionElsewhere]:
        """The project's latest sessions but this one that did something after a time."""
        from holdfast.rooms.sessions.queries import of_project
        from holdfast.rooms.work.meanwhile_queries import SessionElsewhere

        latest = of_project(self.store, self.project, LATEST_SESSIONS)
        return [
            SessionElsewhere(
                session.id, session.worktree, session.ended_at or "", session.end_reason == CRASHED
            )
            for session in latest
            if session.id != self.event.session and session.last_active_at > since
        ]

    def decisions_since(self, since: str, limit: int) -> list[tuple[Decision, str]]:
        """Decisions in force that were made elsewhere after a time, newest first, each with how it
        stands, in words."""
        from holdfast.rooms.decisions.queries import count_current, made_since

        if not count_current(self.store, self.project, limit=1):
            return []
        made = made_since(self.store, self.project, since, but=self.event.session, limit=limit)
        if not made:
            return []
        from holdfast.rooms.decisions.deciding import judged
        from holdfast.rooms.decisions.decision_wording import standing_words

        ids = [decision.id for decision in made]
        return [
            (decision, standing_words(name, standings))
            for decision, name, standings in judged(self.store, self.worktree, ids)
        ]

    def broken_since(self, since: str) -> list[tuple[Decision, str, str]]:
        """Decisions in force that another session's edit has broken after a time, and that are
        broken here: each with when that was, and in which session."""
        from holdfast.rooms.decisions.noticed.queries import edited_away_since

        edits = edited_away_since(self.store, self.project, since, but=self.event.session)
        if not edits:
            return []
        from holdfast.rooms.decisions.deciding import judged
        from holdfast.rooms.decisions.decision import BROKEN

        return [
            (decision, *edits[decision.id])
            for decision, name, _ in judged(self.store, self.worktree, list(edits))
            if name == BROKEN and not decision.superseded_by
        ]

    def common(self) -> str:
        """The folder that all worktrees of the repository share."""
        from holdfast.rooms.sessions.work_tree import common_of

        return common_of(self.gitdir)
