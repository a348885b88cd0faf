"""Repair a damaged store, derive everything anew, or restore state files that are gone."""

from __future__ import annotations

import os
from typing import TypedDict, cast

import apsw
import click

from holdfast.cli.helpers.project_files import files_here
from holdfast.cli.helpers.report import Report, progress
from holdfast.cli.helpers.verbs import Verb, flag, option
from holdfast.cli.helpers.wording import plural
from holdfast.errors import NotFound, StoreError
from holdfast.hook import transaction
from holdfast.ledger import faults, hook_costs, projections, queries, repair, replay, spool
from holdfast.ledger.replay import alone
from holdfast.ledger.workspace import Workspace, existing
from holdfast.rooms.recovery import healing
from holdfast.rooms.sessions import registry_file
from holdfast.system import files, paths


class Mended(TypedDict):
    """What a repair found, did, and could not do."""

    mended: bool
    problems: list[str]
    kept: int
    lost: int
    texts_lost: int
    pages_healed: int
    rebuilt: list[str]
    quarantine: str
    taken_in: int
    unwritten: list[str]


class NotMended(TypedDict):
    """Why nothing was mended."""

    mended: bool
    error: str


class DamageFound(TypedDict):
    """What a repair would mend, and how many entries it would keep."""

    dry_run: bool
    found: list[str]
    kept: int


class Replayed(TypedDict):
    """How many entries were replayed, and the rows that differ by table."""

    entries: int
    differences: dict[str, int]
    checked: bool


class Healed(TypedDict):
    """What is wrong, and what was mended."""

    ailments: list[healing.Ailment]
    healed: list[healing.Ailment]


FAMILIES = {"session_identity": "identity"}
DONE, LOSSES, NOT_MENDED = 0, 1, 2


def mend(
    *, room: str | None, cf: str | None, dry_run: bool
) -> Report[Mended | NotMended | DamageFound]:
    """Repair a damaged store: keep what can be read, and derive the rest from the entries.

    The damaged files are first copied to <state home>/quarantine. --room derives only that room's
    tables again; --cf session_identity is another name for --room identity. Exit codes: 0 nothing
    was wrong, or everything is repaired; 1 repaired, but something was lost or could not be
    written; 2 damaged, and it could not be repaired.
    """
    room = room or (FAMILIES[cf] if cf else None)
    state = paths.state_home()
    if not os.path.lexists(paths.store(state)) and not hook_costs.mark(state):
        raise NotFound("nothing has been kept yet", hint="run `holdfast init` in a project")
    if dry_run:
        return _dry_run(repair.look(state))
    try:
        if room is not None:
            outcome = repair.Outcome(kept=repair.rebuild_room(state, room), rebuilt=(room,))
        else:
            outcome = repair.repair(state)
        workspace = Workspace(state)
        taken = _take_in(workspace)
    except (StoreError, OSError, apsw.Error) as error:
        hint = getattr(error, "hint", "") or "check the disk, its space and its modes"
        data: NotMended = {"mended": False, "error": str(error)}
        return Report((f"○ Not mended: {error}", f"  {hint}"), data, NOT_MENDED)
    return _mended(state, outcome, taken, registry_file.render_all(workspace))


def _dry_run(outcome: repair.Outcome) -> Report[DamageFound]:
    """A dry run."""
    lines = [f"○ {damage}" for damage in outcome.problems] or ["● Nothing is damaged."]
    kept = plural(outcome.kept, "entry", "entries")
    if outcome.problems:
        lines.append(f"`holdfast repair` would keep at least {kept}.")
    data: DamageFound = {"dry_run": True, "found": list(outcome.problems), "kept": outcome.kept}
    return Report(lines, data, LOSSES if outcome.problems else DONE)


def _mended(
    state: str, outcome: repair.Outcome, taken: int, unwritten: list[str]
) -> Report[Mended]:
    lines = [f"○ {damage}" for damage in outcome.problems]
    kept = plural(outcome.kept, "entry", "entries")
    if not outcome.problems and not outcome.rebuilt:
        lines.append(f"● Nothing was damaged: {kept}, as they were written.")
    else:
        mark = "◐" if outcome.has_losses else "●"
        lines.append(f"{mark} Mended: {kept} kept, {_losses(outcome)}.")
    if outcome.pages_healed:
        pages = plural(outcome.pages_healed, "page")
        lines.append(f"  In {pages} a single bit had flipped; it was flipped back.")
    if outcome.rebuilt:
        lines.append(f"  Derived again: {', '.join(outcome.rebuilt)}.")
    if outcome.quarantine:
        lines.append(f"  The damaged files are in {outcome.quarantine}.")
    archived = len(files.names_in(paths.archives(state)))
    if outcome.has_losses and archived:
        lines.append(f"  {plural(archived, 'archived session')} can be brought back by `restore`.")
    if taken:
        lines.append(f"  {plural(taken, 'event')} that waited are kept now.")
    lines += [f"◐ Could not be written: {path}" for path in unwritten]
    figures = {"mended": True, **outcome._asdict(), "taken_in": taken, "unwritten": unwritten}
    return Report(
        lines,
        cast("Mended", figures),
        LOSSES if outcome.has_losses or unwritten else DONE,
    )


def _losses(outcome: repair.Outcome) -> str:
    if not outcome.has_losses:
        return "nothing lost"
    lost = plural(outcome.lost, "entry", "entries")
    return f"{lost} and the texts of {outcome.texts_lost} lost"


def _take_in(workspace: Workspace) -> int:
    """Everything that waited in the spool while nothing could be kept."""

    def odd(path: str, error: Exception) -> None:
        faults.note(workspace.state, "spool unreadable", "repair.py", f"{path}: {error}")

    taken = 0
    while some := spool.take_in(
        workspace.state, lambda event: transaction.receive(workspace, event), odd
    ):
        taken += some
    return taken


def rebuild(*, check: bool) -> Report[Replayed]:
    """Rebuild everything that is derived from the ledger's entries.

    Hooks may run meanwhile. --check changes nothing: it compares, and exits with 1 when a replay
    would give other rows than there are.
    """
    workspace = existing()
    count = queries.count(workspace.store)
    with progress("Replaying") as tell:
        if check:
            differences = replay.differences(workspace.store, tell)
        else:
            with alone(workspace.state):
                replay.rebuild(workspace.store, tell)
            differences = {}
    if differences:
        lines = [f"○ {table}: {plural(rows, 'row')} differ" for table, rows in differences.items()]
        lines.append("`holdfast repair replay` rebuilds them.")
    elif check:
        lines = [f"● A replay of {plural(count, 'entry', 'entries')} gives the same rows."]
    else:
        lines = [f"● Rebuilt from {plural(count, 'entry', 'entries')}."]
    data: Replayed = {"entries": count, "differences": differences, "checked": check}
    return Report(lines, data, 1 if differences else 0)


def heal(*, check_only: bool) -> Report[Healed]:
    """Restore state files that are gone or empty: the notes, and a tracker's file.

    Holdfast's block comes from the ledger; people's text comes from git, else from a template. With
    --check-only nothing is changed, and the exit code is 1 when something needs repair.
    """
    project_files = files_here()
    if check_only:
        ailing = healing.ailments(project_files.here, project_files.copies)
        lines = [f"○ {ailment.file} is {ailment.why}" for ailment in ailing] or [
            "● Nothing to mend."
        ]
        only_said: Healed = {"ailments": ailing, "healed": []}
        return Report(lines, only_said, exit_code=int(bool(ailing)))
    mended = healing.heal(project_files.here, project_files.active(), project_files.copies)
    left = healing.ailments(project_files.here, project_files.copies)
    lines = [
        f"● {ailment.file} was {ailment.why}; it is back from {ailment.source}."
        for ailment in mended
    ]
    lines += [f"○ {ailment.file} is {ailment.why}" for ailment in left]
    data: Healed = {"ailments": left, "healed": mended}
    return Report(lines or ["● Nothing to mend."], data, exit_code=int(bool(left)))


VERBS = {
    "store": Verb(
        mend,
        option(
            "--room", type=click.Choice(list(projections.ROOMS)), help="Only this room's tables."
        ),
        option("--cf", type=click.Choice(list(FAMILIES)), help="Another name for --room identity."),
        flag("--dry-run", help="Tell what is wrong; change nothing."),
    ),
    "replay": Verb(rebuild, flag("--check", help="Compare only; change nothing.")),
    "heal": Verb(heal, flag("--check-only", help="Only say what is wrong (exit 1).")),
}
