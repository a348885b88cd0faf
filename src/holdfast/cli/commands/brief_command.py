"""Print what a session that begins here now would be told.

For agents that only read files, and for you to see it. With --markdown it is a page, which you may
write to a file; with --why each line is followed by the entries it stands on, and that of a thread
by why the session would go on with it. Nothing is kept of it. `holdfast init --agents-file` keeps
the same text up to date in AGENTS.md or CLAUDE.md.
"""

from __future__ import annotations

from typing import NotRequired, TypedDict

from holdfast.cli.commands.init_command import root_of
from holdfast.cli.helpers import thread_rows
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.verbs import flag
from holdfast.hook import preview
from holdfast.hook.voice import inline
from holdfast.ledger.workspace import Workspace, existing
from holdfast.rooms.sessions.life import short
from holdfast.web.origins import Origin, origin_of


class ToldPart(TypedDict):
    """A part of what a session would be told, and what it stands on."""

    text: str
    sources: list[Origin]


class Briefing(TypedDict):
    """What a session would be told, "" for nothing; with --why also part by part."""

    brief: str
    parts: NotRequired[list[ToldPart]]


PARAMETERS = [
    flag("--markdown", help="Print it as a Markdown page."),
    flag("--why", help="Say what each line stands on."),
]


def run(*, markdown: bool, why: bool) -> Report[Briefing]:
    workspace = existing()
    root = str(root_of(None))
    if why:
        return _explained(workspace, root)
    workspace.store.close()
    text = str(preview.briefing_here(workspace.state, root))
    lines = [preview.TITLE, ""] if markdown else []
    lines += (text or preview.NOTHING).split("\n")
    return Report(lines, {"brief": text})


def _explained(workspace: Workspace, root: str) -> Report[Briefing]:
    made = preview.next_start(workspace.state, root)
    parts: list[ToldPart] = []
    lines: list[str] = []
    for part in made.parts:
        origins = [origin_of(workspace.store, each) for each in part.sources()]
        if made.link and f"thread {made.link['thread']}" in part.sources():
            origins.append(Origin("link", thread_rows.reason_words(made.link)))
        parts.append({"text": str(part.text), "sources": origins})
        lines += [*part.text.split("\n"), *map(_line, origins), ""]
    return Report(lines or [preview.NOTHING], {"brief": made.text(), "parts": parts})


def _line(origin: Origin) -> str:
    where = ", ".join(filter(None, (short(origin.session), origin.at[:16])))
    return f"  <- {origin.sort}: {inline(origin.text, 160)}{where and f'  ({where})'}"
