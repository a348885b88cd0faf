"""Forgetting: bodies and salts go, headers stay as gravestones, and an entry says so.

Laws:
  - the entry that says so names what was forgotten and holds no text of it;
  - it is one transaction: appended, buried, dropped from every room. At no moment does a replay
    give other rows than are there;
  - what was forgotten stays forgotten: its natural key is on the gravestone, so the event cannot
    come in again;
  - what the user owns and what still stands (rules, choices, decisions, pins) outlives its session
    unless that is asked for, too: in its own words, by the same id, and of no session;
  - `scour` leaves nothing of it in the store's file or in its log, or says that it could not.

Files outside the store are those of rooms/sessions/forgetting.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import apsw

from holdfast.errors import EntryRefused, NotFound, StoreError
from holdfast.ledger import projections, queries, replay
from holdfast.ledger.entry import Entry
from holdfast.ledger.kinds import KINDS
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.decisions import queries as decisions
from holdfast.rooms.prompts import choice_queries, queries as prompts
from holdfast.rooms.work import queries as work
from holdfast.store.driver import BUSY
from holdfast.store.sqlite import Store
from holdfast.system import processes

if TYPE_CHECKING:
    from holdfast.ledger.kinds import Body

FORGETTING = ("session_forgotten", "entry_forgotten", "project_forgotten")
OF_A_PROMPT = {"prompt", "heard_in", "awaits"}
# What became of a rule, a choice, a pin or a learning; those whose words are ours.
TURNED = "turned"
TURNS = "withdrawn kept repeated pointed disowned scoped merged".split()
SAYING_IDS = ("scoped", "merged")
PATIENCE_S = 10.0
WRITING = (apsw.FullError, apsw.IOError, apsw.ReadOnlyError)


def sessions_and_projects(
    workspace: Workspace,
    sessions: tuple[str, ...],
    projects: tuple[str, ...],
    *,
    now: str,
    keeps_standing: bool = False,
    is_import: bool = False,
) -> int:
    """Forget whole sessions, and what belongs to projects alone; the number of bodies."""
    store, gone = workspace.store, 0
    with _alone(workspace), store.transaction():
        for session in sessions:
            kept = staying(store, session) if keeps_standing else []
            gone += _session(workspace, session, now, kept, is_import)
        for project in projects:
            gone += _project(workspace, project, now)
    return gone


def staying(store: Store, session: str) -> list[tuple[Entry, Body]]:
    """What the user owns of a session and still stands, and what became in it of such things; each
    with what it says when it is of no session. What names a prompt, or quotes one, goes."""
    stands = {
        *prompts.standing_in(store, session),
        *choice_queries.standing_in(store, session),
        *decisions.standing_in(store, session),
        *work.persons_pins_of(store, session),
    }
    entries = [kept for _, kept in queries.read(store, session=session)]
    goes = {kept.id for kept in entries} - stands
    stays: list[tuple[Entry, Body]] = []
    for kept in entries:
        body = {name: kept.body[name] for name in kept.body.keys() - OF_A_PROMPT}
        if kept.id in stands:
            stays.append((kept, {**body, "was": kept.id}))
        elif kept.kind == TURNED and body["turn"] in TURNS and body["subject"] not in goes:
            words = body["words"] if body["turn"] in SAYING_IDS else ""
            stays.append((kept, {**body, "words": words}))
    return stays


def entry(workspace: Workspace, machine: str, seq: int, *, now: str) -> int:
    """Forget one entry, with those that were made of it (a prompt's goal and rules); what was
    derived from the rest of its session is derived again. The number of bodies."""
    store = workspace.store
    with _alone(workspace), store.transaction():
        header = named(workspace, machine, seq)
        if not header.has_body:
            return 0
        made = queries.consequences(store, header.session, machine, seq)
        queries.bury(store, [header.place, *made])
        if header.session:
            _derive_again(workspace, header.session)
            _bury_inheritances(workspace, header.session)
        else:
            _derive_all_again(workspace)
        workspace.keep(
            "entry_forgotten",
            {"machine": machine, "seq": seq, "kind": header.kind},
            key=f"forgotten:{machine}:{seq}",
            at=now,
            project=header.project,
            session=header.session,
            agent=header.agent,
        )
    return 1 + len(made)


def named(workspace: Workspace, machine: str, seq: int) -> queries.Header:
    """The header of an entry that may be forgotten by itself."""
    header = queries.grave(workspace.store, machine, seq)
    if header is None:
        raise NotFound(f"there is no entry {seq} of machine {machine}")
    if header.kind in FORGETTING:
        raise EntryRefused(f"entry {seq} only says what was forgotten: it holds no text")
    if queries.bodies_of_kind(workspace.store, header.session, "session_archived"):
        raise EntryRefused(
            f"entry {seq} belongs to an archived session",
            hint=f"bring it back first: `holdfast restore {header.session}`",
        )
    return header


def scour(workspace: Workspace) -> None:
    """Write the store's file anew without free pages, and empty its log."""
    store = workspace.store
    try:
        store.run("vacuum")
        busy = store.row("pragma wal_checkpoint(truncate)")
    except BUSY:
        busy = None
    except WRITING as error:
        raise StoreError(
            f"it is out of the ledger, but the store's file could not be written anew ({error}),"
            " and its free pages may still have text",
            hint="make room on the disk, then run the same command again",
        ) from error
    if busy is None or busy[0]:
        raise StoreError(
            "it is out of the ledger, but another process holds the store's file open, and the"
            " file's free pages may still have text",
            hint="close what reads the store, then run the same command again",
        )


def _session(
    workspace: Workspace,
    session: str,
    now: str,
    kept: list[tuple[Entry, Body]],
    is_import: bool,
) -> int:
    store = workspace.store
    places = queries.with_body(store, session, FORGETTING)
    project, agent = queries.whose(store, session)
    if not places and queries.has_kind(store, session, project, "session_forgotten"):
        return 0  # done before: an entry more would say nothing
    queries.bury(store, places)
    for room in projections.ROOMS:
        projections.projection_of(room).drop(store, session)
    _bury_inheritances(workspace, session)
    for entry, body in kept:
        workspace.keep(
            entry.kind,
            body,
            key=f"stands:{entry.machine}:{entry.seq}",
            at=entry.at,
            project=entry.project,
            agent=entry.agent,
        )
    workspace.keep(
        "session_forgotten",
        {"entries": len(places) - len(kept), **({"import": True} if is_import else {})},
        key=f"forgotten:{now}",
        at=now,
        project=project,
        session=session,
        agent=agent,
    )
    return len(places) - len(kept)


def _project(workspace: Workspace, project: str, now: str) -> int:
    store = workspace.store
    places = queries.with_body_of_project(store, project, FORGETTING)
    if not places and queries.has_kind(store, "", project, "project_forgotten"):
        return 0
    had_merges = queries.has_body_of_kind(store, places, "projects_merged")
    queries.bury(store, places)
    if had_merges:
        _derive_all_again(workspace)
    kept = workspace.keep(
        "project_forgotten",
        {"entries": len(places)},
        key=f"forgotten:{project}:{now}",
        at=now,
        project=project,
    )
    if kept is not None:
        # Rooms that wait for a rebuild let go of it now, like the others.
        projections.derive(store, kept, tuple(set(KINDS[kept.kind].rooms) & set(workspace.stale)))
    return len(places)


def _bury_inheritances(workspace: Workspace, session: str) -> None:
    """What others took over of a session goes with it, and what was taken over of them: it holds
    something of the first, too. They are derived again without it."""
    waiting, done = [session], {session}
    while waiting:
        for place, heir in queries.held_of(workspace.store, waiting.pop()):
            queries.bury(workspace.store, [place])
            _derive_again(workspace, heir)
            if heir not in done:
                done.add(heir)
                waiting.append(heir)


def let_go_of_forgotten(workspace: Workspace, session: str) -> None:
    """A session that comes back from the archive brings along what it once took over: not of what
    was forgotten meanwhile."""
    for place, source in queries.holds_of(workspace.store, session):
        if queries.has_forgotten(workspace.store, source, FORGETTING):
            queries.bury(workspace.store, [place])


def _derive_again(workspace: Workspace, session: str) -> None:
    store, waiting = workspace.store, workspace.stale
    if queries.is_of_forgotten_project(store, session):
        # Its entries alone would bring back what the forgetting of the project took since.
        _derive_all_again(workspace)
        return
    for room in projections.ROOMS:
        projections.projection_of(room).drop(store, session)
    for _, kept in list(queries.read(store, session=session)):
        fresh = tuple(room for room in KINDS[kept.kind].rooms if room not in waiting)
        projections.derive(store, kept, fresh)


def _derive_all_again(workspace: Workspace) -> None:
    """What belongs to a project may have touched any session's rows: a merge does."""
    store, waiting = workspace.store, workspace.stale
    for table in replay.derived_tables():
        queries.empty(store, table)
    for _, kept in queries.read(store):
        fresh = tuple(room for room in KINDS[kept.kind].rooms if room not in waiting)
        projections.derive(store, kept, fresh)


@contextmanager
def _alone(workspace: Workspace) -> Iterator[None]:
    """No rebuild at the same time: it would swap in rows of what it read before."""
    lock = processes.Lock(f"{workspace.state}/rebuild.lock")
    try:
        if not lock.take(wait_s=PATIENCE_S):
            raise StoreError("the tables are being rebuilt", hint="try again in a minute")
        # Deleted text is overwritten in its page, not only unlinked from it.
        workspace.store.run("pragma secure_delete = on")
        try:
            yield
        except BUSY as error:
            raise StoreError(
                "the store is busy; nothing was changed", hint="try again in a moment"
            ) from error
        except WRITING as error:
            raise StoreError(
                f"the store cannot be written ({error}); nothing was changed",
                hint="make room on the disk",
            ) from error
    finally:
        lock.release()
