"""Print what the next person or agent needs to know, as Markdown; or write it.

Without --session it uses the live session here, else the last one. --summary, --next, --blocker and
--question write a handoff in your own words, which comes before the agent's own.
"""

from __future__ import annotations

from typing import NotRequired, TypedDict, cast

import click

from holdfast.cli.helpers.place_here import place
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.session_names import session_named
from holdfast.errors import HoldfastError, NotFound
from holdfast.rooms.sessions import queries
from holdfast.rooms.sessions.life import short
from holdfast.rooms.work import commands, compaction, handoff
from holdfast.rooms.work import summary as work_summary


class ToldRule(TypedDict):
    """A rule as it is handed on."""

    text: str
    since: str
    author: str


class Blocker(TypedDict):
    """What is in the way: told, or a command that fails, with the end of what it says."""

    type: str
    details: str
    says: NotRequired[str]


class HandedPin(TypedDict):
    """A pin as it is handed on."""

    label: str
    content: str
    author: str


class HandoffShown(TypedDict):
    """What the next one at this work needs to know, with where each text came from."""

    schema_version: int
    prepared_at: str
    session_id: str
    project: str
    branch: str
    goal: str
    goal_title: str
    rules: list[ToldRule]
    dead_ends: list[ToldRule]
    summary: str
    summary_source: str
    next_steps: list[str]
    next_steps_source: str
    blockers: list[Blocker]
    questions: list[str]
    pins: list[HandedPin]
    recent_files: list[str]
    recent_commits: list[str]
    last_checkpoint: str | None


class HandoffRow(TypedDict):
    """A handoff in somebody's own words."""

    id: str
    at: str
    session: str
    summary: str
    next_steps: list[str]
    blockers: list[str]
    questions: list[str]
    source: str


class HandedOff(TypedDict):
    """The handoff that was written."""

    handoff: HandoffRow


PARAMETERS: list[click.Parameter] = [
    click.Option(["--markdown"], is_flag=True, help="As Markdown, which is the default."),
    click.Option(["--session"], metavar="ID", help="The handoff of this session."),
    click.Option(["--summary"], default="", help="Where the work stands."),
    click.Option(["--next", "steps"], multiple=True, help="What comes next; repeatable."),
    click.Option(["--blocker", "blockers"], multiple=True, help="What is in the way; repeatable."),
    click.Option(["--question", "questions"], multiple=True, help="What is open; repeatable."),
]


def run(
    *,
    markdown: bool,
    session: str | None,
    summary: str,
    steps: tuple[str, ...],
    blockers: tuple[str, ...],
    questions: tuple[str, ...],
) -> Report[HandoffShown | HandedOff]:
    is_given = bool(summary or steps or blockers or questions)
    here = place(to_say=is_given)
    store = here.workspace.store
    whose = session_named(here.workspace, session) if session else queries.find(store, here.about)
    if whose is None:
        raise NotFound(
            "there is no session here yet to hand off", hint="see `holdfast sessions --all`"
        )
    if whose.project != here.project:
        raise HoldfastError(
            f"{short(whose.id)} is a session of another project, {whose.worktree}",
            hint="run this in its folder",
        )
    if is_given:
        made = commands.hand_off(
            here,
            whose.id,
            summary=summary,
            next_steps=steps,
            blockers=blockers,
            questions=questions,
        )
        line = f"Handed off for {short(whose.id)}: whoever goes on from it is told so."
        return Report(
            (line, "`holdfast handoff` shows it whole."), {"handoff": cast("HandoffRow", made)}
        )
    drawn = work_summary.draw(store, here.project, whose.id, now=here.at, branch=here.branch)
    data = compaction.given(store, drawn, whose.as_dict(), now=here.at)
    return Report(tuple(handoff.markdown(data).splitlines()), cast("HandoffShown", data))
