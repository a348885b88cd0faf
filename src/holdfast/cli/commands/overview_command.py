"""What `holdfast` alone says: where you stand here, and what to do next.

It only looks, and it always answers: a store that cannot be read is one of the things it says.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import apsw

from holdfast.agents import surroundings
from holdfast.cli.helpers import place_here
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.wording import ago, local_time, plural
from holdfast.config import pause_file
from holdfast.config.compiler import cascade
from holdfast.errors import StoreError
from holdfast.hook.voice import inline
from holdfast.ledger import faults, hook_costs
from holdfast.rooms.recall import queries as recall
from holdfast.rooms.sessions import acting_session, queries, work_tree
from holdfast.rooms.sessions.life import short
from holdfast.rooms.sessions.work_tree import Whereabouts
from holdfast.rooms.threads import queries as threads
from holdfast.rooms.work import commands
from holdfast.setup import install
from holdfast.setup.doctor import Patient, examination
from holdfast.system import clock, environment, files, paths

NO_PROJECT = "not installed: this folder is in no git repository"
GO_TO = "go to your project's folder and run `holdfast init` there"


def hooks_here(state: str, root: str) -> list[str]:
    """The settings files through which hooks are installed for a project, or our plugin is."""
    folders = {path.parent.parent for path in install.settings_near(Path(root))}
    own = [str(path) for path in install.installed(state) if path.parent.parent in folders]
    plugin = install.plugin_file(root)
    return [*own, plugin] if plugin and plugin not in own else own


def trouble(state: str, root: str) -> list[str]:
    """Why hooks do not run as they should, in a line each."""
    return examination.trouble(Patient(state, Path(root)))


def trouble_line(reasons: Sequence[str]) -> list[str]:
    more = f" ({len(reasons) - 1} more: `holdfast doctor`)" if len(reasons) > 1 else ""
    return [f"Trouble   {reasons[0]}{more}"] if reasons else []


def project_line(where: Whereabouts) -> str:
    return f"Project   {where.root}" + (f"  on {where.branch}" if where.branch else "")


def goal_line(goal: Mapping[str, Any] | None, now: str) -> str:
    if goal is None:
        return "Goal      none was heard yet  (`holdfast goal set TEXT` gives one)"
    return f"Goal      {inline(goal['goal'], 100)}  ({ago(goal['at'], now)})"


def paused(until: str) -> str:
    """Where and how long a pause holds, and what ends it."""
    end = f" until {local_time(until, clock.now())}" if until != pause_file.FOR_EVER else ""
    return f"in every project{end}; `holdfast unpause` ends it"


def faults_summary(swallowed: Sequence[Mapping[str, Any]]) -> str:
    if not swallowed:
        return "none"
    last = swallowed[-1]
    when = ago(str(last["at"]), clock.now())
    refusal = faults.refusal_in(dict(last))
    what = str(refusal) if refusal else f"{last['kind']} at {last['place']}"
    return f"{len(swallowed)}, the last {when}: {what}"


VARIABLE, SETTING, PAUSE = "HOLDFAST_OFF", "enabled", "pause"
LOOKED_AT = 50
RESTART = f"restart {surroundings.AGENTS[0].NAME}"
ALL_COMMANDS = "`holdfast --help` lists all commands"


@dataclass(frozen=True, kw_only=True)
class Overview:
    """Where you stand in a folder, and the command that is most useful now."""

    project: str | None = None
    root: str
    branch: str | None
    is_repository: bool
    hooks: list[str]
    trouble: list[str]
    off_by: str | None
    paused_until: str | None
    sessions: int = 0
    live: list[str] = field(default_factory=list)
    crashed: str | None = None
    goal: str | None = None
    rules: int = 0
    faults: int
    problem: str | None = None
    next: str | None = None


def run() -> Report[Overview]:
    state, where = paths.state_home(), work_tree.look(os.getcwd())
    swallowed, until = faults.all_of(state), pause_file.until(state)
    hooks = hooks_here(state, where.root)
    overview = Overview(
        root=where.root,
        branch=where.branch or None,
        is_repository=bool(where.gitdir),
        hooks=hooks,
        trouble=trouble(state, where.root) if hooks else [],
        off_by=_off_by(until, where.root),
        paused_until=None if until in ("", pause_file.FOR_EVER) else until,
        faults=len(swallowed),
    )
    is_seen = False
    work: list[str] = []
    if files.exists(paths.store(state)) or hook_costs.mark(state):
        try:
            overview, is_seen, work = _with_work(overview)
        except apsw.SQLError:
            raise  # a statement of ours that is wrong: a bug
        except (StoreError, apsw.Error) as error:
            overview = replace(overview, problem=str(error))
            is_seen, work = True, [f"Store     {error}"]  # it was there to be broken
    lines = [
        project_line(where),
        f"Hooks     {_hooks(overview, is_seen=is_seen)}",
        *trouble_line(overview.trouble),
        *work,
    ]
    if overview.hooks or swallowed:
        lines.append(f"Faults    {faults_summary(swallowed)}")
    command, why = next_step(overview)
    lines.append(f"Next      {why}")
    if command:
        lines.append(f"          {ALL_COMMANDS}")
    return Report(lines, replace(overview, next=command or None))


def next_step(overview: Overview) -> tuple[str, str]:
    """The command that is most useful now, "" when it is none of ours, and why."""
    if overview.problem:
        return "holdfast doctor", "`holdfast doctor` tells what is wrong with the store"
    if not overview.hooks:
        why = "`holdfast init` installs the hooks for this project"
        if not overview.is_repository:
            why = GO_TO
        return "holdfast init", why
    if overview.trouble:
        return "holdfast doctor", "`holdfast doctor` tells why hooks do not run as they should"
    if overview.off_by == VARIABLE:
        return "", f"unset {VARIABLE}, and start the agent from this shell"
    if overview.off_by == SETTING:
        return "holdfast config show --sources", "`holdfast config show --sources` names the file"
    if overview.off_by == PAUSE:
        return "holdfast unpause", "`holdfast unpause` switches the hooks on again"
    if overview.faults:
        return "holdfast doctor", "`holdfast doctor` tells what went wrong"
    if not overview.sessions:
        return "", "start your agent here: its first session is kept from the first prompt on"
    if overview.crashed:
        return "holdfast resume", "`holdfast resume` tells how to go on from the crashed session"
    return "holdfast status", "`holdfast status` shows the work in one screen"


def _off_by(paused_until: str, root: str) -> str | None:
    """What switches the hooks off here, if anything does."""
    if environment.env(VARIABLE) not in ("", "0"):
        return VARIABLE
    if paused_until:
        return PAUSE
    return None if cascade(root).values[SETTING] else SETTING


def _hooks(overview: Overview, *, is_seen: bool) -> str:
    """What the hooks do; they are at work when a session of the project came through them."""
    if not overview.hooks:
        if not overview.is_repository:
            return NO_PROJECT
        return "not installed in this project"
    end = overview.paused_until
    until = f" until {local_time(end, clock.now())}" if end else ""
    at_work = "installed and at work" if is_seen else f"installed; no session yet: {RESTART}"
    return {
        None: "installed, but not at work" if overview.trouble else at_work,
        PAUSE: f"installed, but paused{until}",
        VARIABLE: f"installed, but switched off in this shell by {VARIABLE}",
        SETTING: f"installed, but switched off by the setting `{SETTING}`",
    }[overview.off_by]


def _with_work(overview: Overview) -> tuple[Overview, bool, list[str]]:
    """With sessions, goal and rules, where the project is known; whether a hook has seen one of
    the sessions; and their lines."""
    place = place_here.place()
    store = place.workspace.store
    if not place.project:
        return overview, False, []
    live = acting_session.live_in(store, place.project)
    goal = commands.goal_here(place)
    rules = [rule for rule in commands.rules_here(place) if rule["sort"] != "dead_end"]
    overview = replace(
        overview,
        project=place.project,
        sessions=queries.count(store, place.project),
        live=[session.id for session in live],
        goal=goal["goal"] if goal else None,
        rules=len(rules),
    )
    at_work = ", ".join(_named(session, place.root) for session in live) or "none"
    last = acting_session.newest(store, place.project, place.root)
    crash = []
    if last and acting_session.has_crashed(last) and threads.is_asked(store, last.id):
        overview = replace(overview, crashed=last.id)
        when = ago(last.last_active_at, place.at)
        crash = [f"Crash     {short(last.id)} did not end; it was at work {when}"]
    known = queries.of_project(store, place.project, LOOKED_AT)
    is_seen = any(recall.was_seen_live(store, session.id) for session in known)
    return (
        overview,
        is_seen,
        [
            f"Sessions  {overview.sessions} known, at work now: {at_work}",
            *crash,
            goal_line(goal, place.at),
            f"Rules     {plural(len(rules), 'rule')} in force  (`holdfast rules`)",
        ],
    )


def _named(session: queries.Session, root: str) -> str:
    """A session, and where it is at work if that is another worktree."""
    name = short(session.id)
    return name if session.worktree == root else f"{name} in {session.worktree}"
