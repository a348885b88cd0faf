"""Archive: old sessions leave the store for compressed JSON lines, and can come back.

Archive first, delete afterwards: the file is on disk and read back before a body goes. Only
bodies go; headers stay as gravestones, and the session's row stays for the chain. Never archived:
what is open, what is not old enough, and what a session that stays was linked to.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from holdfast.errors import Damaged, NotFound, StoreError
from holdfast.ledger import export, projections, queries as ledger
from holdfast.ledger.export import ArchivedEntry
from holdfast.ledger.forget import let_go_of_forgotten
from holdfast.ledger.kinds import KINDS, SPARED_BY_ARCHIVE
from holdfast.ledger.replay import alone
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.sessions import queries, traces
from holdfast.rooms.sessions.queries import Session
from holdfast.system import clock, files, paths
from holdfast.system.paths import digest


@dataclass(frozen=True)
class Candidate:
    session: Session
    entries: int


def due(workspace: Workspace, *, older_than_days: float, now: str) -> list[Candidate]:
    """What would be archived now, oldest first."""
    old = old_enough(workspace, older_than_days=older_than_days, now=now)
    return [Candidate(session, len(_entries(workspace, session.id))) for session in old]


def old_enough(workspace: Workspace, *, older_than_days: float, now: str) -> list[Session]:
    """The sessions that may be archived, oldest first."""
    limit = clock.iso(clock.seconds_of(now) - older_than_days * 86_400)
    store = workspace.store
    old = {
        session.id: session
        for session in queries.latest(store, 1_000_000)
        if session.ended_at is not None and not session.archived and session.last_active_at < limit
    }
    needed = {
        previous
        for session, previous in store.rows("select session, previous from links")
        if session not in old and not _is_archived(workspace, session)
    }
    return [
        session
        for session in sorted(
            old.values(), key=lambda session: (session.last_active_at, session.id)
        )
        if session.id not in needed
    ]


def archive(workspace: Workspace, session: Session, *, now: str) -> str:
    """Write one session's entries to a file of its own, then delete their bodies; the file, or ""
    where it was archived meanwhile, goes on again or is forgotten."""
    store = workspace.store
    folder = files.own_folder(paths.archives(workspace.state), within=workspace.state)
    name = export.archive_name(session.id)
    path = f"{folder}/{name}"
    with store.transaction():
        current = queries.find(store, session.id)
        if current is None or current.archived or current.ended_at is None:
            return ""
        entries = _entries(workspace, session.id)
        for entry in entries:
            if not ledger.is_body(entry.digest, bytes.fromhex(entry.salt), entry.body):
                raise Damaged(f"entry {entry.machine}:{entry.seq} is not what was written")
        export.write_archive(path, entries)
        if _read(path) != entries:
            raise StoreError(
                f"{path} does not read back", hint="check the disk; nothing was deleted"
            )
        link = store.row("select previous, how, at from links where session = ?", session.id) or (
            "",
            "",
            "",
        )
        record = {**session.as_dict(), "previous": link[0], "how": link[1], "linked_at": link[2]}
        ledger.bury(store, [entry.place for entry in entries])
        workspace.keep(
            "session_archived",
            {"file": name, "session": record},
            key=f"archived:{now}",
            at=now,
            project=session.project,
            session=session.id,
            agent=session.agent,
        )
    traces.remove_path(paths.tested(workspace.state, session.id))
    return path


def restore(workspace: Workspace, session: str, *, now: str) -> int:
    """Bring an archived session back; the number of entries. Each is checked by its digest."""
    store = workspace.store
    registered = queries.find(store, session)
    if registered is None or not registered.archived:
        raise NotFound(f"no archived session {session}", hint="see `holdfast sessions --all`")
    path = f"{paths.archives(workspace.state)}/{registered.archived}"
    archived = _read(path)
    with alone(workspace.state), store.transaction():
        for archived_entry in archived:
            _exhume(workspace, archived_entry, path)
        let_go_of_forgotten(workspace, session)
        ledger.bury(store, _places(workspace, session, "session_archived"))
        for room in projections.ROOMS:
            projections.projection_of(room).drop(store, session)
        for _, entry in list(ledger.read(store, session=session)):
            projections.derive(store, entry, KINDS[entry.kind].rooms)
        workspace.keep(
            "session_restored",
            {"file": registered.archived},
            key=f"restored:{now}",
            at=now,
            project=registered.project,
            session=session,
            agent=registered.agent,
        )
    os.unlink(path)
    return len(archived)


def size(workspace: Workspace, session: Session) -> int:
    """How many entries an archive holds."""
    return len(_read(f"{paths.archives(workspace.state)}/{session.archived}"))


def _exhume(workspace: Workspace, entry: ArchivedEntry, path: str) -> None:
    store = workspace.store
    place = store.value(
        "select place from entries where machine = ? and seq = ? and digest = ?",
        entry.machine,
        entry.seq,
        digest(bytes.fromhex(entry.salt) + entry.body.encode()),
    )
    if place is None:
        raise StoreError(
            f"{path} is damaged at entry {entry.seq}", hint="nothing was restored; keep the file"
        )
    store.run(
        "insert into bodies (place, salt, body) values (?, ?, ?) on conflict do nothing",
        place,
        bytes.fromhex(entry.salt),
        entry.body,
    )


def _entries(workspace: Workspace, session: str) -> list[ArchivedEntry]:
    """A session's entries as they are archived: whole, body and salt too."""
    rows = workspace.store.rows(
        f"select {ledger.HEADER}, place, hex(salt), body from entries join bodies using (place)"
        f" where session = ? and kind not in {SPARED_BY_ARCHIVE} order by place",
        session,
    )
    return [ArchivedEntry(*row) for row in rows]


def _places(workspace: Workspace, session: str, kind: str) -> list[int]:
    return workspace.store.column(
        "select place from entries where session = ? and kind = ?", session, kind
    )


def _is_archived(workspace: Workspace, session: str) -> bool:
    row = queries.find(workspace.store, session)
    return row is not None and bool(row.archived)


def _read(path: str) -> list[ArchivedEntry]:
    try:
        return export.read_archive(path)
    except export.UNREADABLE as error:
        raise StoreError(f"cannot read the archive {path}: {error}", hint="is it there?") from error
