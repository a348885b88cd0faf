"""One event where it happened: what a judgement before a tool call needs, and all work begins with.

Composed at top level, so that rooms need not know each other: where the session stands, which
branch is checked out, who else is at work, what is demanded.
"""

from __future__ import annotations

from holdfast.event import CARRY_ON

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from holdfast.event import Event
    from holdfast.ledger.reader import Reading


class Moment:
    """An event, the store it is judged by, and its answer."""

    __slots__ = (
        "answer",
        "event",
        "facts",
        "failures",
        "gitdir",
        "project",
        "state",
        "store",
        "workspace",
        "worktree",
    )

    def __init__(self, workspace: Any, event: Event) -> None:
        self.workspace = workspace  # one for reading alone, where an event is only judged
        self.store = workspace.store
        self.state = workspace.state
        self.event = event
        self.project = ""
        self.worktree = ""
        self.gitdir = ""
        self.facts: dict[str, Any] = {}
        self.answer = CARRY_ON
        self.failures: list[Exception] = []

    def branch(self) -> str:
        """The branch that is checked out now."""
        from holdfast.sessions.branch import branch_of

        return branch_of(self.gitdir) if self.gitdir else ""

    def companions(self) -> Callable[[], list[dict[str, Any]]]:
        """Looks for the other sessions at work in this worktree: their processes are there."""
        # Without `self`: who is done with a work lets go of its store at once.
        store, worktree, session = self.store, self.worktree, self.event.session

        def look_around() -> list[dict[str, Any]]:
            from holdfast.sessions.acting import at_work

            return [one.as_dict() for one in at_work(store, worktree, but=session)]

        return look_around

    def requirements(self) -> dict[str, Any]:
        """What is demanded in this project, as it was compiled."""
        found: dict[str, Any] = self.workspace.requirements(self.worktree)
        return found


def judge(workspace: Reading, event: Event) -> Moment:
    """Judge an event that nothing is kept of. Where its session is not known yet, its place is
    looked up: what is demanded there counts from the first call on."""
    from holdfast.config import compiled

    moment = Moment(workspace, event)
    if compiled.is_off():
        return moment
    from holdfast.sessions.shelf import place_of

    found = place_of(moment.store, event.session)
    if found is None:
        from holdfast.sessions.deeds import facts_of, known_project

        facts = facts_of(event)
        project = known_project(moment.store, facts["worktree"], facts["gitdir"])
        found = (project, facts["worktree"], facts["gitdir"])
    moment.project, moment.worktree, moment.gitdir = found
    from holdfast.gates import gatekeeper

    gatekeeper.judge(moment)
    if workspace.unread:
        from holdfast.errors import SettingsError

        moment.failures += [SettingsError(line) for line in workspace.unread]
    return moment
