"""Print the completion script for your shell: bash, zsh or fish.

It completes `holdfast` and `req`: commands, verbs and options. For bash, put `eval "$(holdfast
completion bash)"` into ~/.bashrc; for zsh `eval "$(holdfast completion zsh)"` into ~/.zshrc, after
compinit; for fish `holdfast completion fish | source` into ~/.config/fish/config.fish.
"""

from __future__ import annotations

from typing import TypedDict

import click
from click.shell_completion import BashComplete, FishComplete, ZshComplete

from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.verbs import argument


class CompletionScript(TypedDict):
    """What a shell is to run."""

    shell: str
    script: str


SHELLS = {each.name: each for each in (BashComplete, ZshComplete, FishComplete)}
PROGRAMS = ("holdfast", "req")

PARAMETERS = [argument("shell", type=click.Choice([*SHELLS]))]


def run(*, shell: str) -> Report[CompletionScript]:
    root = click.get_current_context().find_root().command
    script = "\n".join(
        SHELLS[shell](root, {}, program, f"_{program.upper()}_COMPLETE").source()
        for program in PROGRAMS
    )
    return Report(script.splitlines(), {"shell": shell, "script": script})
