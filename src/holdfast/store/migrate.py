"""Bring a store up to date, one numbered file at a time.

All that is pending is applied in one transaction with the number of the schema, so a store is
never between two schemas. Released files are frozen: to mend one, add another. A store from before
pages were signed is written anew first, unless that takes longer than a hook may: then doctor says
so, and `holdfast repair` does it.
"""

from __future__ import annotations

import os
import time

import apsw

from holdfast.errors import Damaged
from holdfast.store import sqlite

SIGNED_SINCE = 2
SIGN_CAP_BYTES = 64 << 20

FOLDER = os.path.join(os.path.dirname(__file__), "migrations")


def migrate(store: sqlite.Store) -> None:
    """Apply what is pending; a file that is not ours is refused untouched."""
    # In this order: another hook that is first by a breath makes both in one transaction.
    tables = store.value("select count(*) from sqlite_schema")
    application = store.value("pragma application_id")
    if application != sqlite.APPLICATION and (application or tables):
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
        # Asked inside the transaction: another hook may have been first by a breath.
        version = store.value("pragma user_version")
        for name in names():
            if int(name[:4]) > version:
                for statement in _statements(os.path.join(FOLDER, name)):
                    store.run(statement)
        store.run(f"pragma user_version = {sqlite.SCHEMA}")
        store.run(f"pragma application_id = {sqlite.APPLICATION}")
    os.chmod(store.path, 0o600)


def _keep_a_log(store: sqlite.Store) -> None:
    """SQLite does not wait for its turn to change the mode, so we do: two hooks may be first."""
    until = time.monotonic() + sqlite.BUSY_TIMEOUT_S / 2
    while True:
        try:
            store.run("pragma journal_mode = wal")
        except sqlite.BUSY:
            if time.monotonic() >= until:
                raise
            time.sleep(0.005)
        else:
            return


def names() -> list[str]:
    return sorted(name for name in os.listdir(FOLDER) if name.endswith(".sql"))


def _statements(path: str) -> list[str]:
    """Without comments and margins: SQLite keeps a table's text as it was said, and every process
    reads all of it first."""
    # Not split(";"): the body of a trigger has semicolons of its own.
    found, statement = [], ""
    with open(path, encoding="utf-8") as script:
        for line in script:
            statement += " ".join(line.partition("--")[0].split()) + " "
            if apsw.complete(statement):
                found.append(statement)
                statement = ""
    return found
