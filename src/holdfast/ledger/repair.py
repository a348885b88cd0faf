"""Repair: what is damaged is put aside, what can be read is kept, the rest is derived again.

Laws (docs/internals/decisions/0004-corruption.md):
  - an entry is believed by its checksum and its body by its digest, wherever they are found; what
    is not what was written is kept nowhere but in the quarantine, and nothing is derived from it;
  - the damaged files are copied first, whole;
  - the new store is complete before it takes the old one's place, by one rename. Whoever is killed
    on the way leaves the old store or the new one, and the quarantine;
  - what is lost is told.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import NamedTuple

from holdfast.errors import Damaged
from holdfast.ledger import hook_costs, losses, projections, queries, replay
from holdfast.ledger.replay import alone
from holdfast.ledger.workspace import Workspace
from holdfast.store import salvage
from holdfast.store.sqlite import DAMAGE, Store, fingerprint
from holdfast.system import clock, paths
from holdfast.system.paths import digest

PAGES, ENTRIES, TEXTS, TABLES, UNSIGNED = "pages", "entries", "texts", "tables", "unsigned"
REPLAYED_CAP = 50_000
PATIENCE_S = 10.0
SUFFIXES = ("", "-wal", "-shm")


class Ailment(NamedTuple):
    """One thing that is wrong with a store."""

    what: str
    message: str
    rooms: tuple[str, ...] = ()


class Outcome(NamedTuple):
    """What a repair found, did, and could not do."""

    problems: tuple[str, ...] = ()
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
    problems: list[Ailment] = []
    try:
        problems += _ailments(store)
    except (*DAMAGE, Damaged) as error:
        problems.append(Ailment(PAGES, str(error)))
    return problems


def _ailments(store: Store) -> Iterator[Ailment]:
    pages = store.problems()
    if pages:
        yield Ailment(PAGES, pages[0])
        return
    if not store.is_signed():
        yield Ailment(UNSIGNED, "its pages carry no signatures yet")
    damaged = len(queries.damaged(store))
    if damaged:
        yield Ailment(PAGES, f"{damaged} entries are not what was written")
        return
    missing = sum(last - first + 1 for _, first, last in queries.gaps(store))
    if missing:
        yield Ailment(ENTRIES, f"{missing} entries are missing")
    bodiless = len(queries.bodiless(store))
    if bodiless:
        yield Ailment(TEXTS, f"the texts of {bodiless} entries are missing")
    # Above that the rows are believed by the signatures of their pages.
    if queries.count(store) <= REPLAYED_CAP and not projections.stale(store):
        tables = replay.differences(store)
        if tables:
            counts = ", ".join(f"{count} in {table}" for table, count in tables.items())
            yield Ailment(TABLES, f"rows that no entry gives: {counts}", _rooms_of(tables))


def _rooms_of(tables: dict[str, int]) -> tuple[str, ...]:
    return tuple(
        room
        for room in projections.ROOMS
        if set(projections.projection_of(room).TABLES) & set(tables)
    )


def look(state: str) -> Outcome:
    """What a repair would find, and how many entries it would keep at least. Changes nothing."""
    path = paths.store(state)
    if os.path.isdir(path):
        return Outcome((_FOLDER.message,))
    try:
        store = Store(path, create=False)
    except (*DAMAGE, Damaged) as error:
        problems = [Ailment(PAGES, str(error))]
    else:
        problems = ailments(store)
        behind = hook_costs.mark(state) - queries.last_place(store) if not problems else 0
        if behind > 0:
            problems.append(Ailment(ENTRIES, f"the last {behind} entries are missing"))
        if not _needs_rewriting(problems):
            return Outcome(_messages(problems), kept=queries.count(store))
    image = salvage.Image(path)
    image.look_through()
    kept = {header[:2] for _, header in losses.headers_in(image.rows())}
    image.close()
    return Outcome(_messages(problems), kept=len(kept))


def _needs_rewriting(problems: list[Ailment]) -> bool:
    return any(problem.what in (PAGES, UNSIGNED) for problem in problems)


def _messages(problems: list[Ailment]) -> tuple[str, ...]:
    return tuple(problem.message for problem in problems)


_FOLDER = Ailment(PAGES, "a folder is in the store's place")


# Mending


def repair(state: str) -> Outcome:
    """Mend whatever is wrong. Raises StoreError or OSError when it cannot be."""
    with alone(state, wait_s=PATIENCE_S):
        if os.path.isdir(paths.store(state)):
            return _rewrite(state, [_FOLDER])
        try:
            workspace = Workspace(state)
        except (*DAMAGE, Damaged) as error:
            return _rewrite(state, [Ailment(PAGES, str(error))])
        problems = ailments(workspace.store)
        if _needs_rewriting(problems):
            return _rewrite(state, problems)
        stale = {room for problem in problems for room in problem.rooms} | set(workspace.stale)
        if stale:
            _rebuild(workspace, [room for room in projections.ROOMS if room in stale])
        with workspace.store.transaction():
            lost = losses.tell(workspace.store)
        return Outcome(
            (*_messages(problems), *workspace.mended),
            kept=queries.count(workspace.store),
            lost=lost.entries + workspace.lost,
            texts_lost=lost.texts,
            rebuilt=tuple(sorted(stale)),
        )


def rebuild_room(state: str, room: str) -> int:
    """Derive one room again; the number of entries replayed."""
    with alone(state, wait_s=PATIENCE_S):
        return _rebuild(Workspace(state), [room])


def _rebuild(workspace: Workspace, chosen: list[str]) -> int:
    entries = replay.rebuild(workspace.store, only=chosen)
    at = clock.now()
    with workspace.store.transaction():
        body = {"rooms": chosen, "entries": entries}
        workspace.keep("tables_rebuilt", body, key=f"rebuilt:{at}", at=at)
    return entries


def _rewrite(state: str, problems: list[Ailment]) -> Outcome:
    """A new store of all that can be read, in the place of the damaged one."""
    path = paths.store(state)
    with salvage.Held(path, patience_s=PATIENCE_S) as held:
        aside = losses.put_aside(state, [f"{path}{suffix}" for suffix in SUFFIXES], held)
        image = salvage.Image(f"{aside}/{os.path.basename(path)}")
        fresh = f"{path}.rebuild-{os.getpid()}"
        try:
            image.look_through()
            inode, mark = os.stat(path).st_ino, hook_costs.mark(state)
            if not _fill(fresh, image, inode, mark) and image.damaged:
                # Something is missing: it is worth the time to look for a flipped bit.
                image.heal()
                _remove(fresh)
                _fill(fresh, image, inode, mark)
            _put_in_place(fresh, path)
        finally:
            image.close()
            _remove(fresh)
    workspace = Workspace(state)  # what is missing at the end is told by the mark
    with workspace.store.transaction():
        lost = losses.tell(workspace.store)
    outcome = Outcome(
        _messages(problems),
        kept=queries.count(workspace.store),
        lost=lost.entries + workspace.lost,
        texts_lost=lost.texts,
        pages_healed=len(image.healed),
        rebuilt=tuple(projections.ROOMS),
        quarantine=aside,
    )
    _note(workspace, outcome)
    left = ailments(workspace.store)
    if left:
        raise Damaged(f"the new store is not sound: {left[0].message}", hint=f"see {aside}")
    return outcome


def _fill(path: str, image: salvage.Image, inode: int, mark: int) -> bool:
    """A store of every true entry and body of an image; whether nothing is missing in it."""
    fresh = Store(path)
    with fresh.transaction():
        for row in image.rows():
            for place, header in losses.headers_in([row]):
                queries.put_in_place(fresh, place, header)
            for id_, print_, since in losses.machines_in([row]):
                fresh.know_machine(id_, print_, since, is_this=print_ == fingerprint(inode))
        for place, salt, body in losses.bodies_in(image.rows()):
            at = queries.place_with(fresh, place, digest(salt + body.encode()))
            if at:
                queries.give_body(fresh, at, salt, body)
    replay.fill(fresh)
    wrong = [*fresh.problems(), *map(str, queries.damaged(fresh))]
    is_whole = not (
        queries.gaps(fresh) or queries.bodiless(fresh) or queries.last_place(fresh) < mark
    )
    fresh.close()
    if wrong:
        raise Damaged(f"a new store cannot be written: {wrong[0]}", hint="check the disk")
    return is_whole


def _put_in_place(fresh: str, path: str) -> None:
    """The old log belongs to the old file, and goes first. It is in the quarantine: whoever opens
    the old file without it finds its entries there (losses.py)."""
    for suffix in SUFFIXES[1:]:
        _unlink(f"{path}{suffix}")
    if os.path.isdir(path):
        shutil.rmtree(path)
    os.rename(fresh, path)
    losses.sync(os.path.dirname(path))


def _note(workspace: Workspace, outcome: Outcome) -> None:
    at = clock.now()
    body = {
        "kept": outcome.kept,
        "lost": outcome.lost,
        "texts_lost": outcome.texts_lost,
        "pages_healed": outcome.pages_healed,
        "quarantine": os.path.basename(outcome.quarantine),
    }
    with workspace.store.transaction():
        workspace.keep("store_repaired", body, key=f"repaired:{at}", at=at)


def _remove(path: str) -> None:
    for suffix in SUFFIXES:
        _unlink(f"{path}{suffix}")


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
