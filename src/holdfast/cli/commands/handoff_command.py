"""Print the handoff of a session for whoever goes on, as Markdown; or write one.

Without --session it uses the live session here, else the last one. --summary, --next, --blocker and
--question write a handoff in your own words, which comes before the agent's own.
"""

from __future__ import annotations

import click

from holdfast.cli.helpers.place_here import place
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.session_names import session_named
from holdfast.errors import HoldfastError, NotFound
from holdfast.rooms.sessions import queries
from holdfast.rooms.sessions.life import short
from holdfast.rooms.work import commands, compaction, handoff
from holdfast.rooms.work import summary as work_summary

PARAMETERS: list[click.Parameter] = [
    click.Option(["--markdown"], is_flag=True, help="As Markdown, which is the default."),
    click.Option(["--session"], metavar="ID", help="Of this session."),
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
) -> Report:
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
        return Report((line, "`holdfast handoff` shows it whole."), {"handoff": made})
    drawn = work_summary.draw(store, here.project, whose.id, now=here.at, branch=here.branch)
    data = compaction.given(store, drawn, whose.as_dict(), now=here.at)
    return Report(tuple(handoff.markdown(data).splitlines()), data)
