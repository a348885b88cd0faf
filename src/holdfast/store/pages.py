"""Pages that know when they were changed: each carries a signature, and is checked when it is read.

SQLite believes what it reads. A bit that flips on the disk gives another answer, or makes a row
disappear, and nobody is told. So the store's file goes through this layer, which is SQLite's own
but for two acts: a page that is written gets a signature in bytes that SQLite leaves alone; a page
that is read and does not match its signature is refused (docs/internals/decisions/0004).

Laws:
  - SQLite never sees a signature, it sees zeros. So a page that another program copied back from
    the log carries none: it is believed, as it was before there were signatures;
  - a page of nothing but zeros, or one that ends before its time, is no such page;
  - the log is not signed. SQLite checks its frames when it reads it from its start.
"""

from __future__ import annotations

from holdfast.store.driver import apsw

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from typing_extensions import Buffer  # of collections.abc from 3.12 on; for mypy alone

NAME = "holdfast-pages"
PAGE_BYTES = 4096
# More than one bit is set in it: no single flip makes a signed store look like an unsigned one.
SIGNATURE_BYTES = 12
UNSIGNED = bytes(SIGNATURE_BYTES)
MAGIC = b"SQLite format 3\0"
# Where a database says how many bytes of each page SQLite leaves alone.
RESERVED_AT = 20


def signature(text: bytes | bytearray) -> bytes:
    """Of a page without its last bytes."""
    signed: bytes = _blake2b(text, digest_size=SIGNATURE_BYTES).digest()
    return signed


def is_signed(page: bytes) -> bool:
    text = page[:-SIGNATURE_BYTES]
    return len(page) == PAGE_BYTES and page[-SIGNATURE_BYTES:] == signature(text)


def is_sound(page: bytes) -> bool:
    """Whether a page of a signed store can be believed."""
    is_unsigned = len(page) == PAGE_BYTES and page[-SIGNATURE_BYTES:] == UNSIGNED and any(page)
    return is_unsigned or is_signed(page)


SQLITE_OK_SYMLINK = 0x200


class Plain(apsw.VFSFile):
    """A file as SQLite itself would have it."""

    def excepthook(self, *_: object) -> bool:
        """A failure that nobody waits for, as at the end of a process: SQLite is silent, too."""
        return True


class File(Plain):
    """The store's file itself; not its log."""

    def __init__(self, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        super().__init__("", name, flags)
        self._is_signed = True

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802 - SQLite's own name
        # Of a page that continues a long row SQLite reads what it needs, without its own cache.
        is_part = offset > 0 and amount != PAGE_BYTES and not offset % PAGE_BYTES
        content = super().xRead(PAGE_BYTES if is_part else amount, offset)
        if not offset and len(content) > RESERVED_AT:
            # A store of schema 1, or another program's: the one is migrated, the other refused.
            self._is_signed = content[RESERVED_AT] != 0
        if not self._is_signed or (amount < 512 and not is_part):
            return content[:amount]
        text = content[:-SIGNATURE_BYTES]
        if content[-SIGNATURE_BYTES:] == signature(text) and len(content) == PAGE_BYTES:
            return (text + UNSIGNED)[:amount]
        if not offset and not content.startswith(MAGIC):
            return content  # new and empty, or no database at all: SQLite says so
        if is_sound(content) and amount <= PAGE_BYTES:
            return content[:amount]
        raise apsw.CorruptError(f"page {offset // PAGE_BYTES + 1} is not what was written")

    def xWrite(self, data: Buffer, offset: int) -> None:  # noqa: N802
        page = bytes(data)  # the driver hands bytes, of which this is no copy
        if not offset and len(page) > RESERVED_AT:
            self._is_signed = page[RESERVED_AT] != 0
        if self._is_signed and len(page) == PAGE_BYTES:
            text = page[:-SIGNATURE_BYTES]
            page = text + signature(text)
        super().xWrite(page, offset)


class Layer(apsw.VFS):
    """SQLite's own way to the disk, but for the store's file."""

    def __init__(self) -> None:
        super().__init__(NAME, "", maxpathname=0)

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        if flags[0] & apsw.SQLITE_OPEN_MAIN_DB:
            self.latest = File(name, flags)
            return self.latest
        return Plain("", name, flags)

    def xFullPathname(self, name: str) -> str:  # noqa: N802
        """SQLite answers a path with a link in it by a code of its own for success, which the
        driver takes for a failure: a home behind a link would have no store."""
        try:
            return super().xFullPathname(name)
        except apsw.Error as error:
            if getattr(error, "extendedresult", 0) != SQLITE_OK_SYMLINK:
                raise
            import os

            return os.path.realpath(name)

    def excepthook(self, *_: object) -> bool:
        return True


def _digest() -> Any:
    try:
        from _blake2 import blake2b  # hashlib would bring OpenSSL along
    except ImportError:
        from hashlib import blake2b
    return blake2b


_blake2b = _digest()
LAYER = Layer()  # known to SQLite by its name for as long as it is referred to
