"""A session's activity on disk."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdfast.store.sqlite import Store

FIELDS = (
    "session prompts turns tools last_prompt last_prompt_at last_command last_command_at"
    " last_command_ok last_command_says last_message"
).split()


def activity(store: Store, session: str) -> dict[str, Any] | None:
    row = store.row("select * from activity where session = ?", session)
    return None if row is None else dict(zip(FIELDS, row, strict=True))


def changed(store: Store, session: str, limit: int) -> list[tuple[str, str]]:
    """The files a session changed, the latest first, and how."""
    rows = store.rows(
        "select path, how from touched where session = ? and how <> 'read'"
        " order by last_at desc, path limit ?",
        session,
        limit,
    )
    return list(rows)


def count_changed(store: Store, session: str) -> int:
    return int(
        store.value("select count(*) from touched where session = ? and how <> 'read'", session)
    )
