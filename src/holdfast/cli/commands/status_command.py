"""Show this project's sessions, what the one of this worktree did, and whether all is well."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NotRequired, TypedDict, cast

from holdfast.cli.commands import context_command, overview_command
from holdfast.cli.commands.goal_command import GoalRow
from holdfast.cli.helpers import place_here, project_figures, requirement_status
from holdfast.cli.helpers.report import Data, Report, shaped
from holdfast.cli.helpers.session_rows import SessionRow, line, session_data
from holdfast.cli.helpers.verbs import Verb, flag
from holdfast.cli.helpers.wording import ago, plural
from holdfast.config import pause_file
from holdfast.config.compiler import cascade
from holdfast.errors import NotFound, StoreError
from holdfast.hook.voice import inline
from holdfast.ledger import faults, hook_costs, queries as ledger, spool
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.decisions import deciding as decisions
from holdfast.rooms.identity import brief, lookup
from holdfast.rooms.prompts import choice_queries, queries as prompt_queries
from holdfast.rooms.prompts.attribution import whose
from holdfast.rooms.sessions import chain, checked_acts, queries, work_tree
from holdfast.rooms.sessions.life import short
from holdfast.rooms.sessions.queries import Session
from holdfast.rooms.work import command_queries, queries as activity, summary
from holdfast.store.sqlite import Store
from holdfast.system import clock, files, paths


class ChangedFile(TypedDict):
    """A file that a session changed, and how."""

    path: str
    how: str


class LastWork(TypedDict):
    """What the last session did that was spoken to."""

    session: str
    last_prompt: str
    last_prompt_at: str
    last_message: str
    prompts: int
    turns: int
    tools: int
    files: list[ChangedFile]
    command: command_queries.Command | None


class StatusGoal(GoalRow):
    """The goal in force."""

    project: str
    author: str


class ContextFigures(TypedDict):
    """How full the context is."""

    tokens: int | None
    window: int | None
    phase: str | None


class CheckpointRow(TypedDict):
    """The last checkpoint."""

    id: str
    at: str
    cause: str
    session: str


IdentityRow = TypedDict(
    "IdentityRow",
    {
        "ic": float,
        "r": float,
        "consciousness": float,
        "state": str,
        "class": str,
        "provisional": bool,
    },
)


class KeptRule(TypedDict):
    """A rule that the session here kept as yours."""

    id: str
    text: str
    whose: str


class KeptChoice(TypedDict):
    """A choice that the session here kept as yours."""

    id: str
    text: str


class KeptWords(TypedDict):
    """What the session here kept as yours."""

    rules: list[KeptRule]
    choices: list[KeptChoice]


class GateCounts(TypedDict):
    """How many requirements are satisfied."""

    satisfied: int
    total: int
    paused: bool


class HookCost(TypedDict):
    """What Holdfast itself cost the session here."""

    session: str
    tokens: int
    hooks: int
    ms: int
    p95_ms: int


class Status(TypedDict):
    """One screen; what is of a session is missing while there was none."""

    project: str | None
    session: str | None
    hooks: list[str]
    trouble: list[str]
    untrusted: int
    sessions: list[SessionRow]
    last: LastWork | None
    goal: NotRequired[StatusGoal | None]
    rules: NotRequired[int]
    dead_ends: NotRequired[int]
    pins: NotRequired[int]
    context: NotRequired[ContextFigures]
    checkpoint: NotRequired[CheckpointRow | None]
    identity: NotRequired[IdentityRow | None]
    kept: NotRequired[KeptWords]
    gates: NotRequired[GateCounts | None]
    decisions: NotRequired[dict[str, int]]
    entries: NotRequired[int]
    cost: NotRequired[HookCost]
    noticed: NotRequired[list[str]]
    spool: int
    faults: int
    paused: bool


CHOICES = 20
SHORT = 6
SESSIONS, LOOKED_AT = 5, 50
SETTLES = "`holdfast goal accept` makes this the task, `holdfast goal keep` says it is not"


def run() -> Report[Status]:
    """Show sessions, what the one of this worktree did, and whether all is well."""
    state = paths.state_home()
    where = work_tree.look(os.getcwd())
    hooks = overview_command.hooks_here(state, where.root)
    data: Data = {"project": None, "hooks": hooks, "session": None, "sessions": [], "last": None}
    lines = [overview_command.project_line(where)]
    advice = (
        "not installed here: run `holdfast init`"
        if where.gitdir
        else f"{overview_command.NO_PROJECT}; {overview_command.GO_TO}"
    )
    lines.append(f"Hooks     {', '.join(hooks) or advice}")
    data["trouble"] = overview_command.trouble(state, where.root) if hooks else []
    lines += overview_command.trouble_line(data["trouble"])
    data["untrusted"] = len(cascade(where.root).waiting)
    lines += _trust(data["untrusted"])
    if files.exists(paths.store(state)) or hook_costs.mark(state):
        place = place_here.place()
        workspace = place.workspace
        data |= {"project": place.project or None, "session": place.about or None}
        lines += _sessions(workspace, data, place.root)
        lines += _bearings(workspace, data)
        lines += _gates(data)
        lines += _decisions(workspace, where.root, data)
        data["entries"] = ledger.count(workspace.store)
        lines.append(f"Ledger    {plural(data['entries'], 'entry', 'entries')}")
        lines += _cost(workspace, data)
        lines += _noticed(workspace, data)
    waiting, swallowed = len(spool.waiting(state)), faults.all_of(state)
    data |= {"spool": waiting, "faults": len(swallowed)}
    data["paused"] = bool(pause_file.until(state))
    if waiting:
        lines.append(f"Spool     {plural(waiting, 'event')} waiting for the store")
    lines.append(f"Faults    {overview_command.faults_summary(swallowed)}")
    lines += _pause(state)
    return Report(lines, cast("Status", data))


def _pause(state: str) -> list[str]:
    until = pause_file.until(state)
    if not until:
        return []
    line = f"Paused    {overview_command.paused(until)}"
    if not pause_file.is_foreign(state):
        return [line]
    foreign = "no command of Holdfast wrote it, and it may not have been you"
    return [line, f"{'':10}{paths.pause(state)}: {foreign}"]


def _trust(waiting: int) -> list[str]:
    if not waiting:
        return []
    what = plural(waiting, "thing")
    return [
        f"Trust     {what} of the committed configuration not allowed  (`holdfast trust --show`)"
    ]


def _sessions(workspace: Workspace, data: Data, root: str) -> list[str]:
    """The project's, those of other worktrees with their folder; and what was done in this one."""
    store = workspace.store
    known = queries.of_project(store, data["project"] or "", LOOKED_AT)
    data["sessions"] = [session_data(session) for session in known[:SESSIONS]]
    about = queries.find(store, data["session"] or "")
    if about is None:
        return ["Sessions  none yet"]
    now = clock.now()
    lines = [
        f"{'Sessions' if not n else '':10}{line(s, now, named=s.worktree != root)}"
        for n, s in enumerate(known[:SESSIONS])
    ]
    if about.worktree != root:
        lines.append(f"Here      no session yet; what follows is of {short(about.id)}")
    before = chain.before(store, about.id, 5)
    if before:
        names = [short(link.session) or "unknown" for link in reversed(before)]
        lines.append(f"Chain     {' → '.join([*names, short(about.id)])}")
    return lines + _last_work(store, [about, *known], data)


def _last_work(store: Store, sessions: Sequence[Session], data: Data) -> list[str]:
    """What the first session did, or the latest before it in its worktree that was spoken to."""
    lines: list[str] = []
    for session in sessions:
        done = activity.activity(store, session.id)
        if session.worktree != sessions[0].worktree or done is None or not done.last_prompt:
            continue
        files = activity.changed(store, session.id, 5)
        command = command_queries.last_command(store, session.id)
        shown = [{"path": path, "how": how} for path, how in files]
        data["last"] = shaped(LastWork, done, files=shown, command=command)
        lines.append(f"Prompt    {inline(done.last_prompt, 100)}  ({short(session.id)})")
        if files:
            lines.append(f"Files     {', '.join(f'{path} ({how})' for path, how in files)}")
        if command:
            ok = "succeeded" if command.ok else "failed"
            lines.append(f"Command   {inline(command.command, 100)}  ({ok})")
        break
    return lines


def _bearings(workspace: Workspace, data: Data) -> list[str]:
    """What the session here is for, what binds it, and what it keeps in sight."""
    if not data["session"]:
        return []
    project, session, now = data["project"] or "", data["session"], clock.now()
    store = workspace.store
    state = summary.draw(store, project, session, now=now)
    goal = state.goal.as_dict() if state.goal else None
    done = state.activity
    last = activity.last_checkpoint(store, project)
    data["goal"] = goal
    data["rules"] = len(state.rules)
    data["dead_ends"] = len(state.dead_ends)
    data["pins"] = len(state.pins)
    data["context"] = {"tokens": done.tokens, "window": done.window, "phase": state.phase}
    data["checkpoint"] = last and shaped(CheckpointRow, last)
    lines = [overview_command.goal_line(goal, now)]
    lines += _identity(workspace, session, data)
    rules = [f"{plural(data['rules'], 'rule')} in force"]
    if data["dead_ends"]:
        rules.append(plural(data["dead_ends"], "dead end"))
    lines.append(f"Rules     {', '.join(rules)}  (`holdfast rules`)")
    lines += _kept(workspace, session, data)
    if data["pins"]:
        lines.append(f"Pins      {plural(data['pins'], 'pin')}  (`holdfast pins`)")
    if done.tokens and done.window:
        percent = done.tokens * 100 // done.window
        lines.append(f"Context   {percent} % of {done.window:,} tokens, {state.phase}")
    if last:
        lines.append(f"Saved     {ago(last.at, now)}, at {last.cause}  (a checkpoint)")
    return lines


def _kept(workspace: Workspace, session: str, data: Data) -> list[str]:
    """What the session here kept as yours: not every client shows you the line that says so."""
    store = workspace.store
    rules = prompt_queries.kept_in(store, session)
    choices = [
        choice
        for choice in choice_queries.choices(store, data["project"] or "", CHOICES)
        if choice.session == session
    ]
    data["kept"] = {
        "rules": [shaped(KeptRule, rule, whose=whose(rule)) for rule in rules],
        "choices": [shaped(KeptChoice, choice) for choice in choices],
    }
    lines = [
        f"{inline(rule.text, 80)}  (your rule, {whose(rule)}; undo: holdfast rules drop"
        f" {rule.id[:SHORT]})"
        for rule in rules
    ]
    lines += [f"{inline(choice.text, 80)}  (your choice {choice.id[:SHORT]})" for choice in choices]
    return [f"{'Kept' if not number else '':10}{text}" for number, text in enumerate(lines)]


def _identity(workspace: Workspace, session: str, data: Data) -> list[str]:
    data["identity"] = None
    try:
        reading = lookup.reading_of(workspace.store, session)
    except NotFound:
        return []
    except StoreError as error:
        return [f"Identity  {error}: {error.hint}"]
    if not reading.events:
        return []
    how = "provisional" if reading.is_provisional else reading.klass
    more = {"class": reading.klass, "provisional": reading.is_provisional}
    data["identity"] = shaped(IdentityRow, reading, **more)
    lines = [f"Identity  {brief.of(reading)} {how}  (`holdfast consciousness`)"]
    if brief.is_off_task(reading):
        lines.append(f"{'':10}The work seems to have left its task: {SETTLES}")
    return lines


def _gates(data: Data) -> list[str]:
    data["gates"] = None
    if not data["sessions"]:
        return []
    gates = requirement_status.report().data
    if not gates["requirements"]:
        return []
    data["gates"] = shaped(GateCounts, gates)
    state = "off" if gates["paused"] else f"{gates['satisfied']} of {gates['total']} satisfied"
    return [f"Gates     {state}  (`holdfast req`)"]


def _decisions(workspace: Workspace, root: str, data: Data) -> list[str]:
    """How many are in force, and how many of them are not what the code says any more."""
    counts = decisions.tidy(workspace.store, data["project"] or "", root)
    data["decisions"] = counts
    if not counts["checked"]:
        return []
    broken = f", {counts['broken']} broken" if counts["broken"] else ""
    return [f"Decisions {counts['checked']} in force{broken}  (`holdfast decisions`)"]


def _noticed(workspace: Workspace, data: Data) -> list[str]:
    """What was done in the person's name, and may not have been the person."""
    data["noticed"] = checked_acts.lately(workspace.store, workspace.state, clock.now())
    shown = data["noticed"][-checked_acts.SHOWN :]
    return [f"{'Noticed' if not n else '':10}{line}" for n, line in enumerate(shown)]


def _cost(workspace: Workspace, data: Data) -> list[str]:
    """What Holdfast itself cost the session here."""
    session = data["session"]
    if not session:
        return []
    mark = paths.mark(session)
    spent = [cost.ms for cost in hook_costs.all_of(workspace.state) if cost.session == mark]
    data["cost"] = {
        "session": session,
        "tokens": ledger.tokens_given(workspace.store, session),
        "hooks": len(spent),
        "ms": sum(spent),
        "p95_ms": hook_costs.quantile(spent, 0.95),
    }
    each = f", 95 % under {data['cost']['p95_ms'] + 1} ms" if spent else ""
    spending = (
        f"{data['cost']['tokens']:,} tokens said, {plural(len(spent), 'hook')} in {sum(spent):,} ms"
    )
    return [f"Cost      {spending}{each}  ({short(session)})"]


VERBS = {
    "show": Verb(run),
    "context": Verb(context_command.status),
    "stats": Verb(
        project_figures.stats, flag("--all", "everywhere", help="All projects together.")
    ),
}
