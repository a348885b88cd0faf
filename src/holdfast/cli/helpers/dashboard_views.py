"""What commands show and the dashboard shows as well: recall, gates; in a project by its id."""

from __future__ import annotations

from holdfast.cli.helpers import gates_here, recall_views, requirement_status
from holdfast.cli.helpers.project_files import ProjectFiles
from holdfast.cli.helpers.recall_views import Filters
from holdfast.config.requirement_type import Requirement
from holdfast.errors import NotFound
from holdfast.ledger.workspace import existing
from holdfast.rooms.decisions.deciding import Here
from holdfast.rooms.gates import gate_commands, repository_trust
from holdfast.rooms.gates import queries as gate_queries
from holdfast.rooms.sessions import acting_session, queries, work_tree
from holdfast.rooms.sessions.git_branch import branch_of
from holdfast.rooms.work.commands import Place
from holdfast.system import clock, files
from holdfast.web.visit import Answered, Gate, Gates, Hit


def place_of(project: str, session: str = "") -> Place:
    """A project as an act on the dashboard finds it: of no session, unless one is named."""
    workspace = existing()
    store = workspace.store
    row = queries.project(store, project)
    if row is None:
        raise NotFound("there is no such project", hint="the page Now lists those that are")
    latest = queries.of_project(store, row[0], 1)
    root = latest[0].worktree if latest and files.is_folder(latest[0].worktree) else row[2]
    newest = acting_session.newest(store, row[0], root)
    gitdir = newest.gitdir if newest and newest.worktree == root else ""
    return Place(
        workspace,
        row[0],
        session,
        newest.id if newest else "",
        clock.now(),
        workspace.settings(root),
        root,
        branch_of(gitdir) if gitdir else "",
    )


def recall(project: str, words: str, level: str) -> Answered:
    here = place_of(project)
    about = Here(here.workspace, project=here.project, root=here.root, at=here.at)
    data = recall_views.recall(ProjectFiles(here, about, "", ""), words, level, Filters()).data
    hits = [
        Hit(
            number=int(each["number"] or 0),
            **{
                name: str(each[name])
                for name in ("sort", "at", "text", "session", "branch", "who", "standing")
            },
        )
        for each in data["found"]
    ]
    return Answered(hits, int(data["tokens"]))


def gate_place(project: str, session: str = "") -> gate_commands.Place:
    """Where gates are judged: for the session that is named, or that is at work. A session that
    has ended is judged on the branch it was on."""
    here = place_of(project)
    store = here.workspace.store
    acting = acting_session.acting(store, here.project, here.root)
    own = queries.find(store, session) if session else acting
    if own is not None and own.project == here.project:
        return gates_here.of_session(here.workspace, own, own.branch if own.ended_at else None)
    where = work_tree.look(here.root)
    return gate_commands.Place(
        here.workspace,
        project=here.project,
        session="",
        worktree=here.root,
        branch=here.branch,
        common=where.common,
        at=here.at,
        requirements=gates_here.demands(here.root).requirements,
    )


def gates(project: str, session: str) -> Gates:
    place = gate_place(project, session)
    store = place.workspace.store
    is_off, _ = gate_queries.is_off(store, place.project, place.session)
    own = queries.find(store, place.session) if place.session else None
    return Gates(
        branch=place.branch,
        session=place.session,
        is_at_work=bool(own and not own.ended_at),
        is_paused=is_off,
        listed=[
            Gate(
                name=row["name"],
                description=_description(place.requirements[row["name"]]),
                sort=row["type"],
                scope=row["scope"],
                standing=row["standing"],
                words=row["said"],
                satisfied_by=row["satisfied_by"] or "",
                satisfied_at=row["satisfied_at"] or "",
                expires_at=row["expires_at"] or "",
            )
            for row in requirement_status.standing(place)
        ],
        waiting=[
            f"{each.name}: {line}"
            for each in repository_trust.asked(place.worktree)
            for line in each.waiting
        ],
    )


def _description(requirement: Requirement) -> str:
    return requirement["description"] or requirement["message"]
