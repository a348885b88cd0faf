"""Print or write what the next person or agent needs to know of a thread of work; or write up a
whole session."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NotRequired, TypedDict, cast

import click

from holdfast.agents import histories
from holdfast.cli.helpers import session_report, thread_rows
from holdfast.cli.helpers.place_here import misuse, place
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.session_report import SessionReport
from holdfast.cli.helpers.session_rows import session_named
from holdfast.cli.helpers.thread_rows import PrintedThread
from holdfast.cli.helpers.verbs import Verb, argument, flag, option
from holdfast.errors import HoldfastError, NotFound
from holdfast.ledger.workspace import existing
from holdfast.rooms.decisions import deciding, decision_wording, queries as decisions
from holdfast.rooms.prompts import choice_queries, telling
from holdfast.rooms.sessions import queries
from holdfast.rooms.sessions.life import short
from holdfast.rooms.sessions.queries import Session
from holdfast.rooms.threads import queries as threads
from holdfast.rooms.threads.thread_view import Thread
from holdfast.rooms.work import (
    commands,
    compaction,
    handoff,
    queries as work,
    summary as work_summary,
)
from holdfast.rooms.work.branches import queries as branches
from holdfast.rooms.work.commands import Place
from holdfast.rooms.work.start_view import struck


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


class HandedThread(PrintedThread):
    """The thread that a session belongs to, with what all of its sessions made of it."""

    pull_requests: list[str]
    commits: list[str]
    choices: list[str]
    decisions: list[str]
    resume: str


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
    thread: NotRequired[HandedThread]


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


FILES, CHOICES = 20, 20


def run(
    *,
    thread: str = "",
    markdown: bool = True,
    session: str | None = None,
    summary: str = "",
    steps: tuple[str, ...] = (),
    blockers: tuple[str, ...] = (),
    questions: tuple[str, ...] = (),
) -> Report[HandoffShown | HandedOff]:
    """Print what the next person or agent needs to know, as Markdown; or write it.

    Of a thread, by its id or one of its sessions: what was asked, where it stopped, what is left,
    with what was chosen, decided and committed in all of its sessions. Without THREAD it is that of
    the session here; with --session that session's alone. --summary, --next, --blocker and
    --question write a handoff in your own words, which comes before the agent's own.
    """
    if thread and session:
        misuse("give a thread or --session, not both")
    is_given = bool(summary or steps or blockers or questions)
    here = place(to_say=is_given)
    store = here.workspace.store
    whose = session_named(here.workspace, session) if session else queries.find(store, here.about)
    drawn = None
    if thread or (whose and not session and not is_given):
        drawn = _thread(here, thread)
        whose = queries.find(store, _base(here, drawn)) if drawn else whose
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
    state = work_summary.draw(store, here.project, whose.id, now=here.at, branch=here.branch)
    data = compaction.given(store, state, whose.as_dict(), now=here.at)
    if drawn:
        data["thread"] = _handed(here, drawn, whose, struck(drawn.title, state.withdrawn))
    return Report(handoff.markdown(data).splitlines(), cast("HandoffShown", data))


def _thread(here: Place, given: str) -> Thread | None:
    """The thread that is named, else that of the session here; None where nothing was asked."""
    if given:
        return thread_rows.thread_named(here, given)
    own = threads.thread_of(here.workspace.store, here.about)
    return next(iter(thread_rows.drawn_here(here, [own])), None) if own else None


def _base(here: Place, thread: Thread) -> str:
    """The session that tells where a thread stands: the one that is shown of it, unless one since
    has handed off."""
    store = here.workspace.store
    ids = (each.id for each in thread.sessions)
    return next(id_ for id_ in ids if id_ == thread.shown.id or work.last_handoff(store, id_))


def _handed(here: Place, thread: Thread, base: Session, title: str) -> HandedThread:
    store, ids = here.workspace.store, [each.id for each in thread.sessions]
    chosen = choice_queries.choices_in(store, here.project, ids, base.branch, base.id, CHOICES)
    requests = [branches.pull_request_of(store, here.project, each) for each in thread.branches]
    changed = dict.fromkeys(path for id_ in ids for path, _ in work.changed(store, id_, FILES))
    made = [each for id_ in ids for each in decisions.of_session(store, here.project, id_)]
    judged = deciding.judged(store, here.root, [each.id for each in made if not each.superseded_by])
    return {
        **thread_rows.printed(store, thread),
        "title": title,
        "pull_requests": [
            f"#{each.number} ({each.state}) {each.url}"
            for each in requests
            if each and each.is_sure
        ],
        "commits": branches.commits_of(store, ids),
        "files": [path for path in changed if not path.startswith("/")][:FILES],
        "choices": [telling.worded(each) for each in chosen],
        "decisions": [
            f"{each.text} ({decision_wording.standing_words(name, own)})"
            for each, name, own in judged
        ],
        "resume": f"{histories.REOPEN.get(base.agent, '')} {base.id}".strip(),
    }


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
        argument("thread", required=False, default=""),
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
