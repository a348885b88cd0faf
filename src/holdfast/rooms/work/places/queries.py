"""What earlier sessions of a project touched and defined, for the names of a prompt."""

from __future__ import annotations

from holdfast.system import jsontext
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.store.sqlite import Store

SESSIONS = 60
DEFINITIONS = 200


class Definition(Value):
    """Where an edit defined a name, and when."""

    at: str
    name: str
    path: str


def latest_sessions(store: Store, project: str, but: str, limit: int = SESSIONS) -> str:
    """The ids of a project's latest sessions, as JSON."""
    ids = store.column(
        "select id from sessions where project = ? and id <> ? order by begun desc limit ?",
        project,
        but,
        limit,
    )
    return jsontext.dumps(ids)


def touched(store: Store, sessions: str) -> list[tuple[str, int, str]]:
    """Each path with how many sessions changed it, and when it was touched last."""
    rows = store.rows(
        "select path, sum(how <> 'read'), max(last_at) from touched"
        " where session in (select value from json_each(?)) group by path order by path",
        sessions,
    )
    return list(rows)


def made_last(store: Store, sessions: str, limit: int) -> list[tuple[str, str]]:
    """The files inside a project that sessions made last, each with its session."""
    rows = store.rows(
        "select path, session from touched where session in (select value from json_each(?))"
        " and how = 'created' and path not like '/%' order by last_at desc, path limit ?",
        sessions,
        limit,
    )
    return list(rows)


def definitions(store: Store, project: str, names: list[str]) -> list[Definition]:
    """Where names are defined, as the latest edit of each file has it; the latest first."""
    rows = store.rows(
        "select name, path, at, is_there from definitions where project = ?"
        " and name in (select value from json_each(?)) order by at desc, seq desc limit ?",
        project,
        jsontext.dumps(names),
        DEFINITIONS,
    )
    latest: dict[tuple[str, str], Definition | None] = {}
    for name, path, at, is_there in rows:
        latest.setdefault(
            (name, path), Definition(at=at, name=name, path=path) if is_there else None
        )
    return [definition for definition in latest.values() if definition is not None]
