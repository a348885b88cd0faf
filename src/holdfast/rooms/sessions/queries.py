"""Sessions, projects and links on disk."""

from __future__ import annotations

from holdfast.system import jsontext
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from holdfast.store.sqlite import Store

# Instead of a chain: left behind by whatever started it while an agent is at work, or begun while
# its process was in another session. What such a session says counts only by a record that lies
# where the agent keeps its own.
DOUBTED = "doubted"


class Session(Value):
    """A row of the registry, open or ended."""

    id: str
    agent: str
    project: str
    worktree: str
    gitdir: str
    cwd: str
    branch: str
    channel: str
    model: str
    transcript: str
    source: str
    phase: str
    started_at: str
    last_active_at: str
    ended_at: str | None
    end_reason: str
    crash_recovered: int
    pid: int
    process_started: str
    boot: str
    host: str
    namespace: str
    archived: str
    begun: str  # when, in the order of entries
    active: str  # when last


FIELDS = Session._fields
_ALL = ", ".join(FIELDS)


def find(store: Store, session: str) -> Session | None:
    row = store.row(f"select {_ALL} from sessions where id = ?", session)
    return None if row is None else Session(*row)


def place_of(store: Store, session: str) -> tuple[str, str, str] | None:
    """A session's project, worktree and git folder: what every event asks for."""
    return store.row("select project, worktree, gitdir from sessions where id = ?", session)


def still_open(store: Store) -> list[Session]:
    return [
        Session(*row)
        for row in store.rows(f"select {_ALL} from sessions where ended_at is null order by id")
    ]


def of_project(store: Store, project: str, limit: int) -> list[Session]:
    """Newest first."""
    rows = store.rows(
        f"select {_ALL} from sessions where project = ? order by begun desc, id limit ?",
        project,
        limit,
    )
    return [Session(*row) for row in rows]


def loaded_instructions(store: Store, project: str, limit: int) -> list[str]:
    """What a project's latest sessions were told to have loaded as instructions: bodies."""
    return store.column(
        "select bodies.body from (select id from sessions where project = ?"
        " order by begun desc limit ?) as latest"
        " join entries on entries.session = latest.id"
        " and entries.key >= 'instructions_loaded:' and entries.key < 'instructions_loaded;'"
        " join bodies using (place) where entries.kind = 'instructions_loaded'"
        " order by entries.place desc limit 50",
        project,
        limit,
    )


def instructions_of(store: Store, session: str, limit: int) -> list[tuple[str, Any]]:
    """The instruction files that a session was last given, the earliest first: when, and what the
    entry says."""
    rows = store.rows(
        "select at, body from entries join bodies using (place) where session = ?"
        " and key >= 'instructions_loaded:' and key < 'instructions_loaded;'"
        " and kind = 'instructions_loaded' order by place desc limit ?",
        session,
        limit,
    )
    return [(at, jsontext.loads(body)) for at, body in rows][::-1]


def count(store: Store, project: str) -> int:
    """How many sessions of a project are known."""
    return store.number("select count(*) from sessions where project = ?", project)


def count_archived(store: Store, project: str) -> int:
    sql = "select count(*) from sessions where project = ? and archived <> ''"
    return store.number(sql, project)


def latest(store: Store, limit: int) -> list[Session]:
    rows = store.rows(f"select {_ALL} from sessions order by active desc, id limit ?", limit)
    return [Session(*row) for row in rows]


def listed(store: Store, *, project: str = "", before: str = "", limit: int) -> list[Session]:
    """Sessions by their beginning, newest first, of a project or of all; those that began before
    another, as `begun` has it, where asked."""
    names = [project] if project else [row[0] for row in store.rows("select id from projects")]
    rows = [
        row
        for name in names  # by the index of each project: there are few, and many sessions
        for row in store.rows(
            f"select {_ALL} from sessions where project = ? and begun < ?"
            " order by begun desc limit ?",
            name,
            before or "~",  # after every time
            limit,
        )
    ]
    sessions = sorted((Session(*row) for row in rows), key=lambda each: each.begun, reverse=True)
    return sessions[:limit]


def projects(store: Store, limit: int) -> list[tuple[str, str, str, str]]:
    """The projects that were worked in last: id, name, root, and when."""
    rows = store.rows(
        "select projects.id, name, root, (select started_at from sessions"
        " where project = projects.id order by begun desc limit 1) as last from projects"
        " where merged_into = '' and last is not null order by last desc limit ?",
        limit,
    )
    return list(rows)


def links_among(store: Store, sessions: list[str]) -> list[tuple[str, str, str]]:
    """How some sessions are linked: each with the one before it, and how."""
    rows = store.rows(
        "select session, previous, how from links"
        " where session in (select value from json_each(?))",
        jsontext.dumps(sessions),
    )
    return list(rows)


def active_last(store: Store, project: str, limit: int) -> list[Session]:
    """A project's sessions whose work is in the store, those that were active last first."""
    rows = store.rows(
        f"select {_ALL} from sessions where project = ? and archived = ''"
        " order by active desc, id limit ?",
        project,
        limit,
    )
    return [Session(*row) for row in rows]


def latest_ended(store: Store, project: str, branch: str, *, but: str) -> Session | None:
    """The session before this one: of those that began last, the one that was active last. What
    programs opened is nobody's session before."""
    rows = store.rows(
        f"select {_ALL} from (select * from sessions where project = ? and branch = ? and id <> ?"
        " and ended_at is not null order by begun desc limit 50) as ended"
        " where not exists (select 1 from prompts where session = ended.id and stands = 0"
        " and origin = 'automated') or exists (select 1 from prompts where session = ended.id"
        " and stands > 0) order by begun desc limit 5",
        project,
        branch,
        but,
    )
    return max((Session(*row) for row in rows), key=lambda s: s.active, default=None)


def matching(store: Store, given: str) -> list[str]:
    """Ids that a person may mean: the whole id, else its beginning, dashes or not."""
    if store.value("select 1 from sessions where id = ?", given):
        return [given]
    bare = given.replace("-", "")
    if not bare:
        return []
    return store.column(
        "select id from sessions where substr(replace(id, '-', ''), 1, ?) = ? order by id limit 10",
        len(bare),
        bare,
    )


def previous_of(store: Store, session: str) -> tuple[str, str] | None:
    """The session before, and how they are linked."""
    return store.row("select previous, how from links where session = ?", session)


def next_of(store: Store, session: str) -> list[tuple[str, str]]:
    rows = store.rows(
        "select session, how from links where previous = ? order by at, session", session
    )
    return list(rows)


def beginnings(store: Store, session: str) -> int:
    """How often a session has begun: its natural keys say so, without reading a body."""
    return keys_like(store, session, "began")


def endings(store: Store, session: str) -> int:
    return keys_like(store, session, "ended")


def keys_like(store: Store, session: str, prefix: str) -> int:
    """How many natural keys of a session are `prefix:...`, gravestones too."""
    return store.number(
        "select count(*) from entries where session = ? and key >= ? and key < ?",
        session,
        f"{prefix}:",
        f"{prefix};",
    )


def projects_with(store: Store, sort: str, value: str) -> list[str]:
    rows = store.rows(
        "select a.project, p.merged_into from aliases a join projects p on p.id = a.project"
        " where a.sort = ? and a.value = ? order by p.met_at, p.id",
        sort,
        value,
    )
    return [merged or project for project, merged in rows]


def has_alias(store: Store, project: str, sort: str) -> bool:
    return store.holds(
        "select 1 from aliases where project = ? and sort = ? limit 1", project, sort
    )


def is_alias(store: Store, project: str, sort: str, value: str) -> bool:
    return store.holds(
        "select 1 from aliases where sort = ? and value = ? and project = ?",
        sort,
        value,
        project,
    )


def project(store: Store, id_: str) -> tuple[str, str, str] | None:
    """A project's id (after merges), name and root."""
    row = store.row("select id, name, root, merged_into from projects where id = ?", id_)
    if row is not None and row[3]:
        row = store.row("select id, name, root, merged_into from projects where id = ?", row[3])
    return None if row is None else row[:3]


def aliases_of(store: Store, project: str) -> Iterator[tuple[str, str]]:
    return store.rows(
        "select sort, value from aliases where project = ? order by sort, value", project
    )


def merged_into(store: Store, project: str) -> list[str]:
    """The projects that were merged into this one."""
    return store.column("select id from projects where merged_into = ? order by id", project)


# Whose acts they were


def hook_of(store: Store, session: Session) -> str:
    """How the hook of the first beginning hung below a session's present process; "" when that is
    not known."""
    rows = store.rows(
        "select body from entries join bodies using (place)"
        " where session = ? and key >= 'began:' and key < 'began;' order by place",
        session.id,
    )
    bodies = [jsontext.loads(body) for (body,) in rows]
    process = (session.pid, session.process_started)
    hooks = [
        str(body.get("hook", ""))
        for body in bodies
        if (body["pid"], body["process_started"]) == process
    ]
    return hooks[0] if hooks else ""


def is_doubted(store: Store, session: Session) -> bool:
    """Whether nobody can tell that an agent began a session (hook_chain.py)."""
    return hook_of(store, session).startswith(DOUBTED)


def awaited_calls(store: Store, session: str) -> list[tuple[str, str, int, str, str, Any]]:
    """The calls of a session that wait for the agent's record, the oldest first: the entry's id,
    when, whether the client sent it, its kind, its natural key and its body."""
    rows = store.rows(
        "select id, awaited_calls.at, by_client, kind, key, body from awaited_calls"
        " join entries using (machine, seq) join bodies using (place)"
        " where awaited_calls.session = ? order by place",
        session,
    )
    return [(*row, jsontext.loads(body)) for *row, body in rows]


def checked_acts(store: Store, after: str) -> list[tuple[str, Any]]:
    """Acts in the person's name since a time: when, and what the check saw; the oldest first."""
    rows = store.rows(
        "select at, body from entries join bodies using (place)"
        " where session = '' and key > ? and key < 'act;' order by key",
        f"act:{after}",
    )
    return [(at, jsontext.loads(body)) for at, body in rows]


def said_by_command(store: Store, session: str, after: str) -> list[tuple[str, str, Any]]:
    """What was kept by command since a time, in a session or in none, of goals, rules and what
    became of rules: when, its kind and its body. By the keys that commands make."""
    ranges = " union all ".join(
        "select place, at, kind, body from entries join bodies using (place)"
        f" where session = {whose} and key > '{kind}:' || ?2 and key < '{kind};'"
        for kind in ("goal_set", "rule_given", "turned")
        for whose in ("?1", "''")
    )
    rows = store.rows(
        f"select distinct place, at, kind, body from ({ranges}) order by place", session, after
    )
    kept = [(at, kind, jsontext.loads(body)) for _, at, kind, body in rows]
    return [
        row
        for row in kept
        if row[2]["how"] == "command"
        and (
            row[1] != "turned" or store.value("select 1 from rules where id = ?", row[2]["subject"])
        )
    ]
