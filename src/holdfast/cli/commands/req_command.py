"""Show requirements; satisfy, approve, clear or switch them; check their files.

What changes how a requirement stands only you can do, in a terminal outside the agent. Also
installed as a program of its own, `req`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict, cast

import click

from holdfast.cli.helpers import (
    gates_here,
    person_check,
    requirement_config,
    requirement_explain,
    requirement_metrics,
    requirement_status,
)
from holdfast.cli.helpers.place_here import misuse
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.verbs import SESSION, Verb, argument, flag, option
from holdfast.cli.helpers.wording import duration, local_time, plural
from holdfast.errors import HoldfastError
from holdfast.rooms.gates import gate_commands, queries
from holdfast.rooms.gates.gate_commands import Place
from holdfast.rooms.gates.judgement_log import LEVELS
from holdfast.rooms.gates.presets import PRESETS
from holdfast.rooms.sessions import queries as sessions, work_tree
from holdfast.rooms.sessions.git_branch import DETACHED, branch_of
from holdfast.rooms.sessions.life import short
from holdfast.system import git


class Satisfaction(TypedDict):
    """A requirement that was satisfied or approved: for whom, by what word, until when."""

    at: str
    requirement: str
    branch: str
    whose: str
    by: str
    words: str
    expires_at: NotRequired[str]


class RequirementsMet(TypedDict):
    """What was satisfied or approved."""

    branch: str
    satisfied: list[Satisfaction]


class Clearing(TypedDict):
    """A requirement that is no longer satisfied, and for whom."""

    at: str
    requirement: str
    branch: str
    whose: str
    why: str


class RequirementsCleared(TypedDict):
    """What was taken back."""

    branch: str
    cleared: list[Clearing]


class BranchesPruned(TypedDict):
    """The branches that git no longer has, each with what was kept of it."""

    branches: dict[str, list[str]]
    dry_run: bool


class RequirementsSwitched(TypedDict):
    """The requirements that are on or off now."""

    on: bool
    requirements: list[str]


class GatesSwitched(TypedDict):
    """Whether gates are on, for a session or for the whole project."""

    on: bool
    session: str | None


GIT_LIMIT_S = 20
SESSIONS = 1_000


def _words(note: str | None, metadata: str | None) -> str:
    """What is said of an act."""
    if note and metadata:
        misuse("say it as --note or as --metadata")
    return gate_commands.said_of(note or "", metadata or "")


def satisfy(
    *,
    names: tuple[str, ...],
    session: str | None,
    branch: str | None,
    note: str | None,
    metadata: str | None,
) -> Report[RequirementsMet]:
    """Satisfy requirements, for as long as their scope says.

    With --branch it counts for every session on that branch.
    """
    words = _words(note, metadata)
    person_check.ask("req satisfy")
    place = gates_here.place(session, branch, to_act=True)
    is_whole = bool(branch) and not session
    made = gate_commands.satisfy(place, names, whole_branch=is_whole, words=words)
    return _met(place, made, "Satisfied")


def approve(
    *,
    names: tuple[str, ...],
    seconds: int | None,
    session: str | None,
    branch: str | None,
    note: str | None,
    metadata: str | None,
) -> Report[RequirementsMet]:
    """Let one session pass for a time, whatever the requirement says.

    For `approval_ttl` seconds unless you say --for.
    """
    words = _words(note, metadata)
    person_check.ask("req approve")
    place = gates_here.place(session, branch, to_act=True)
    made = gate_commands.approve(place, names, seconds=seconds, words=words)
    return _met(place, made, "Approved")


def _met(place: Place, made: Sequence[Mapping[str, Any]], verb: str) -> Report[RequirementsMet]:
    lines = []
    for body in made:
        whose = f"session {short(body['whose'])}" if body["whose"] else "every session"
        end = body.get("expires_at")
        until = f", until {local_time(end, place.at)}" if end else ""
        name, branch = body["requirement"], place.branch or "no branch"
        lines.append(f"● {verb}: {name}, for {whose} on {branch}{until}")
    lines += [f"  {name} is off: it asks for nothing anyway" for name in _off(place, made)]
    gates_here.show_open(place)
    return Report(lines, {"branch": place.branch, "satisfied": cast("list[Satisfaction]", made)})


def _off(place: Place, made: Sequence[Mapping[str, Any]]) -> list[str]:
    is_off, names = queries.is_off(place.workspace.store, place.project, place.session)
    return [
        body["requirement"]
        for body in made
        if is_off
        or body["requirement"] in names
        or not place.requirements[body["requirement"]]["enabled"]
    ]


def clear(
    *, names: tuple[str, ...], session: str | None, branch: str | None, every: bool
) -> Report[RequirementsCleared]:
    """Undo satisfy and approve, for everybody or for one session."""
    if bool(names) == every:
        misuse("clear takes the names of requirements, or --all")
    person_check.ask("req clear")
    place = gates_here.place(session, branch, to_act=True)
    chosen = names or tuple(gate_commands.names_kept(place))
    made = gate_commands.clear(place, chosen, whose=place.session if session else None)
    gates_here.show_open(place)
    lines = [f"○ Cleared: {body['requirement']}, {_whose(body['whose'])}" for body in made]
    empty = f"Nothing was satisfied or triggered on {place.branch or 'no branch'}."
    return Report(
        lines or [empty], {"branch": place.branch, "cleared": cast("list[Clearing]", made)}
    )


def _whose(session: str) -> str:
    return f"for session {short(session)}" if session else "for the whole branch"


def prune(*, dry_run: bool) -> Report[BranchesPruned]:
    """Clear what is kept of branches that git no longer has."""
    if not dry_run:
        person_check.ask("req prune")
    place = gates_here.place(to_act=not dry_run)
    if not place.common:
        raise HoldfastError(
            "there is no git here, so no branch can be gone", hint="see `holdfast req clear`"
        )
    kept = _branches(place)
    find = gate_commands.gone_branches if dry_run else gate_commands.prune
    gone = find(place, kept)
    lines = [f"· {branch}: {', '.join(names)}" for branch, names in gone.items()]
    verb = "would go" if dry_run else "went"
    lines.append(
        f"What was kept of {plural(len(gone), 'branch', 'branches')} {verb}."
        if gone
        else "Git has every branch of which anything is kept."
    )
    return Report(lines, {"branches": gone, "dry_run": dry_run})


def _branches(place: Place) -> set[str]:
    """The branches of every clone of the project that is on this machine, and what their
    worktrees are on: a branch without a commit, a head that is detached."""
    known = sessions.of_project(place.workspace.store, place.project, SESSIONS)
    gitdirs = {
        session.gitdir for session in known if session.gitdir and os.path.isdir(session.gitdir)
    }
    commons = {place.common, *map(work_tree.common_of, gitdirs)}
    kept = {place.branch, *map(branch_of, gitdirs)}
    for common in sorted(commons):
        refs = _git(common, "for-each-ref", "--format=%(refname)", "refs/heads")
        kept |= {name.removeprefix("refs/heads/") for name in refs.splitlines()}
        for tree in _git(common, "worktree", "list", "--porcelain").split("\n\n"):
            words = dict(line.partition(" ")[::2] for line in tree.splitlines())
            if "branch" in words:
                kept.add(words["branch"].removeprefix("refs/heads/"))
            elif "HEAD" in words:
                kept.add(f"{DETACHED}@{words['HEAD'][:12]}")
    return kept


def _git(common: str, *arguments: str) -> str:
    """What git says; an error and not "" when it says nothing because it failed."""
    answer = git.heard(common, *arguments, limit_s=GIT_LIMIT_S)
    if answer is None:
        raise HoldfastError(
            f"git does not tell the branches of {common}", hint="nothing was changed"
        )
    return answer


def enable(*, names: tuple[str, ...]) -> Report[RequirementsSwitched]:
    """Switch requirements on for the project."""
    person_check.ask("req enable")
    return _switch(names, on=True)


def disable(*, names: tuple[str, ...]) -> Report[RequirementsSwitched]:
    """Switch requirements off for the project."""
    person_check.ask("req disable")
    return _switch(names, on=False)


def _switch(names: tuple[str, ...], *, on: bool) -> Report[RequirementsSwitched]:
    place = gates_here.place(to_act=True)
    made = gate_commands.switch(place, names, on=on)
    mark, word = ("●", "on") if on else ("·", "off")
    lines = [f"{mark} {body['requirement']} is {word} in this project" for body in made]
    return Report(lines, {"on": on, "requirements": [body["requirement"] for body in made]})


def pause(*, session: str | None, whole_project: bool) -> Report[GatesSwitched]:
    """Switch all gates off, for the session or for the project."""
    return _pause("req pause", session, whole_project=whole_project, on=False)


def resume(*, session: str | None, whole_project: bool) -> Report[GatesSwitched]:
    """Switch the gates on again."""
    return _pause("req resume", session, whole_project=whole_project, on=True)


def _pause(
    act: str, session: str | None, *, whole_project: bool, on: bool
) -> Report[GatesSwitched]:
    if whole_project and session:
        misuse("--project is for all sessions, --session for one")
    person_check.ask(act)
    place = gates_here.place(session, to_act=True)
    gate_commands.pause(place, whole_project=whole_project, on=on)
    whose = "every session of this project" if whole_project else f"session {short(place.session)}"
    is_off, _names = queries.is_off(
        place.workspace.store, place.project, "" if whole_project else place.session
    )
    if on:
        lines = [f"● Gates are on again for {whose}."]
        if is_off:
            lines = [
                f"{whose.capitalize()} is no longer paused by itself, but the project is:",
                "`holdfast req resume --project` ends that.",
            ]
    else:
        which = " --project" if whole_project else ""
        lines = [f"· Gates are off for {whose}, until `holdfast req resume{which}`."]
    data: GatesSwitched = {"on": not is_off, "session": None if whole_project else place.session}
    return Report(lines, data)


def _seconds(_: click.Context, __: click.Parameter, value: str | None) -> int | None:
    seconds = duration(value or "", unit="s")
    if value is not None and not seconds:
        raise click.BadParameter(f"{value} is not a time such as 300, 30m or 2h")
    return seconds or None


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
    "status": Verb(
        requirement_status.report, SESSION, BRANCH, VERBOSE, flag("--summary", help="One line.")
    ),
    "list": Verb(requirement_config.listed, VERBOSE),
    "sessions": Verb(requirement_status.sessions),
    "explain": Verb(
        requirement_explain.report,
        argument("command", required=False),
        flag("--stdin", "from_stdin", help="Commands from stdin, JSON strings."),
    ),
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
        requirement_config.init,
        option(
            "--preset",
            type=click.Choice(list(PRESETS)),
            help=f"Which one; asked at a terminal, else {requirement_config.DEFAULT_PRESET}.",
        ),
        flag("--preview", help="Show it, write nothing."),
        flag("--force", help="Over a file that is there."),
    ),
    "config": Verb(
        requirement_config.config,
        MAYBE_NAMES,
        flag("--sources", "with_sources", help="The file behind each value."),
        VERBOSE,
    ),
    "verify": Verb(requirement_config.verify),
    "doctor": Verb(requirement_config.doctor),
    "metrics": Verb(requirement_metrics.report, SESSION),
    "logging": Verb(
        requirement_config.logging,
        option("--level", type=click.Choice(LEVELS), help="From now on."),
    ),
}
