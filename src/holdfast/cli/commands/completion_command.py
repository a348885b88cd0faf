"""Print the completion script for your shell: bash, zsh or fish.

For bash, put `eval "$(holdfast completion bash)"` into ~/.bashrc; for zsh `eval "$(holdfast
completion zsh)"` into ~/.zshrc; for fish, save the output as
~/.config/fish/completions/holdfast.fish.
"""

from __future__ import annotations

import click
from click.shell_completion import BashComplete, FishComplete, ZshComplete

from holdfast.cli.helpers.report import Report

SHELLS = {each.name: each for each in (BashComplete, ZshComplete, FishComplete)}
PROGRAM = "holdfast"
VARIABLE = f"_{PROGRAM.upper()}_COMPLETE"

PARAMETERS: list[click.Parameter] = [click.Argument(["shell"], type=click.Choice([*SHELLS]))]


def run(*, shell: str) -> Report:
    root = click.get_current_context().find_root().command
    script = SHELLS[shell](root, {}, PROGRAM, VARIABLE).source()
    return Report(tuple(script.splitlines()), {"shell": shell, "script": script})
