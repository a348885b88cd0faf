"""What can still be read in a store that SQLite cannot, or must not, open.

The pages are read as they lie: the file, and over it the log. Nothing is asked of the trees that
hold them together; a row is found where it lies. Whoever asks must be able to tell a true row from
a false one: entries can, by their checksums. Nothing here writes.

The format: https://www.sqlite.org/fileformat2.html
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import apsw

from holdfast.errors import StoreError
from holdfast.store import pages
from holdfast.store.driver import BUSY
from holdfast.store.pages import PAGE_BYTES, SIGNATURE_BYTES

LOG_HEADER_BYTES, FRAME_HEADER_BYTES = 32, 24
ROW_CAP_BYTES = 64 << 20
# To find one flipped bit in a page takes a tenth of a second. So many pages were not hit by one.
HEALED_CAP = 32
SAMPLE = 256
BLOCK_BYTES = 128  # what the digest takes in at once
COLUMNS_CAP = 12  # no table with places has more
_LENGTHS = {0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 7: 8, 8: 0, 9: 0}

Row = tuple[int, tuple[Any, ...]]
Page = Callable[[int], bytes]


class Image:
    """A store's pages as they lie on the disk, each in its newest version."""

    def __init__(self, path: str) -> None:
        self._file = open(path, "rb") if os.path.isfile(path) else None  # noqa: SIM115 - see close
        self.frames = log(f"{path}-wal")
        count = -(-os.path.getsize(path) // PAGE_BYTES) if self._file else 0
        # A number that a flipped bit made large is no page.
        near = count + len(self.frames)
        self._newest = {number: page for number, page in self.frames if number <= near}
        self.count = max([count, *self._newest])
        # Its first page may say so, and may be damaged itself.
        self.is_signed = any(
            pages.is_signed(self._raw(number)) for number in range(1, min(self.count, SAMPLE) + 1)
        )
        self.usable = usable(is_signed=self.is_signed)
        self.damaged: list[int] = []
        self.healed: dict[int, bytes] = {}

    def look_through(self) -> None:
        """Find the pages that are not what was written."""
        for number in range(1, self.count + 1 if self.is_signed else 1):
            if number not in self._newest and not pages.is_sound(self._raw(number)):
                self.damaged.append(number)

    def heal(self) -> None:
        """Find the bit that flipped in a damaged page, if it was one."""
        for number in self.damaged[:HEALED_CAP]:
            page = healed(self._raw(number))
            if page is not None:
                self.healed[number] = page

    def page(self, number: int) -> bytes:
        return self.healed.get(number) or self._raw(number)

    def rows(self) -> Iterator[Row]:
        """Every row of every table with places; of damaged pages also what no pointer leads to."""
        free = self._free()
        torn = set(self.damaged) - set(self.healed)
        for number in range(1, self.count + 1):
            if number in free:
                continue
            yield from rows(number, self.page(number), self.page, self.usable)
            if number in torn:
                yield from rows(number, self.page(number), self.page, self.usable, strict=False)

    def close(self) -> None:
        if self._file:
            self._file.close()

    def _raw(self, number: int) -> bytes:
        if number in self._newest:
            return self._newest[number]
        if self._file is None or number < 1:
            return b""
        self._file.seek((number - 1) * PAGE_BYTES)
        return self._file.read(PAGE_BYTES)

    def _free(self) -> set[int]:
        """Pages that hold nothing any more, as far as their list can be followed."""
        free: set[int] = set()
        trunk = _number(self.page(1), 32)
        while 0 < trunk <= self.count and trunk not in free:
            page = self.page(trunk)
            free.add(trunk)
            leaves = min(_number(page, 4), self.usable // 4 - 2)
            free |= {_number(page, 8 + 4 * leaf) for leaf in range(leaves)}
            trunk = _number(page, 0)
        return free


def usable(*, is_signed: bool) -> int:
    """How many bytes of a page are SQLite's."""
    return PAGE_BYTES - SIGNATURE_BYTES if is_signed else PAGE_BYTES


class Held:
    """A store that nobody writes to while it is looked at, as far as it can be held at all: a file
    that SQLite cannot open for us it opens for nobody."""

    def __init__(self, path: str, *, patience_s: float) -> None:
        self._db: apsw.Connection | None = None
        # Closing any handle of a file lets go of all of this process's locks on it.
        self.handles: list[int] = []
        if not os.path.isfile(path) or not os.path.getsize(path):
            return  # SQLite would delete the log of an empty file
        try:
            # Not through our own layer, which would refuse what is damaged.
            self._db = apsw.Connection(path, apsw.SQLITE_OPEN_READWRITE)
            self._db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            self._db.set_busy_timeout(int(patience_s * 1000))
            self._db.execute("begin immediate")
        except BUSY as error:
            raise StoreError("the store is busy", hint="try again in a moment") from error
        except apsw.Error:
            pass

    def __enter__(self) -> Held:
        return self

    def __exit__(self, *_: object) -> None:
        for handle in self.handles:
            os.close(handle)
        if self._db:
            self._db.close()


def log(path: str) -> list[tuple[int, bytes]]:
    """The pages of a log in the order they were written, whether SQLite believes them or not.
    What is left of an earlier log behind the last one has another salt."""
    try:
        with open(path, "rb") as file:
            content = file.read()
    except FileNotFoundError:
        return []
    frames = []
    salt = int.from_bytes(content[16:24], "big")
    step = FRAME_HEADER_BYTES + PAGE_BYTES
    for at in range(LOG_HEADER_BYTES, len(content) - step + 1, step):
        own = int.from_bytes(content[at + 8 : at + 16], "big")
        if (own ^ salt).bit_count() <= 1:
            frames.append((_number(content, at), content[at + FRAME_HEADER_BYTES : at + step]))
    return frames


def healed(page: bytes) -> bytes | None:
    """The page as it was signed, when a single bit of it was flipped since."""
    if len(page) != PAGE_BYTES or not any(page):
        return None
    text, kept = page[:-SIGNATURE_BYTES], page[-SIGNATURE_BYTES:]
    signature = pages.signature(text)
    if (int.from_bytes(signature, "big") ^ int.from_bytes(kept, "big")).bit_count() == 1:
        return text + signature
    before = hashlib.blake2b(digest_size=SIGNATURE_BYTES)
    for begin in range(0, len(text), BLOCK_BYTES):
        block, rest = bytearray(text[begin : begin + BLOCK_BYTES]), text[begin + BLOCK_BYTES :]
        for at, bit in product(range(len(block)), (1, 2, 4, 8, 16, 32, 64, 128)):
            block[at] ^= bit
            tried = before.copy()  # what comes before the block is digested once
            tried.update(block)
            tried.update(rest)
            if tried.digest() == kept:
                return text[:begin] + bytes(block) + rest + kept
            block[at] ^= bit
        before.update(block)
    return None


def rows(
    number: int, page: bytes, other: Page, usable: int, *, strict: bool = True
) -> Iterator[Row]:
    """The rows of a page of a table. When not strict, whatever could be one, wherever it lies."""
    begins = 100 if number == 1 else 0
    if strict:
        if page[begins : begins + 1] != b"\x0d":
            return
        count = int.from_bytes(page[begins + 3 : begins + 5], "big")
        places = [
            int.from_bytes(page[at : at + 2], "big")
            for at in range(begins + 8, min(begins + 8 + 2 * count, usable - 1), 2)
        ]
    else:
        places = list(range(begins + 8, usable - 4))
    for at in places:
        try:
            yield _row(page, at, other, usable, strict=strict)
        except (ValueError, IndexError):
            continue


def _row(page: bytes, at: int, other: Page, usable: int, *, strict: bool) -> Row:
    size, at = _varint(page, at)
    place, at = _varint(page, at)
    if not 2 <= size <= ROW_CAP_BYTES or not 0 < place < 1 << 62:
        raise ValueError
    here = _local(size, usable)
    if at + here > usable:
        raise ValueError
    content = page[at : at + here]
    if not strict and content[1:2] != b"\0":
        raise ValueError  # the first column of a table with places is the place, and left empty
    following = _number(page, at + here) if here < size else 0
    seen: set[int] = set()
    while len(content) < size:
        more = other(following)
        if following in seen or len(more) < usable:
            raise ValueError
        seen.add(following)
        content += more[4 : min(usable, 4 + size - len(content))]
        following = _number(more, 0)
    return place, _values(content)


def _local(size: int, usable: int) -> int:
    """How much of a row lies in its own page."""
    most, least = usable - 35, (usable - 12) * 32 // 255 - 23
    if size <= most:
        return size
    here = least + (size - least) % (usable - 4)
    return here if here <= most else least


def _values(content: bytes) -> tuple[Any, ...]:
    header, at = _varint(content, 0)
    if not 1 < header <= min(len(content), 9 * COLUMNS_CAP):
        raise ValueError
    kinds: list[int] = []
    while at < header:
        kind, at = _varint(content, at)
        kinds.append(kind)
        if len(kinds) > COLUMNS_CAP:
            raise ValueError
    if at != header or not kinds:
        raise ValueError
    values: list[Any] = []
    for kind in kinds:
        length = _LENGTHS[kind] if kind < 10 else (kind - 12) // 2
        if kind in (10, 11) or at + length > len(content):
            raise ValueError
        values.append(_value(kind, content[at : at + length]))
        at += length
    return tuple(values)


def _value(kind: int, content: bytes) -> Any:
    if kind == 0:
        return None
    if kind in (8, 9):
        return kind - 8
    if kind == 7:
        raise ValueError  # no table of ours holds a real number
    if kind < 7:
        return int.from_bytes(content, "big", signed=True)
    return content if kind % 2 == 0 else content.decode()


def _varint(content: bytes, at: int) -> tuple[int, int]:
    value = 0
    for count in range(9):
        byte = content[at + count]
        if count == 8:
            return value << 8 | byte, at + 9
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            break
    return value, at + count + 1


def _number(content: bytes, at: int) -> int:
    return int.from_bytes(content[at : at + 4], "big")
