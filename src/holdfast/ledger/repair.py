"""Repair: what is damaged is put aside, what can be read is kept, the rest is derived again.

Laws (docs/decisions/0004-corruption.md):
  - an entry is believed by its checksum and its body by its digest, wherever they are found; what
    is not what was written is kept nowhere but in the quarantine, and nothing is derived from it;
  - the damaged files are copied first, whole; they stay until a person removes them;
  - the new store is complete before it takes the old one's place, by one rename. Whoever is killed
    on the way leaves the old store or the new one, and the quarantine;
  - what is lost is told: its number is not given again, and an entry says that it was lost.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from holdfast import faults, jsontext, paths, platform, rooms
from holdfast.errors import Damaged, EntryRefused, StoreError
from holdfast.ledger import replay, shelf
from holdfast.ledger.entry import Draft, Entry, check, checksum
from holdfast.paths import digest
from holdfast.redaction import gate
from holdfast.store import salvage
from holdfast.store.sqlite import DAMAGE, Store, fingerprint
from holdfast.workspace import Workspace

PAGES, ENTRIES, TEXTS, TABLES, UNSIGNED = "pages", "entries", "texts", "tables", "unsigned"
REPLAYED_CAP = 50_000
PATIENCE_S = 10.0
LOGS_LOOKED_AT = 3
HEADER_TYPES = (str, int, str, str, str, str, str, int, str, str, str)
SUFFIXES = ("", "-wal", "-shm")


class Ailment(NamedTuple):
    """One thing that is wrong with a store."""

    what: str
    said: str
    rooms: tuple[str, ...] = ()


class Outcome(NamedTuple):
    """What a repair found, did, and could not do."""

    found: tuple[str, ...] = ()
    kept: int = 0
    lost: int = 0
    texts_lost: int = 0
    pages_healed: int = 0
    rebuilt: tuple[str, ...] = ()
    quarantine: str = ""

    @property
    def has_losses(self) -> bool:
        return bool(self.lost or self.texts_lost)


# Looking


def ailments(store: Store) -> list[Ailment]:
    """Everything that is wrong with an open store, as far as it can be told; nothing is changed."""
    found: list[Ailment] = []
    try:
        found += _ailments(store)
    except (*DAMAGE, Damaged) as error:
        found.append(Ailment(PAGES, str(error)))
    return found


def _ailments(store: Store) -> Iterator[Ailment]:
    pages = store.problems()
    if pages:
        yield Ailment(PAGES, pages[0])
        return
    if not store.is_signed():
        yield Ailment(UNSIGNED, "its pages carry no signatures yet")
    damaged = shelf.damaged(store)
    if damaged:
        yield Ailment(PAGES, f"{len(damaged)} entries are not what was written")
        return
    missing = sum(last - first + 1 for _, first, last in shelf.gaps(store))
    if missing:
        yield Ailment(ENTRIES, f"{missing} entries are missing")
    bodiless = len(shelf.bodiless(store))
    if bodiless:
        yield Ailment(TEXTS, f"the texts of {bodiless} entries are missing")
    if shelf.count(store) <= REPLAYED_CAP and not rooms.stale(store):
        tables = replay.differences(store)
        if tables:
            said = ", ".join(f"{count} in {table}" for table, count in tables.items())
            yield Ailment(TABLES, f"rows that no entry gives: {said}", _rooms_of(tables))


def _rooms_of(tables: dict[str, int]) -> tuple[str, ...]:
    return tuple(room for room in rooms.ROOMS if set(rooms.deriver(room).TABLES) & set(tables))


def look(state: str, mark: int) -> Outcome:
    """What a repair would find and keep. Nothing is changed."""
    path = paths.store(state)
    try:
        store = Store(path, create=False)
    except (*DAMAGE, Damaged) as error:
        found = [Ailment(PAGES, str(error))]
    else:
        found = ailments(store)
        behind = mark - shelf.last_place(store) if found == [] else 0
        if behind > 0:
            found.append(Ailment(ENTRIES, f"the last {behind} entries are missing"))
        if not {PAGES, UNSIGNED} & {one.what for one in found}:
            return Outcome(_told(found), kept=shelf.count(store))
    image = salvage.Image(path)
    image.look_through()
    kept = {header[:2] for _, header in _headers(image.rows())}
    image.close()
    return Outcome(_told(found), kept=len(kept), pages_healed=len(image.healed))


def _told(found: list[Ailment]) -> tuple[str, ...]:
    return tuple(one.said for one in found)


# Mending


def repair(state: str) -> Outcome:
    """Mend whatever is wrong. Raises StoreError when it cannot be, and has changed nothing then."""
    with _alone(state):
        if os.path.isdir(paths.store(state)):
            return _rewrite(state, [Ailment(PAGES, "a folder is in its place")])
        try:
            workspace = Workspace(state)
        except (*DAMAGE, Damaged) as error:
            return _rewrite(state, [Ailment(PAGES, str(error))])
        found = ailments(workspace.store)
        if {PAGES, UNSIGNED} & {one.what for one in found}:
            return _rewrite(state, found)
        stale = {room for one in found for room in one.rooms} | set(workspace.stale)
        if stale:
            _rebuild(workspace, tuple(room for room in rooms.ROOMS if room in stale))
        told = _tell_losses(workspace)
        return Outcome(
            (*_told(found), *workspace.mended),
            kept=shelf.count(workspace.store),
            lost=told[0] + workspace.lost,
            texts_lost=told[1],
            rebuilt=tuple(sorted(stale)),
        )


def rebuild_room(state: str, room: str) -> int:
    """Derive one room again; the number of entries replayed."""
    with _alone(state):
        return _rebuild(Workspace(state), (room,))


def _rebuild(workspace: Workspace, chosen: tuple[str, ...]) -> int:
    entries = replay.rebuild(workspace.store, only=chosen)
    at = platform.now()
    with workspace.store.transaction():
        said = {"rooms": list(chosen), "entries": entries}
        workspace.keep("tables_rebuilt", said, key=f"rebuilt:{at}", at=at)
    return entries


def _rewrite(state: str, found: list[Ailment]) -> Outcome:
    """A new store of all that can be read, in the place of the damaged one."""
    path = paths.store(state)
    with salvage.Held(path, patience_s=PATIENCE_S) as held:
        aside = quarantine(state, [f"{path}{suffix}" for suffix in SUFFIXES], held)
        image = salvage.Image(f"{aside}/{os.path.basename(path)}")
        image.look_through()
        fresh = f"{path}.rebuild-{os.getpid()}"
        try:
            _fill(Store(fresh), image, platform.system.stat(path).st_ino)
            for suffix in SUFFIXES[1:]:
                _unlink(f"{path}{suffix}")
            if os.path.isdir(path):
                shutil.rmtree(path)
            os.rename(fresh, path)
            _sync(state)
        finally:
            image.close()
            for suffix in SUFFIXES:
                _unlink(f"{fresh}{suffix}")
    workspace = Workspace(state)  # what is missing at the end is told by the mark
    lost, texts = _tell_losses(workspace)
    outcome = Outcome(
        _told(found),
        kept=shelf.count(workspace.store),
        lost=lost + workspace.lost,
        texts_lost=texts,
        pages_healed=len(image.healed),
        rebuilt=tuple(rooms.ROOMS),
        quarantine=aside,
    )
    said = {
        "kept": outcome.kept,
        "lost": outcome.lost,
        "texts_lost": outcome.texts_lost,
        "pages_healed": outcome.pages_healed,
        "quarantine": os.path.basename(aside),
    }
    at = platform.now()
    with workspace.store.transaction():
        workspace.keep("store_repaired", said, key=f"repaired:{at}", at=at)
    left = ailments(workspace.store)
    if left:
        raise Damaged(f"the new store is not sound: {left[0].said}", hint=f"see {aside}")
    return outcome


def _fill(fresh: Store, image: salvage.Image, inode: int) -> None:
    """Every true entry and body of an image, this machine's id, and what is derived from them."""
    with fresh.transaction():
        for place, header in _headers(image.rows()):
            shelf.put_in_place(fresh, place, header)
        for place, salt, body in _bodies(image.rows()):
            at = shelf.place_with(fresh, place, digest(salt + body.encode()))
            if at:
                shelf.give_body(fresh, at, salt, body)
        own = fingerprint(inode)
        for _, row in image.rows():
            if len(row) == 3 and all(type(field) is str for field in row):
                fresh.know_machine(*row, is_this=row[1] == own)
    replay.fill(fresh)
    wrong = [*fresh.problems(), *map(str, shelf.damaged(fresh))]
    fresh.close()
    if wrong:
        raise Damaged(f"the new store cannot be written: {wrong[0]}", hint="check the disk")


def _headers(rows: Iterable[salvage.Row]) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """Headers that are what was written, each with its place."""
    for place, (first, *header) in rows:
        if (
            first is None
            and tuple(map(type, header)) == HEADER_TYPES
            and checksum(*header[:10]) == header[10]
        ):
            yield place, tuple(header)


def _bodies(rows: Iterable[salvage.Row]) -> Iterator[tuple[int, bytes, str]]:
    """What may be a body, with its salt and its place."""
    for place, row in rows:
        if len(row) == 3 and row[0] is None and type(row[1]) is bytes and type(row[2]) is str:
            yield place, row[1], row[2]


def _tell_losses(workspace: Workspace) -> tuple[int, int]:
    """An entry for every range of entries, or of their texts, that is gone and was not told."""
    with workspace.store.transaction():
        gaps = shelf.gaps(workspace.store)
        for machine, first, last in gaps:
            _tell(workspace, "entries", machine, first, last)
        bodiless = shelf.bodiless(workspace.store)
        for machine, seq in bodiless:
            _tell(workspace, "texts", machine, seq, seq)
    return sum(last - first + 1 for _, first, last in gaps), len(bodiless)


def _tell(
    workspace: Workspace, what: str, machine: str, first: int, last: int, *, skipped: int = 0
) -> None:
    draft = Draft(
        "entries_lost",
        at=platform.now(),
        project="",
        session="",
        agent="",
        key=f"lost:{what}:{machine}:{first}-{last}",
        body=gate({"what": what, "machine": machine, "from": first, "to": last}),
    )
    shelf.append(workspace.store, draft, skipped=skipped)


# The log


def mend_log(workspace: Workspace, mark: int) -> None:
    """The store ends before an entry that a hook had kept: SQLite drops a log from its first
    damaged frame on, and says nothing. What lies behind that frame is brought back."""
    store = workspace.store
    with store.transaction():
        last = shelf.last_place(store)
        if last >= mark:
            return  # another one was first by a breath
        path = f"{store.path}-wal"
        logs = [path, *_earlier_logs(workspace.state)]
        # Nothing is in the log yet of what we write: the copy is what was found.
        aside = quarantine(workspace.state, [path])
        back = _bring_back(workspace, logs, after=last, up_to=mark)
        behind = mark - shelf.last_place(store)
        if behind > 0:
            first = shelf.next_seq(store)
            final = first + behind - 1
            _tell(workspace, "entries", store.machine(), first, final, skipped=behind)
        lost = max(behind, 0)
        for machine, first, final in shelf.gaps(store):
            _tell(workspace, "entries", machine, first, final)
            lost += final - first + 1
        for machine, seq in shelf.bodiless(store, after=last):
            _tell(workspace, "texts", machine, seq, seq)
            lost += 1
    workspace.lost = lost
    said = f"{mark - last} entries at the end were missing, {back} were brought back, {lost} lost"
    workspace.mended = (said,)
    kind = "entries lost" if lost else "log mended"
    faults.note(workspace.state, kind, "repair.py", f"{said}; the log is in {aside}")


def _bring_back(workspace: Workspace, logs: list[str], *, after: int, up_to: int) -> int:
    """Entries that lie in logs, behind the last one of the store."""
    headers: dict[int, tuple[Any, ...]] = {}
    bodies: dict[str, tuple[bytes, str]] = {}
    frames = [frame for path in logs for frame in salvage.log(path)]
    for strict in (True, False):
        rows = [row for row in _rows(workspace.store, frames, strict=strict) if row[0] > after]
        headers |= dict(_headers(rows))
        bodies |= {digest(salt + text.encode()): (salt, text) for _, salt, text in _bodies(rows)}
        if sum(header[9] in bodies for header in headers.values()) >= up_to - after:
            break
    count = 0
    for place, header in sorted(headers.items()):
        if shelf.put_in_place(workspace.store, place, header):
            count += 1
            if header[9] in bodies:
                _give(workspace, place, header, *bodies[header[9]])
    return count


def _rows(store: Store, frames: list[tuple[int, bytes]], *, strict: bool) -> Iterator[salvage.Row]:
    newest = dict(frames)
    usable = salvage.usable(is_signed=store.is_signed())
    for number, page in frames:
        yield from salvage.rows(
            number, page, lambda one: newest.get(one) or store.page(one), usable, strict=strict
        )


def _give(
    workspace: Workspace, place: int, header: tuple[Any, ...], salt: bytes, body: str
) -> None:
    said = jsontext.loads(body)
    try:
        check(header[6], said)
    except EntryRefused:
        return  # of a newer program, or none of ours: its header stays, as of a text that is lost
    shelf.give_body(workspace.store, place, salt, body)
    waiting = workspace.stale
    fresh = tuple(room for room in rooms.DERIVED_BY[header[6]] if room not in waiting)
    rooms.derive(workspace.store, Entry(*header[:8], said), fresh)


def _earlier_logs(state: str) -> list[str]:
    """Logs that were put aside: whoever mended before may have been killed before it was done."""
    folder = paths.quarantine(state)
    found = [f"{folder}/{name}/store.db-wal" for name in platform.names_in(folder)]
    return [path for path in found if os.path.isfile(path)][-LOGS_LOOKED_AT:]


# The quarantine


def quarantine(state: str, files: list[str], held: salvage.Held | None = None) -> str:
    """Copies of files as they are, in a folder of their own, safe on the disk before we go on."""
    folder = platform.own_folder(paths.quarantine(state), within=state)
    name = platform.now().replace(":", "")
    while os.path.exists(f"{folder}/{name}"):
        name += "+"
    aside = platform.own_folder(f"{folder}/{name}")
    for path in files:
        there = f"{aside}/{os.path.basename(path)}"
        if os.path.isdir(path):
            shutil.copytree(path, there, symlinks=True)
        elif os.path.isfile(path):
            _copy(path, there, held)
    _sync(aside)
    _sync(folder)
    return aside


def _copy(path: str, there: str, held: salvage.Held | None) -> None:
    source = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    target = os.open(there, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    while part := os.read(source, 1 << 20):
        platform.write_all(target, part)
    os.fsync(target)
    os.close(target)
    if held:
        held.handles.append(source)
    else:
        os.close(source)


def _sync(path: str) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass


@contextmanager
def _alone(state: str) -> Iterator[None]:
    """No rebuild and no other repair at the same time."""
    lock = platform.Lock(f"{platform.own_folder(state)}/rebuild.lock")
    try:
        if not lock.take(wait_s=PATIENCE_S):
            raise StoreError("the tables are being rebuilt", hint="try again in a minute")
        yield
    finally:
        lock.release()
