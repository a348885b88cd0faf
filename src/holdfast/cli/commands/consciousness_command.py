"""Show how a session's identity stands: is it still doing what it set out to do?

All but `status` are for hooks and always exit with 0. Without --session they use the session that
stdin names, the one they run in, or the one at work in this worktree.
"""

from __future__ import annotations

from typing import TypedDict

from holdfast.cli.helpers.identity_answers import REFUSED, here_and_now
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.stdin_object import given
from holdfast.cli.helpers.verbs import Verb, flag, option
from holdfast.cli.helpers.wording import plural
from holdfast.hook import brief_file, consolidate
from holdfast.hook.event import session_id
from holdfast.rooms.identity import brief, drift, queries
from holdfast.rooms.identity.facets import NAMES
from holdfast.rooms.identity.mind import Reading
from holdfast.rooms.sessions import registry_file
from holdfast.rooms.sessions.life import short
from holdfast.system import paths


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
    payload, warnings = given()
    try:
        here, session, reading = here_and_now(session, payload)
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
                state = here.workspace.state
                data["dream"] = consolidate.start(
                    state, here.project, "crisis", settings=here.settings
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
    payload, warnings = given()
    try:
        _, session, reading = here_and_now(session, payload)
    except REFUSED as error:
        return Report(brief.COLD_BLOCK, {"error": str(error)}, 0, warnings)
    guidance = brief.guidance(reading.ic, reading.r)
    data: IdentityInjected = {**_figures(session, reading), "guidance": guidance}
    return Report(brief.block(reading), data, 0, warnings)


def status(*, session: str | None) -> Report[IdentityShown]:
    """Tell everything: IC and its class, the state, whom it went on from, the weakest facets."""
    here, session, reading = here_and_now(session, {})
    kept = queries.kept(here.workspace.store, session)
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
    return {
        "session": session,
        "brief": brief.of(reading),
        "ic": reading.ic,
        "r": reading.r,
        "consciousness": reading.consciousness,
        "integration": reading.integration,
        "reflection": reading.reflection,
        "differentiation": reading.differentiation,
        "state": brief.NAMES[reading.state],
        "class": reading.klass,
        "provisional": reading.is_provisional,
        "events": reading.events,
    }


SESSION = option("--session", metavar="ID", help="A session: its id, or the start of it.")
VERBS = {
    "status": Verb(status, SESSION),
    "brief": Verb(brief_here, SESSION),
    "check-identity": Verb(
        check_identity, SESSION, flag("--auto-dream", help="Start a dream in a crisis.")
    ),
    "inject-context": Verb(inject_context, SESSION),
}
DEFAULT = "status"
