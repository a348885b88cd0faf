"""What was dreamt, on disk."""

from __future__ import annotations

from typing import Any

from holdfast.store.sqlite import Store
from holdfast.system import jsontext


def dreams(store: Store, project: str, limit: int) -> list[dict[str, Any]]:
    """Newest first, each with its report, as a command shows them."""
    rows = store.rows(
        "select id, at, said from dreams where project = ? order by at desc, id limit ?",
        project,
        limit,
    )
    return [{"id": id_, "at": at, "said": jsontext.loads(report)} for id_, at, report in rows]
