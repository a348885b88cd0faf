"""Replay: everything derived, built again from the entries.

The new tables are filled beside the old ones, in a file of their own, while hooks go on appending;
then, in one transaction, what came in meanwhile is added and the tables are swapped. `differences`
compares instead of swapping: that is the replay law, put to the test.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager

from holdfast.ledger import projections, queries
from holdfast.ledger.kinds import rooms_of
from holdfast.store.sqlite import Store

Progress = Callable[[int, int], None]
STEP = 1_000


def rebuild(
    store: Store,
    progress: Progress = lambda done, of: None,
    only: Collection[str] = tuple(projections.ROOMS),
) -> int:
    """Fill rooms' tables anew and swap them in; the number of entries replayed."""
    with _beside(store) as side:
        done = _replay(store, side, after=0, progress=progress)
        try:
            with store.transaction():
                # Whatever was appended since: few, and nobody can append more while we hold this.
                _replay(store, side, after=done, progress=lambda *_: None)
                store.attach(side.path, "side")
                for room in only:
                    for table in projections.projection_of(room).TABLES:
                        store.run(f"delete from main.{table}")
                        columns = _columns(store, table)
                        store.run(
                            f"insert into main.{table} ({columns})"
                            f" select {columns} from side.{table}"
                        )
                    _note_rule(store, room)
        finally:
            store.detach("side")
    return queries.count(store)


def fill(store: Store) -> None:
    """Derive everything in a store that nobody else has: its tables are empty."""
    with store.transaction():
        for _, entry in queries.read(store):
            projections.derive(store, entry, rooms_of(entry.kind))
        for room in projections.ROOMS:
            _note_rule(store, room)


def differences(store: Store, progress: Progress = lambda done, of: None) -> dict[str, int]:
    """Derived tables whose rows a replay would not give again, with how many rows differ."""
    counts = {}
    with _beside(store) as side:
        _replay(store, side, after=0, progress=progress)
        store.attach(side.path, "side")
        try:
            for table in derived_tables():
                either = store.value(
                    f"select count(*) from (select * from (select * from main.{table} except"
                    f" select * from side.{table}) union all select * from (select * from"
                    f" side.{table} except select * from main.{table}))"
                )
                if either:
                    counts[table] = int(either)
        finally:
            store.detach("side")
    return counts


def derived_tables() -> list[str]:
    return [table for room in projections.ROOMS for table in projections.projection_of(room).TABLES]


def _columns(store: Store, table: str) -> str:
    rows = store.rows("select name from pragma_table_info(?, 'main')", table)
    return ", ".join(f'"{row[0]}"' for row in rows)


def _note_rule(store: Store, room: str) -> None:
    store.run(
        "insert or replace into derivations (room, version) values (?, ?)",
        room,
        projections.ROOMS[room],
    )


def _replay(store: Store, side: Store, *, after: int, progress: Progress) -> int:
    total, done = queries.last_place(store), after
    with side.transaction():
        for count, (place, entry) in enumerate(queries.read(store, after=after)):
            projections.derive(side, entry, rooms_of(entry.kind))
            done = place
            if count % STEP == 0:
                progress(place, total)
    progress(total, total)
    return done


@contextmanager
def _beside(store: Store) -> Iterator[Store]:
    """An empty store of the same schema in a file of its own, gone afterwards."""
    path = f"{store.path}.rebuild-{os.getpid()}"
    try:
        side = Store(path)
        side.run("pragma synchronous = off")  # a file that is thrown away when we fall
        yield side
        side.close()
    finally:
        for name in (path, f"{path}-wal", f"{path}-shm"):
            if os.path.exists(name):
                os.unlink(name)
