"""Show how a session's identity stands: is it still doing what it set out to do?

`status` tells everything. The other three are for hooks and always exit with 0. `brief` prints
`[C:STATE r=X.XX IC=X.XX]` without opening the store. `check-identity` prints nothing unless
identity drifts, and then warns on stderr (with --auto-dream it starts a dream in a crisis).
`inject-context` prints four lines to put before a prompt. Without --session they use the session
that stdin names, the one they run in, or the one at work in this worktree.
"""

from __future__ import annotations

import click

from holdfast.cli.helpers.identity_answers import REFUSED, here_and_now
from holdfast.cli.helpers.report import Data, Report
from holdfast.cli.helpers.stdin_object import given
from holdfast.hook import brief_file, consolidate
from holdfast.hook.event import session_id
from holdfast.rooms.identity import brief, drift, queries
from holdfast.rooms.identity.facets import NAMES
from holdfast.rooms.identity.mind import Reading
from holdfast.rooms.sessions import registry_file
from holdfast.rooms.sessions.life import short
from holdfast.system import paths

ACTS = ["status", "brief", "check-identity", "inject-context"]
PARAMETERS: list[click.Parameter] = [
    click.Argument(["act"], type=click.Choice(ACTS), default="status"),
    click.Option(["--session"], metavar="ID", help="Of this session: its id, or the start of it."),
    click.Option(["--auto-dream"], is_flag=True, help="check-identity: dream in a crisis."),
]
FIGURES = ("ic", "r", "consciousness", "integration", "reflection", "differentiation")


def run(*, act: str, session: str | None, auto_dream: bool) -> Report:
    if act == "brief":
        return _brief(session)
    if act == "check-identity":
        return _check(session, auto_dream=auto_dream)
    return _inject(session) if act == "inject-context" else _status(session)


def _brief(session: str | None) -> Report:
    """No stdin, no database."""
    own = _meant(session) if session else brief_file.session_here()
    figures = brief_file.get(own)
    data: Data = {"session": own or None, "brief": brief_file.format_brief(own)}
    data |= zip(("ic", "r", "state"), figures[:3] if figures else (None,) * 3, strict=True)
    return Report((data["brief"],), data)


def _meant(given: str) -> str:
    """A session that is named by its id or the start of it, without a database."""
    whole = session_id(given)
    if brief_file.is_warm(whole):
        return whole
    return registry_file.named(paths.state_home(), given) or whole


def _check(named: str | None, *, auto_dream: bool) -> Report:
    payload, warnings = given()
    try:
        here, session, reading = here_and_now(named, payload)
    except REFUSED as error:
        warning = f"Warning: IC check failed: {error}"
        return Report((), {"error": str(error)}, 0, (*warnings, warning))
    data = {**_figures(session, reading), "dream": False}
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


def _inject(named: str | None) -> Report:
    payload, warnings = given()
    try:
        _, session, reading = here_and_now(named, payload)
    except REFUSED as error:
        return Report(brief.COLD_BLOCK, {"error": str(error)}, 0, warnings)
    data = {**_figures(session, reading), "guidance": brief.guidance(reading.ic, reading.r)}
    return Report(brief.block(reading), data, 0, warnings)


def _status(named: str | None) -> Report:
    here, session, reading = here_and_now(named, {})
    kept = queries.kept(here.workspace.store, session)
    data = _figures(session, reading)
    data |= {"facets": dict(zip(NAMES, reading.purpose, strict=True)), "restored_from": None}
    data["phases"] = reading.phases
    how = " provisional until the fifth event;" if reading.is_provisional else ""
    factors = (reading.integration, reading.reflection, reading.differentiation)
    product = " x ".join(
        f"{value:.2f} {name}" for name, value in zip(FIGURES[3:], factors, strict=True)
    )
    lines = [
        f"Identity  {brief.of(reading)}  (session {short(session)})",
        f"IC        {reading.ic:.2f}, {reading.klass};{how} {reading.events} events",
        f"State     {brief.NAMES[reading.state]}, C={reading.consciousness:.2f} = {product}",
    ]
    if kept is not None and kept.source:
        data["restored_from"] = kept.source
        data["cross_session_ic"] = kept.crossed()
        settled = "" if kept.is_fixed else ", provisional"
        ic = data["cross_session_ic"]
        lines.append(f"From      {short(kept.source)}, IC {ic:.2f} when it went on{settled}")
    weakest = sorted(data["facets"].items(), key=lambda facet: (facet[1], facet[0]))[:3]
    lines.append(f"Weakest   {', '.join(f'{name} {value:.2f}' for name, value in weakest)}")
    lines.append(f"Guidance  {brief.guidance(reading.ic, reading.r)}")
    return Report(tuple(lines), data)


def _figures(session: str, reading: Reading) -> Data:
    return {
        "session": session,
        "brief": brief.of(reading),
        **{name: getattr(reading, name) for name in FIGURES},
        "state": brief.NAMES[reading.state],
        "class": reading.klass,
        "provisional": reading.is_provisional,
        "events": reading.events,
    }
