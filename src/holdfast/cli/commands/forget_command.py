"""Forget a session, a single entry, or all that was imported from transcripts, for good.

ID is a session (its id or the start of it) or an entry: MACHINE:NUMBER, or a NUMBER of this
machine. --imported removes every session that came only from a transcript; a new import takes them
in again. A session that hooks have seen since stays, and is named. What you own and what still
stands (rules, choices, decisions, your pins) stays in its own words, unless you give
--with-what-stands. All other text is removed from the store, archive, mirrors, spool, log and
copies; headers stay. Holdfast cannot remove the agent's own transcript, nor what was committed to
git: it names them. An agent cannot run this, except with --dry-run.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any, TypedDict

from holdfast.cli.helpers import person_check, project_files
from holdfast.cli.helpers.place_here import misuse, verbatim
from holdfast.cli.helpers.report import Report, shaped, show
from holdfast.cli.helpers.verbs import argument, flag, option
from holdfast.cli.helpers.wording import plural
from holdfast.errors import Ambiguous, HoldfastError, NotFound
from holdfast.ledger import queries as ledger
from holdfast.ledger.workspace import Workspace, existing
from holdfast.rooms.recall import queries
from holdfast.rooms.sessions import forgetting
from holdfast.rooms.sessions.forgetting import Plan
from holdfast.rooms.sessions.life import short


class TraceRow(TypedDict):
    """A file that goes, or loses its details."""

    path: str
    what: str


class StandingRow(TypedDict):
    """A rule, a choice, a decision or a pin that outlives what is forgotten, or goes with it."""

    id: str
    kind: str
    text: str


class Forgotten(TypedDict):
    """What is forgotten, or would be; `left` is out of our reach and stays."""

    name: str
    sessions: list[str]
    projects: list[str]
    entry: str | None
    entries: int
    stands: list[StandingRow]
    stands_goes: bool
    open: list[str]
    files: list[TraceRow]
    left: list[str]
    dry_run: bool


DRY_RUN = flag("--dry-run", help="Show what would go, change nothing.")
YES = option("--yes", metavar="NAME", help="The name to type, if there is no terminal.")
SHOWN = 20
# What a trace is, in a reader's words.
WHAT = {
    "mirror": "a copy of what the store has",
    "sheet": "a session's figures",
    "kept": "all that was kept",
    "archive": "archived entries",
    "spool": "events that wait for the store",
    "quarantine": "a copy of damaged files",
    "leftover": "a temporary file",
    "settings": "compiled settings",
}
# What stands, in a reader's words, and which field says it.
KINDS = {
    "rule_given": "rule",
    "choice_made": "choice",
    "decision_made": "decision",
    "pinned": "pin",
}
TEXT = {"pinned": "content"}
COPIES = (
    "Copies go because they may quote it, those of other sessions too. The store keeps what these",
    "say: a session's next turn writes its files again, `holdfast handoff --session ID` prints it.",
)


def confirm(plan: Plan, given: str | None) -> None:
    """Return when the person means it; HoldfastError otherwise. Whoever does what cannot be undone
    types the name of what goes: on a terminal the plan is shown and the name is typed; without one
    `--yes NAME` gives it. Nothing else counts as consent, and the plan is shown on stderr, so that
    stdout is the report alone."""
    if given is None:
        if not sys.stdin.isatty():
            raise HoldfastError(
                "this cannot be undone and wants a terminal; nothing was changed",
                hint="run it in a terminal, or give --yes NAME: --dry-run tells the name",
            )
        for line in (*plan_lines(plan), f"This cannot be undone. Type {plan.name} to go on."):
            show(line, is_error=True)
        # Not click.prompt: it would ask again, and a name is typed once or not at all.
        given = sys.stdin.readline().rstrip("\n")
    if given != plan.name:
        raise HoldfastError(
            "that is not the name; nothing was changed", hint="--dry-run says what to type"
        )


def plan_lines(plan: Plan) -> list[str]:
    """A plan as people read it."""
    entries = plural(plan.bodies, "entry", "entries")
    text_lines = [*what_stands(plan), f"The text of {entries} goes; headers stay."]
    if plan.is_everything:
        text_lines = [f"The whole store goes, with the text and headers of {entries}."]
    if len(plan.sessions) > 1:
        text_lines.append(f"{plural(len(plan.sessions), 'session')}: {_some(plan.sessions, short)}")
    for session in plan.open_sessions:
        text_lines.append(f"{short(session)} has not ended: what it does from now on is kept anew.")
    for trace in plan.all_files[:SHOWN]:
        done = "loses its details" if trace.is_blanked else "goes"
        what = WHAT.get(trace.what, trace.what)
        text_lines.append(f"{trace.path} ({what}) {done}.")
    if len(plan.all_files) > SHOWN:
        text_lines.append(f"... and {len(plan.all_files) - SHOWN} files more.")
    if not plan.projects and any(trace.what == "mirror" for trace in plan.mirrors):
        text_lines += COPIES
    return [*text_lines, *left_lines(plan)]


def what_stands(plan: Plan) -> list[str]:
    """What the user owns of sessions that go, and whether it goes as well."""
    if not plan.standing:
        return []
    title = "This still stands, and stays in its own words as the project's:"
    if plan.takes_standing:
        title = "This still stands, and goes as well:"
    return [title, *(f"  {row['kind']}: {verbatim(row['text'], 4)}" for row in _standing(plan))]


def _standing(plan: Plan) -> list[StandingRow]:
    return [
        {
            "id": entry.id,
            "kind": KINDS[entry.kind],
            "text": entry.body[TEXT.get(entry.kind, "text")],
        }
        for entry in plan.standing
    ]


def dry_run_of(plan: Plan) -> Report[Forgotten]:
    """The plan, and nothing is changed."""
    text_lines = (*plan_lines(plan), f"Nothing was changed. It is confirmed by typing {plan.name}.")
    return Report(text_lines, forgotten(plan, dry_run=True))


def left_lines(plan: Plan) -> list[str]:
    """What we cannot remove: nobody should believe that it is gone."""
    text_lines = [f"Stays: {line}" for line in plan.left[:SHOWN]]
    if len(plan.left) > SHOWN:
        text_lines.append(f"... and {len(plan.left) - SHOWN} more that stay.")
    return text_lines


def forgotten(plan: Plan, *, dry_run: bool, gone: int | None = None) -> Forgotten:
    return shaped(
        Forgotten,
        plan,
        entry=None if plan.entry is None else f"{plan.entry[0]}:{plan.entry[1]}",
        entries=plan.bodies if gone is None else gone,
        stands=_standing(plan),
        stands_goes=plan.takes_standing,
        open=plan.open_sessions,
        files=[shaped(TraceRow, trace) for trace in plan.all_files],
        dry_run=dry_run,
    )


def _some(names: tuple[str, ...], shown: Any) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"{', '.join(shown(name) for name in names[:SHOWN])}{more}"


IMPORTED = "imported"
PARAMETERS = [
    argument("id", required=False),
    flag("--imported", help="Every session that was only imported."),
    flag(
        "--with-what-stands", help="Take along rules, choices, decisions and pins that still stand."
    ),
    DRY_RUN,
    YES,
]


def run(
    *, id: str | None, imported: bool, with_what_stands: bool, dry_run: bool, yes: str | None
) -> Report[Forgotten]:
    if (id is None) is not imported:
        misuse("forget takes an ID, or --imported")
    workspace = existing()
    if id is not None:
        plan = plan_of(workspace, id, with_what_stands)
    else:
        plan = plan_imported(workspace, with_what_stands)
    if dry_run:
        return dry_run_of(plan)
    confirm(plan, yes)
    person_check.ask_outside("forget")
    gone = project_files.forget(workspace, plan)
    what = f"entry {plan.entry[1]}" if plan.entry else short(plan.sessions[0])
    if imported:
        what = f"What was imported ({plural(len(plan.sessions), 'session')})"
    done = f"{what} is forgotten: the text of {plural(gone, 'entry', 'entries')} is gone."
    return Report(
        (done, *what_stands(plan), *left_lines(plan)), forgotten(plan, dry_run=False, gone=gone)
    )


def plan_imported(workspace: Workspace, takes_standing: bool) -> Plan:
    """Sessions of which nothing but their transcript is known."""
    whole, mixed = queries.imported_sessions(workspace.store)
    if not whole:
        raise NotFound("no session here was only imported", hint="see `holdfast sessions --all`")
    plan = forgetting.plan_sessions(
        workspace, whole, IMPORTED, takes_standing=takes_standing, is_import=True
    )
    kept = tuple(f"{short(each)} went on after its import: forget it by its id" for each in mixed)
    return replace(plan, left=(*plan.left, *kept))


def plan_of(workspace: Workspace, given: str, takes_standing: bool) -> Plan:
    """Whatever a person may mean by an id; forgotten things can still be named."""
    sessions = ledger.sessions_like(workspace.store, given)
    entry = _entry(workspace, given)
    if len(sessions) > 1 or (sessions and entry and sessions != [given]):
        hint = f"such as {', '.join(sessions[:3])}" if not entry else "write an entry as MACHINE:7"
        raise Ambiguous(f"{given} fits more than one thing", hint=hint)
    if sessions:
        name = short(sessions[0])
        return forgetting.plan_sessions(
            workspace, (sessions[0],), name, takes_standing=takes_standing
        )
    if entry is None:
        raise NotFound(f"no session or entry {given}", hint="see `holdfast sessions --all`")
    header = ledger.grave(workspace.store, *entry)
    session = header.session if header else ""
    return forgetting.plan_entry(workspace, *entry, short(session) or str(entry[1]))


def _entry(workspace: Workspace, given: str) -> tuple[str, int] | None:
    machine, mark, number = given.rpartition(":")
    if not (number.isascii() and number.isdecimal() and len(number) < 16):
        return None
    if not mark:
        machine = workspace.store.machine()
    else:
        machines = ledger.machines_like(workspace.store, machine) if machine else []
        if len(machines) > 1:
            raise Ambiguous(f"{machine} fits more than one machine", hint=", ".join(machines[:3]))
        machine = machines[0] if machines else ""
    if ledger.grave(workspace.store, machine, int(number)) is None:
        return None
    return machine, int(number)
