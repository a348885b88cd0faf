"""Print where the work stands in one line, from what the agent tells a status line on stdin.

Task, branch and pull request, how full the context is, open gates, rules, and the identity brief;
as much as fits into COLUMNS. `holdfast init --statusline` installs it; this command is for a status
line of your own that wants to show it, too.
"""

from __future__ import annotations

import sys
from typing import TypedDict

from holdfast.cli.helpers.place_here import misuse
from holdfast.cli.helpers.report import Report
from holdfast.hook import status_line
from holdfast.system import paths


class StatusLine(TypedDict):
    """The line, "" where nothing is known."""

    line: str


def run() -> Report[StatusLine]:
    if sys.stdin.isatty():
        misuse("statusline reads what the agent tells it, as JSON, on stdin")
    line = status_line.show(paths.state_home()).rstrip("\n")
    return Report((line,) if line else (), {"line": line})
