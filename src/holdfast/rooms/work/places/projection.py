"""Which names edits defined or took away, and where: a row for each session's own edits.

Reads the entry and its own session's rows.
"""

from __future__ import annotations

from holdfast.agents import acts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.ledger.entry import Entry
    from holdfast.store.sqlite import Store

TABLES = ("definitions",)
BOUND = 400  # of one session: the latest
OUTSIDE = ("/", "../")


def edited(store: Store, entry: Entry, home: str) -> None:
    """What an edit of a file in the project defines; what it takes away is no longer there."""
    from holdfast.rooms.work.places import definitions

    path = entry.body["path"]
    old, new = acts.written(entry.body["input"])
    if path.startswith(OUTSIDE) or not isinstance(new, str) or not isinstance(old, str):
        return
    names = definitions.names_in(new, path)
    gone = [name for name in definitions.names_in(old, path) if name not in names]
    if not names and not gone:
        return
    for is_there, sort in ((0, gone), (1, names)):
        for name in sort:
            store.run(
                "insert or replace into definitions (session, name, path, project, at, seq,"
                " is_there) values (?, ?, ?, ?, ?, ?, ?)",
                entry.session,
                name,
                path,
                home,
                entry.at,
                entry.seq,
                is_there,
            )
    store.run(
        "delete from definitions where session = ?1 and seq < (select min(seq) from (select seq"
        " from definitions where session = ?1 order by seq desc limit ?2))",
        entry.session,
        BOUND,
    )
