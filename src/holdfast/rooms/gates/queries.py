"""Requirements' states, evidence, confidence and contracts on disk."""

from __future__ import annotations

from holdfast.rooms.gates.scopes import State
from holdfast.system import jsontext
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, TypedDict

    from holdfast.ledger.kinds import Body
    from holdfast.store.sqlite import Store

    class StoredContract(TypedDict):
        """A session's contract, as `holdfast contract --json` shows it, too."""

        at: str
        goal: str
        criteria: list[str]
        evidence_required: list[str]
        refused: int  # ends that were refused for what it lacks
        id: str
        thread: str  # the task it was made for, "" for the first that comes
        author: str  # person, agent; "" where an older version kept it
        source: str  # the session it was first set in, "" where that is this one
        unproven: list[str]  # when it was handed on
        edits_wait: bool  # for proof, since then
        rank: str  # when, in the order of entries, as evidence and edits have it


ACTS_LOOKED_AT = 12
ACTING_SESSIONS = 100  # whose acts are listed
START = 75  # as confidence.py has it, which a hook need not load for one number
AS_JSON = ("observed", "failures", "changes", "goal", "heard", "left_open")


class Proof(Value):
    """The last evidence of a kind."""

    rank: str  # when, in the order of entries
    passed: bool
    at: str = ""
    tree: str = ""  # the digest of what it covered, "" where that was not looked at
    outdated_by: list[str] | None = None  # files, by the tree; None: by the session's edits


class Conduct:
    """How a session's work goes, by the columns of its row; made anew, how it starts."""

    def __init__(self, session: str) -> None:
        self.session = session
        self.confidence = START
        self.observed: list[str] = []  # the observations of this turn
        self.failures: dict[str, int] = {}  # in a row, by command
        self.changes: list[list[str]] = []  # the last edits: path, digest before, digest after
        self.turns = 0  # since the goal was set
        self.goal: list[str] = []  # its words
        self.heard: list[list[str]] = []  # which of them were heard, per turn
        self.deeds = 0  # in this turn that change something: edits, runs
        self.blocked = 0  # ends of this turn that were refused
        self.left_open: list[str] = []  # what a turn that was let go left open


# What counts for the whole branch: the last act of each sort on each requirement. By the index from
# one requirement to the next, so that it does not matter how many sessions acted before.
_LAST_ACTS = (
    "with recursive known (requirement) as (select min(requirement) from gate_acts"
    " where project = ?1 and branch = ?2 and whose = ?3 union all"
    " select (select min(requirement) from gate_acts where project = ?1 and branch = ?2"
    " and whose = ?3 and requirement > known.requirement) from known"
    " where requirement is not null),"
    " sorts (act) as (values ('met'), ('triggered'), ('cleared'))"
    " select last.requirement, last.whose, last.act, last.by, last.since, last.expires_at"
    " from known cross join sorts cross join gate_acts as last where last.project = ?1"
    " and last.branch = ?2 and last.requirement = known.requirement and last.whose = ?3"
    " and last.act = sorts.act and last.session = (select session from gate_acts as each"
    " where each.project = ?1 and each.branch = ?2 and each.whose = ?3"
    " and each.requirement = known.requirement and each.act = sorts.act"
    " order by each.rank desc limit 1) order by last.requirement, last.rank"
)


def states(store: Store, project: str, branch: str, session: str | None = None) -> list[State]:
    """What is known of a branch's requirements: of the root and one session, or of everybody."""
    if session is not None:
        return states_of(store, project, branch, (session,))
    rows = store.rows(
        "select requirement, whose, act, by, since, expires_at from gate_acts"
        " where project = ? and branch = ? order by requirement, whose, rank",
        project,
        branch,
    )
    return _folded(rows)


def states_of(store: Store, project: str, branch: str, sessions: Iterable[str]) -> list[State]:
    """What is known of a branch's requirements: of the root and some sessions."""
    states = _folded(store.rows(_LAST_ACTS, project, branch, ""))
    rows = store.rows(  # acts that count for one session are few
        "select requirement, whose, act, by, since, expires_at from gate_acts"
        " indexed by gate_acts_by_whose where project = ? and branch = ?"
        " and whose in (select value from json_each(?)) order by requirement, rank",
        project,
        branch,
        jsontext.dumps(sorted({*sessions} - {""})),
    )
    states += _folded(rows)
    return sorted(states, key=lambda state: (state.requirement, state.session))


def _folded(rows: Iterable[tuple[Any, ...]]) -> list[State]:
    """Acts of a requirement and whom it counts for, the earliest first, as where they led to."""
    states: dict[tuple[str, str], State] = {}
    for requirement, whose, act, by, since, expires_at in rows:
        key = (requirement, whose)
        if act == "cleared":
            states.pop(key, None)
            continue
        state = states.setdefault(key, State(requirement, whose))
        if act == "triggered":
            state.triggered = True
        else:
            state.satisfied, state.satisfied_at = True, since
            state.satisfied_by, state.expires_at = by, expires_at
    return list(states.values())


def lately(store: Store, project: str, branch: str, limit: int) -> list[str]:
    """The sessions that are open, and those that began last on a branch."""
    return store.column(
        "select id from sessions where ended_at is null union select id from (select id"
        " from sessions where project = ? and branch = ? order by begun desc limit ?)",
        project,
        branch,
        limit,
    )


def acts(store: Store, session: str) -> list[tuple[str, str, str, str]]:
    """What was satisfied and triggered for a session, the earliest first, cleared or not: which
    requirement, the act, by whom, when."""
    rows = store.rows(
        "select requirement, act, by, at from gate_acts where session = ?"
        " order by at, seq, requirement",
        session,
    )
    return list(rows)


class GateAct(Value):
    """What was done to a requirement, by whom, when."""

    branch: str
    requirement: str
    act: str  # met, triggered, cleared
    by: str
    session: str  # "" for the whole branch
    at: str
    expires_at: str | None


def latest_acts(store: Store, project: str, limit: int) -> list[GateAct]:
    """The latest acts on a project's requirements, of its latest sessions and of none, the newest
    first."""
    rows = store.rows(
        "select branch, requirement, act, by, session, at, expires_at from"
        " (select id from (select id from sessions where project = ?1 order by begun desc limit ?3)"
        " union all select '') as latest join gate_acts on gate_acts.session = latest.id"
        " where gate_acts.project = ?1 order by at desc, seq desc limit ?2",
        project,
        limit,
        ACTING_SESSIONS,
    )
    return [GateAct(*row) for row in rows]


def branches(store: Store, project: str) -> list[str]:
    """Branches of which anything is known."""
    return store.column(
        "select distinct branch from gate_acts where project = ? order by branch", project
    )


def is_off(store: Store, project: str, session: str) -> tuple[bool, set[str]]:
    """Whether all gates are switched off here, and which requirements are."""
    rows = store.rows(
        "select requirement, whose, is_on from gate_switches indexed by gate_switches_by_whose"
        " where project = ? and whose in ('', ?) order by rank",
        project,
        session,
    )
    last = {(requirement, whose): is_on for requirement, whose, is_on in rows}
    off = {requirement for (requirement, _), is_on in last.items() if not is_on}
    return "" in off, off - {""}


# Evidence and edits


def evidence(store: Store, session: str) -> dict[str, Proof]:
    """The last evidence of each kind."""
    rows = store.rows(
        "select kind, rank, passed, at, tree from evidence where session = ?", session
    )
    return {kind: Proof(rank, bool(passed), at, tree) for kind, rank, passed, at, tree in rows}


def act_before(store: Store, session: str) -> str:
    """When a session's last act but one was: an edit, a run, another tool that may write."""
    rows = store.rows(
        "select at, body from entries join bodies using (place) where session = ?"
        " and kind = 'tool_used' order by place desc limit ?",
        session,
        ACTS_LOOKED_AT,
    )
    looking = ("read", "search", "fetch", "plan", "skill")
    acts = [at for at, body in rows if jsontext.loads(body)["deed"] not in looking]
    return str(acts[1]) if len(acts) > 1 else ""


def calls_of_turn(store: Store, session: str, limit: int) -> list[Body]:
    """What a session's tools did since its last prompt, as entries have it."""
    bodies = store.column(
        "select body from entries join bodies using (place) where session = ?1"
        " and kind = 'tool_used' and place > coalesce((select max(place) from entries"
        " where session = ?1 and kind = 'prompt_given'), 0) order by place desc limit ?2",
        session,
        limit,
    )
    return [jsontext.loads(body) for body in reversed(bodies)]


def acts_and_proofs(store: Store, session: str, limit: int) -> list[tuple[str, Body]]:
    """What a session's tools did and what that proved, as entries have it, the earliest first."""
    rows = store.rows(
        "select kind, body from entries join bodies using (place) where session = ?"
        " and kind in ('tool_used', 'evidence_seen') order by place limit ?",
        session,
        limit,
    )
    return [(kind, jsontext.loads(body)) for kind, body in rows]


def proofs_at(store: Store, session: str, at: str) -> list[dict[str, Any]]:
    """The evidence that one event gave and that stands by a tree, as entries have it."""
    rows = store.rows(
        "select kind, passed, tool, said, command from evidence where session = ? and at = ?"
        " and tree > ''",
        session,
        at,
    )
    names = "sort passed tool said command".split()
    return [{**dict(zip(names, row, strict=True)), "passed": bool(row[1])} for row in rows]


def edits(store: Store, session: str) -> list[tuple[str, str]]:
    """The files that were edited, and when last, in the order of entries."""
    return list(store.rows("select path, rank from edits where session = ? order by path", session))


def contract(store: Store, session: str) -> StoredContract | None:
    row = store.row(
        "select at, goal, criteria, required, refused, id, thread, author, source, unproven,"
        " edits_wait, rank from contracts where session = ?",
        session,
    )
    if row is None:
        return None
    return {
        "at": row[0],
        "goal": row[1],
        "criteria": jsontext.loads(row[2]),
        "evidence_required": jsontext.loads(row[3]),
        "refused": row[4],
        "id": row[5],
        "thread": row[6],
        "author": row[7],
        "source": row[8],
        "unproven": jsontext.loads(row[9]),
        "edits_wait": bool(row[10]),
        "rank": row[11],
    }


def denials(store: Store, session: str, sort: str) -> dict[str, int]:
    rows = store.rows(
        "select name, times from denials where session = ? and sort = ? order by name",
        session,
        sort,
    )
    return dict(rows)


def skills(store: Store, session: str, limit: int) -> list[str]:
    return store.column(
        "select name from skills where session = ? order by at, name limit ?", session, limit
    )


# How the work goes


def last_act_at(store: Store, project: str, branch: str, requirement: str) -> str:
    """When a requirement was last met or cleared for a whole branch; "" for never."""
    at = store.value(
        "select max(at) from gate_acts where project = ? and branch = ? and requirement = ?"
        " and whose = '' and act in ('met', 'cleared')",
        project,
        branch,
        requirement,
    )
    return str(at or "")


def moves(store: Store, session: str, limit: int) -> list[tuple[str, Any]]:
    """What changed the confidence in a session's work last, the earliest first: when, and what the
    entry says. By the keys of what follows from events."""
    rows = store.rows(
        "select at, body from entries join bodies using (place) where session = ?"
        " and key >= 'confidence:' and key < 'confidence;' and kind = 'confidence_moved'"
        " order by place desc limit ?",
        session,
        limit,
    )
    return [(at, jsontext.loads(body)) for at, body in rows][::-1]


def conduct_of(store: Store, session: str) -> Conduct:
    """How a session's work goes, as it stands; of one that did nothing yet, how it starts."""
    conduct = Conduct(session)
    row = store.row(f"select {', '.join(vars(conduct))} from conduct where session = ?", session)
    if row is not None:
        for name, value in zip(vars(conduct), row, strict=True):
            setattr(conduct, name, jsontext.loads(value) if name in AS_JSON else value)
    return conduct
