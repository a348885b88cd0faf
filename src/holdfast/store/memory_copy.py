"""A store as it stands, copied into memory: it can be worked on, and nothing of that is kept.

For where the store cannot be written: a read-only or full disk. Without the files beside it, which
SQLite needs to read a log and cannot make there, only a store that has no log is read.
"""

from __future__ import annotations

from holdfast.errors import StoreError
from holdfast.store.driver import BUSY_TIMEOUT_S, apsw
from holdfast.store.pages import NAME
from holdfast.store.sqlite import Store
from holdfast.system.environment import system


class MemoryCopy(Store):
    """Another connection's world: writes end with it."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._inode = 0
        source = _opened(path)
        memory = apsw.Connection(":memory:")
        with memory.backup("main", source, "main") as copying:
            copying.step()
        source.close()
        self._use(memory, BUSY_TIMEOUT_S)


def _opened(path: str) -> apsw.Connection:
    """To be read, and left as it is."""
    try:
        return _tried(apsw.Connection(path, apsw.SQLITE_OPEN_READONLY, NAME))
    except apsw.IOError:  # a full disk: the index of the log is made in memory, by one alone
        store = apsw.Connection(path, apsw.SQLITE_OPEN_READWRITE, NAME)
        store.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        store.execute("pragma locking_mode = exclusive")
        return _tried(store)
    except apsw.CantOpenError as error:
        if _size(f"{path}-wal"):
            raise StoreError("the store's log cannot be read here") from error
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        return _tried(apsw.Connection(f"file:{_quoted(path)}?immutable=1", flags, NAME))


def _tried(store: apsw.Connection) -> apsw.Connection:
    try:
        store.execute("pragma user_version").fetchall()
    except apsw.Error:
        store.close()
        raise
    return store


def _size(path: str) -> int:
    try:
        return int(system.stat(path).st_size)
    except FileNotFoundError:
        return 0


def _quoted(path: str) -> str:
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
