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

from dataclasses import replace

from holdfast.cli.helpers import person_check, project_files
from holdfast.cli.helpers.place_here import misuse
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.typed_confirmation import (
    DRY_RUN,
    YES,
    Forgotten,
    confirm,
    data,
    dry_run_of,
    left,
    what_stands,
)
from holdfast.cli.helpers.verbs import argument, flag
from holdfast.cli.helpers.wording import plural
from holdfast.errors import Ambiguous, NotFound
from holdfast.ledger import queries as ledger
from holdfast.ledger.workspace import Workspace, existing
from holdfast.rooms.recall import queries
from holdfast.rooms.sessions import forgetting
from holdfast.rooms.sessions.forgetting import Plan
from holdfast.rooms.sessions.life import short

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
    return Report((done, *what_stands(plan), *left(plan)), data(plan, dry_run=False, gone=gone))


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
