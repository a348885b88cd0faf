"""THE TABLE of actions: their names and arguments, the words that requirements, `holdfast req
explain` and the docs use.

What counts as each, and what does not, is told in `docs/internals/actions.md`, which
`tests/rooms/gates/test_actions.py` holds against this table.
"""

from __future__ import annotations

from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# `branch`: a text that a glob fits; `message~`: one that a regular expression is found in;
# `force?`: so or not so.
ACTIONS: dict[str, list[str]] = {
    name: arguments.split()
    for name, arguments in {
        "commit": "branch amend? flags message~",
        "push": "branch remote force?",
        "add": "path",
        "reset_hard": "",
        "stash": "",
        "revert": "",
        "rebase": "",
        "switch_branch": "base to",
        "delete_recursive": "",
        "edit_files": "path",
        "run": "program instead flag",
        "run_tests": "",
        "install_dependency": "",
        "publish_package": "",
        "drop_database_object": "",
        "migrate_database": "",
        "deploy": "",
        "pull_request": "create? merge? comment? draft? base",
        "remote": "host",
        "subagent": "model",
        "skill": "name",
        "write": "pattern~ path",
    }.items()
}
ARGUMENTS = sorted({argument for arguments in ACTIONS.values() for argument in arguments})


def arguments_of(action: str) -> list[str]:
    """The names of an action's arguments."""
    return [argument.rstrip("?~") for argument in ACTIONS[action]]


class Action:
    """One action, with the arguments that are known."""

    def __init__(self, action: str, **arguments: Any) -> None:
        self.name = action
        self.arguments = {name: value for name, value in arguments.items() if value}
        self.unknown: frozenset[str] = frozenset()  # arguments that hold what nobody can tell
        self.text = ""  # what a write adds, or the whole of a command that runs
        self.folder = ""  # from which its paths count
        self.is_shown = True

    def as_dict(self) -> dict[str, object]:
        return {"name": self.name, **self.arguments}


class Seen(Value):
    """What a call does, and what of it is opaque."""

    actions: list[Action]
    opaque: list[str]
