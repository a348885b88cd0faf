"""Forks and ghosts on disk, and the one question that an edit asks."""

from __future__ import annotations

from holdfast.system import jsontext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdfast.store.sqlite import Store

Row = dict[str, "Any"]

FORK = "id at session sort decision citation said why went_on".split()
GHOST = "id at session feature also verdict code docs commit dirty".split()


def resting_on(store: Store, project: str, path: str) -> list[str]:
    """Decisions in force that quote a file. Asked after every edit, so by index, and ids alone."""
    rows = store.rows(
        "select distinct owner from citations where project = ? and path = ?"
        " and exists (select 1 from decisions where id = owner)"
        " and not exists (select 1 from decisions as next where next.supersedes = owner)"
        " order by owner",
        project,
        path,
    )
    return [row[0] for row in rows]


def forks(store: Store, project: str, *, limit: int = 50) -> list[Row]:
    """What was noticed, newest first."""
    rows = store.rows(
        f"select {', '.join(FORK)} from forks where project = ?"
        " order by at desc, seq desc, id limit ?",
        project,
        limit,
    )
    return [
        {**dict(zip(FORK, row, strict=True)), "went_on": bool(row[FORK.index("went_on")])}
        for row in rows
    ]


def ghosts(store: Store, project: str) -> list[Row]:
    """Each feature as it was last looked for, by name."""
    rows = store.rows(
        "select id, at, session, feature, also, verdict, code, docs, commit_, is_dirty from ghosts"
        " where project = ? order by at, seq, id",
        project,
    )
    last = {row[3]: row for row in rows}
    last_checks = [dict(zip(GHOST, row, strict=True)) for _, row in sorted(last.items())]
    for ghost in last_checks:
        ghost["also"], ghost["dirty"] = jsontext.loads(ghost["also"]), bool(ghost["dirty"])
    return last_checks
