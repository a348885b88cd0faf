"""Show how a session's identity stands: is it still doing what it set out to do?

All but `status` are for hooks and always exit with 0. Without --session they use the session that
stdin names, the one they run in, or the one at work in this worktree.
"""

from __future__ import annotations

import os
import select
import sys
import time
from collections.abc import Mapping
from typing import Any, NotRequired, TypedDict

import apsw

from holdfast.cli.helpers import place_here
from holdfast.cli.helpers.report import Report, shaped
from holdfast.cli.helpers.session_rows import session_named
from holdfast.cli.helpers.verbs import Verb, flag, option
from holdfast.cli.helpers.wording import plural
from holdfast.errors import Damaged, HoldfastError, NotFound
from holdfast.hook import brief_file, consolidate
from holdfast.hook.event import session_id
from holdfast.ledger import queries as ledger
from holdfast.rooms.identity import brief, drift, lookup, queries
from holdfast.rooms.identity.facets import NAMES
from holdfast.rooms.identity.mind import Reading
from holdfast.rooms.sessions import queries as sessions, registry_file, work_tree
from holdfast.rooms.sessions.life import short
from holdfast.rooms.work.commands import Place
from holdfast.system import git, jsontext, paths

STDIN_LIMIT_S = 0.5
CAP_BYTES = 1 << 20


def from_stdin() -> tuple[dict[str, Any], tuple[str, ...]]:
    """What an agent gives on stdin, a JSON object or nothing at all, and warnings. With nothing to
    say it may leave stdin open, so a command waits only for a moment. What cannot be read counts as
    nothing."""
    raw = _read()
    if not raw.strip():
        return {}, ()
    try:
        payload = jsontext.loads(raw.decode("utf-8", "replace"))
    except ValueError as error:
        return {}, (f"Warning: stdin was not read ({error}); taken for a startup",)
    if not isinstance(payload, dict):
        return {}, ("Warning: stdin is no JSON object",)
    return payload, ()


def text_in(payload: Mapping[str, object], name: str) -> str:
    value = payload.get(name)
    return value if isinstance(value, str) else ""


def _read() -> bytes:
    if sys.stdin is None or sys.stdin.closed or sys.stdin.isatty():
        return b""
    handle, until, content = sys.stdin.fileno(), time.monotonic() + STDIN_LIMIT_S, b""
    while len(content) < CAP_BYTES:
        left = until - time.monotonic()
        if left <= 0 or not select.select([handle], [], [], left)[0]:
            break
        part = os.read(handle, 1 << 16)
        if not part:
            break
        content += part
    return content


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


DONE, WARNED, CORRUPTED = 0, 1, 2  # done, nothing kept or unreadable stdin; a warning; damage
NEW, FRESH = "New session initialized", "Fresh session initialized"
DAMAGE = (Damaged, apsw.CorruptError, apsw.NotADBError)
REFUSED = (HoldfastError, apsw.Error, OSError)
GIT_LIMIT_S = 0.5
FILES = 30


def restore_identity() -> Report[IdentityRestored | IdentityDamaged]:
    """Say whose identity a session goes on with."""
    payload, warnings = from_stdin()
    source = text_in(payload, "source") or "startup"
    if source == "clear":
        return _restored(FRESH, None, None, warnings)
    try:
        predecessor = _resumed(payload) if source == "resume" else _followed(payload)
    except NotFound:
        predecessor = None  # nothing was kept yet: that is how it starts
    except DAMAGE as error:
        hint = getattr(error, "hint", "") or queries.REPAIR
        messages = (f"Error: {error}", f"Recovery: {hint}")
        return Report((), {"error": str(error)}, CORRUPTED, (*warnings, *messages))
    except REFUSED as error:
        return _restored(NEW, None, None, (*warnings, _warning(error)), WARNED)
    if predecessor is None:
        return _restored(NEW, None, None, warnings)
    before, ic = predecessor
    return _restored(brief.restored(before, ic), before, ic, warnings)


def _restored(
    line: str, before: str | None, ic: float | None, warnings: tuple[str, ...], code: int = DONE
) -> Report[IdentityRestored]:
    klass = drift.classify(ic) if ic is not None else None
    data: IdentityRestored = {"restored_from": before, "ic": ic, "class": klass, "said": line}
    return Report((line,), data, code, warnings)


def _resumed(payload: Mapping[str, object]) -> tuple[str, float] | None:
    """The session that is resumed goes on with its own identity."""
    place = place_here.place()
    session = session_id(text_in(payload, "session_id")) or place.about
    snapshot = queries.snapshot_of(place.workspace.store, session) if session else None
    if snapshot is None:
        return None
    reading = lookup.reading_of(place.workspace.store, session)
    _warm(place, session, reading)
    return session, reading.ic


def _followed(payload: Mapping[str, object]) -> tuple[str, float] | None:
    """What the live session took over, or what the next one would."""
    place = place_here.place()
    store = place.workspace.store
    live = session_id(text_in(payload, "session_id")) or place.session
    kept = queries.kept(store, live) if live else None
    if kept is not None:
        reading = queries.mind_in(kept).reading()
        if reading.events or kept.source:
            _warm(place, live, reading)
        return (kept.source, kept.crossed()) if kept.source else None
    newest = lookup.newest(store, place.project)
    if newest is None:
        return None
    where = work_tree.look(os.getcwd())
    words = where.branch.replace("/", " ").replace("-", " ").replace("_", " ").split()
    changed = git.said(where.root, "diff", "--name-only", "HEAD", limit_s=GIT_LIMIT_S).splitlines()[
        :FILES
    ]
    reading = lookup.foreseen(store, newest.session_id, words, changed)
    return newest.session_id, reading.ic


def persist_identity() -> Report[IdentityPersisted]:
    """Take a snapshot of a session's identity now, and print nothing.

    A failure is only a warning.
    """
    payload, warnings = from_stdin()
    try:
        place = place_here.place()
        session = session_id(text_in(payload, "session_id")) or place.about
        lookup.persist(place.workspace, session, at=place.at)
    except REFUSED as error:
        data: IdentityPersisted = {"persisted": None, "error": str(error)}
        return Report((), data, WARNED, (*warnings, _warning(error)))
    return Report((), {"persisted": session}, DONE, warnings)


def here_and_now(named: str | None, payload: Mapping[str, object]) -> tuple[Place, str, Reading]:
    """Where a command is run, whose identity it means, and how that stands."""
    place = place_here.place()
    store = place.workspace.store
    session = session_id(text_in(payload, "session_id")) or place.about
    if named:
        session = session_named(place.workspace, named).id
    reading = lookup.reading_of(store, session)
    _warm(place, session, reading)
    return place, session, reading


def _warm(place: Place, session: str, reading: Reading) -> None:
    """Bring the brief file up to date, unless a later event has written it. A session that has
    ended has none."""
    store = place.workspace.store
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


class Brief(TypedDict):
    """The figures of the brief file; None while nothing is known."""

    session: str | None
    brief: str
    ic: float | None
    r: float | None
    state: str | None


IdentityFigures = TypedDict(
    "IdentityFigures",
    {
        "session": str,
        "brief": str,
        "ic": float,
        "r": float,
        "consciousness": float,
        "integration": float,
        "reflection": float,
        "differentiation": float,
        "state": str,
        "class": str,
        "provisional": bool,
        "events": int,
    },
)


class IdentityChecked(IdentityFigures):
    """How identity stands, and whether a dream was begun."""

    dream: bool


class IdentityInjected(IdentityFigures):
    """How identity stands, and what to do about it."""

    guidance: str


class IdentityShown(IdentityFigures):
    """All that is known of a session's identity."""

    facets: dict[str, float]
    phases: list[float]
    restored_from: str | None
    cross_session_ic: float | None


class IdentityUnknown(TypedDict):
    """Why nothing can be told."""

    error: str


FACTORS = ("integration", "reflection", "differentiation")


def brief_here(*, session: str | None) -> Report[Brief]:
    """Print `[C:STATE r=X.XX IC=X.XX]` without opening the store."""
    own = _meant(session) if session else brief_file.session_here()
    figures = brief_file.get(own)
    ic, r, state = figures[:3] if figures else (None, None, None)
    shown = brief_file.format_brief(own)
    data: Brief = {"session": own or None, "brief": shown, "ic": ic, "r": r, "state": state}
    return Report((data["brief"],), data)


def _meant(given: str) -> str:
    """A session that is named by its id or the start of it, without a database."""
    whole = session_id(given)
    if brief_file.is_warm(whole):
        return whole
    return registry_file.named(paths.state_home(), given) or whole


def check_identity(
    *, session: str | None, auto_dream: bool
) -> Report[IdentityChecked | IdentityUnknown]:
    """Warn on stderr when identity drifts; print nothing else."""
    payload, warnings = from_stdin()
    try:
        place, session, reading = here_and_now(session, payload)
    except REFUSED as error:
        warning = f"Warning: IC check failed: {error}"
        return Report((), {"error": str(error)}, 0, (*warnings, warning))
    data: IdentityChecked = {**_figures(session, reading), "dream": False}
    if reading.is_provisional:
        return Report((), data, 0, warnings)
    if drift.is_crisis(reading.ic):
        line = f"IC crisis: {reading.ic:.2f}"
        if auto_dream:
            try:
                state = place.workspace.state
                data["dream"] = consolidate.start(
                    state, place.project, "crisis", settings=place.settings
                )
            except REFUSED as error:
                warnings = (*warnings, f"Warning: no dream was started: {error}")
        if data["dream"]:
            line = f"IC crisis ({reading.ic:.2f}), dream triggered"
        warnings = (*warnings, line)
    elif drift.is_warning(reading.ic):
        warnings = (*warnings, f"IC warning: {reading.ic:.2f}")
    return Report((), data, 0, warnings)


def inject_context(*, session: str | None) -> Report[IdentityInjected | IdentityUnknown]:
    """Print four lines to put before a prompt: state, r and IC, guidance."""
    payload, warnings = from_stdin()
    try:
        _, session, reading = here_and_now(session, payload)
    except REFUSED as error:
        return Report(brief.COLD_BLOCK, {"error": str(error)}, 0, warnings)
    guidance = brief.guidance(reading.ic, reading.r)
    data: IdentityInjected = {**_figures(session, reading), "guidance": guidance}
    return Report(brief.block(reading), data, 0, warnings)


def status(*, session: str | None) -> Report[IdentityShown]:
    """Tell everything: IC and its class, the state, whom it went on from, the weakest facets."""
    place, session, reading = here_and_now(session, {})
    kept = queries.kept(place.workspace.store, session)
    data: IdentityShown = {
        **_figures(session, reading),
        "facets": dict(zip(NAMES, reading.purpose, strict=True)),
        "restored_from": None,
        "cross_session_ic": None,
        "phases": list(reading.phases),
    }
    how = " provisional until the fifth event;" if reading.is_provisional else ""
    factors = (reading.integration, reading.reflection, reading.differentiation)
    product = " x ".join(
        f"{value:.2f} {name}" for name, value in zip(FACTORS, factors, strict=True)
    )
    lines = [
        f"Identity  {brief.of(reading)}  (session {short(session)})",
        f"IC        {reading.ic:.2f}, {reading.klass};{how} {plural(reading.events, 'event')}",
        f"State     {brief.NAMES[reading.state]}, C={reading.consciousness:.2f} = {product}",
    ]
    if kept is not None and kept.source:
        data["restored_from"] = kept.source
        data["cross_session_ic"] = ic = kept.crossed()
        settled = "" if kept.is_fixed else ", provisional"
        lines.append(f"From      {short(kept.source)}, IC {ic:.2f} when it went on{settled}")
    weakest = sorted(data["facets"].items(), key=lambda facet: (facet[1], facet[0]))[:3]
    lines.append(f"Weakest   {', '.join(f'{name} {value:.2f}' for name, value in weakest)}")
    lines.append(f"Guidance  {brief.guidance(reading.ic, reading.r)}")
    return Report(lines, data)


def _figures(session: str, reading: Reading) -> IdentityFigures:
    figures = {"class": reading.klass, "provisional": reading.is_provisional}
    state, line = brief.NAMES[reading.state], brief.of(reading)
    return shaped(IdentityFigures, reading, session=session, brief=line, state=state, **figures)


SESSION = option("--session", metavar="ID", help="A session: its id, or the start of it.")
VERBS = {
    "status": Verb(status, SESSION),
    "brief": Verb(brief_here, SESSION),
    "check-identity": Verb(
        check_identity, SESSION, flag("--auto-dream", help="Start a dream in a crisis.")
    ),
    "inject-context": Verb(inject_context, SESSION),
}
