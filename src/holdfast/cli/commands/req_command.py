"""Show requirements; satisfy, approve, clear or switch them; check their files.

`status` shows one screen (--verbose, --summary), `list` everything demanded, `sessions` those at
work. `satisfy NAMES` lasts as long as the scope says; with --branch it counts for every session on
a branch. `approve NAMES` lets one session pass for a time (--for). `clear NAMES` or --all undoes
both; `prune` clears branches that git no longer has. `enable` and `disable NAMES` switch them for
the project; `pause` and `resume` switch all gates for the session, or with --project for everybody.
Only you can do these, in a terminal outside the agent. `init --preset P` writes a file, `config`
shows the values in force, `verify` what is wrong with the files, `doctor` whether gates work,
`metrics` the figures of a session, `logging` whether and where judgements are logged (--level).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import click

from holdfast.cli.commands.pause_command import LIMIT_S, UNITS
from holdfast.cli.commands.sessions_command import line, session_data
from holdfast.cli.helpers import (
    gates_here,
    person_check,
    requirement_acts,
    requirement_config,
    requirement_doctor,
    requirement_logging,
    requirement_metrics,
    requirement_status,
)
from holdfast.cli.helpers.place_here import misuse
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.requirement_acts import ReqOptions
from holdfast.rooms.gates.judgement_log import LEVELS
from holdfast.rooms.gates.presets import PRESETS
from holdfast.rooms.sessions import acting_session
from holdfast.rooms.sessions import queries as sessions


def _seconds(_: click.Context, __: click.Parameter, value: str | None) -> int | None:
    if value is None:
        return None
    match = re.fullmatch(r"([0-9]{1,9})([smhd]?)", value)
    seconds = int(match[1]) * UNITS[match[2] or "s"] if match else 0
    if not 0 < seconds <= LIMIT_S:
        raise click.BadParameter(f"{value} is not a time such as 300, 30m or 2h")
    return seconds


# act -> the options it takes, and whether it takes names
ACTS: dict[str, tuple[str, bool]] = {
    "status": ("session branch verbose summary", False),
    "list": ("verbose", False),
    "sessions": ("", False),
    "satisfy": ("session branch note metadata", True),
    "approve": ("session branch note metadata seconds", True),
    "clear": ("session branch every", True),
    "prune": ("dry_run", False),
    "enable": ("", True),
    "disable": ("", True),
    "pause": ("session whole_project", False),
    "resume": ("session whole_project", False),
    "init": ("preset preview force", False),
    "config": ("with_sources verbose", True),
    "verify": ("", False),
    "doctor": ("", False),
    "metrics": ("session", False),
    "logging": ("level", False),
}
PERSONS = frozenset("satisfy approve clear prune enable disable pause resume".split())
MAY_BE_BARE = frozenset({"config", "clear"})  # without a name: all of them, or --all

PARAMETERS: list[click.Parameter] = [
    click.Argument(["act"], type=click.Choice(list(ACTS)), default="status", metavar="[ACT]"),
    click.Argument(["names"], nargs=-1),
    click.Option(["--session"], metavar="ID", help="Of this session, or for it."),
    click.Option(["--branch"], metavar="B", help="On this branch; satisfy: for all sessions."),
    click.Option(["--note"], metavar="TEXT", help="satisfy, approve: what is to be said of it."),
    click.Option(["--metadata"], metavar="JSON", help="satisfy, approve: the same as JSON."),
    click.Option(
        ["--for", "seconds"], callback=_seconds, metavar="SECONDS", help="approve: or as 30m, 2h."
    ),
    click.Option(["--all", "every"], is_flag=True, help="clear: everything on the branch."),
    click.Option(["--dry-run", "dry_run"], is_flag=True, help="prune: show what would go."),
    click.Option(["--project", "whole_project"], is_flag=True, help="pause, resume: all sessions."),
    click.Option(["--preset"], type=click.Choice(list(PRESETS)), help="init: which one; relaxed."),
    click.Option(["--preview"], is_flag=True, help="init: show it, write nothing."),
    click.Option(["--force"], is_flag=True, help="init: over a file that is there."),
    click.Option(["--sources", "with_sources"], is_flag=True, help="config: the file behind each."),
    click.Option(["--verbose"], is_flag=True, help="status, list, config: all there is."),
    click.Option(["--level"], type=click.Choice(LEVELS), help="logging: from now on."),
    click.Option(["--summary"], is_flag=True, help="status: one line."),
]  # fmt: skip


def run(*, act: str, names: tuple[str, ...], **given: Any) -> Report:
    _fit(act, names, {name for name, value in given.items() if value not in (None, False)})
    options = ReqOptions(**given)
    if act in PERSONS and not options.dry_run:
        person_check.ask(f"req {act}")
    return RUNS[act](names, options)


def _fit(act: str, names: tuple[str, ...], given: set[str]) -> None:
    """Misuse, when an act is given what it has no use for."""
    taken, is_about_names = ACTS[act]
    odd = sorted(given - set(taken.split()))
    if odd:
        context = click.get_current_context()
        flags = {parameter.name: parameter.opts[0] for parameter in context.command.params}
        misuse(f"{act} takes no {flags[odd[0]]}")
    if names and not is_about_names:
        misuse(f"{act} takes no names")
    if not names and is_about_names and act not in MAY_BE_BARE:
        misuse(f"{act} takes the names of requirements")


def _status(_: tuple[str, ...], options: ReqOptions) -> Report:
    place = gates_here.place(options.session, options.branch)
    return requirement_status.report(place, verbose=options.verbose, summary=options.summary)


def _sessions(_: tuple[str, ...], __: ReqOptions) -> Report:
    place = gates_here.place()
    still_open = [
        session
        for session in sessions.still_open(place.workspace.store)
        if session.project == place.project
    ]
    still_open.sort(key=lambda session: session.active, reverse=True)
    places = {session.worktree for session in still_open}
    seen = {
        session.id
        for tree in places
        for session in acting_session.at_work(place.workspace.store, tree, but="")
    }
    lines = []
    for session in still_open:
        lines.append(f"{line(session, place.at, named=False)}  {session.id}")
        if session.id not in seen:
            lines[-1] += "  (its process is not seen)"
    rows = [{**session_data(session), "seen": session.id in seen} for session in still_open]
    empty = "No session is at work in this project."
    return Report(tuple(lines) or (empty,), {"sessions": rows})


RUNS: dict[str, Callable[[tuple[str, ...], ReqOptions], Report]] = {
    "status": _status,
    "list": lambda _, options: requirement_config.listed(verbose=options.verbose),
    "sessions": _sessions,
    "satisfy": requirement_acts.satisfy,
    "approve": requirement_acts.approve,
    "clear": requirement_acts.clear,
    "prune": requirement_acts.prune,
    "enable": lambda names, options: requirement_acts.switch(names, options, on=True),
    "disable": lambda names, options: requirement_acts.switch(names, options, on=False),
    "pause": lambda names, options: requirement_acts.pause(names, options, on=False),
    "resume": lambda names, options: requirement_acts.pause(names, options, on=True),
    "init": lambda _, options: requirement_config.init(
        options.preset or "relaxed", preview=options.preview, force=options.force
    ),
    "config": lambda names, options: requirement_config.config(
        names, with_sources=options.with_sources, verbose=options.verbose
    ),
    "verify": lambda *_: requirement_config.verify(),
    "doctor": lambda *_: requirement_doctor.report(),
    "metrics": lambda _, options: requirement_metrics.report(options.session),
    "logging": lambda _, options: requirement_logging.report(options.level),
}
