"""Which tools a command line runs, and whether its exit code speaks for each of them.

Both are read by the reader that triggers use: what arms a requirement can also satisfy it.
"""

from __future__ import annotations

from holdfast.shell.check_tools import checks, names_check
from holdfast.system.environment import bring
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.shell.check_tools import Check
    from holdfast.shell.simple_commands import SimpleCommand

COMMAND_CAP = 50_000  # characters: nobody wrote a longer line to prove something


class Run(Value):
    """One tool that a command line runs; `exit_known` when the line's exit code is its own."""

    kind: str
    tool: str
    exit_known: bool
    is_last: bool


def runs(command: str) -> list[Run]:
    """The tools a command line runs, in its order."""
    if len(command) > COMMAND_CAP or not names_check(command):
        return []
    # Most commands run no tool: the reader is loaded for those that may.
    bring("shell")
    from holdfast.shell import simple_commands
    from holdfast.shell.program import name

    tools: dict[SimpleCommand, list[Check]] = {}
    for simple in simple_commands.parsed(command) or []:
        done = checks(name(simple.words[0]), [word.text for word in simple.words[1:]])
        if not done:
            continue
        tools[simple] = done
        outer = simple.run_by
        while outer is not None:  # `yarn run eslint` is one run, of eslint
            tools.pop(outer, None)
            outer = outer.run_by
    return [
        Run(kind, tool, simple.decides, simple.is_last)
        for simple, done in tools.items()
        for kind, tool in done
    ]
