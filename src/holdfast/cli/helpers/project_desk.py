"""Where commands find a project's papers: its notes, its tracker, where its work stands."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from holdfast.cli.helpers import person_check
from holdfast.cli.helpers.place_here import place
from holdfast.errors import NotFound, StoreError
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.decisions.deciding import Here
from holdfast.rooms.decisions.decision import AGENT, PERSON
from holdfast.rooms.notes import notes_file
from holdfast.rooms.recovery.handlers import COPIES
from holdfast.rooms.sessions import queries, work_tree
from holdfast.rooms.tracker import trackers
from holdfast.rooms.tracker.trackers import Tracker
from holdfast.rooms.work import summary
from holdfast.rooms.work.commands import Place
from holdfast.system import files, paths
from holdfast.system.jsontext import plain


@dataclass(frozen=True)
class Desk:
    """A project as its papers see it."""

    place: Place
    here: Here
    common: str
    copies: str

    @property
    def settings(self) -> dict[str, Any]:
        return self.place.settings

    def tracker(self) -> Tracker:
        chosen = self.settings["tracker.program"]
        return Tracker(self.here.workspace.store, self.here.project, self.here.root, chosen)

    def active(self) -> dict[str, str]:
        """Where the work stands: the item, the last checkpoint, what comes next."""
        item = self.tracker().active()
        named = {"Current Bead": trackers.named(item) if item else ""}
        store, place = self.here.workspace.store, self.place
        state = summary.draw(store, place.project, place.about, now=place.at)
        return {**named, **summary.active(store, state)}


def desk(*, to_act: bool = False) -> Desk:
    said = place(to_say=to_act)
    if not said.project:
        raise NotFound("no session here yet", hint="start the agent, then ask again")
    where = work_tree.look(os.getcwd())
    here = Here(
        said.workspace,
        project=said.project,
        root=plain(where.root),
        session=said.session,
        at=said.at,
        source=AGENT if person_check.why_not() else PERSON,
    )
    copies = paths.beside(where.common, said.workspace.state, said.project, COPIES)
    return Desk(said, here, where.common, copies)


def noted(workspace: Workspace, sessions: tuple[str, ...]) -> list[Here]:
    """Work trees of sessions that have notes, each once."""
    found = {}
    for id_ in sessions:
        session = queries.find(workspace.store, id_)
        if session and session.worktree and files.exists(notes_file.path_of(session.worktree)):
            found[session.worktree] = Here(
                workspace, project=session.project, root=session.worktree, source=PERSON
            )
    return list(found.values())


def renew(places: list[Here]) -> None:
    """Render notes anew: before something is forgotten, so that what people changed is read, and
    after it, so that nothing of it is told any more."""
    for here in places:
        try:
            notes_file.render(here, {}, "")
        except (OSError, StoreError):
            continue  # a link, or somebody else's: not ours to write
