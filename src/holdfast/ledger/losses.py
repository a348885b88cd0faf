"""What a damaged disk took: the files are put aside, rows are brought back, and the rest is told.

SQLite believes its log up to the first frame that is damaged, drops all that comes behind, and
says nothing: what hooks had kept is gone. The mark (hook_costs.py) tells. The frames behind are
whole; the entries in them are brought back, and what cannot be is told.

Laws:
  - a number that was given is never given again. Where it is missing, an entry says so; where only
    an entry's text is missing and nobody forgot or archived it, an entry says that, too;
  - a header is true by its checksum, a body by the digest that its header has;
  - a copy of damaged files is safe on the disk before anything else is done. It stays until a
    person removes it, or forgets what is in it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from holdfast.errors import EntryRefused
from holdfast.ledger import faults, projections, queries
from holdfast.ledger.entry import Draft, Entry, check, checksum
from holdfast.ledger.kinds import KINDS
from holdfast.redaction.gate import gate
from holdfast.store import salvage
from holdfast.store.salvage import Held, Row
from holdfast.store.sqlite import Store
from holdfast.system import clock, files as system_files, jsontext, paths
from holdfast.system.paths import digest


def mend_tail(store: Store, state: str, mark: int) -> tuple[int, tuple[str, ...]]:
    """Bring back what lies behind the store's last entry, up to the mark and beyond. How much is
    lost, and what to say of it."""
    with store.transaction():
        last = queries.last_place(store)
        if last >= mark:
            return 0, ()  # another process has just mended it
        log = f"{store.path}-wal"
        logs = [log, *logs_aside(state)]
        # Nothing of what we write is in the log before we commit: the copy is what was found.
        aside = put_aside(state, [log])
        back = _bring_back(store, logs, after=last, up_to=mark)
        lost = tell(store, after=last, up_to=mark)
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
        headers |= dict(headers_in(rows))
        bodies |= {digest(salt + text.encode()): (salt, text) for _, salt, text in bodies_in(rows)}
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


ENTRIES, TEXTS = "entries", "texts"


class Losses(NamedTuple):
    entries: int = 0
    texts: int = 0


def tell(store: Store, *, after: int = 0, up_to: int = 0) -> Losses:
    """Keep an entry for every range that is missing and untold, in the caller's transaction.
    `up_to` is a place that is known to have been given; texts are looked for behind `after`."""
    behind = max(0, up_to - queries.last_place(store))
    if behind:
        first = queries.next_seq(store)
        _keep(store, ENTRIES, store.machine(), first, first + behind - 1, skipped=behind)
    gaps = queries.gaps(store)
    for machine, first, last in gaps:
        _keep(store, ENTRIES, machine, first, last)
    bodiless = queries.bodiless(store, after=after)
    for machine, seq in bodiless:
        _keep(store, TEXTS, machine, seq, seq)
    return Losses(behind + sum(last - first + 1 for _, first, last in gaps), len(bodiless))


def _keep(
    store: Store, what: str, machine: str, first: int, last: int, *, skipped: int = 0
) -> None:
    draft = Draft(
        "entries_lost",
        at=clock.now(),
        project="",
        session="",
        agent="",
        key=f"lost:{what}:{machine}:{first}-{last}",
        body=gate({"what": what, "machine": machine, "from": first, "to": last}),
    )
    queries.append(store, draft, skipped=skipped)


LOGS_LOOKED_AT = 3


def put_aside(state: str, files: list[str], held: Held | None = None) -> str:
    """Copy files; the folder they are in now. Those that are not there are left out."""
    folder = system_files.own_folder(paths.quarantine(state), within=state)
    name = clock.now().replace(":", "")
    while os.path.lexists(f"{folder}/{name}"):
        name += "+"
    aside = system_files.own_folder(f"{folder}/{name}")
    for path in files:
        there = f"{aside}/{os.path.basename(path)}"
        if os.path.isdir(path):
            shutil.copytree(path, there, symlinks=True)
        elif os.path.isfile(path):
            _copy(path, there, held)
    for place in (aside, folder):
        sync(place)
    return aside


def logs_aside(state: str) -> list[str]:
    """The logs put aside last: whoever did it may have been killed before he had used them."""
    folder = paths.quarantine(state)
    candidates = [f"{folder}/{name}/store.db-wal" for name in system_files.names_in(folder)]
    return [path for path in candidates if os.path.isfile(path)][-LOGS_LOOKED_AT:]


def sync(path: str) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _copy(path: str, there: str, held: Held | None) -> None:
    source = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    target = os.open(there, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        while part := os.read(source, 1 << 20):
            system_files.write_all(target, part)
        os.fsync(target)
    finally:
        os.close(target)
        if held:
            held.handles.append(source)  # to close it would let go of what is held
        else:
            os.close(source)


HEADER_TYPES = (str, int, str, str, str, str, str, int, str, str, str)


def headers_in(rows: Iterable[Row]) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """Headers that are what was written, each with its place."""
    for place, (first, *header) in rows:
        if (
            first is None
            and tuple(map(type, header)) == HEADER_TYPES
            and checksum(*header[:10]) == header[10]
        ):
            yield place, tuple(header)


def bodies_in(rows: Iterable[Row]) -> Iterator[tuple[int, bytes, str]]:
    """What may be a body: its place, its salt, its text."""
    for place, row in rows:
        if len(row) == 3 and row[0] is None and type(row[1]) is bytes and type(row[2]) is str:
            yield place, row[1], row[2]


def machines_in(rows: Iterable[Row]) -> Iterator[tuple[str, str, str]]:
    """What may be a machine: its id, its fingerprint, since when it is known."""
    for _, row in rows:
        if len(row) == 3 and all(type(field) is str for field in row) and len(row[1]) == 32:
            yield row[0], row[1], row[2]
