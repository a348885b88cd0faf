"""Where commands find a project's papers: its notes, its tracker, where its work stands."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from holdfast.cli import person
from holdfast.cli.here import place
from holdfast.continuity import picture
from holdfast.continuity.saying import Place
from holdfast.decisions.decision import AGENT, PERSON
from holdfast.decisions.deeds import Here
from holdfast.decisions.papers import tracker, writing
from holdfast.decisions.papers.deeds import COPIES
from holdfast.decisions.papers.tracker import Tracker
from holdfast.errors import NotFound, StoreError
from holdfast.ledger.workspace import Workspace
from holdfast.sessions import shelf, whereabouts
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

    def picture(self) -> dict[str, Any]:
        store, said = self.here.workspace.store, self.place
        return picture.draw(store, said.project, said.about, now=said.at)

    def active(self) -> dict[str, str]:
        """Where the work stands: the item, the last checkpoint, what comes next."""
        item = self.tracker().active()
        named = {"Current Bead": tracker.named(item) if item else ""}
        return {**named, **picture.active(self.here.workspace.store, self.picture())}


def desk(*, to_act: bool = False) -> Desk:
    said = place(to_say=to_act)
    if not said.project:
        raise NotFound("no session here yet", hint="start the agent, then ask again")
    where = whereabouts.look(os.getcwd())
    here = Here(
        said.workspace,
        project=said.project,
        root=plain(where.root),
        session=said.session,
        at=said.at,
        source=AGENT if person.why_not() else PERSON,
    )
    copies = paths.beside(where.common, said.workspace.state, said.project, COPIES)
    return Desk(said, here, where.common, copies)


def noted(workspace: Workspace, sessions: tuple[str, ...]) -> list[Here]:
    """Work trees of sessions that have notes, each once."""
    found = {}
    for id_ in sessions:
        session = shelf.find(workspace.store, id_)
        if session and session.worktree and files.exists(writing.path_of(session.worktree)):
            found[session.worktree] = Here(
                workspace, project=session.project, root=session.worktree, source=PERSON
            )
    return list(found.values())


def renew(places: list[Here]) -> None:
    """Render notes anew: before something is forgotten, so that what people changed is read, and
    after it, so that nothing of it is told any more."""
    for here in places:
        try:
            writing.render(here, {}, "")
        except (OSError, StoreError):
            continue  # a link, or somebody else's: not ours to write
