"""Show requirements; satisfy, approve, clear or switch them; check their files.

What changes how a requirement stands only you can do, in a terminal outside the agent. Also
installed as a program of its own, `req`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from holdfast.cli.helpers import person_check
from holdfast.cli.helpers.place_here import misuse
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.verbs import SESSION, Verb, argument, flag, option
from holdfast.rooms.gates.judgement_log import LEVELS
from holdfast.rooms.gates.presets import PRESETS

if TYPE_CHECKING:  # each verb imports what it needs
    from holdfast.cli.helpers import (
        requirement_acts,
        requirement_config,
        requirement_doctor,
        requirement_logging,
        requirement_metrics,
        requirement_sessions,
        requirement_status,
    )

DEFAULT_PRESET = "relaxed"


def status(
    *, session: str | None, branch: str | None, verbose: bool, summary: bool
) -> Report[requirement_status.RequirementsStand]:
    """Show how each requirement stands, and what to run for it."""
    from holdfast.cli.helpers import gates_here, requirement_status

    place = gates_here.place(session, branch)
    return requirement_status.report(place, verbose=verbose, summary=summary)


def listed(*, verbose: bool) -> Report[requirement_config.Demanded]:
    """List every requirement, whether it counts or not."""
    from holdfast.cli.helpers import requirement_config

    return requirement_config.listed(verbose=verbose)


def sessions() -> Report[requirement_sessions.SessionsAtWork]:
    """List the sessions at work in this project."""
    from holdfast.cli.helpers import requirement_sessions

    return requirement_sessions.report()


def satisfy(
    *, names: tuple[str, ...], note: str | None, metadata: str | None, **where: str | None
) -> Report[requirement_acts.RequirementsMet]:
    """Satisfy requirements, for as long as their scope says.

    With --branch it counts for every session on that branch.
    """
    from holdfast.cli.helpers import requirement_acts

    words = requirement_acts.words(note, metadata)
    person_check.ask("req satisfy")
    return requirement_acts.satisfy(names, words=words, **where)


def approve(
    *,
    names: tuple[str, ...],
    seconds: int | None,
    note: str | None,
    metadata: str | None,
    **where: str | None,
) -> Report[requirement_acts.RequirementsMet]:
    """Let one session pass for a time, whatever the requirement says.

    For `approval_ttl` seconds unless you say --for.
    """
    from holdfast.cli.helpers import requirement_acts

    words = requirement_acts.words(note, metadata)
    person_check.ask("req approve")
    return requirement_acts.approve(names, seconds=seconds, words=words, **where)


def clear(
    *, names: tuple[str, ...], session: str | None, branch: str | None, every: bool
) -> Report[requirement_acts.RequirementsCleared]:
    """Undo satisfy and approve, for everybody or for one session."""
    from holdfast.cli.helpers import requirement_acts

    if bool(names) == every:
        misuse("clear takes the names of requirements, or --all")
    person_check.ask("req clear")
    return requirement_acts.clear(names, session=session, branch=branch, every=every)


def prune(*, dry_run: bool) -> Report[requirement_acts.BranchesPruned]:
    """Clear what is kept of branches that git no longer has."""
    from holdfast.cli.helpers import requirement_acts

    if not dry_run:
        person_check.ask("req prune")
    return requirement_acts.prune(dry_run=dry_run)


def enable(*, names: tuple[str, ...]) -> Report[requirement_acts.RequirementsSwitched]:
    """Switch requirements on for the project."""
    from holdfast.cli.helpers import requirement_acts

    person_check.ask("req enable")
    return requirement_acts.switch(names, on=True)


def disable(*, names: tuple[str, ...]) -> Report[requirement_acts.RequirementsSwitched]:
    """Switch requirements off for the project."""
    from holdfast.cli.helpers import requirement_acts

    person_check.ask("req disable")
    return requirement_acts.switch(names, on=False)


def pause(*, session: str | None, whole_project: bool) -> Report[requirement_acts.GatesSwitched]:
    """Switch all gates off, for the session or for the project."""
    from holdfast.cli.helpers import requirement_acts

    _one_or_all(session, whole_project=whole_project)
    person_check.ask("req pause")
    return requirement_acts.pause(session, whole_project=whole_project, on=False)


def resume(*, session: str | None, whole_project: bool) -> Report[requirement_acts.GatesSwitched]:
    """Switch the gates on again."""
    from holdfast.cli.helpers import requirement_acts

    _one_or_all(session, whole_project=whole_project)
    person_check.ask("req resume")
    return requirement_acts.pause(session, whole_project=whole_project, on=True)


def _one_or_all(session: str | None, *, whole_project: bool) -> None:
    if whole_project and session:
        misuse("--project is for all sessions, --session for one")


def init(*, preset: str, preview: bool, force: bool) -> Report[requirement_config.PresetWritten]:
    """Write a preset as the project's file of requirements."""
    from holdfast.cli.helpers import requirement_config

    return requirement_config.init(preset, preview=preview, force=force)


def config(
    *, names: tuple[str, ...], with_sources: bool, verbose: bool
) -> Report[requirement_config.RequirementsInForce]:
    """Show the values in force, of all requirements or of those named."""
    from holdfast.cli.helpers import requirement_config

    return requirement_config.config(names, with_sources=with_sources, verbose=verbose)


def verify() -> Report[requirement_config.FilesVerified]:
    """Say what is wrong with the files; exits with 1 when anything is."""
    from holdfast.cli.helpers import requirement_config

    return requirement_config.verify()


def doctor() -> Report[requirement_doctor.GatesExamined]:
    """Say whether gates would refuse anything here; exits with 1 when they are broken."""
    from holdfast.cli.helpers import requirement_doctor

    return requirement_doctor.report()


def metrics(*, session: str | None) -> Report[requirement_metrics.SessionMetrics]:
    """Show the figures of a session."""
    from holdfast.cli.helpers import requirement_metrics

    return requirement_metrics.report(session)


def logging(*, level: str | None) -> Report[requirement_logging.JudgementLog]:
    """Say whether and where judgements are logged, or switch that."""
    from holdfast.cli.helpers import requirement_logging

    return requirement_logging.report(level)


def _seconds(_: click.Context, __: click.Parameter, value: str | None) -> int | None:
    from holdfast.cli.commands.pause_command import LIMIT_S, UNITS

    if value is None:
        return None
    match = re.fullmatch(r"([0-9]{1,9})([smhd]?)", value)
    seconds = int(match[1]) * UNITS[match[2] or "s"] if match else 0
    if not 0 < seconds <= LIMIT_S:
        raise click.BadParameter(f"{value} is not a time such as 300, 30m or 2h")
    return seconds


NAMES = argument("names", nargs=-1, required=True)
MAYBE_NAMES = argument("names", nargs=-1)
BRANCH = option("--branch", metavar="B", help="For this branch.")
WORDS = (
    option("--note", metavar="TEXT", help="A note to keep with it."),
    option("--metadata", metavar="JSON", help="A note as JSON."),
)
VERBOSE = flag("--verbose", help="Show every detail.")
WHOLE_PROJECT = flag("--project", "whole_project", help="All sessions.")
VERBS = {
    "status": Verb(status, SESSION, BRANCH, VERBOSE, flag("--summary", help="One line.")),
    "list": Verb(listed, VERBOSE),
    "sessions": Verb(sessions),
    "satisfy": Verb(satisfy, NAMES, SESSION, BRANCH, *WORDS),
    "approve": Verb(
        approve,
        NAMES,
        SESSION,
        BRANCH,
        *WORDS,
        option(
            "--for",
            "seconds",
            callback=_seconds,
            metavar="SECONDS",
            help="How long; or as 30m, 2h.",
        ),
    ),
    "clear": Verb(
        clear,
        MAYBE_NAMES,
        SESSION,
        BRANCH,
        flag("--all", "every", help="Everything on the branch."),
    ),
    "prune": Verb(prune, flag("--dry-run", help="Show what would go.")),
    "enable": Verb(enable, NAMES),
    "disable": Verb(disable, NAMES),
    "pause": Verb(pause, SESSION, WHOLE_PROJECT),
    "resume": Verb(resume, SESSION, WHOLE_PROJECT),
    "init": Verb(
        init,
        option(
            "--preset", type=click.Choice(list(PRESETS)), default=DEFAULT_PRESET, show_default=True
        ),
        flag("--preview", help="Show it, write nothing."),
        flag("--force", help="Over a file that is there."),
    ),
    "config": Verb(
        config,
        MAYBE_NAMES,
        flag("--sources", "with_sources", help="The file behind each value."),
        VERBOSE,
    ),
    "verify": Verb(verify),
    "doctor": Verb(doctor),
    "metrics": Verb(metrics, SESSION),
    "logging": Verb(logging, option("--level", type=click.Choice(LEVELS), help="From now on.")),
}
DEFAULT = "status"
