"""The tail of the ledger, when SQLite has dropped it.

SQLite believes its log up to the first frame that is damaged, drops all that comes behind, and
says nothing: what hooks had kept is gone. The mark (hook_costs.py) tells. The frames behind are
whole; the entries in them are brought back, and what cannot be is told.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from holdfast.errors import EntryRefused
from holdfast.ledger import disk_rows, faults, losses, projections, quarantine, queries
from holdfast.ledger.entry import Entry, check
from holdfast.ledger.kinds import KINDS
from holdfast.store import salvage
from holdfast.store.sqlite import Store
from holdfast.system import jsontext
from holdfast.system.paths import digest


def mend(store: Store, state: str, mark: int) -> tuple[int, tuple[str, ...]]:
    """Bring back what lies behind the store's last entry, up to the mark and beyond. How much is
    lost, and what to say of it."""
    with store.transaction():
        last = queries.last_place(store)
        if last >= mark:
            return 0, ()  # another process has just mended it
        log = f"{store.path}-wal"
        logs = [log, *quarantine.logs(state)]
        # Nothing of what we write is in the log before we commit: the copy is what was found.
        aside = quarantine.put_aside(state, [log])
        back = _bring_back(store, logs, after=last, up_to=mark)
        lost = losses.tell(store, after=last, up_to=mark)
    missing = sum(lost)
    message = f"{mark - last} entries at the end were missing, {back} were brought back"
    if missing:
        message += f", {lost.entries} are lost and the texts of {lost.texts}"
    kind = "entries lost" if missing else "log mended"
    faults.note(state, kind, "tail.py", f"{message}; the log is in {aside}")
    return missing, (message,)


def _bring_back(store: Store, logs: list[str], *, after: int, up_to: int) -> int:
    """Entries that lie in logs, behind the last one of the store; how many."""
    headers: dict[int, tuple[Any, ...]] = {}
    bodies: dict[str, tuple[bytes, str]] = {}
    frames = [frame for path in logs for frame in salvage.log(path)]
    for strict in (True, False):
        rows = [row for row in _rows(store, frames, strict=strict) if row[0] > after]
        headers |= dict(disk_rows.headers(rows))
        bodies |= {
            digest(salt + text.encode()): (salt, text) for _, salt, text in disk_rows.bodies(rows)
        }
        if sum(header[9] in bodies for header in headers.values()) >= up_to - after:
            break
    count, waiting = 0, projections.stale(store)
    for place, header in sorted(headers.items()):
        if queries.put_in_place(store, place, header):
            count += 1
            if header[9] in bodies:
                _give(store, waiting, place, header, *bodies[header[9]])
    return count


def _rows(store: Store, frames: list[tuple[int, bytes]], *, strict: bool) -> Iterator[salvage.Row]:
    newest = dict(frames)
    usable = salvage.usable(is_signed=store.is_signed())
    for number, page in frames:
        yield from salvage.rows(
            number,
            page,
            lambda wanted: newest.get(wanted) or store.page(wanted),
            usable,
            strict=strict,
        )


def _give(
    store: Store, waiting: list[str], place: int, header: tuple[Any, ...], salt: bytes, body: str
) -> None:
    value = jsontext.loads(body)
    try:
        check(header[6], value)
    except EntryRefused:
        return  # of a program that is not ours: its text counts as lost
    queries.give_body(store, place, salt, body)
    fresh = tuple(room for room in KINDS[header[6]].rooms if room not in waiting)
    counts_from = queries.counts_from(store, place)
    projections.derive(store, Entry(*(*header[:8], value, counts_from)), fresh)
