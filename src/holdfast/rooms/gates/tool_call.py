"""A tool call, as the gates judge it."""

from __future__ import annotations

from holdfast.system.value import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from holdfast.rooms.gates.actions.vocabulary import Seen
    from holdfast.rooms.gates.judgement_facts import Open


class Call(Record):
    """A tool call: what it would do, and with what."""

    tool: str
    deed: str
    path: str = ""  # from the root of the worktree where it lies inside
    where: str = ""  # the whole path
    command: str = ""
    folder: str = ""  # where the command would run
    subagent: str = ""
    is_unread: bool = False  # a trigger's words stand in a command that nobody can read
    input: Mapping[str, Any] = {}
    root: str = ""  # of the worktree
    seen: Seen | None = None  # its actions, once they were asked for
    unseen: frozenset[str] = frozenset()  # requirements that count for what cannot be seen alone

    def is_asked(self, open_: Open) -> bool:
        """Whether the person is asked, and not the agent refused."""
        requirement = open_.requirement
        return requirement["opaque" if open_.name in self.unseen else "answer"] == "ask"
