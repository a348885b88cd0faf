"""Bring a store up to date, one numbered file at a time.

All that is pending is applied in one transaction with the number of the schema, so a store is
never between two schemas. Released files are frozen: to mend one, add another. A store from before
pages were signed is written anew first, unless that takes longer than a hook may: then doctor says
so, and `holdfast repair` does it.

Files up to 0009 were not frozen, so two stores of one number may differ. After a migration every
table but the ledger's is therefore as in a new store: one that differs is made anew, empty, and
filled by the rebuild that 0010 asks for. The ledger's own tables are never touched.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import Any, Protocol

import apsw

from holdfast.errors import Damaged
from holdfast.store.driver import APPLICATION, BUSY, BUSY_TIMEOUT_S, SCHEMA


class Database(Protocol):
    """The open store, as far as migrating needs it."""

    path: str

    def value(self, sql: str, *values: Any) -> Any: ...
    def rows(self, sql: str, *values: Any) -> Iterable[tuple[Any, ...]]: ...
    def run(self, sql: str, *values: Any) -> None: ...
    def sign(self, *, is_new: bool) -> None: ...
    def transaction(self) -> AbstractContextManager[object]: ...


SIGNED_SINCE = 2
SIGN_CAP_BYTES = 64 << 20

# Files before this one were changed while their number stayed: stores of one number differ.
FROZEN_SINCE = 10
# What cannot be derived again.
LEDGER = ("entries", "bodies", "machines", "derivations")

FOLDER = os.path.join(os.path.dirname(__file__), "migrations")


def migrate(store: Database) -> None:
    """Apply what is pending; a file that is not ours is refused untouched."""
    # In this order: another hook that comes first makes both in one transaction.
    tables = store.value("select count(*) from sqlite_schema")
    application = store.value("pragma application_id")
    if application != APPLICATION and (application or tables):
        raise Damaged(
            f"{store.path} is a database of another program",
            hint="move it away, or have `holdfast repair` put it aside",
        )
    version = store.value("pragma user_version")
    if not application:
        store.sign(is_new=True)
    elif version < SIGNED_SINCE and os.path.getsize(store.path) <= SIGN_CAP_BYTES:
        store.sign(is_new=False)
    _keep_a_log(store)
    with store.transaction():
        # Asked inside the transaction: another hook may have come first.
        version = store.value("pragma user_version")
        for name in names():
            if int(name[:4]) > version:
                for statement in _statements(os.path.join(FOLDER, name)):
                    store.run(statement)
            if 0 < version < int(name[:4]) == FROZEN_SINCE:
                _make_equal(store)
        store.run(f"pragma user_version = {SCHEMA}")
        store.run(f"pragma application_id = {APPLICATION}")
    os.chmod(store.path, 0o600)


def _keep_a_log(store: Database) -> None:
    """SQLite does not wait for its turn to change the mode, so we do: two hooks may be first."""
    until = time.monotonic() + BUSY_TIMEOUT_S / 2
    while True:
        try:
            store.run("pragma journal_mode = wal")
        except BUSY:
            if time.monotonic() >= until:
                raise
            time.sleep(0.005)
        else:
            return


def _make_equal(store: Database) -> None:
    """Give a store the tables and indexes that a new one had by then; what differs is derived, and
    goes."""
    right = _new()
    shapes, there = _shapes(right.execute), _shapes(store.rows)
    for name, shape in there.items():
        if shapes.get(name) != shape:
            store.run(f"drop table {name}")
    for name, sql in right.execute("select name, sql from sqlite_schema where type = 'table'"):
        if name not in LEDGER and there.get(name) != shapes[name]:
            store.run(sql)
    texts, old = _indexes(right.execute), _indexes(store.rows)
    for name in old:
        if texts.get(name) != old[name]:
            store.run(f"drop index {name}")
    for name, sql in texts.items():
        if old.get(name) != sql:
            store.run(sql)


def _new() -> apsw.Connection:
    """What the files up to the first frozen one make of an empty store, in memory."""
    empty = apsw.Connection(":memory:")
    for name in names()[:FROZEN_SINCE]:
        for statement in _statements(os.path.join(FOLDER, name)):
            empty.execute(statement)
    return empty


def _shapes(rows: Callable[[str], Iterable[tuple[Any, ...]]]) -> dict[str, set[tuple[Any, ...]]]:
    """Every derived table: its columns in their order, and whether it has a rowid."""
    shapes: dict[str, set[tuple[Any, ...]]] = {}
    for name, *column in rows(
        'select t.name, t.wr, c.cid, c.name, c.type, c."notnull", c.dflt_value, c.pk'
        " from pragma_table_list t join pragma_table_xinfo(t.name) c"
        " where t.schema = 'main' and t.type = 'table' and t.name not like 'sqlite%'"
    ):
        if name not in LEDGER:
            shapes.setdefault(name, set()).add(tuple(column))
    return shapes


def _indexes(rows: Callable[[str], Iterable[tuple[Any, ...]]]) -> dict[str, str]:
    """The text of every index that a file made, without margins: the first stores kept those."""
    texts = rows("select name, sql from sqlite_schema where type = 'index' and sql is not null")
    return {name: " ".join(sql.split()) for name, sql in texts}


def names() -> list[str]:
    return sorted(name for name in os.listdir(FOLDER) if name.endswith(".sql"))


def _statements(path: str) -> list[str]:
    """Without comments and margins: SQLite keeps a table's text as it was said, and every process
    reads all of it first."""
    # Not split(";"): the body of a trigger has semicolons of its own.
    statements, statement = [], ""
    with open(path, encoding="utf-8") as script:
        for line in script:
            statement += " ".join(line.partition("--")[0].split()) + " "
            if apsw.complete(statement):
                statements.append(statement)
                statement = ""
    return statements
