"""What Holdfast itself costs: one small record per hook that ran, in a file of its own.

An instrument, not an entry: twelve bytes, appended without a sync, so that a hook which writes
nothing else (PreToolUse) can be seen to have fired, and a store that is broken does not hide it.
The file is put aside when it is long; one older file is kept.

    seconds since 1970 (4) · session (4) · milliseconds (2) · event (1) · whether it failed (1)
"""

from __future__ import annotations

from holdfast import paths, platform
from holdfast.platform import system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

RECORD_BYTES = 12
SIZE_CAP_BYTES = RECORD_BYTES * 100_000
OTHER = 255


class Cost:
    """One hook that ran."""

    __slots__ = ("at", "event", "failed", "ms", "session")

    def __init__(self, at: int, session: int, ms: int, event: int, failed: int) -> None:
        self.at = at
        self.session = session
        self.ms = ms
        self.event = event
        self.failed = bool(failed)


def note(state: str, session: str, event: int, ms: float, *, at: float, failed: bool) -> None:
    """Append one record. Raises OSError when there is no place for it: nobody is told twice."""
    record = (
        int(at).to_bytes(4, "little")
        + paths.mark(session).to_bytes(4, "little")
        + min(65_535, int(ms + 0.5)).to_bytes(2, "little")
        + bytes((event, failed))
    )
    path = paths.costs(platform.own_folder(state))
    flags = system.O_WRONLY | system.O_CREAT | system.O_APPEND | system.O_NOFOLLOW
    handle = system.open(path, flags | system.O_CLOEXEC, 0o600)
    system.write(handle, record)
    is_long = system.fstat(handle).st_size > SIZE_CAP_BYTES
    system.close(handle)
    if is_long:
        system.rename(path, f"{path}.1")


def all_of(state: str) -> Iterator[Cost]:
    """Every record, oldest first; a torn one at the end is left out."""
    for path in (f"{paths.costs(state)}.1", paths.costs(state)):
        content = platform.read_bytes(path, 2 * SIZE_CAP_BYTES) or b""
        for place in range(0, len(content) - RECORD_BYTES + 1, RECORD_BYTES):
            record = content[place : place + RECORD_BYTES]
            yield Cost(
                int.from_bytes(record[0:4], "little"),
                int.from_bytes(record[4:8], "little"),
                int.from_bytes(record[8:10], "little"),
                record[10],
                record[11],
            )


def quantile(values: list[int], part: float) -> int:
    """The value below which `part` of them lie; 0 of none."""
    if not values:
        return 0
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]
