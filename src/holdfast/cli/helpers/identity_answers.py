"""What the identity commands answer to hooks: whose it is, what is wrong with it, exit codes.

0  done; nothing kept yet; unreadable stdin     1  a warning     2  what was kept is damaged
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NotRequired, TypedDict

import apsw

from holdfast.cli.helpers.place_here import place
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.session_names import session_named
from holdfast.cli.helpers.stdin_object import given, text
from holdfast.errors import Damaged, HoldfastError, NotFound
from holdfast.hook import brief_file
from holdfast.hook.event import session_id
from holdfast.ledger import queries as ledger
from holdfast.rooms.identity import brief, drift, lookup, queries
from holdfast.rooms.identity.mind import Reading
from holdfast.rooms.sessions import queries as sessions
from holdfast.rooms.sessions import work_tree
from holdfast.rooms.work.commands import Place
from holdfast.system import git

IdentityRestored = TypedDict(
    "IdentityRestored",
    {"restored_from": str | None, "ic": float | None, "class": str | None, "said": str},
)


class IdentityDamaged(TypedDict):
    """What is wrong with what was kept."""

    error: str


class IdentityPersisted(TypedDict):
    """The session whose identity was kept; None where it could not be, with the reason."""

    persisted: str | None
    error: NotRequired[str]


DONE, WARNED, CORRUPTED = 0, 1, 2
NEW, FRESH = "New session initialized", "Fresh session initialized"
DAMAGE = (Damaged, apsw.CorruptError, apsw.NotADBError)
REFUSED = (HoldfastError, apsw.Error, OSError)
GIT_LIMIT_S = 0.5
FILES = 30


def restore() -> Report[IdentityRestored | IdentityDamaged]:
    """Say whose identity a session goes on with."""
    payload, warnings = given()
    source = text(payload, "source") or "startup"
    if source == "clear":
        return _report(FRESH, None, None, warnings)
    try:
        predecessor = _resumed(payload) if source == "resume" else _followed(payload)
    except NotFound:
        predecessor = None  # nothing was kept yet: that is how it starts
    except DAMAGE as error:
        hint = getattr(error, "hint", "") or queries.REPAIR
        messages = (f"Error: {error}", f"Recovery: {hint}")
        return Report((), {"error": str(error)}, CORRUPTED, (*warnings, *messages))
    except REFUSED as error:
        return _report(NEW, None, None, (*warnings, _warning(error)), WARNED)
    if predecessor is None:
        return _report(NEW, None, None, warnings)
    before, ic = predecessor
    return _report(brief.restored(before, ic), before, ic, warnings)


def _report(
    line: str, before: str | None, ic: float | None, warnings: tuple[str, ...], code: int = DONE
) -> Report[IdentityRestored]:
    klass = drift.classify(ic) if ic is not None else None
    data: IdentityRestored = {"restored_from": before, "ic": ic, "class": klass, "said": line}
    return Report((line,), data, code, warnings)


def _resumed(payload: Mapping[str, object]) -> tuple[str, float] | None:
    """The session that is resumed goes on with its own identity."""
    here = place()
    session = session_id(text(payload, "session_id")) or here.about
    snapshot = queries.snapshot_of(here.workspace.store, session) if session else None
    if snapshot is None:
        return None
    reading = lookup.reading_of(here.workspace.store, session)
    _warm(here, session, reading)
    return session, reading.ic


def _followed(payload: Mapping[str, object]) -> tuple[str, float] | None:
    """What the live session took over, or what the next one would."""
    here = place()
    store = here.workspace.store
    live = session_id(text(payload, "session_id")) or here.session
    kept = queries.kept(store, live) if live else None
    if kept is not None:
        reading = queries.mind_in(kept).reading()
        if reading.events or kept.source:
            _warm(here, live, reading)
        return (kept.source, kept.crossed()) if kept.source else None
    newest = lookup.newest(store, here.project)
    if newest is None:
        return None
    where = work_tree.look(os.getcwd())
    words = where.branch.replace("/", " ").replace("-", " ").replace("_", " ").split()
    changed = git.said(where.root, "diff", "--name-only", "HEAD", limit_s=GIT_LIMIT_S).splitlines()[
        :FILES
    ]
    reading = lookup.foreseen(store, newest.session_id, words, changed)
    return newest.session_id, reading.ic


def persist() -> Report[IdentityPersisted]:
    """Take a snapshot of a session's identity now, and print nothing.

    A failure is only a warning.
    """
    payload, warnings = given()
    try:
        here = place()
        session = session_id(text(payload, "session_id")) or here.about
        lookup.persist(here.workspace, session, at=here.at)
    except REFUSED as error:
        data: IdentityPersisted = {"persisted": None, "error": str(error)}
        return Report((), data, WARNED, (*warnings, _warning(error)))
    return Report((), {"persisted": session}, DONE, warnings)


def here_and_now(named: str | None, payload: Mapping[str, object]) -> tuple[Place, str, Reading]:
    """Where a command is run, whose identity it means, and how that stands."""
    here = place()
    store = here.workspace.store
    session = session_id(text(payload, "session_id")) or here.about
    if named:
        session = session_named(here.workspace, named).id
    reading = lookup.reading_of(store, session)
    _warm(here, session, reading)
    return here, session, reading


def _warm(here: Place, session: str, reading: Reading) -> None:
    """Bring the brief file up to date, unless a later event has written it. A session that has
    ended has none."""
    store = here.workspace.store
    known = sessions.find(store, session)
    if known is None or known.ended_at is not None:
        return
    try:
        brief_file.update(session, ledger.next_seq(store) - 1, brief.marked(reading))
    except (HoldfastError, OSError):
        pass  # the brief file is a convenience


def _warning(error: Exception) -> str:
    hint = getattr(error, "hint", "")
    return f"Warning: {error}" + (f" ({hint})" if hint else "")
