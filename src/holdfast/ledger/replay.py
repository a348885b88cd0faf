"""Replay: everything derived, built again from the entries.

The new tables are filled beside the old ones, in a file of their own, while hooks go on appending;
then, in one transaction, what came in meanwhile is added and the tables are swapped. `differences`
compares instead of swapping: that is the replay law, put to the test.

`rebuild_stale` does so where a room's rule of derivation has changed: started by a hook, detached;
one at a time by a lock, with a hard limit of time, never restarted by itself. It leaves an entry
that says what it did. What earlier versions wrongly took for the user's rules is disowned on the
way (rooms/prompts/upgrade.py).
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager

from holdfast.errors import Damaged, StoreError
from holdfast.ledger import projections, queries
from holdfast.ledger.kinds import rooms_of
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.prompts import upgrade
from holdfast.store.sqlite import Store
from holdfast.system import clock, files, processes

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


LIMIT_S = 600
PATIENCE_S = 30.0


@contextmanager
def alone(state: str, wait_s: float = PATIENCE_S) -> Iterator[None]:
    """One at a time: two rebuilds, or a rebuild and a restore, would undo each other's rows."""
    lock = processes.Lock(f"{files.own_folder(state)}/rebuild.lock")
    try:
        if not lock.take(wait_s=wait_s):
            raise StoreError("the tables are being rebuilt", hint="try again in a minute")
        yield
    finally:
        lock.release()


def rebuild_stale(state: str) -> bool:
    """Rebuild when a room is stale and nobody else is at it; whether it was done."""
    before = signal.alarm(LIMIT_S)
    try:
        with alone(state, wait_s=0.0):
            return _rebuild_stale(Workspace(state))
    except Damaged:
        raise  # nothing is derived from what is not what was written
    except StoreError:
        return False
    finally:
        signal.alarm(before)  # who had set one, has it still


def _rebuild_stale(workspace: Workspace) -> bool:
    stale = workspace.stale
    if stale:
        # First: cut off in between, the rooms are still stale, and all of it is done again.
        upgrade.disown(workspace)
        entries = rebuild(workspace.store)
        at = clock.now()
        with workspace.store.transaction():
            workspace.keep(
                "tables_rebuilt", {"rooms": stale, "entries": entries}, key=f"rebuilt:{at}", at=at
            )
    workspace.store.close()
    return bool(stale)
