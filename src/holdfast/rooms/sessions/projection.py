"""What entries make of the registry, the projects and the chain.

Reads the entry and this room's tables, nothing else: the replay law.
"""

from __future__ import annotations

from holdfast.rooms.sessions.life import ENDED, RESTING, SAME_LIFE, step
from holdfast.rooms.sessions.queries import FIELDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.ledger.entry import Entry
    from holdfast.store.sqlite import Store

TABLES = ("projects", "aliases", "sessions", "links", "awaited_calls")


def derive(store: Store, entry: Entry) -> None:
    special = {
        "session_began": _began,
        "session_linked": _linked,
        "session_crashed": _crashed,
        "session_ended": _ended,
        "session_archived": _archived,
        "session_forgotten": _forgotten,
        "project_forgotten": _project_forgotten,
        "project_met": _met,
        "project_aliased": _aliased,
        "projects_merged": _merged,
    }.get(entry.kind)
    if special is not None:
        special(store, entry)
    elif entry.session:
        if entry.kind != "call_settled":  # nothing that the session did
            _active(store, entry)
        _awaited(store, entry)


def drop(store: Store, session: str) -> None:
    """Forget what was derived from a session's entries."""
    store.run("delete from sessions where id = ?", session)
    store.run("delete from links where session = ?", session)
    store.run("delete from awaited_calls where session = ?", session)


def _awaited(store: Store, entry: Entry) -> None:
    """Calls that wait for the agent's record."""
    body = entry.body
    if entry.kind == "call_settled":
        store.run(
            "delete from awaited_calls where session = ? and id = ?", entry.session, body["call"]
        )
    if entry.kind == "prompt_given" or not body.get("awaits"):
        return
    store.insert(
        "awaited_calls",
        **entry.header("session id machine seq at"),
        by_client=body.get("by_client", False),
        then="on conflict do nothing",
    )


def _active(store: Store, entry: Entry) -> None:
    row = store.row("select phase, ended_at, branch from sessions where id = ?", entry.session)
    if row is None:
        return  # kept, and told when the session's beginning comes in
    # A compaction happens under a running session: it goes on as it was.
    phase = row[0] if entry.kind == "session_began" else step(row[0], entry.kind)
    branch = entry.body.get("branch")
    changes = "phase = ?, last_active_at = ?, active = ?"
    values = [phase, entry.at, entry.rank]
    # A column of an index is named only when it changes: SQLite writes the index for the name.
    if phase != ENDED and row[1] is not None:
        changes += ", ended_at = null"
    if branch is not None and branch != row[2]:
        changes += ", branch = ?"
        values.append(branch)
    store.run(f"update sessions set {changes} where id = ?", *values, entry.session)


def _began(store: Store, entry: Entry) -> None:
    body = entry.body
    known = store.row("select phase, started_at from sessions where id = ?", entry.session)
    if body["source"] in SAME_LIFE and known is not None and known[0] != ENDED:
        _active(store, entry)
        return
    where = {name: body[name] for name in _WHERE}
    if known is None:
        row = {
            **where,
            "id": entry.session,
            "source": body["source"],  # of the first beginning: a fork that is resumed is a fork
            "agent": entry.agent,
            "project": _merged_into(store, entry.project),
            "model": body.get("model") or "",
            "phase": RESTING,
            "started_at": entry.at,
            "last_active_at": entry.at,
            "begun": entry.rank,
            "active": entry.rank,
            "ended_at": None,
            "end_reason": "",
            "crash_recovered": 0,
            "archived": "",
        }
        store.insert("sessions", **row)
        return
    store.run(
        f"update sessions set {', '.join(f'{name} = ?' for name in _WHERE)}, phase = ?,"
        " model = case when ? <> '' then ? else model end, ended_at = null, end_reason = '',"
        " last_active_at = ?, active = ? where id = ?",
        *where.values(),
        step(known[0], entry.kind),
        body.get("model") or "",
        body.get("model") or "",
        entry.at,
        entry.rank,
        entry.session,
    )


def _ended(store: Store, entry: Entry) -> None:
    store.run(
        "update sessions set phase = ?, ended_at = ?, end_reason = ?,"
        " last_active_at = ?, active = ? where id = ?",
        ENDED,
        entry.at,
        entry.body["reason"],
        entry.at,
        entry.rank,
        entry.session,
    )


def _crashed(store: Store, entry: Entry) -> None:
    """Its end is its last activity, not the moment somebody noticed."""
    store.run(
        "update sessions set phase = ?, ended_at = ?, end_reason = 'crashed', crash_recovered = 1"
        " where id = ?",
        ENDED,
        entry.body["last_active_at"],
        entry.session,
    )


def _archived(store: Store, entry: Entry) -> None:
    """The row as it was, for the chain; everything behind it lies in the archive."""
    row = {**entry.body["session"], "archived": entry.body["file"]}
    row = {"begun": row["started_at"], "active": row["last_active_at"], **row}  # of 0.1: by time
    store.replace("sessions", **{name: row[name] for name in FIELDS})
    if row.get("how"):
        _link(store, entry.session, row["previous"], row["how"], row["linked_at"])


def _forgotten(store: Store, entry: Entry) -> None:
    drop(store, entry.session)


def _project_forgotten(store: Store, entry: Entry) -> None:
    store.run("delete from projects where id = ?", entry.project)
    store.run("delete from aliases where project = ?", entry.project)


def _linked(store: Store, entry: Entry) -> None:
    _link(store, entry.session, entry.body["previous"], entry.body["how"], entry.at)


def _link(store: Store, session: str, previous: str, how: str, at: str) -> None:
    store.replace("links", session=session, previous=previous, how=how, at=at)


def _met(store: Store, entry: Entry) -> None:
    row = {"id": entry.project, "met_at": entry.at, **entry.fields("name root")}
    store.insert("projects", **row, then="on conflict do nothing")


def _aliased(store: Store, entry: Entry) -> None:
    row = entry.header("project") | entry.fields("sort value")
    store.insert("aliases", **row, then="on conflict do nothing")


def _merged(store: Store, entry: Entry) -> None:
    into = entry.body["into"]
    store.run(
        "update projects set merged_into = ? where id = ? or merged_into = ?",
        into,
        entry.project,
        entry.project,
    )
    store.run("update sessions set project = ? where project = ?", into, entry.project)


def _merged_into(store: Store, project: str) -> str:
    """A session that is derived again after a merge is where the merge put it."""
    return store.value("select merged_into from projects where id = ?", project) or project


_WHERE = (
    "worktree gitdir cwd branch channel transcript pid process_started boot host namespace"
).split()
