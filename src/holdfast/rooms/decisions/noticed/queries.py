"""Forks and ghosts on disk, and the one question that an edit asks."""

from __future__ import annotations

from holdfast.system import jsontext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict

    from holdfast.store.sqlite import Store

    # What was said or done against a decision, under the names of its columns.
    KeptFork = TypedDict(  # noqa: UP013 (a field named `said` would read as a vague name)
        "KeptFork",
        {
            "id": str,
            "at": str,
            "session": str,
            "sort": str,
            "decision": str,
            "citation": str,
            "said": str,
            "why": str,
            "went_on": bool,
        },
    )

    class KeptGhost(TypedDict):
        """A feature as it was last looked for."""

        id: str
        at: str
        session: str
        feature: str
        also: list[str]
        verdict: str
        code: int
        docs: int
        commit: str
        dirty: bool


def resting_on(store: Store, project: str, path: str) -> list[str]:
    """Decisions in force that quote a file. Asked after every edit, so by index, and ids alone."""
    return store.column(
        "select distinct owner from citations where project = ? and path = ?"
        " and exists (select 1 from decisions where id = owner)"
        " and not exists (select 1 from decisions as next where next.supersedes = owner)"
        " order by owner",
        project,
        path,
    )


def forks(store: Store, project: str, *, limit: int = 50) -> list[KeptFork]:
    """What was noticed, newest first."""
    rows = store.rows(
        "select id, at, session, sort, decision, citation, said, why, went_on from forks"
        " where project = ? order by at desc, seq desc, id limit ?",
        project,
        limit,
    )
    return [
        {
            "id": id_,
            "at": at,
            "session": session,
            "sort": sort,
            "decision": decision,
            "citation": citation,
            "said": statement,
            "why": why,
            "went_on": bool(went_on),
        }
        for id_, at, session, sort, decision, citation, statement, why, went_on in rows
    ]


def edited_away_since(
    store: Store, project: str, since: str, *, but: str
) -> dict[str, tuple[str, str]]:
    """Decisions from which an edit of another session took what they rest on, since a time: when,
    and in which session, the latest."""
    rows = store.rows(
        "select decision, at, session from forks where project = ? and at > ? and sort = 'edit'"
        " and session <> ? order by at, seq, id",
        project,
        since,
        but,
    )
    return {decision: (at, session) for decision, at, session in rows}


def ghosts(store: Store, project: str) -> list[KeptGhost]:
    """Each feature as it was last looked for, by name."""
    rows = store.rows(
        "select id, at, session, feature, also, verdict, code, docs, commit_, is_dirty from ghosts"
        " where project = ? order by at, seq, id",
        project,
    )
    last = {row[3]: row for row in rows}
    return [
        {
            "id": id_,
            "at": at,
            "session": session,
            "feature": feature,
            "also": jsontext.loads(also),
            "verdict": verdict,
            "code": code,
            "docs": docs,
            "commit": commit,
            "dirty": bool(dirty),
        }
        for _, row in sorted(last.items())
        for id_, at, session, feature, also, verdict, code, docs, commit, dirty in (row,)
    ]
