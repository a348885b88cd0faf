"""One event where it happened: what a judgement before a tool call needs, and all work begins with.

Composed at top level, so that rooms need not know each other: where the session stands, which
branch is checked out, who else is at work, what is demanded.
"""

from __future__ import annotations

from holdfast.hook.event import CARRY_ON

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from holdfast.config.compiled import Compiled
    from holdfast.hook.event import Event
    from holdfast.rooms.gates.evidence.tree import Tree
    from holdfast.rooms.gates.judgement_facts import Facts
    from holdfast.rooms.sessions.queries import Session


class Context:
    """An event, the store it is judged by, and its answer."""

    def __init__(self, workspace: Any, event: Event) -> None:
        self.workspace = workspace  # one for reading alone, where an event is only judged
        self.store = workspace.store
        self.state = workspace.state
        self.event = event
        self.project = ""
        self.worktree = ""
        self.gitdir = ""
        # Set by gates.
        self.gate_facts: Facts | None = None
        self.tree: Tree | None = None  # how the files stand
        self.may_look = True  # at them at any time: no transaction waits for it
        self.answer = CARRY_ON
        self.failures: list[Exception] = []

    def branch(self) -> str:
        """The branch that is checked out now."""
        from holdfast.rooms.sessions.git_branch import branch_of

        return branch_of(self.gitdir) if self.gitdir else ""

    def companions(self) -> Callable[[], list[Session]]:
        """Looks for the other sessions at work in this worktree: their processes are there."""
        # Without `self`: who is done with a context lets go of its store at once.
        store, worktree, session = self.store, self.worktree, self.event.session

        def look_around() -> list[Session]:
            from holdfast.rooms.sessions.acting_session import at_work

            return at_work(store, worktree, but=session)

        return look_around

    def requirements(self) -> Compiled:
        """What is demanded in this project, as it was compiled."""
        compiled: Compiled = self.workspace.requirements(self.worktree)
        return compiled
