"""What entries make of a session's identity.

Reads the entry and this room's tables, nothing else: the replay law. Every row is owned by the
session of its entry. A mind that is damaged is left alone: an event is kept all the same, and
`repair` folds the mind anew from the entries.

    session_began        a mind begins; one that is resumed, or was compacted, goes on
    identity_inherited   it begins again, with what was handed on: the task, or what is usual alone
    prompt_given         folded, and the goal that follows from it is a new anchor
    tool_used            folded; a subagent's tools are another's steps and are not
    turns and ends       a snapshot is taken

`identity_latest` says nothing of its own: it is the newest snapshot by (time, session).

Whoever takes in a whole session at once holds its mind (`hold`): what is folded in between is not
written, and the table has the mind again after `let_go`. Only what an event itself is (`HOLDABLE`)
is folded so; what follows from an event may be taken back, and finds and leaves the table whole.
"""

from __future__ import annotations

from holdfast.errors import Damaged
from holdfast.ledger import projections
from holdfast.rooms.identity import queries
from holdfast.system import jsontext
from holdfast.system.paths import digest
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.ledger.entry import Entry
    from holdfast.ledger.kinds import Body
    from holdfast.rooms.identity.mind import Mind, Reading
    from holdfast.store.sqlite import Store

    Look = tuple[int, Reading]  # in milliseconds when, and what the mind was like

OWNED = ("minds", "identities")
HOMES = "identity_homes"
TABLES = (*OWNED, "identity_latest", HOMES)
GOES_ON = ("resume", "compact")
CRISIS = 0.5


class Folded(Value):
    """A mind, its row, the entry that was folded into it, and looks at it that wait to be kept."""

    entry: Entry
    row: queries.MindRow
    mind: Mind
    looks: list[Look]


# What was folded last in this process: the handler that follows need not read it back.
FOLDED: list[Folded] = []
HOLDABLE = ("prompt_given", "tool_used", "turn_ended")


class Held:
    """The mind that is ahead of the table, while a whole session is taken in."""

    def __init__(self) -> None:
        self.is_on = False
        self.state: Folded | None = None


HELD = Held()


def derive(store: Store, entry: Entry) -> None:
    act = _DERIVED.get(entry.kind)
    if act is not None:
        if HELD.state and entry.kind not in HOLDABLE:
            _write_held(store)
        act(store, entry)


def hold() -> None:
    """From now on a mind is folded in memory. `let_go` must follow, in the same transaction."""
    HELD.is_on, HELD.state = True, None


def let_go(store: Store | None) -> None:
    """Write what is held; without a store it is dropped, for its transaction was taken back."""
    if store is not None:
        _write_held(store)
    HELD.is_on, HELD.state = False, None


def _write_held(store: Store) -> None:
    state, HELD.state = HELD.state, None
    if state is not None:
        _write(store, state)


def _held(session: str) -> Folded | None:
    return HELD.state if HELD.state and HELD.state.row.session == session else None


def drop(store: Store, session: str) -> None:
    """Forget what was derived from a session's entries."""
    project = store.value("select project from identities where session = ?", session)
    for table in OWNED:
        store.run(f"delete from {table} where session = ?", session)
    if project is not None and queries.latest(store, project) == session:
        queries.point_to_newest(store, project)


def folded(entry: Entry) -> Folded | None:
    """The mind as this entry, or what followed from it, has left it."""
    for state in FOLDED:
        last = state.entry
        is_same = (last.machine, last.session) == (entry.machine, entry.session)
        if is_same and last.seq >= entry.seq:
            return state
    return None


# Minds


def _session_began(store: Store, entry: Entry) -> None:
    body = entry.body
    if body["source"] in GOES_ON and queries.kept(store, entry.session) is not None:
        return
    words, changed = foretold_by(body)
    foretold = {"words": words, "files": changed}
    store.insert(
        "minds",
        session=entry.session,
        project=projections.home_of(store, entry.project, HOMES),
        **dict.fromkeys(("previous", "source", "thread", "told"), ""),
        told_at=0,
        foretold=jsontext.dumps(foretold),
        crossing=queries.SCALE,
        is_fixed=0,
        mind=queries.UNBORN,
        checksum=digest(queries.UNBORN),
        then="on conflict do nothing",
    )


def foretold_by(body: Body) -> tuple[list[str], list[str]]:
    """What stands for the work of a session that begins: the branch's words, the changed files."""
    return _texts(body.get("keywords")), _texts(body.get("files"))


def _session_linked(store: Store, entry: Entry) -> None:
    store.run(
        "update minds set previous = ? where session = ?", entry.body["previous"], entry.session
    )


def _inherited(store: Store, entry: Entry) -> None:
    """The session begins with another's purpose, before anything was done in it."""
    row = queries.kept(store, entry.session)
    if row is None:
        return
    from holdfast.rooms.identity.mind import Mind

    mind = Mind.begin(entry.body["legacy"], binds=not entry.body.get("without_goal"))
    foretold = jsontext.loads(row.foretold)
    if foretold["words"] or foretold["files"]:
        mind.foretell(foretold["words"], foretold["files"])
    row.source = entry.body["from"] if mind.inherits else ""
    _keep(store, entry, row, mind)
    store.run("update minds set source = ? where session = ?", row.source, entry.session)


def _prompt_given(store: Store, entry: Entry) -> None:
    if entry.body.get("unverified"):
        return
    prompt = entry.body["prompt"]
    _fold(store, entry, lambda mind: mind.prompt(prompt, is_new_task=False))


def _goal_set(store: Store, entry: Entry) -> None:
    """A task of its own is a new anchor; so is one that was gone back to. The prompt that set it
    was folded just before, into what is forgotten now."""
    row = queries.kept(store, entry.session)
    thread = anchored_by(entry, row.thread) if row is not None else ""
    if thread:
        store.run(
            "update minds set thread = ?, told = '', told_at = 0 where session = ?",
            thread,
            entry.session,
        )
        _fold(store, entry, lambda mind: mind.prompt(entry.body["goal"], is_new_task=True))


def anchored_by(entry: Entry, before: str) -> str:
    """The thread of a goal that is a new anchor, "" for one that goes on with the thread before."""
    body = entry.body
    thread: str = body["thread"] or digest(f"{entry.machine}:{entry.seq}".encode())[:12]
    return thread if body["how"] == "prompt" or thread != before else ""


def _tool_used(store: Store, entry: Entry) -> None:
    if "subagent" not in entry.body:
        _fold(store, entry, lambda mind: mind.tool(entry.body))


def _settled(store: Store, entry: Entry) -> None:
    """The person has settled a doubt: this is the task now, or the task stands."""
    is_accepted = entry.body["verdict"] == "accept"
    _fold(store, entry, lambda mind: mind.accept() if is_accepted else mind.keep())
    store.run("update minds set told = '', told_at = 0 where session = ?", entry.session)
    _capture(store, entry)


def _told(store: Store, entry: Entry) -> None:
    store.run(
        "update minds set told = ?, told_at = ? where session = ?",
        entry.body["class"],
        entry.body["events"],
        entry.session,
    )


def _fold(store: Store, entry: Entry, act: Callable[[Mind], None]) -> None:
    held = _held(entry.session)
    if held is not None:
        act(held.mind)
        _keep(store, entry, held.row, held.mind)
        return
    row = queries.kept(store, entry.session)
    if row is None:
        return
    try:
        mind = queries.mind_in(row)
    except Damaged:
        return
    act(mind)
    _keep(store, entry, row, mind)


def _keep(store: Store, entry: Entry, row: queries.MindRow, mind: Mind) -> None:
    """One row, whole; continuity with the session before settles when it is not provisional."""
    if not row.is_fixed:
        reading = mind.reading()
        row.crossing = round(reading.cross_ic * queries.SCALE) if row.source else queries.SCALE
        row.is_fixed = int(not reading.is_provisional)
    held = _held(entry.session)
    state = Folded(entry, row, mind, held.looks if held else [])
    FOLDED[:] = [state]
    if not HELD.is_on or entry.kind not in HOLDABLE:
        _write(store, state)
        return
    if held is None:
        _write_held(store)
    HELD.state = state


def _write(store: Store, state: Folded) -> None:
    row = state.row
    row.mind = state.mind.pack()
    row.checksum = digest(row.mind)
    store.run(
        "update minds set mind = ?, checksum = ?, crossing = ?, is_fixed = ? where session = ?",
        row.mind,
        row.checksum,
        row.crossing,
        row.is_fixed,
        row.session,
    )
    if state.looks:
        _save(store, row, state.looks)


# Snapshots


def _capture(store: Store, entry: Entry) -> None:
    """The session's snapshot as it is now, its purpose vector at the end of its trajectory."""
    held = _held(entry.session)
    row = held.row if held else queries.kept(store, entry.session)
    if row is None:
        return
    from holdfast.system import clock

    try:
        reading = (held.mind if held else queries.mind_in(row)).reading()
    except Damaged:
        return
    try:
        at_ms = round(clock.seconds_of(entry.at) * 1000)
    except ValueError:
        at_ms = 0
    if held:
        held.looks.append((at_ms, reading))
    else:
        _save(store, row, [(at_ms, reading)])


def _save(store: Store, row: queries.MindRow, looks: list[Look]) -> None:
    """The snapshot, the index by time and the pointer: all three or none. One that is damaged, or
    newer than we are, is left as it is."""
    from holdfast.errors import StoreError
    from holdfast.rooms.identity.snapshot import Snapshot, vector

    try:
        before = queries.snapshot_of(store, row.session)
    except StoreError:
        return
    trajectory = list(before.trajectory) if before else []
    for _, reading in looks:
        if reading.events and (not trajectory or trajectory[-1] != vector(reading.purpose)):
            trajectory.append(vector(reading.purpose))
    made = Snapshot(
        row.session,
        max(*(at_ms for at_ms, _ in looks), before.timestamp_ms if before else 0),
        previous_session_id=row.previous or None,
        cross_session_ic=row.crossed(),
        kuramoto_phases=reading.phases,
        coupling=reading.coupling,
        purpose_vector=reading.purpose,
        trajectory=trajectory,
        last_ic=reading.ic if reading.events or row.source else 1.0,
        crisis_threshold=CRISIS,
        consciousness=reading.consciousness,
        integration=reading.integration,
        reflection=reading.reflection,
        differentiation=reading.differentiation,
    )
    store.insert(
        "identities",
        session=row.session,
        project=row.project,
        timestamp_ms=made.timestamp_ms,
        snapshot=made.pack(),
        then="on conflict do update set"
        " timestamp_ms = excluded.timestamp_ms, snapshot = excluded.snapshot",
    )
    queries.point_to_newest(store, row.project)


# Projects


def _merged(store: Store, entry: Entry) -> None:
    projections.merge(store, entry, HOMES, OWNED)
    for project in (entry.project, entry.body["into"]):
        queries.point_to_newest(store, project)


def _project_forgotten(store: Store, entry: Entry) -> None:
    projections.forget_home(store, entry.project, HOMES)


def _gone(store: Store, entry: Entry) -> None:
    drop(store, entry.session)


def _texts(given: object) -> list[str]:
    return [text for text in given if isinstance(text, str)] if isinstance(given, list) else []


_DERIVED = {
    "session_began": _session_began,
    "session_linked": _session_linked,
    "identity_inherited": _inherited,
    "prompt_given": _prompt_given,
    "goal_set": _goal_set,
    "tool_used": _tool_used,
    "identity_settled": _settled,
    "identity_told": _told,
    "identity_persisted": _capture,
    "turn_ended": _capture,
    "session_ended": _capture,
    "session_crashed": _capture,
    "session_archived": _gone,
    "session_forgotten": _gone,
    "projects_merged": _merged,
    "project_forgotten": _project_forgotten,
}
