"""What Holdfast itself costs: one small record per hook that ran, in a file of its own.

An instrument, not an entry: twenty bytes, appended without a sync, so that a hook which writes
nothing else (PreToolUse) can be seen to have fired, and a store that is broken does not hide it.
The file is put aside when it is long; one older file is kept.

    seconds since 1970 (4) · session (4) · milliseconds (2) · event (1) · whether it failed (1)
    · where the last entry lies that it kept, or 0 (4) · a check of these sixteen bytes (4)

Where the last entry lies is the mark: a store that ends before it has lost entries, which nobody
could tell from the store itself. A record is written after its entry is safe, so the mark is never
ahead of a store that has lost nothing.
"""

from __future__ import annotations

from holdfast.system import files, paths
from holdfast.system.environment import system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

RECORD_BYTES = 20
SIZE_CAP_BYTES = RECORD_BYTES * 100_000
OTHER = 255
# Hooks run side by side, and their records may come in another order than their entries.
LOOKED_BACK = 24
_PRIME = 0xFFFFFFFB


class Cost:
    """One hook that ran."""

    def __init__(self, record: bytes) -> None:
        self.at = int.from_bytes(record[0:4], "little")
        self.session = int.from_bytes(record[4:8], "little")
        self.ms = int.from_bytes(record[8:10], "little")
        self.event = record[10]
        self.failed = bool(record[11])
        self.place = int.from_bytes(record[12:16], "little")


def note(
    state: str, session: str, event: int, ms: float, *, at: float, failed: bool, place: int = 0
) -> None:
    """Append one record. Raises OSError when there is no place for it: nobody is told twice."""
    record = (
        int(at).to_bytes(4, "little")
        + paths.mark(session).to_bytes(4, "little")
        + min(65_535, int(ms + 0.5)).to_bytes(2, "little")
        + bytes((event, failed))
        + place.to_bytes(4, "little")
    )
    record += _check(record)
    path = paths.costs(files.own_folder(state))
    flags = system.O_WRONLY | system.O_CREAT | system.O_APPEND | system.O_NOFOLLOW
    handle = system.open(path, flags | system.O_CLOEXEC, 0o600)
    system.write(handle, record)
    is_long = system.fstat(handle).st_size > SIZE_CAP_BYTES
    system.close(handle)
    if is_long:
        system.rename(path, f"{path}.1")


def mark(state: str) -> int:
    """Where the last entry lies that a hook is known to have kept; 0 when nobody knows."""
    path = paths.costs(state)
    for log in (path, f"{path}.1"):
        try:
            handle = system.open(log, system.O_RDONLY | system.O_NOFOLLOW | system.O_CLOEXEC)
        except OSError:
            continue
        size = system.fstat(handle).st_size
        wanted = min(size, LOOKED_BACK * RECORD_BYTES)
        content = system.pread(handle, wanted, size - wanted)
        system.close(handle)
        highest = 0
        for end in range(len(content), RECORD_BYTES - 1, -RECORD_BYTES):
            place = int.from_bytes(content[end - 8 : end - 4], "little")
            if place > highest and _is_whole(content[end - RECORD_BYTES : end]):
                highest = place
        if highest:
            return highest
    return 0


def all_of(state: str) -> Iterator[Cost]:
    """Every record, oldest first; what is torn or was changed is left out."""
    for path in (f"{paths.costs(state)}.1", paths.costs(state)):
        content = files.read_bytes(path, 2 * SIZE_CAP_BYTES) or b""
        place = 0
        while place + RECORD_BYTES <= len(content):
            record = content[place : place + RECORD_BYTES]
            if _is_whole(record):
                yield Cost(record)
                place += RECORD_BYTES
            else:
                place += 1  # a full disk cut a record short: the next one begins somewhere here


def _check(record: bytes) -> bytes:
    return (int.from_bytes(record, "little") % _PRIME).to_bytes(4, "little")


def _is_whole(record: bytes) -> bool:
    return record[16:] == _check(record[:16])


def quantile(values: list[int], part: float) -> int:
    """The value below which `part` of them lie; 0 of none."""
    if not values:
        return 0
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]
