"""Minds and identities on disk: `s:` is the primary key, `t:` the index by time, `latest` a row.

Law: what is not what was written is Damaged, never an empty identity.
"""

from __future__ import annotations

from holdfast.errors import Damaged
from holdfast.system.paths import digest
from holdfast.system.value import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.rooms.identity.mind import Mind
    from holdfast.rooms.identity.snapshot import Snapshot
    from holdfast.store.sqlite import Store

COLUMNS = (
    "session, project, previous, source, thread, told, told_at, foretold, crossing, is_fixed,"
    " mind, checksum"
)
SCALE = 10_000  # continuity is kept in whole parts of it
UNBORN = b""  # the mind of a session in which nothing has happened yet
REPAIR = "run `holdfast repair --cf session_identity`"
RECOVERED = 100  # snapshots that are tried before nothing is found


class MindRow(Record):
    """A session's mind and what is known about it, in the order of the columns."""

    session: str
    project: str
    previous: str
    source: str
    thread: str
    told_class: str  # the class that the agent was told last
    told_at: int
    foretold: str
    crossing: int
    is_fixed: int
    mind: bytes
    checksum: str

    def crossed(self) -> float:
        """Continuity with the session before."""
        return self.crossing / SCALE


# Minds


def kept(store: Store, session: str) -> MindRow | None:
    row = store.row(f"select {COLUMNS} from minds where session = ?", session)
    return None if row is None else MindRow(*row)


def is_unborn(store: Store, session: str) -> bool:
    """Whether nothing has happened yet in a session that has begun."""
    return store.holds("select mind = ? from minds where session = ?", UNBORN, session)


def mind_in(row: MindRow) -> Mind:
    """The mind itself. Raises Damaged."""
    from holdfast.rooms.identity.mind import Mind

    if digest(row.mind) != row.checksum:
        raise Damaged("corrupted identity: a mind is not what was written", hint=REPAIR)
    if row.mind == UNBORN:
        return Mind.begin()
    try:
        return Mind.unpack(row.mind)
    except ValueError as error:
        raise Damaged(f"corrupted identity: {error}", hint=REPAIR) from error


def mind_of(store: Store, session: str) -> Mind | None:
    """A session's mind, None when there is none, or it waits to be folded by the rule of today.
    Raises Damaged."""
    row = kept(store, session)
    return None if row is None or _is_older(row) else mind_in(row)


def _is_older(row: MindRow) -> bool:
    """Whether an earlier version of this program has folded it."""
    from holdfast.rooms.identity.mind import VERSION

    if row.mind == UNBORN or digest(row.mind) != row.checksum:
        return False
    return int.from_bytes(row.mind[:4], "little") < VERSION


# Identities


def snapshot_of(store: Store, session: str) -> Snapshot | None:
    """A session's snapshot. Raises Damaged, or StoreError for one of a newer version."""
    raw = store.value("select snapshot from identities where session = ?", session)
    if raw is None:
        return None
    from holdfast.rooms.identity.snapshot import Snapshot

    return Snapshot.unpack(raw)


def latest(store: Store, project: str) -> str:
    """The session whose snapshot is the newest by the pointer; "" without one."""
    return store.value("select session from identity_latest where project = ?", project) or ""


def by_time(store: Store, project: str, limit: int = RECOVERED) -> list[str]:
    """Sessions that have a snapshot, the newest first."""
    return store.column(
        "select session from identities where project = ?"
        " order by timestamp_ms desc, session desc limit ?",
        project,
        limit,
    )


def point_to(store: Store, project: str, session: str) -> None:
    store.run(
        "insert or replace into identity_latest (project, session) values (?, ?)", project, session
    )


def point_to_newest(store: Store, project: str) -> None:
    """Have the pointer say what the index by time says."""
    newest = by_time(store, project, 1)
    if newest:
        point_to(store, project, newest[0])
    else:
        store.run("delete from identity_latest where project = ?", project)
