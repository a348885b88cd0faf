"""What sessions did and left, on disk: activity, pins, learnings, checkpoints, handoffs."""

from __future__ import annotations

from holdfast.system import jsontext
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

    from holdfast.ledger.kinds import Body
    from holdfast.store.sqlite import Store

_NOT_WITHDRAWN = "not exists (select 1 from turns where subject = {0}.id and turn = 'withdrawn')"
_CHANGED = "from touched where session = ? and how <> 'read'"


class Activity(Value):
    """What a session did so far, in figures and last words."""

    session: str
    prompts: int
    turns: int
    tools: int
    last_prompt: str
    last_prompt_at: str
    last_message: str
    message_before: str  # "" where it was short, too
    summary: str
    tokens: int
    window: int
    synced_tokens: int
    model: str
    last_told: Body  # as the entry of what was told last has it


# Of a session that has none: every field is empty, and printed so.
_EMPTY: list[Any] = [*("" for _ in Activity._fields[:-1]), {}]
NO_ACTIVITY = Activity(*_EMPTY)


# What the hook saw last may have been taken back since, or was no person's.
_LAST_PROMPT = (
    "case when exists (select 1 from prompts as given where given.session = activity.session)"
    " then coalesce((select text from prompts as given where given.session = activity.session"
    " and given.stands > 0 order by given.seq desc limit 1), '') else last_prompt end"
)


def activity(store: Store, session: str) -> Activity | None:
    row = store.row(
        f"select session, prompts, turns, tools, {_LAST_PROMPT}, last_prompt_at, last_message,"
        " message_before, summary, tokens, window, synced_tokens, model, told from activity"
        " where session = ?",
        session,
    )
    return Activity(*[*row[:-1], jsontext.loads(row[-1])]) if row else None


def count_prompts(store: Store, session: str) -> int:
    return store.number("select prompts from activity where session = ?", session)


# Files, tools


def changed(store: Store, session: str, limit: int) -> list[tuple[str, str]]:
    """The files a session changed, the latest first, and how."""
    latest = f"select path, how {_CHANGED} order by last_at desc, path limit ?"
    return list(store.rows(latest, session, limit))


def worked_on(store: Store, session: str, limit: int) -> list[str]:
    """The files that a session changed, those that it came back to most first."""
    return store.column(
        f"select path {_CHANGED} order by times desc, last_at desc, path limit ?", session, limit
    )


def count_changed(store: Store, session: str) -> int:
    return store.number(f"select count(*) {_CHANGED}", session)


def has_changed(store: Store, session: str, paths: Collection[str]) -> bool:
    """Whether a session changed one of some files."""
    named = "path in (select value from json_each(?))"
    return store.holds(f"select 1 {_CHANGED} and {named}", session, jsontext.dumps([*paths]))


def is_first(store: Store, project: str, session: str) -> bool:
    """Whether a project has no session but this one."""
    other = "select 1 from sessions where project = ?1 and id <> ?2 limit 1"
    return not store.holds(other, project, session)


def changed_by_others(
    store: Store, session: str, others: list[str], limit: int
) -> list[tuple[str, str]]:
    """Files that a session and one of some others have changed: each with that other."""
    rows = store.rows(
        "select theirs.path, theirs.session from json_each(?) as other join touched as theirs"
        " on theirs.session = other.value join touched as own"
        " on own.session = ? and own.path = theirs.path"
        " where theirs.how <> 'read' and own.how <> 'read' and theirs.session <> own.session"
        " order by theirs.last_at desc, theirs.path limit ?",
        jsontext.dumps(others),
        session,
        limit,
    )
    return list(rows)


def files(store: Store, session: str, how: str, limit: int) -> list[str]:
    return store.column(
        "select path from touched where session = ? and how = ? order by last_at desc, path"
        " limit ?",
        session,
        how,
        limit,
    )


def is_commit_refused(store: Store, session: str) -> bool:
    """Whether the last commit that a session tried was refused by a gate."""
    return store.holds(
        "select max(name) > coalesce((select max(at) from commits where session = ?1), '')"
        " from denials where session = ?1 and sort = 'commit'",
        session,
    )


def changed_between(store: Store, session: str, first: str, last: str, limit: int) -> list[str]:
    return store.column(
        f"select path {_CHANGED} and last_at between ? and ? order by last_at desc, path limit ?",
        session,
        first,
        last,
        limit,
    )


def last_edit_at(store: Store, session: str) -> str:
    """When the session last changed a file; "" for never."""
    return store.text(f"select max(last_at) {_CHANGED}", session)


def tools(store: Store, session: str) -> dict[str, int]:
    each = "select tool, times from tools where session = ? order by tool"
    return dict(store.rows(each, session))


def topics(store: Store, session: str, limit: int) -> list[str]:
    return list(weights(store, session, limit))


def weights(store: Store, session: str, limit: int) -> dict[str, int]:
    hottest = "where session = ? order by weight desc, topic limit ?"
    return dict(store.rows(f"select topic, weight from topics {hottest}", session, limit))


class Task(Value):
    """An item of the agent's own list."""

    task: str
    title: str
    stage: str  # pending, in_progress, completed
    source: str  # todo, task
    at: str


class FoundWork(Value):
    """A to-do mark or a stub that an edit brought in."""

    sort: str
    description: str
    at: str


def tasks(store: Store, session: str) -> list[Task]:
    """The agent's own list of what is to do, done ones too, in its order."""
    rows = store.rows(
        "select task, title, stage, source, at from tasks where session = ?"
        " order by source, place, task",
        session,
    )
    return [Task(*row) for row in rows]


def has_list(store: Store, session: str) -> bool:
    """Whether the agent made a list of its own in a session, done or not."""
    return store.holds("select 1 from tasks where session = ? limit 1", session)


def list_of(store: Store, session: str) -> str:
    """The session whose list of what is to do is in force in another: its own, else the one that
    it took over; "" for none."""
    if has_list(store, session):
        return session
    return store.text("select source from inherited_todos where session = ?", session)


def found_work(store: Store, session: str, limit: int) -> list[FoundWork]:
    rows = store.rows(
        "select sort, description, at from found_work where session = ?"
        " order by at desc, description limit ?",
        session,
        limit,
    )
    return [FoundWork(*row) for row in rows]


def helpers(store: Store, session: str) -> list[tuple[str, str]]:
    each = "select helper, value from helpers where session = ? order by helper"
    return list(store.rows(each, session))


# Pins


class Pin(Value):
    """What a session keeps in sight."""

    id: str
    project: str
    session: str  # in which it was pinned; "" where it is the project's: every session has it
    at: str
    label: str
    content: str
    critical: int
    author: str  # person, agent; "" where an older version kept it
    source: str  # the session it was inherited from, "" where it is its own

    @property
    def is_users(self) -> bool:
        """Whether a person gave it to the project: no cap counts it."""
        return not self.session and self.author == "person"


_PIN = "select id, project, pins.session, at, label, content, critical, author"
_NAMED = "id in (select value from json_each(?))"


def pins(store: Store, project: str, session: str) -> list[Pin]:
    """A session's own pins and those of its project, oldest first."""
    return _pins(store, "from pins where session in (?, '') and project = ?", session, project)


def persons_pins_of(store: Store, session: str) -> list[str]:
    """Pins that the person made in a session and that hold, by their ids. Whose a pin is that an
    older version kept, it did not say: it counts as the person's."""
    persons = _pins(store, "from pins where session = ? and author <> 'agent'", session)
    return [pin.id for pin in persons]


def inherited_pins(store: Store, session: str) -> list[Pin]:
    inherited = "from inherited_pins join pins on id = pin where inherited_pins.session = ?"
    return _pins(store, inherited, session, source="source")


def critical_pins(store: Store, project: str, since: str) -> list[Pin]:
    of_late = "from pins where project = ? and critical = 1 and at >= ?"
    return _pins(store, of_late, project, since, order="at desc, id limit 20")


def pins_named(store: Store, project: str, ids: list[str]) -> list[Pin]:
    """Those of some pins that are there and hold."""
    return _pins(store, f"from pins where project = ? and {_NAMED}", project, jsontext.dumps(ids))


def _pins(
    store: Store, which: str, *values: str, source: str = "''", order: str = "at, id"
) -> list[Pin]:
    holds = _NOT_WITHDRAWN.format("pins")
    rows = store.rows(f"{_PIN}, {source} {which} and {holds} order by {order}", *values)
    return [Pin(*row) for row in rows]


def pin(store: Store, id_: str) -> Pin | None:
    """One pin, whether it holds or not."""
    row = store.row(f"{_PIN}, '' from pins where id = ?", id_)
    return Pin(*row) if row else None


def times_inherited(store: Store, pins: list[str]) -> dict[str, int]:
    """By how many sessions each of some pins was inherited, and so told."""
    return dict(
        store.rows(
            "select pin, count(*) from inherited_pins where pin in (select value from json_each(?))"
            " group by pin",
            jsontext.dumps(pins),
        )
    )


def times_taken_over(store: Store, source: str) -> int:
    """How many sessions went on with a session's list of what is to do."""
    return store.number("select count(*) from inherited_todos where source = ?", source)


# Learnings


# Merged into one that is still there: when that one is forgotten, this one is told again.
_NOT_MERGED = (
    "not exists (select 1 from turns join learnings as other on other.id = turns.words"
    " where turns.subject = learnings.id and turns.turn = 'merged')"
)


class Learning(Value):
    """What was learnt, by a person or from a fix that was seen to work."""

    id: str
    project: str
    session: str
    at: str
    text: str
    source: str  # command, mcp, fix
    categories: list[str]


def learnings(store: Store, project: str, limit: int) -> list[Learning]:
    """Newest first; what was said twice is told once."""
    rows = store.rows(
        "select id, project, session, at, text, source, categories from learnings"
        f" where project = ? and {_NOT_WITHDRAWN.format('learnings')}"
        f" and {_NOT_MERGED} order by at desc, id limit ?",
        project,
        limit,
    )
    return [Learning(*[*row[:-1], jsontext.loads(row[-1])]) for row in rows]


def count_learnings(store: Store, session: str) -> int:
    return store.number("select count(*) from learnings where session = ?", session)


def is_learning(store: Store, id_: str) -> bool:
    """Whether it was learnt, and neither withdrawn nor merged."""
    return store.holds(
        f"select 1 from learnings where id = ? and {_NOT_WITHDRAWN.format('learnings')}"
        f" and {_NOT_MERGED}",
        id_,
    )


# Restoration


class Candidate(Value):
    """A session that ended lately, which another may be restored from."""

    session: str
    last_active_at: str
    worktree: str


class Inheritance(Value):
    """Which session another was restored from."""

    source: str
    at: str
    permille: int  # the score of relevance
    how: str  # followed, cleared, forked, continued, restored


def candidates(store: Store, project: str, *, since: str, but: str, limit: int) -> list[Candidate]:
    """Sessions that ended lately, newest first."""
    rows = store.rows(
        "select id, last_active_at, worktree from sessions where project = ?"
        " and id <> ? and ended_at is not null and archived = '' and last_active_at >= ?"
        " order by begun desc limit ?",
        project,
        but,
        since,
        limit,
    )
    return [Candidate(*row) for row in rows]


def topics_of(store: Store, sessions: list[str], each: int) -> dict[str, list[str]]:
    """Each session's hottest topics, in one question."""
    rows = store.rows(
        "select session, topic from (select session, topic, row_number() over"
        " (partition by session order by weight desc, topic) as n from topics"
        " where session in (select value from json_each(?))) where n <= ?",
        jsontext.dumps(sessions),
        each,
    )
    by_session: dict[str, list[str]] = {}
    for session, topic in rows:
        by_session.setdefault(session, []).append(topic)
    return by_session


def pending_of(store: Store, sessions: list[str]) -> dict[str, int]:
    """How many tasks each session left undone."""
    return dict(
        store.rows(
            "select session, count(*) from tasks where session in (select value from json_each(?))"
            " and stage in ('pending', 'in_progress') group by session",
            jsontext.dumps(sessions),
        )
    )


def continuation_asked(store: Store, project: str) -> str:
    """The session that a person named for the next one to go on from, "" when none was."""
    return _asked(store, project, "continued", "source = ?")


def checkpoint_asked(store: Store, project: str) -> str:
    """The checkpoint that a person named for the next session to be restored from, "" for none."""
    origin = "source = (select session from checkpoints where id = ?)"
    return _asked(store, project, "restored", origin)


def _asked(store: Store, project: str, turn: str, origin: str) -> str:
    """What a person asked for last. Once: a session that has inherited so since then took it up."""
    asked = store.row(
        "select turns.subject, turns.at from turns where project = ? and turn = ?"
        " and session = '' order by at desc limit 1",
        project,
        turn,
    )
    if asked is None:
        return ""
    taken = store.value(
        f"select 1 from inheritances where {origin} and how = '{turn}' and at >= ?", *asked
    )
    return "" if taken else str(asked[0])


def inheritances(store: Store, session: str) -> list[Inheritance]:
    """Which sessions this one was restored from, the most relevant first."""
    rows = store.rows(
        "select source, at, permille, how from inheritances where session = ?"
        " order by permille desc, source",
        session,
    )
    return [Inheritance(*row) for row in rows]


def heirs(store: Store, session: str) -> list[str]:
    """Which sessions were restored from this one."""
    return store.column(
        "select session from inheritances where source = ? order by at, session", session
    )


# Checkpoints, handoffs


class Checkpoint(Value):
    """Where the ledger stood, and what of a session's state must come back."""

    id: str
    project: str
    session: str
    at: str
    cause: str  # compact, stop, delta, clear, hand
    version: int
    tokens: int
    phase: str
    machine: str
    seq: int
    tier1: Body  # as the entry has it


_CHECKPOINT = "id, project, session, at, cause, version, tokens, phase, machine, seq, tier1"


def last_checkpoint(store: Store, project: str, session: str = "") -> Checkpoint | None:
    whose, of = ("session", session) if session else ("project", project)
    return _checkpoint(
        store.row(
            f"select {_CHECKPOINT} from checkpoints where {whose} = ? order by rank desc limit 1",
            of,
        )
    )


def checkpoints_like(store: Store, project: str, given: str, limit: int) -> list[Checkpoint]:
    """The project's checkpoints whose id begins so, newest first."""
    rows = store.rows(
        f"select {_CHECKPOINT} from checkpoints where project = ? and substr(id, 1, ?) = ?"
        " order by rank desc limit ?",
        project,
        len(given),
        given,
        limit,
    )
    return [checkpoint for row in rows if (checkpoint := _checkpoint(row))]


def _checkpoint(row: tuple[Any, ...] | None) -> Checkpoint | None:
    return Checkpoint(*[*row[:-1], jsontext.loads(row[-1])]) if row else None


class Handoff(Value):
    """What was handed off outright, by command or tool."""

    at: str
    summary: str
    next_steps: list[Any]  # from JSON: an item may be anything
    blockers: list[Any]
    questions: list[Any]


def last_handoff(store: Store, session: str) -> Handoff | None:
    row = store.row(
        "select at, said from handoffs where session = ? order by rank desc limit 1", session
    )
    if row is None:
        return None
    body = jsontext.loads(row[1])
    return Handoff(row[0], *(body[name] for name in Handoff._fields[1:]))
