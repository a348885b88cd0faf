"""`holdfast req explain`: what a command does, what of it nobody can read, and which requirements
would speak."""

from __future__ import annotations

import json
import os
import sys
from typing import TypedDict

from holdfast.agents import acts
from holdfast.cli.helpers import gates_here
from holdfast.cli.helpers.gates_here import Row
from holdfast.cli.helpers.place_here import misuse
from holdfast.cli.helpers.report import Report
from holdfast.config import requirement
from holdfast.config.requirement_type import Requirements
from holdfast.rooms.gates.actions import reading
from holdfast.rooms.gates.judgement import gating
from holdfast.rooms.gates.tool_call import Call
from holdfast.rooms.sessions import work_tree


class CommandExplained(TypedDict):
    """A command: its actions with their arguments, the parts that nobody can read, and the names of
    the requirements that stand in front of it."""

    command: str
    actions: list[Row]
    opaque: list[str]
    requirements: list[str]


def report(*, command: str | None, from_stdin: bool) -> Report[CommandExplained]:
    """Show what a command does, and which requirements it asks for.

    --stdin reads commands, each a JSON string on a line of its own; --json prints an object on a
    line for each.
    """
    if from_stdin == (command is not None):
        misuse("explain takes a command, or --stdin")
    lines_in = sys.stdin if from_stdin else ()
    texts = [_text(line) for line in lines_in] if from_stdin else [command or ""]
    folder = os.getcwd()
    root = work_tree.look(folder).root or folder
    demanded = requirement.active(gates_here.demands(root).requirements)
    rows = [_explained(text, folder, root, demanded) for text in texts]
    lines = [line for row in rows for line in _lines(row)]
    nothing = CommandExplained(command="", actions=[], opaque=[], requirements=[])
    return Report(lines, rows[0] if rows else nothing, each=rows)


def _text(line: str) -> str:
    try:
        text = json.loads(line)
    except ValueError:
        text = None
    if not isinstance(text, str):
        misuse(f"a line of --stdin is a JSON string, not {line.strip()[:80]}")
    return str(text)


def _explained(command: str, folder: str, root: str, demanded: Requirements) -> CommandExplained:
    call = Call(acts.SHELL_TOOL, "run", command=command, folder=folder, root=root)
    call.seen = reading.of_call(call)
    shown = [action.as_dict() for action in call.seen.actions if action.is_shown]
    return CommandExplained(
        command=command,
        actions=[action for at, action in enumerate(shown) if action not in shown[:at]],
        opaque=call.seen.opaque,
        requirements=sorted(gating(demanded, call, lambda _: None)),
    )


def _lines(row: CommandExplained) -> list[str]:
    first, *more = row["command"].splitlines() or [""]
    lines = [first + (" ..." if more else "")]
    for action in row["actions"]:
        given = [
            name
            if value is True
            else f"{name} {value if isinstance(value, str) else ' '.join(value)}"
            for name, value in action.items()
            if name != "name" or action["name"] != value
        ]
        lines.append(f"  ● {action['name']}" + (f": {', '.join(given)}" if given else ""))
    lines += [f"  ? nobody can tell what this runs: {part}" for part in row["opaque"]]
    if not row["actions"] and not row["opaque"]:
        lines.append("  no action")
    names = ", ".join(row["requirements"])
    return [*lines, f"  → asks for {names}" if names else "  → asks for nothing here"]
