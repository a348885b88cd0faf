"""The files of the project a command is run in: its notes, its tracker, where its work stands."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.cli.helpers.decision_views import here_in
from holdfast.cli.helpers.place_here import place
from holdfast.errors import NotFound, StoreError
from holdfast.ledger import queries as ledger
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.decisions.deciding import Here
from holdfast.rooms.notes import notes_file
from holdfast.rooms.recovery.handlers import COPIES
from holdfast.rooms.sessions import forgetting, queries, work_tree
from holdfast.rooms.sessions.forgetting import Plan
from holdfast.rooms.tracker import trackers
from holdfast.rooms.tracker.trackers import Tracker
from holdfast.rooms.work import summary
from holdfast.rooms.work.commands import Place
from holdfast.system import clock, files, paths

if TYPE_CHECKING:
    from holdfast.config.settings import Settings


@dataclass(frozen=True)
class ProjectFiles:
    """A project, with what its notes and its tracker need."""

    place: Place
    here: Here
    common: str
    copies: str

    @property
    def settings(self) -> Settings:
        return self.place.settings

    def tracker(self) -> Tracker:
        chosen = self.settings["tracker.program"]
        return Tracker(self.here.workspace.store, self.here.project, self.here.root, chosen)

    def active(self) -> dict[str, str]:
        """Where the work stands: the item, the last checkpoint, what comes next."""
        item = self.tracker().active()
        named = {"Current Bead": trackers.named(item) if item else ""}
        store, place = self.here.workspace.store, self.place
        state = summary.draw(store, place.project, place.about, now=place.at, branch=place.branch)
        return {**named, **summary.active(store, state)}


def files_here(*, to_act: bool = False) -> ProjectFiles:
    run_in = place(to_say=to_act)
    if not run_in.project:
        raise NotFound("no session here yet", hint="start the agent, then ask again")
    common = work_tree.look(os.getcwd()).common
    copies = paths.beside(common, run_in.workspace.state, run_in.project, COPIES)
    return ProjectFiles(run_in, here_in(run_in), common, copies)


def forget(workspace: Workspace, plan: Plan) -> int:
    """Carry out a plan: how many texts are gone. Notes are rendered before it, to read what people
    changed in them, and after it, so that they no longer hold what is forgotten."""
    sessions = plan.sessions
    if plan.entry:
        header = ledger.grave(workspace.store, *plan.entry)
        sessions = (header.session,) if header else ()
    places = _noted(workspace, sessions)
    _renew(places)
    gone = forgetting.carry_out(workspace, plan, now=clock.now())
    _renew(places)
    return gone


def _noted(workspace: Workspace, sessions: tuple[str, ...]) -> list[Here]:
    """Work trees of sessions that have notes, each once."""
    by_worktree = {}
    for id_ in sessions:
        session = queries.find(workspace.store, id_)
        if session and session.worktree and files.exists(notes_file.path_of(session.worktree)):
            by_worktree[session.worktree] = Here(
                workspace, project=session.project, root=session.worktree, at=clock.now()
            )
    return list(by_worktree.values())


def _renew(places: list[Here]) -> None:
    for here in places:
        try:
            notes_file.render(here, {}, "")
        except (OSError, StoreError):
            continue  # a link, or somebody else's: not ours to write
