"""SQLite, set up for many short-lived hook processes that write at once.

WAL, `begin immediate`, a busy timeout, FULL synchronisation: what was acknowledged survives
power loss. Pages carry signatures (pages.py): what a bit flip changed is refused, not answered.
A store that is newer than this program, somebody else's file, or on a network file system is
refused and left untouched.
"""

from __future__ import annotations

from holdfast.errors import Damaged, StoreError
from holdfast.store.driver import APPLICATION, BUSY, BUSY_TIMEOUT_S, SCHEMA, apsw
from holdfast.store.pages import LAYER, NAME, PAGE_BYTES, SIGNATURE_BYTES
from holdfast.system import clock, files
from holdfast.system.environment import system
from holdfast.system.paths import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

# A hook leaves without closing, so the next one reads the log from its start: the log is emptied
# when it has this many pages. SQLite's own checkpoint would copy it back and never shorten it,
# because what has been copied is forgotten with the process. Measured in benchmarks/.
LOG_PAGES = 100

DAMAGE = (apsw.CorruptError, apsw.NotADBError)


class Store:
    """One open database."""

    def __init__(self, path: str, *, busy_s: float = BUSY_TIMEOUT_S, create: bool = True) -> None:
        self.path = path
        folder = path.rpartition("/")[0]
        kind = files.network_file_system(folder)
        if kind:
            raise StoreError(
                f"the store's folder {folder} is on a network file system ({kind})",
                hint="set HOLDFAST_STATE_HOME to a local folder",
            )
        # The file itself may not be a link; a link above it (a home that was moved) is fine.
        if files.is_link(path):
            raise StoreError(f"{path} is a link", hint="put the store itself there")
        self._inode = _inode(path)
        flags = apsw.SQLITE_OPEN_READWRITE
        if create:
            flags |= apsw.SQLITE_OPEN_CREATE
        self._use(apsw.Connection(path, flags, NAME), busy_s)

    def _use(self, db: apsw.Connection, busy_s: float) -> None:
        self._db = db
        self._file = LAYER.latest
        self._busy_ms = int(busy_s * 1000)
        self._db.set_busy_timeout(self._busy_ms)
        self._db.wal_autocheckpoint(0)
        # Who leaves without closing leaves the log as it stands: a hook, or a command in doubt.
        self._db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        # Not a method of ours: who is done with a store lets go of it at once, and of its handles.
        self._log: list[int] = [0]
        self.log_pages = LOG_PAGES  # whoever writes much at once may have it emptied less often
        self._db.set_wal_hook(_noting(self._log))
        self._row = 0
        self.kept_at = 0  # where the last entry lies that is safe
        self._machine = ""
        try:
            self._admit()
        except BaseException:
            db.close()  # a half-open store would keep its locks
            raise

    def _admit(self) -> None:
        """Only a store of ours, of a schema we know; an older or new one is brought up to date."""
        version = self.value("pragma user_version")
        if version == SCHEMA and self.value("pragma application_id") == APPLICATION:
            return
        if version > SCHEMA:
            raise StoreError(
                f"the store has schema {version}, this program knows {SCHEMA}",
                hint="upgrade holdfast; the store was left as it is",
            )
        from holdfast.store.migrate import migrate

        migrate(self)

    def run(self, sql: str, *values: Any) -> None:
        self._db.execute(sql, values)

    def insert(self, table: str, /, *, then: str = "", **columns: Any) -> None:
        """One row, its columns by their names; `then` says what a conflict asks for."""
        self._put("insert", table, columns, then)

    def replace(self, table: str, /, **columns: Any) -> None:
        """One row in the place of those that it conflicts with."""
        self._put("replace", table, columns)

    def _put(self, verb: str, table: str, columns: dict[str, Any], then: str = "") -> None:
        marks = ", ".join("?" * len(columns))
        sql = f"{verb} into {table} ({', '.join(columns)}) values ({marks}) {then}"
        self._db.execute(sql, tuple(columns.values()))

    def rows(self, sql: str, *values: Any) -> Iterator[tuple[Any, ...]]:
        return self._db.execute(sql, values)

    def row(self, sql: str, *values: Any) -> tuple[Any, ...] | None:
        row: tuple[Any, ...] | None = self._db.execute(sql, values).fetchone()
        return row

    def column(self, sql: str, *values: Any) -> list[Any]:
        return [row[0] for row in self._db.execute(sql, values)]

    def value(self, sql: str, *values: Any) -> Any:
        row = self._db.execute(sql, values).fetchone()
        return None if row is None else row[0]

    def holds(self, sql: str, *values: Any) -> bool:
        """Whether the first value of an answer is true; an empty answer is not."""
        return bool(self.value(sql, *values))

    def number(self, sql: str, *values: Any) -> int:
        return int(self.value(sql, *values) or 0)

    def text(self, sql: str, *values: Any) -> str:
        return str(self.value(sql, *values) or "")

    def changes(self) -> int:
        return int(self._db.changes())

    def transaction(self) -> Transaction:
        return Transaction(self._db, self._committed)

    def snapshot(self) -> Snapshot:
        """All that is read inside is of one moment; nobody waits for it."""
        return Snapshot(self._db)

    def is_in_transaction(self) -> bool:
        return bool(self._db.in_transaction)

    def try_out(self, act: Callable[[], None]) -> None:
        """Do something inside a transaction; what it wrote is taken back when it fails."""
        self._db.execute("savepoint trial")
        try:
            act()
        except BaseException:
            if self._db.in_transaction:
                self._db.execute("rollback to trial")
            raise
        finally:
            if self._db.in_transaction:
                self._db.execute("release trial")

    def _committed(self) -> None:
        self.kept_at = self._row
        self._shorten_log()

    def _shorten_log(self) -> None:
        """Empty the log when it is long and nobody else is looking; else the next one may."""
        if self._log[0] < self.log_pages:
            return
        self._db.set_busy_timeout(0)
        try:
            self._db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        except BUSY:
            pass
        self._db.set_busy_timeout(self._busy_ms)

    def problems(self) -> list[str]:
        """What SQLite itself finds wrong with its pages and indexes."""
        return [row[0] for row in self.rows("pragma integrity_check(5)") if row[0] != "ok"]

    def wait(self, seconds: float) -> None:
        """How long a statement waits for others from now on."""
        self._busy_ms = int(seconds * 1000)
        self._db.set_busy_timeout(self._busy_ms)

    def attach(self, path: str, name: str) -> None:
        self._db.execute(f"attach ? as {name}", (path,))

    def detach(self, name: str) -> None:
        if self._db.db_filename(name) is not None:
            self._db.execute(f"detach {name}")

    def machine(self) -> str:
        """This machine's id. A copied home directory is another machine, and gets a new one."""
        if not self._machine:
            inode = system.stat(self.path).st_ino
            if self._inode not in (0, inode):
                raise StoreError("the store was replaced by a repair", hint="try again")
            print_ = fingerprint(inode)
            known = self.row("select id, fingerprint from machines order by rowid desc limit 1")
            if known is None or known[1] != print_:
                known = (system.urandom(8).hex(), print_)
                self.run(
                    "insert into machines (id, fingerprint, since) values (?, ?, ?)",
                    *known,
                    clock.now(),
                )
            self._machine = known[0]
        return self._machine

    def page(self, number: int) -> bytes:
        """A page of the file, without the log; b"" for what is not there or not what was written.
        Through SQLite's own handle: to close another one would let go of this process's locks."""
        try:
            return self._file.xRead(PAGE_BYTES, (number - 1) * PAGE_BYTES) if number > 0 else b""
        except DAMAGE:
            return b""

    def know_machine(self, id_: str, print_: str, since: str, *, is_this: bool) -> None:
        """Note a machine of a store that this one replaces; the same machine in another file."""
        print_ = fingerprint(system.stat(self.path).st_ino) if is_this else print_
        self.run(
            "insert or replace into machines (id, fingerprint, since) values (?, ?, ?)",
            id_,
            print_,
            since,
        )

    def note_row(self) -> None:
        """The last row is an entry: with the commit it is safe."""
        self._row = self._db.last_insert_rowid()

    def is_signed(self) -> bool:
        return int(self._db.reserve_bytes("main", -1)) == SIGNATURE_BYTES

    def sign(self, *, is_new: bool) -> None:
        """Have every page carry its signature; a store that has pages is written anew."""
        self._db.reserve_bytes("main", SIGNATURE_BYTES)
        if is_new:
            self.run(f"pragma page_size = {PAGE_BYTES}")
            return
        self.run("vacuum")
        self._log[0] = self.log_pages
        self._shorten_log()

    def close(self) -> None:
        """Close it, and copy the log back when nobody else has it open; else the log stays."""
        try:
            self._db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)
            self._db.close()
        except apsw.Error:
            pass  # no space, or read-only: it is closed, and the log is safe as it stands


def _noting(log: list[int]) -> Callable[[object, str, int], int]:
    """What SQLite calls with the log's length after each commit."""

    def note(_: object, __: str, pages: int) -> int:
        log[0] = pages
        return 0

    return note


def fingerprint(inode: int) -> str:
    """What tells a store on this machine from a copy of it on another."""
    from holdfast.system.processes import host

    return digest(f"{host()}\n{inode}".encode())


def _inode(path: str) -> int:
    """The file's number, 0 when there is none yet. SQLite would delete the log of an empty file."""
    try:
        status = system.stat(path)
        if not status.st_size and system.stat(f"{path}-wal").st_size:
            raise Damaged(f"{path} is empty, and its log is not")
    except FileNotFoundError:
        return 0
    return int(status.st_ino)


class Snapshot:
    """A transaction that only reads."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def __enter__(self) -> None:
        self._db.execute("begin")

    def __exit__(self, *_: object) -> None:
        self._db.execute("rollback")


class Transaction:
    """IMMEDIATE: two hooks of one agent can fire together. The second must wait at the door, not
    read first and then fail when it comes to write."""

    def __init__(self, db: apsw.Connection, committed: Callable[[], None]) -> None:
        self._db = db
        self._committed = committed

    def __enter__(self) -> None:
        self._db.execute("begin immediate")

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            try:
                self._db.execute("commit")
            except BaseException:
                self._roll_back()
                raise
            self._committed()
            return
        self._roll_back()

    def _roll_back(self) -> None:
        if self._db.in_transaction:
            self._db.execute("rollback")


class Trial(Transaction):
    """A transaction that is taken back, whatever becomes of it."""

    def __exit__(self, *_: object) -> None:
        self._roll_back()
