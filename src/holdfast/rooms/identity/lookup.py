"""What is asked of identity by command: how it stands, its curve, what the next session would take.

Laws: a snapshot that is missing is looked for by time, and the pointer put right; one that is not
what was written is Damaged, which is said and never answered with a fresh identity.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.errors import NotFound, StoreError
from holdfast.ledger import queries as ledger
from holdfast.ledger.entry import Entry
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.identity import brief, queries
from holdfast.rooms.identity.mind import Mind, Reading
from holdfast.rooms.identity.projection import GOES_ON, anchored_by, foretold_by
from holdfast.rooms.identity.snapshot import Snapshot
from holdfast.store.sqlite import Store

if TYPE_CHECKING:
    from holdfast.ledger.kinds import Body


def reading_of(store: Store, session: str) -> Reading:
    """How a session's identity stands. Raises NotFound, Damaged."""
    mind = queries.mind_of(store, session) if session else None
    if mind is None:
        raise NotFound("no identity is known here yet", hint="it begins with a session")
    return mind.reading()


def is_in_doubt(store: Store, session: str) -> bool:
    """Whether the work seems to have left its task, and nobody has settled it yet."""
    mind = queries.mind_of(store, session) if session else None
    return mind is not None and brief.is_off_task(mind.reading())


def newest(store: Store, project: str) -> Snapshot | None:
    """The snapshot that `latest` points to. When there is none, the newest by time that can be
    read, which `latest` points to from then on; None when there never was one.

    Raises Damaged, or StoreError for one of a newer version."""
    pointed = queries.latest(store, project)
    snapshot = queries.snapshot_of(store, pointed) if pointed else None
    if snapshot is not None:
        return snapshot
    refused: StoreError | None = None
    for session in queries.by_time(store, project):
        try:
            snapshot = queries.snapshot_of(store, session)
        except StoreError as error:
            refused = refused or error
            continue
        with store.transaction():
            queries.point_to(store, project, session)
        return snapshot
    if refused is not None:
        raise refused
    return None


def foreseen(store: Store, session: str, words: list[str], files: list[str]) -> Reading:
    """How a session would begin that follows this one: provisional, by branch and files."""
    before = queries.mind_of(store, session)
    mind = Mind.begin(before.legacy() if before else "")
    if words or files:
        mind.foretell(words, files)
    return mind.reading()


def settle_doubt(workspace: Workspace, session: str, verdict: str, *, at: str) -> None:
    """The person says of a doubt whether this is the task now, or the task stands."""
    _keep(workspace, session, "identity_settled", {"verdict": verdict}, at)


def persist(workspace: Workspace, session: str, *, at: str) -> None:
    """Take a snapshot of a session's identity now. Raises NotFound, Damaged."""
    reading_of(workspace.store, session)
    _keep(workspace, session, "identity_persisted", {"how": "command"}, at)
    if queries.snapshot_of(workspace.store, session) is None:
        raise StoreError("the snapshot was not kept", hint="`holdfast doctor` tells more")


def _keep(workspace: Workspace, session: str, kind: str, body: Body, at: str) -> None:
    project = ledger.whose(workspace.store, session)[0]
    with workspace.store.transaction():
        workspace.say(kind, body, at=at, project=project, session=session)


KINDS = (
    *("session_began", "identity_inherited", "prompt_given"),
    *("goal_set", "tool_used", "identity_settled"),
)


@dataclass(frozen=True)
class Point:
    """How identity stood after an entry."""

    seq: int
    at: str
    ic: float
    r: float


def curve(entries: Iterable[Entry]) -> list[Point]:
    """The points of a session, in the order of its entries."""
    points = []
    for entry, mind in folded(entries):
        reading = mind.reading()
        points.append(Point(entry.seq, entry.at, reading.ic, reading.r))
    return points


def folded(entries: Iterable[Entry]) -> Iterator[tuple[Entry, Mind]]:
    """Each entry that moves a session's mind, and the mind after it, as the projection folds it."""
    mind, thread = Mind.begin(), ""
    foretold: tuple[list[str], list[str]] = ([], [])
    for entry in entries:
        body, kind = entry.body, entry.kind
        if kind == "session_began" and (body["source"] not in GOES_ON or not mind.events):
            mind, foretold = Mind.begin(), foretold_by(body)
            continue
        if kind == "identity_inherited":
            mind = Mind.begin(body["legacy"], binds=not body.get("without_goal"))
            if any(foretold):
                mind.foretell(*foretold)
        elif kind == "prompt_given" and not body.get("unverified"):
            mind.prompt(body["prompt"], is_new_task=False)
        elif kind == "goal_set" and (anchor := anchored_by(entry, thread)):
            thread = anchor
            mind.prompt(body["goal"], is_new_task=True)
        elif kind == "tool_used" and "subagent" not in body:
            mind.tool(body)
        elif kind == "identity_settled" and body["verdict"] == "accept":
            mind.accept()
        elif kind == "identity_settled":
            mind.keep()
        else:
            continue
        yield entry, mind
