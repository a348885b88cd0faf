"""Print what a session that begins here now would be told.

For agents that only read files, and for you to see it. With --markdown it is a page, which you may
write to a file. Nothing is kept of it. `holdfast init --agents-file` keeps the same text up to date
in AGENTS.md or CLAUDE.md.
"""

from __future__ import annotations

from typing import TypedDict

from holdfast.cli.commands.init_command import root_of
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.verbs import flag
from holdfast.hook import preview
from holdfast.ledger.workspace import existing


class Briefing(TypedDict):
    """What a session would be told, "" for nothing."""

    brief: str


PARAMETERS = [
    flag("--markdown", help="Print it as a Markdown page."),
]


def run(*, markdown: bool) -> Report[Briefing]:
    workspace = existing()
    workspace.store.close()
    root = str(root_of(None))
    text = str(preview.briefing_here(workspace.state, root))
    lines = [preview.TITLE, ""] if markdown else []
    lines += (text or preview.NOTHING).split("\n")
    return Report(lines, {"brief": text})
