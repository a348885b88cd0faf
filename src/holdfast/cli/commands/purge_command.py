"""Forget a whole project, or everything that was ever kept here.

--project without an ID means the project of the current folder. Hooks stay installed and go on
keeping what is new. Holdfast cannot remove the agents' own transcripts, nor what was committed to
git. An agent cannot run this, except with --dry-run.
"""

from __future__ import annotations

import os

import apsw
import click

from holdfast.cli.commands.forget_command import (
    DRY_RUN,
    YES,
    Forgotten,
    confirm,
    dry_run_of,
    forgotten,
    left_lines,
)
from holdfast.cli.helpers import person_check, project_files
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.session_rows import project_here
from holdfast.cli.helpers.verbs import flag, option
from holdfast.cli.helpers.wording import plural
from holdfast.config import pause_file
from holdfast.errors import Ambiguous, NotFound, StoreError
from holdfast.ledger import queries as ledger
from holdfast.ledger.workspace import Workspace, existing
from holdfast.rooms.sessions import forgetting, work_tree
from holdfast.rooms.sessions.forgetting import Plan
from holdfast.system import clock, files, paths

HERE = "."
EVERYTHING = "everything"
PAUSE_S = 60.0
PARAMETERS = [
    option(
        "--project",
        is_flag=False,
        flag_value=HERE,
        metavar="[ID]",
        help="All sessions and entries of a project.",
    ),
    flag("--all", "everything", help="All that was kept by this user."),
    DRY_RUN,
    YES,
]


def run(
    *, project: str | None, everything: bool, dry_run: bool, yes: str | None
) -> Report[Forgotten]:
    if (project is None) != everything:
        raise click.UsageError("say --project or --all, one of the two")
    return _all(dry_run, yes) if everything else _project(project or HERE, dry_run, yes)


def _project(given: str, dry_run: bool, yes: str | None) -> Report[Forgotten]:
    workspace = existing()
    plan = plan_of(workspace, given)
    if dry_run:
        return dry_run_of(plan)
    confirm(plan, yes)
    person_check.ask_outside("purge")
    gone = project_files.forget(workspace, plan)
    counted = f"{plural(len(plan.sessions), 'session')}, {plural(gone, 'entry', 'entries')}"
    return Report(
        (f"{plan.name} is forgotten: {counted}.", *left_lines(plan)),
        forgotten(plan, dry_run=False, gone=gone),
    )


def plan_of(workspace: Workspace, given: str) -> Plan:
    where = work_tree.look(os.getcwd())
    if given == HERE:
        id_ = project_here(workspace) or where.known_id
        if not id_:
            raise NotFound("nothing was kept of a project here", hint="see `holdfast sessions`")
        return forgetting.plan_project(
            workspace, id_, forgetting.name_of_project(workspace, id_), where.common
        )
    ids = ledger.projects_like(workspace.store, given)
    if len(ids) > 1 and given not in ids:
        raise Ambiguous(f"{given} fits more than one project", hint=", ".join(ids[:3]))
    id_ = given if given in ids or not ids else ids[0]
    common = where.common if where.known_id == id_ else ""
    return forgetting.plan_project(
        workspace, id_, forgetting.name_of_project(workspace, id_), common
    )


def _all(dry_run: bool, yes: str | None) -> Report[Forgotten]:
    state = paths.state_home()
    workspace: Workspace | None = None
    try:
        workspace = Workspace(state) if files.exists(paths.store(state)) else None
        plan = forgetting.plan_everything(workspace, state, EVERYTHING)
    except (StoreError, apsw.Error):  # what cannot be read can still be removed
        workspace, plan = None, forgetting.plan_everything(None, state, EVERYTHING)
    if not plan.all_files:
        raise NotFound("nothing has been kept yet", hint="run `holdfast init` in a project")
    if dry_run:
        return dry_run_of(plan)
    confirm(plan, yes)
    person_check.ask_outside("purge")
    was_paused = bool(pause_file.until(state))
    if not was_paused:  # with an end, so that a kill in between leaves nobody without hooks
        end = clock.iso(clock.seconds_of(clock.now()) + PAUSE_S)
        pause_file.begin(state, end, by=pause_file.SIGNED)
    forgetting.erase(workspace, plan)
    if not was_paused:
        pause_file.end(state)
    return Report(
        (f"Everything that was kept in {state} is gone.", *left_lines(plan)),
        forgotten(plan, dry_run=False),
    )
