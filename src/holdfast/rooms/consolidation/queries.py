"""What sessions used, and what was dreamt, on disk."""

from __future__ import annotations

from typing import Any, NamedTuple

from holdfast.store.sqlite import Store
from holdfast.system import jsontext

DREAM = ("id", "project", "at", "why", "ended", "step", "said")


class Recollected(NamedTuple):
    """A memory that a session used, as its last replay left it."""

    session: str
    step: int
    memory: str
    sort: str
    name: str
    permille: int


def recollections(store: Store, project: str, limit: int) -> list[Recollected]:
    """What the sessions that were replayed last have used; `limit` sessions of them."""
    rows = store.rows(
        "select r.session, r.step, m.memory, m.sort, m.name, m.permille from (select session, step"
        " from recalls where project = ? order by step desc, session limit ?) r"
        " join recollections m on m.session = r.session order by r.step, r.session, m.memory",
        project,
        limit,
    )
    return [Recollected(*row) for row in rows]


def replayed_until(store: Store, project: str) -> dict[str, str]:
    """Up to when each session was replayed."""
    return dict(store.rows("select session, until from recalls where project = ?", project))


def last_step(store: Store, project: str) -> int:
    """How many sessions have been replayed, forgotten ones too."""
    step = store.value(
        "select max(step) from (select step from recalls where project = ?1"
        " union all select step from dreams where project = ?1)",
        project,
    )
    return int(step or 0)


def faded(store: Store, project: str) -> list[tuple[str, str, int]]:
    rows = store.rows(
        "select a, b, max(step) from faded_links where project = ? group by a, b", project
    )
    return list(rows)


def dreams(store: Store, project: str, limit: int) -> list[dict[str, Any]]:
    """Newest first, each with its report, as a command shows them."""
    rows = store.rows(
        "select id, project, at, why, ended, step, said from dreams where project = ?"
        " order by at desc, id limit ?",
        project,
        limit,
    )
    dreamt = [dict(zip(DREAM, row, strict=True)) for row in rows]
    for dream in dreamt:
        dream["said"] = jsontext.loads(dream["said"])
    return dreamt
