"""Print or write what the next person or agent needs to know; or write up a whole session."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NotRequired, TypedDict, cast

import click

from holdfast.cli.helpers import place_here, session_report
from holdfast.cli.helpers.place_here import misuse
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.session_report import SessionReport
from holdfast.cli.helpers.session_rows import session_named
from holdfast.cli.helpers.verbs import Verb, argument, flag, option
from holdfast.errors import HoldfastError, NotFound
from holdfast.ledger.workspace import existing
from holdfast.rooms.sessions import queries
from holdfast.rooms.sessions.life import short
from holdfast.rooms.work import commands, compaction, handoff, summary as work_summary


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


class Reported(TypedDict):
    """A session's report, and the file that it was written to."""

    report: SessionReport
    file: NotRequired[str]


def run(
    *,
    markdown: bool = True,
    session: str | None = None,
    summary: str = "",
    steps: tuple[str, ...] = (),
    blockers: tuple[str, ...] = (),
    questions: tuple[str, ...] = (),
) -> Report[HandoffShown | HandedOff]:
    """Print what the next person or agent needs to know, as Markdown; or write it.

    Without --session it uses the live session here, else the last one. --summary, --next, --blocker
    and --question write a handoff in your own words, which comes before the agent's own.
    """
    is_given = bool(summary or steps or blockers or questions)
    place = place_here.place(to_say=is_given)
    store = place.workspace.store
    whose = session_named(place.workspace, session) if session else queries.find(store, place.about)
    if whose is None:
        raise NotFound(
            "there is no session here yet to hand off", hint="see `holdfast sessions --all`"
        )
    if whose.project != place.project:
        raise HoldfastError(
            f"{short(whose.id)} is a session of another project, {whose.worktree}",
            hint="run this in its folder",
        )
    if is_given:
        made = commands.hand_off(
            place,
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
    drawn = work_summary.draw(store, place.project, whose.id, now=place.at, branch=place.branch)
    data = compaction.given(store, drawn, whose.as_dict(), now=place.at)
    return Report(handoff.markdown(data).splitlines(), cast("HandoffShown", data))


def write_up(*, session: str, file: str | None, force: bool, markdown: bool) -> Report[Reported]:
    """Write up a session for a colleague or a pull request: Markdown, or one HTML file.

    What was asked, done and decided, how each decision stands, what is open, and its compactions
    and crashes. Redacted, and without paths of this machine outside the project. --html writes one
    file that loads nothing from elsewhere; without it Markdown is printed.
    """
    if file and markdown:
        misuse("--html and --markdown do not go together")
    if file and not force and os.path.lexists(file):
        raise HoldfastError(f"{file} is there already", hint="name a new file, or give --force")
    workspace = existing()
    report = session_report.gather(workspace, session_named(workspace, session))
    data: Reported = {"report": report}
    if not file:
        return Report(session_report.markdown(report).split("\n"), data)
    path = Path(file)
    try:
        path.write_text(session_report.page(report), encoding="utf-8")
    except OSError as error:
        hint = "name a file that you can write"
        raise HoldfastError(f"{path} cannot be written: {error.strerror}", hint=hint) from error
    data["file"] = file
    return Report((f"{path} has the report of {report.title.lower()}.",), data)


VERBS = {
    "show": Verb(
        run,
        flag("--markdown", help="As Markdown, which is the default."),
        option("--session", metavar="ID", help="The handoff of this session."),
        option("--summary", default="", help="Where the work stands."),
        option("--next", "steps", multiple=True, help="What comes next; repeatable."),
        option("--blocker", "blockers", multiple=True, help="What is in the way; repeatable."),
        option("--question", "questions", multiple=True, help="What is open; repeatable."),
    ),
    "report": Verb(
        write_up,
        argument("session"),
        option(
            "--html", "file", type=click.Path(dir_okay=False), metavar="FILE", help="Write HTML."
        ),
        flag("--force", help="With --html: write over a file that is there."),
        flag("--markdown", help="Print Markdown, which is the default."),
    ),
}
