"""THE TABLE: what each event does, in order.

Read it and you know what Holdfast does. `look` takes facts before anything is opened; the deeds
run in one transaction; what follows the commit only renders files. A deed is named `room.deed`
and imported when its event comes: a hook pays for its own event alone.
"""

from __future__ import annotations

from holdfast.event import NOTICE, Answer, Remark
from holdfast.moment import Moment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from holdfast.event import Event
    from holdfast.ledger.entry import Entry
    from holdfast.ledger.workspace import Workspace
    from holdfast.sessions.shelf import Session

KEEP = "keep"

# event: facts taken first, deeds in the transaction, what follows the commit
EVENTS: dict[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    "session_began": (
        ("sessions.look", "continuity.look"),
        (
            *("sessions.recover", "sessions.begin", "sessions.tell", "continuity.greet"),
            *("identity.restore", "decisions.papers.deeds.greet", "gates.greet"),
        ),
        ("sessions.settle", "decisions.papers.deeds.heal"),
    ),
    "prompt_given": (
        ("continuity.measure",),
        (KEEP, "continuity.heed", "continuity.sync", "gates.observe", "identity.heed"),
        ("identity.settle",),
    ),
    "command_typed": ((), (KEEP, "gates.witness_command"), ()),
    "tool_used": (
        (),
        (KEEP, "gates.witness", "decisions.noticed.edit.notice", "identity.witness"),
        ("identity.settle",),
    ),
    "context_closing": (
        ("continuity.measure",),
        (KEEP, "sessions.link_fork", "continuity.close", "decisions.papers.deeds.examine"),
        ("continuity.settle", "decisions.papers.deeds.settle"),
    ),
    "context_compacted": ((), (KEEP,), ()),
    "turn_ended": (
        ("continuity.measure",),
        (
            *(KEEP, "sessions.link_fork", "continuity.learn", "continuity.sync"),
            *("decisions.papers.deeds.examine", "gates.observe", "gates.ask"),
        ),
        ("continuity.settle", "gates.settle", "sessions.settle", "decisions.papers.deeds.settle"),
    ),
    "turn_failed": ((), (KEEP,), ()),
    "subagent_began": ((), (KEEP,), ()),
    "subagent_ended": ((), (KEEP,), ()),
    "notified": ((), (KEEP,), ()),
    "task_created": ((), (KEEP,), ()),
    "task_completed": ((), (KEEP,), ()),
    "instructions_loaded": ((), (KEEP,), ()),
    "moved": ((), (KEEP,), ()),
    "event_seen": ((), (KEEP,), ()),
    "probed": ((), (KEEP,), ()),
    "session_ended": (
        (),
        ("continuity.capture", "sessions.end", "sessions.link_fork", "gates.finish"),
        ("continuity.settle", "gates.settle", "sessions.settle", "decisions.papers.deeds.settle"),
    ),
}

# Deeds that only some events of their kind need: the others do not load them.
ONLY_OF = {"decisions.noticed.edit.notice": ("edit", "create")}
# Events at which numbers are asked for, which may take their time to be counted.
COUNTED_FOR = frozenset({"session_began", "turn_ended"})
# Events that are only judged (moment.py): nothing is kept, and the store is only read.
JUDGED = frozenset({"tool_asked"})

# Deeds without which an event is not kept; all others only follow from it.
NEEDED = frozenset({"sessions.recover", "sessions.begin", "sessions.end"})
# A prompt is kept longer than other texts: constraints and goals are quoted from it.
CAPS = {"prompt_given": 20_000, "context_compacted": 20_000, "identity_inherited": 20_000}
# Events at which the branch is looked up again: a checkout happens inside a session.
BRANCH_READ_AT = frozenset({"prompt_given", "turn_ended", "moved"})


class Work(Moment):
    """One event at work: the store it is kept in, what was found out, what is worth saying."""

    __slots__ = ("for_person", "is_late", "kept", "remarks", "settings")

    def __init__(self, workspace: Any, event: Event) -> None:
        super().__init__(workspace, event)
        self.kept: Entry | None = None
        self.remarks: list[Remark] = []
        self.for_person: list[str] = []  # lines that the person sees and no model
        self.settings: dict[str, Any] = {}
        self.is_late = False  # it waited in the spool: nobody is listening any more

    def keep(self, kind: str, body: dict[str, Any], *, key: str) -> Entry | None:
        """Keep an entry of this event's own session."""
        event = self.event
        entry: Entry | None = self.workspace.keep(
            kind,
            body,
            key=key,
            at=event.at,
            project=self.project,
            session=event.session,
            agent=event.agent,
            cap=CAPS.get(kind, 4_000),
        )
        return entry

    def keep_for(self, session: Session, kind: str, body: dict[str, Any], *, key: str) -> None:
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

    def note(self, kind: str, body: dict[str, Any], *, key: str, project: str) -> None:
        """Keep an entry of the project, of no session."""
        self.workspace.keep(kind, body, key=key, at=self.event.at, project=project)

    def consequence(self, name: str, number: int = 0) -> str:
        """The natural key of what this event brought about: kept twice, it is kept once."""
        kept = self.kept
        return f"{name}:{kept.machine}:{kept.seq}:{number}" if kept else f"{name}:{self.event.key}"

    def previous(self) -> str:
        from holdfast.sessions.shelf import previous_of

        found = previous_of(self.store, self.event.session)
        return found[0] if found else ""

    def goal(self) -> str:
        """What the user set out to do, in the user's words; "" when that is not known."""
        from holdfast.continuity.shelf import goal_of

        found = goal_of(self.store, self.event.session)
        return found["goal"] if found else ""

    def dream(self, why: str) -> None:
        start_dream(self.state, self.project, why, self.settings)

    def session(self) -> dict[str, Any] | None:
        """This event's session as the registry has it."""
        from holdfast.sessions.shelf import find

        found = find(self.store, self.event.session)
        return found.as_dict() if found else None

    def live(self) -> set[str]:
        """The other sessions that are open."""
        from holdfast.sessions.shelf import still_open

        return {one.id for one in still_open(self.store)} - {self.event.session}

    def common(self) -> str:
        """The folder that all worktrees of the repository share."""
        from holdfast.sessions.whereabouts import common_of

        return common_of(self.gitdir)


def receive(
    workspace: Workspace, event: Event, news: Iterable[str] = (), *, is_late: bool = False
) -> Work:
    """Do what the table says, in one transaction: whole or not at all. `news` is about us."""
    from holdfast.redaction.gate import gate_text

    deeds = tuple(name for name in EVENTS[event.kind][1] if _concerns(name, event))
    event.session = gate_text(event.session)  # asked for by the name it is kept under
    work = Work(workspace, event)
    work.is_late = is_late
    work.remarks += [Remark(NOTICE, line) for line in news]
    # Before the transaction, as much as can be: while it runs, all other hooks wait.
    work.settings = workspace.settings(_root(work))
    if not work.settings["enabled"]:
        return work
    _load(event.kind, deeds)
    if event.kind in COUNTED_FOR:
        deed("gates.count")(work)
    with work.store.transaction():
        if "adopted" in work.facts:
            deed("sessions.adopt")(work)
        for name in deeds:
            if name == KEEP:
                keep_event(work)
            elif name in NEEDED:
                deed(name)(work)
            else:
                _try_out(work, deed(name))
        if not is_late:
            _try_out(work, _compose)
    return work


def _try_out(work: Work, act: Callable[[Work], None]) -> None:
    """What follows from an event may fail; the event itself is kept all the same."""
    remarks, lines = len(work.remarks), len(work.for_person)
    try:
        work.store.try_out(lambda: act(work))
    except Exception as error:  # ours: the store's own go on to the door, which has a spool
        from holdfast.ledger.spool import is_the_stores

        if is_the_stores(error):
            raise
        del work.remarks[remarks:], work.for_person[lines:]
        work.failures.append(error)


def _compose(work: Work) -> None:
    """The answer, and an entry of what it costs the agent in tokens."""
    if work.kept is None or not (work.remarks or work.for_person):
        return
    from holdfast import briefing

    context = briefing.compose(work.remarks, **_voice(work))
    work.answer = Answer(
        context or work.answer.context,
        refusal=work.answer.refusal,
        for_person="\n".join(work.for_person),
    )
    if context:
        body = {"tokens": briefing.count(context), "characters": len(context)}
        if "told" in work.facts:
            body["told"] = work.facts["told"]
        work.keep("context_given", body, key=work.consequence("given"))


def _voice(work: Work) -> dict[str, Any]:
    """How an answer opens, and how long it may be: less as the agent's context fills."""
    from holdfast import briefing

    marker = work.facts.get("marker", briefing.RUNNING)
    limit = "prompt" if work.event.kind == "prompt_given" else "start"
    tokens = work.settings[f"briefing.{limit}_tokens"]
    return {
        "tokens": tokens,
        "heading": briefing.heading(marker),
        "share": work.facts.get("share", 1.0),
    }


def settle(work: Work) -> None:
    """What follows the commit. Whatever happens here, the event is kept."""
    for name in EVENTS[work.event.kind][2]:
        deed(name)(work)


def settle_late(state: str, kind: str) -> None:
    """Of what follows an event that waited, only the registry: the next event renders it."""
    if "sessions.settle" in EVENTS[kind][2]:
        from holdfast.sessions import mirror

        mirror.mark_due(state)


def render_due(workspace: Workspace) -> None:
    """The registry of sessions, where an event before this one could not render it."""
    from holdfast.sessions import mirror

    mirror.render_due(workspace)


def look(event: Event) -> None:
    """Take the facts that an event needs before anything is opened."""
    for name in EVENTS[event.kind][0]:
        deed(name)(event)


def start_dream(state: str, project: str, why: str, settings: dict[str, Any]) -> bool:
    """Start a dream of a project, detached; whether one was: not two at once, nor in a row."""
    from holdfast import dreaming

    return dreaming.start(state, project, why, settings=settings)


def keep_event(work: Work) -> None:
    """The event itself as an entry, its paths told from the worktree's root."""
    event = work.event
    body = dict(event.body)
    path = body.get("path")
    if path and work.worktree and path.startswith(f"{work.worktree}/"):
        body["path"] = path[len(work.worktree) + 1 :]
    if work.gitdir and (event.kind in BRANCH_READ_AT or "git " in body.get("command", "")):
        from holdfast.sessions.branch import branch_of

        body["branch"] = branch_of(work.gitdir)
    work.kept = work.keep(event.kind, body, key=event.key)


def deed(name: str) -> Any:
    """The function that a name of the table means: of the room's deeds, or of a module beside."""
    verb = name.rpartition(".")[2]
    return getattr(__import__(f"holdfast.{where(name)}", fromlist=[verb]), verb)


def where(name: str) -> str:
    """The module of a deed."""
    module = name.rpartition(".")[0]
    return module if "." in module else f"{module}.deeds"


def _concerns(name: str, event: Event) -> bool:
    return name not in ONLY_OF or event.body.get("deed") in ONLY_OF[name]


def _load(kind: str, deeds: tuple[str, ...]) -> None:
    """Import what the transaction will call."""
    from holdfast.ledger import projections

    for name in deeds:
        if name != KEEP:
            deed(name)
    for room in projections.DERIVED_BY[kind]:
        projections.deriver(room)


def _root(work: Work) -> str:
    """The root of the project an event belongs to; its session's place is looked up for it."""
    if work.event.kind == "session_began":
        work.worktree, work.gitdir = work.event.body["worktree"], work.event.body["gitdir"]
        return work.worktree
    if not work.event.session:
        return ""
    from holdfast.sessions.shelf import place_of

    found = place_of(work.store, work.event.session)
    if found is None:
        # Installed mid-session, or its beginning was lost: taken for begun.
        work.facts["adopted"] = deed("sessions.facts_of")(work.event)
        return str(work.facts["adopted"]["worktree"])
    work.project, work.worktree, work.gitdir = found
    return work.worktree
