"""Forget: a session, an entry, a project or everything leaves every place that we keep.

A plan says what would go and is carried out as it stands. The order, so that it can be cut off
anywhere and run again: what is rendered anyway (mirrors, brief files); then the ledger, in one
transaction; then the other files; then the store's free pages and log; last the project's id,
by which a second run finds the rest.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

from holdfast.errors import NotFound
from holdfast.ledger import forget as ledger_forget, queries as ledger
from holdfast.ledger.entry import Entry
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.sessions import project, queries, registry_file, traces, work_tree
from holdfast.rooms.sessions.traces import Trace
from holdfast.system import files, jsontext, paths


@dataclass(frozen=True)
class Plan:
    """What would go, and what would stay because it is not ours."""

    name: str  # what a person types to mean it
    standing: tuple[Entry, ...] = ()  # what the user owns of the sessions and still stands
    takes_standing: bool = False  # that goes as well
    is_import: bool = False  # only the import of the sessions is undone
    sessions: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    entry: tuple[str, int] | None = None
    bodies: int = 0
    open_sessions: tuple[str, ...] = ()
    mirrors: tuple[Trace, ...] = ()
    files: tuple[Trace, ...] = ()
    ids: tuple[str, ...] = ()  # folders beside repositories whose id goes last
    left: tuple[str, ...] = ()
    is_everything: bool = False  # the store goes with all that is in it

    @property
    def all_files(self) -> tuple[Trace, ...]:
        return (*self.mirrors, *self.files)


def plan_sessions(
    workspace: Workspace,
    sessions: tuple[str, ...],
    name: str,
    *,
    takes_standing: bool = False,
    is_import: bool = False,
) -> Plan:
    """What the user owns of them and still stands stays, unless it is taken along."""
    store, but = workspace.store, ledger_forget.FORGETTING
    projects = {ledger.whose(store, session)[0] for session in sessions}
    commons = _commons(workspace, sessions, tuple(sorted(projects)))
    stays = [entry for id_ in sessions for entry, _ in ledger_forget.staying(store, id_)]
    return Plan(
        name,
        standing=tuple(entry for entry in stays if entry.kind != ledger_forget.TURNED),
        takes_standing=takes_standing,
        is_import=is_import,
        sessions=sessions,
        bodies=sum(len(ledger.with_body(store, session, but)) for session in sessions)
        - (0 if takes_standing else len(stays)),
        open_sessions=_open(workspace, sessions),
        mirrors=tuple(traces.mirrors(sessions, commons)),
        files=tuple(traces.kept(workspace.state, sessions)),
        left=_left(workspace, sessions),
    )


def plan_entry(workspace: Workspace, machine: str, seq: int, name: str) -> Plan:
    header = ledger_forget.named(workspace, machine, seq)
    session, of = header.session, header.project
    ids = tuple(id_ for id_ in (session or of,) if id_)
    commons = _commons(workspace, ids if session else (), (of,))
    return Plan(
        name,
        entry=(machine, seq),
        bodies=int(bool(header.has_body)),
        mirrors=tuple(traces.mirrors(ids, commons)),
        files=tuple(traces.kept(workspace.state, ids, header.key)),
        left=_left(workspace, ids),
    )


def plan_project(workspace: Workspace, id_: str, name: str, common: str = "") -> Plan:
    """A project with all that was merged into it; `common` is where its repository is known to
    be, for a second run: the first one may have forgotten that."""
    store, but = workspace.store, ledger_forget.FORGETTING
    known = queries.project(store, id_)
    id_ = known[0] if known else id_  # one that was merged is meant with all it was merged into
    projects = (id_, *queries.merged_into(store, id_))
    known_sessions = {
        session for project_id in projects for session in ledger.sessions_of(store, project_id)
    }
    known_sessions |= {session.id for session in queries.of_project(store, id_, 1_000_000)}
    sessions = tuple(sorted(known_sessions))
    bodies = sum(len(ledger.with_body(store, session, but)) for session in sessions)
    bodies += sum(
        len(ledger.with_body_of_project(store, project_id, but)) for project_id in projects
    )
    commons = {*_commons(workspace, sessions, projects), *([common] if common else [])}
    ours = sorted(place for place in commons if work_tree.id_on_file(place) in projects)
    mirrors = traces.mirrors(sessions, ())
    for place in ours:
        mirrors += traces.of_project(place)
    mirrors += traces.settings(workspace.state, _roots(workspace, sessions, projects))
    return Plan(
        name,
        sessions=sessions,
        projects=projects,
        bodies=bodies,
        open_sessions=_open(workspace, sessions),
        mirrors=tuple(mirrors),
        files=tuple(traces.kept(workspace.state, (*sessions, *projects))),
        ids=tuple(paths.project_folder(place) for place in ours),
        left=_left(workspace, sessions),
    )


def plan_everything(workspace: Workspace | None, state: str, name: str) -> Plan:
    """Without a workspace, because its store cannot be opened, only the state home itself."""
    plan = Plan(name, files=tuple(traces.everything(state)), is_everything=True)
    if workspace is None:
        return plan
    store = workspace.store
    sessions = tuple(ledger.all_sessions(store))
    projects = tuple(ledger.projects_like(store, "", 1_000_000))
    ours = [
        common for common in _commons(workspace, sessions, projects) if work_tree.id_on_file(common)
    ]
    return replace(
        plan,
        sessions=sessions,
        projects=projects,
        bodies=ledger.count_bodies(store),
        open_sessions=_open(workspace, sessions),
        mirrors=tuple(trace for common in ours for trace in traces.of_project(common)),
        ids=tuple(paths.project_folder(common) for common in ours),
        left=_left(workspace, sessions),
    )


def carry_out(workspace: Workspace, plan: Plan, *, now: str) -> int:
    """Forget what a plan names; the number of bodies that went. Run again, it finishes."""
    traces.remove(list(plan.mirrors))
    if plan.entry is not None:
        gone = ledger_forget.entry(workspace, *plan.entry, now=now)
    else:
        gone = ledger_forget.sessions_and_projects(
            workspace,
            plan.sessions,
            plan.projects,
            now=now,
            keeps_standing=not plan.projects and not plan.takes_standing,
            is_import=plan.is_import,
        )
    traces.remove(list(plan.files))
    _render_registry(workspace)
    ledger_forget.scour(workspace)
    _remove_ids(plan)
    return gone


def erase(workspace: Workspace | None, plan: Plan) -> None:
    """Remove a state home's files whole. Hooks must be paused: none may hold the store open."""
    traces.remove(list(plan.mirrors))
    if workspace is not None:
        with workspace.store.transaction():
            pass  # the last writer has left
        workspace.store.close()
    traces.remove(list(plan.files))
    _remove_ids(plan)


def name_of_project(workspace: Workspace, id_: str) -> str:
    """A project's name; of a forgotten one its id, for its name is gone."""
    known = queries.project(workspace.store, id_)
    if known is None and not ledger.projects_like(workspace.store, id_):
        raise NotFound(f"no project {id_}", hint="see `holdfast sessions --all --json`")
    return known[1] if known else id_


def _render_registry(workspace: Workspace) -> None:
    path = paths.registry(workspace.state)
    if not files.exists(path):
        return
    try:
        registry_file.render_registry(workspace)
    except OSError:  # somebody holds its lock, or the disk is full: without it nothing is lost
        traces.remove_path(path)


def _remove_ids(plan: Plan) -> None:
    for folder in plan.ids:
        if not os.path.islink(folder):
            traces.remove_path(folder)


def _commons(
    workspace: Workspace, sessions: tuple[str, ...], projects: tuple[str, ...]
) -> tuple[str, ...]:
    """Every repository, known to be one of ours, beside which these may have left something."""
    store = workspace.store
    gitdirs = {str(beginning.get("gitdir") or "") for beginning in _beginnings(workspace, sessions)}
    places = set()
    for project_id in projects:
        gitdirs |= {session.gitdir for session in queries.of_project(store, project_id, 1_000_000)}
        for sort, value in list(queries.aliases_of(store, project_id)):
            if sort == project.PATH and os.path.isdir(value):
                places.add(work_tree.look(value).common)
    for gitdir in gitdirs - {""}:
        # The folder of a worktree that was removed is gone: its repository is above it.
        there = gitdir if os.path.isdir(gitdir) else gitdir.partition("/worktrees/")[0]
        places.add(work_tree.common_of(there))
    return tuple(sorted(place for place in places if place and work_tree.id_on_file(place)))


def _roots(workspace: Workspace, sessions: tuple[str, ...], projects: tuple[str, ...]) -> list[str]:
    """Every folder that these were at work in."""
    roots = {str(beginning.get("worktree") or "") for beginning in _beginnings(workspace, sessions)}
    for project_id in projects:
        aliases = queries.aliases_of(workspace.store, project_id)
        roots |= {value for sort, value in aliases if sort == project.PATH}
    return sorted(roots - {""})


def _beginnings(workspace: Workspace, sessions: tuple[str, ...]) -> list[dict[str, object]]:
    """The facts that sessions began with; those of an archived one are in its row."""
    beginnings: list[dict[str, object]] = []
    for session in sessions:
        for body in ledger.bodies_of_kind(workspace.store, session, "session_began"):
            beginnings.append(jsontext.loads(body))
        for body in ledger.bodies_of_kind(workspace.store, session, "session_archived"):
            beginnings.append(jsontext.loads(body)["session"])
    return beginnings


def _open(workspace: Workspace, sessions: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(
        session.id for session in queries.still_open(workspace.store) if session.id in sessions
    )


def _left(workspace: Workspace, sessions: tuple[str, ...]) -> tuple[str, ...]:
    """What is not ours to remove, with whose it is."""
    beginnings = _beginnings(workspace, sessions)
    transcripts = {str(beginning.get("transcript") or "") for beginning in beginnings} - {""}
    notes = {
        f"{beginning.get('worktree')}/.holdfast"
        for beginning in beginnings
        if beginning.get("worktree")
    }
    lines = [f"{path} (the agent's own transcript)" for path in sorted(transcripts)]
    lines += [
        f"{path} (in the work tree; what was committed of it is in git's history)"
        for path in sorted(notes)
        if os.path.isdir(path)
    ]
    lines += [f"{path} (not a file of ours)" for path in traces.unknown(workspace.state, sessions)]
    return tuple(lines)
