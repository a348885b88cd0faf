"""The project, branch and session that a command about requirements is for; what the files demand
there; and the facts that a tool call would be judged by."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from holdfast.cli.helpers import place_here
from holdfast.cli.helpers.session_rows import session_named
from holdfast.config import requirement
from holdfast.config.compiler import requirement_layers
from holdfast.config.demands import OUR_NAMES
from holdfast.config.requirement_type import Requirements
from holdfast.errors import HoldfastError
from holdfast.hook import brief_file
from holdfast.ledger import queries as ledger
from holdfast.ledger.workspace import Workspace, existing
from holdfast.rooms.gates import judgement
from holdfast.rooms.gates.gate_commands import Place
from holdfast.rooms.gates.judgement_facts import Facts
from holdfast.rooms.sessions import acting_session, queries, work_tree
from holdfast.rooms.sessions.git_branch import branch_of
from holdfast.rooms.sessions.work_tree import Whereabouts
from holdfast.rooms.work.commands import Place as ActingPlace
from holdfast.system import clock

Row = dict[str, Any]


@dataclass(frozen=True)
class Demands:
    """What the files of a project demand, and what is wrong with them: (file, what)."""

    requirements: Requirements
    options: Row
    sources: dict[str, str]  # which file each value comes from
    problems: tuple[tuple[str, str], ...]


def demands(root: str) -> Demands:
    """Read afresh: whoever asks has perhaps just changed a file."""
    layers, unread = requirement_layers(root, every=True)
    compiled, problems = requirement.compile_all(layers, OUR_NAMES)
    wrong = [*((problem.file, problem.message) for problem in unread), *problems]
    return Demands(compiled, requirement.options(layers), requirement.origins(layers), tuple(wrong))


def place(session: str | None = None, branch: str | None = None, *, to_act: bool = False) -> Place:
    """The place of the session that is named, wherever it is; else of the one at work here."""
    if session:
        workspace = existing()
        chosen = session_named(workspace, session)
        workspace.settings(chosen.worktree)  # with them come patterns of secrets
        return of_session(workspace, chosen, branch)
    at_hand = place_here.place(to_say=to_act)
    own = queries.find(at_hand.workspace.store, at_hand.session) if at_hand.session else None
    if own is not None:
        return of_session(at_hand.workspace, own, branch)
    return of_no_session(at_hand, work_tree.look(os.getcwd()), branch)


def of_no_session(here: ActingPlace, where: Whereabouts, branch: str | None = None) -> Place:
    return Place(
        here.workspace,
        project=here.project,
        session="",
        worktree=here.root,
        branch=here.branch if branch is None else branch,
        common=where.common,
        at=here.at,
        requirements=demands(where.root).requirements,
    )


def of_session(workspace: Workspace, session: queries.Session, branch: str | None) -> Place:
    """Gates judge by the branch that the worktree is on now, so that is the branch here."""
    gitdir = session.gitdir
    now_on = branch_of(gitdir) if gitdir else ""
    return Place(
        workspace,
        project=session.project,
        session=session.id,
        worktree=session.worktree,
        branch=now_on if branch is None else branch,
        common=work_tree.common_of(gitdir) if gitdir else "",
        at=clock.now(),
        requirements=demands(session.worktree).requirements,
    )


def facts(place: Place) -> Facts:
    """What a tool call of this session would be judged by, now."""
    store = place.workspace.store

    def others() -> list[queries.Session]:
        return acting_session.at_work(store, place.worktree, but=place.session)

    return Facts(
        store,
        state=place.workspace.state,
        project=place.project,
        session=place.session,
        worktree=place.worktree,
        branch=place.branch,
        now=place.at,
        others=others,
        failed=lambda _: None,  # a number that could not be put aside is counted anew
    )


def show_open(place: Place) -> None:
    """Have the status line of the session say how many requirements are open now."""
    if not brief_file.read(place.session)[1]:
        return  # it has ended, or was never at work on this machine
    now = facts(place)
    is_off, switched = now.switches()
    counted = {
        name: each
        for name, each in place.requirements.items()
        if each["enabled"] and name not in switched and not is_off
    }
    number = len(judgement.unmet(counted, now, lambda _: None))
    last = ledger.next_seq(place.workspace.store) - 1
    try:
        brief_file.update(place.session, last, facts={brief_file.GATES: str(number)})
    except (HoldfastError, OSError):
        pass  # the status line is a convenience
