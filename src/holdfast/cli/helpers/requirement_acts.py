"""The acts of `holdfast req` that change something, and their reports."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from holdfast.cli.helpers import gates_here
from holdfast.cli.helpers.place_here import misuse
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.wording import plural
from holdfast.errors import HoldfastError
from holdfast.rooms.gates import gate_commands, queries
from holdfast.rooms.gates.gate_commands import Place
from holdfast.rooms.sessions import queries as sessions
from holdfast.rooms.sessions import work_tree
from holdfast.rooms.sessions.git_branch import DETACHED, branch_of
from holdfast.rooms.sessions.life import short
from holdfast.system import git

GIT_LIMIT_S = 20
SESSIONS = 1_000


@dataclass(frozen=True)
class ReqOptions:
    """What `holdfast req` was given; an act reads those that it takes."""

    session: str | None
    branch: str | None
    note: str | None
    metadata: str | None
    seconds: int | None
    every: bool
    dry_run: bool
    whole_project: bool
    preset: str | None
    preview: bool
    force: bool
    with_sources: bool
    verbose: bool
    level: str | None
    summary: bool


def satisfy(names: tuple[str, ...], options: ReqOptions) -> Report:
    place, words = _spoken(options)
    is_whole = bool(options.branch) and not options.session
    made = gate_commands.satisfy(place, names, whole_branch=is_whole, words=words)
    return _met(place, made, "Satisfied")


def approve(names: tuple[str, ...], options: ReqOptions) -> Report:
    place, words = _spoken(options)
    made = gate_commands.approve(place, names, seconds=options.seconds, words=words)
    return _met(place, made, "Approved")


def _spoken(options: ReqOptions) -> tuple[Place, str]:
    if options.note and options.metadata:
        misuse("say it as --note or as --metadata")
    words = gate_commands.said_of(options.note or "", options.metadata or "")
    return gates_here.place(options.session, options.branch, to_act=True), words


def _met(place: Place, made: Sequence[Mapping[str, Any]], verb: str) -> Report:
    lines = []
    for body in made:
        whose = f"session {short(body['whose'])}" if body["whose"] else "every session"
        until = f", until {body['expires_at']}" if body.get("expires_at") else ""
        name, branch = body["requirement"], place.branch or "no branch"
        lines.append(f"● {verb}: {name}, for {whose} on {branch}{until}")
    lines += [f"  {name} is off: it asks for nothing anyway" for name in _off(place, made)]
    return Report(tuple(lines), {"branch": place.branch, "satisfied": made})


def _off(place: Place, made: Sequence[Mapping[str, Any]]) -> list[str]:
    is_off, names = queries.is_off(place.workspace.store, place.project, place.session)
    return [
        body["requirement"]
        for body in made
        if is_off
        or body["requirement"] in names
        or not place.requirements[body["requirement"]]["enabled"]
    ]


def clear(names: tuple[str, ...], options: ReqOptions) -> Report:
    if bool(names) == options.every:
        misuse("clear takes the names of requirements, or --all")
    place = gates_here.place(options.session, options.branch, to_act=True)
    chosen = names or tuple(gate_commands.names_kept(place))
    made = gate_commands.clear(place, chosen, whose=place.session if options.session else None)
    lines = [f"○ Cleared: {body['requirement']}, {_whose(body['whose'])}" for body in made]
    empty = f"Nothing was satisfied or triggered on {place.branch or 'no branch'}."
    return Report(tuple(lines) or (empty,), {"branch": place.branch, "cleared": made})


def _whose(session: str) -> str:
    return f"for session {short(session)}" if session else "for the whole branch"


def prune(_: tuple[str, ...], options: ReqOptions) -> Report:
    place = gates_here.place(to_act=not options.dry_run)
    if not place.common:
        raise HoldfastError(
            "there is no git here, so no branch can be gone", hint="see `holdfast req clear`"
        )
    kept = _branches(place)
    is_dry = options.dry_run
    gone = gate_commands.gone_branches(place, kept) if is_dry else gate_commands.prune(place, kept)
    lines = [f"· {branch}: {', '.join(names)}" for branch, names in gone.items()]
    verb = "would go" if is_dry else "went"
    lines.append(
        f"What was kept of {plural(len(gone), 'branch', 'branches')} {verb}."
        if gone
        else "Git has every branch of which anything is kept."
    )
    return Report(tuple(lines), {"branches": gone, "dry_run": is_dry})


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


def switch(names: tuple[str, ...], options: ReqOptions, *, on: bool) -> Report:
    place = gates_here.place(to_act=True)
    made = gate_commands.switch(place, names, on=on)
    mark, word = ("●", "on") if on else ("·", "off")
    lines = [f"{mark} {body['requirement']} is {word} in this project" for body in made]
    return Report(tuple(lines), {"on": on, "requirements": [body["requirement"] for body in made]})


def pause(_: tuple[str, ...], options: ReqOptions, *, on: bool) -> Report:
    whole = options.whole_project
    if whole and options.session:
        misuse("--project is for all sessions, --session for one")
    place = gates_here.place(options.session, to_act=True)
    gate_commands.pause(place, whole_project=whole, on=on)
    whose = "every session of this project" if whole else f"session {short(place.session)}"
    is_off, _names = queries.is_off(
        place.workspace.store, place.project, "" if whole else place.session
    )
    if on:
        lines = [f"● Gates are on again for {whose}."]
        if is_off:
            lines = [
                f"{whose.capitalize()} is no longer paused by itself, but the project is:",
                "`holdfast req resume --project` ends that.",
            ]
    else:
        which = " --project" if whole else ""
        lines = [f"· Gates are off for {whose}, until `holdfast req resume{which}`."]
    data = {"on": not is_off, "session": None if whole else place.session}
    return Report(tuple(lines), data)
