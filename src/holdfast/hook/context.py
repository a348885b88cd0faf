"""One event where it happened: what a judgement before a tool call needs, and all work begins with.

Composed at top level, so that rooms need not know each other: where the session stands, which
branch is checked out, who else is at work, what is demanded.
"""

from __future__ import annotations

from holdfast.hook.event import CARRY_ON

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from holdfast.config.compiled import Compiled
    from holdfast.config.settings import Settings
    from holdfast.hook.event import Event, Remark
    from holdfast.ledger.entry import Entry
    from holdfast.ledger.kinds import Body
    from holdfast.rooms.gates.judgement_facts import Facts
    from holdfast.rooms.prompts.queries import Goal
    from holdfast.rooms.recovery.full_checkpoint import Checkup
    from holdfast.rooms.sessions.queries import Session
    from holdfast.rooms.work.relevance import ScoredSession


class Context:
    """An event, the store it is judged by, and its answer."""

    __slots__ = (
        "answer",
        "event",
        "failures",
        "gate_facts",
        "gitdir",
        "project",
        "state",
        "store",
        "workspace",
        "worktree",
    )

    def __init__(self, workspace: Any, event: Event) -> None:
        self.workspace = workspace  # one for reading alone, where an event is only judged
        self.store = workspace.store
        self.state = workspace.state
        self.event = event
        self.project = ""
        self.worktree = ""
        self.gitdir = ""
        self.gate_facts: Facts | None = None  # set by gates
        self.answer = CARRY_ON
        self.failures: list[Exception] = []

    def branch(self) -> str:
        """The branch that is checked out now."""
        from holdfast.rooms.sessions.git_branch import branch_of

        return branch_of(self.gitdir) if self.gitdir else ""

    def companions(self) -> Callable[[], list[Session]]:
        """Looks for the other sessions at work in this worktree: their processes are there."""
        # Without `self`: who is done with a context lets go of its store at once.
        store, worktree, session = self.store, self.worktree, self.event.session

        def look_around() -> list[Session]:
            from holdfast.rooms.sessions.acting_session import at_work

            return at_work(store, worktree, but=session)

        return look_around

    def requirements(self) -> Compiled:
        """What is demanded in this project, as it was compiled."""
        compiled: Compiled = self.workspace.requirements(self.worktree)
        return compiled


# Events at which the branch is looked up again: a checkout happens inside a session.
BRANCH_READ_AT = frozenset({"prompt_given", "turn_ended", "moved"})


class EventContext(Context):
    """One event at work: the store it is kept in, what was found out, what is worth saying."""

    __slots__ = (
        "active",
        "adopted",
        "brief",
        "checkpoint_cause",
        "checkup",
        "chosen",
        "crashed",
        "dream_why",
        "for_person",
        "goal_before",
        "inherited_from",
        "inherited_worktree",
        "is_late",
        "kept",
        "marker",
        "mirrored",
        "pressing",
        "recovered",
        "remarks",
        "settings",
        "share",
        "told_state",
    )

    def __init__(self, workspace: Any, event: Event) -> None:
        super().__init__(workspace, event)
        self.kept: Entry | None = None
        self.remarks: list[Remark] = []
        self.for_person: list[str] = []  # lines that the person sees and no model
        self.settings: Settings = {}
        self.is_late = False  # it waited in the spool: nobody is listening any more
        # Set by sessions.
        self.adopted: Body | None = None  # the place of a session that was not met
        self.crashed = ""  # the session that this one follows, when it crashed
        self.recovered: list[str] = []  # sessions that were found crashed just now
        # Set by prompts.
        self.goal_before: Goal | None = None  # the goal that the prompt at hand has replaced
        # Set by work.
        self.active: dict[str, str] = {}  # where the work stands, in a line each
        self.checkpoint_cause = ""
        self.chosen: list[ScoredSession] = []  # earlier sessions that matter now
        self.inherited_from = ""
        self.inherited_worktree = ""
        self.marker = ""  # which heading the answer has
        self.mirrored: dict[str, Any] = {}  # what the session's file says of it; gates add to it
        self.share = 1.0  # of the budget: less as the agent's context fills
        self.told_state: Body | None = None  # what the agent knows by now
        # Set by identity.
        self.brief = ""
        self.dream_why = ""
        # Set by recovery.
        self.checkup: Checkup | None = None
        self.pressing: list[str] = []  # what of it asks for an answer before the end

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

    def keep_for(self, session: Session, kind: str, body: Body, *, key: str) -> None:
        """Keep an entry about another session."""
        self.workspace.keep(
            kind,
            body,
            key=key,
            at=self.event.at,
            project=session.project,
            session=session.id,
            agent=session.agent,
        )

    def note(self, kind: str, body: Body, *, key: str, project: str) -> None:
        """Keep an entry of the project, of no session."""
        self.workspace.keep(kind, body, key=key, at=self.event.at, project=project)

    def consequence(self, name: str, number: int = 0) -> str:
        """The natural key of what this event brought about: kept twice, it is kept once."""
        kept = self.kept
        return f"{name}:{kept.machine}:{kept.seq}:{number}" if kept else f"{name}:{self.event.key}"

    def previous(self) -> str:
        from holdfast.rooms.sessions.queries import previous_of

        link = previous_of(self.store, self.event.session)
        return link[0] if link else ""

    def goal(self) -> str:
        """What the user set out to do, in the user's words; "" when that is not known."""
        from holdfast.rooms.prompts.queries import goal_of

        goal = goal_of(self.store, self.event.session)
        return goal.goal if goal else ""

    def topics_before(self) -> list[str]:
        """What the session works on, less what this very prompt has added to it."""
        from holdfast.rooms.work import queries, topics

        weights = queries.weights(self.store, self.event.session, 100)
        for word, weight in topics.of_prompt(self.event.body["prompt"]).items():
            weights[word] = weights.get(word, 0) - weight
        return [word for word, weight in weights.items() if weight > 0]

    def session(self) -> dict[str, Any] | None:
        """This event's session as the registry has it."""
        from holdfast.rooms.sessions.queries import find

        session = find(self.store, self.event.session)
        return session.as_dict() if session else None

    def live(self) -> set[str]:
        """The other sessions that are open."""
        from holdfast.rooms.sessions.queries import still_open

        return {session.id for session in still_open(self.store)} - {self.event.session}

    def common(self) -> str:
        """The folder that all worktrees of the repository share."""
        from holdfast.rooms.sessions.work_tree import common_of

        return common_of(self.gitdir)


def keep_event(context: EventContext) -> None:
    """The event itself as an entry, its paths told from the worktree's root."""
    event = context.event
    body = dict(event.body)
    path = body.get("path")
    if path and context.worktree and path.startswith(f"{context.worktree}/"):
        body["path"] = path[len(context.worktree) + 1 :]
    if context.gitdir and (event.kind in BRANCH_READ_AT or "git " in body.get("command", "")):
        from holdfast.rooms.sessions.git_branch import branch_of

        body["branch"] = branch_of(context.gitdir)
    context.kept = context.keep(event.kind, body, key=event.key)
