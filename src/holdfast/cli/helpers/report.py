"""What a command has to say: lines for people, data for programs, warnings, an exit code.

Law: whatever is printed shows what it is. No text that was kept or read moves the cursor, hides or
turns what stands beside it: in lines such characters are left out, in data they are escaped.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import click

from holdfast.hook.voice import visible

Data = dict[str, Any]


@dataclass(frozen=True)
class Report:
    """`data` is the JSON object that `--json` prints, so it is a dictionary of anything: `Data`
    in whatever helps to make one. People's scripts read its names; they stay as they are."""

    lines: Iterable[str]
    data: Data = field(default_factory=dict)
    exit_code: int = 0
    warnings: Iterable[str] = ()  # for stderr, whatever is printed


def show(line: str, *, is_error: bool = False) -> None:
    """Print a line for people."""
    click.echo(visible(line), err=is_error)


def show_data(data: Data) -> None:
    """Print data for programs."""
    text = json.dumps(data, indent=2, ensure_ascii=False)
    if not text.isascii():
        text = "".join(
            each if each.isprintable() or each == "\n" else json.dumps(each)[1:-1] for each in text
        )
    click.echo(text)
