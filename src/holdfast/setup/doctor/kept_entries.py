"""The store and what is rendered from it."""

from __future__ import annotations

import os
from collections.abc import Iterator

from holdfast.config import pause_file
from holdfast.errors import Damaged
from holdfast.ledger import queries as ledger
from holdfast.ledger import repair
from holdfast.ledger.replay import rebuild_stale
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.sessions import checked_acts, registry_file
from holdfast.setup.doctor.finding import BROKEN, NOTE, POOR, WELL, Finding, Patient
from holdfast.store.sqlite import DAMAGE
from holdfast.system import clock, paths

CLOCK_SLACK_S = 300.0


def store(patient: Patient) -> Iterator[Finding]:
    """The store: it opens, its pages and its entries are what was written."""
    if not os.path.exists(paths.store(patient.state)):
        yield Finding("store", NOTE, "nothing has been kept yet")
        return
    try:
        workspace = Workspace(patient.state)
    except (*DAMAGE, Damaged) as error:
        yield Finding("store", BROKEN, f"{error}: `holdfast repair` mends what can be")
        return
    ailments = repair.ailments(workspace.store)
    for ailment in ailments:
        yield _ailing(patient, ailment)
    if not ailments:
        yield Finding(
            "store",
            WELL,
            f"entries: {ledger.count(workspace.store)}, all as they were written",
        )
    if any(ailment.what == repair.PAGES for ailment in ailments):
        return
    if workspace.stale:
        message = f"tables of {', '.join(workspace.stale)} wait for a rebuild"
        yield Finding("tables", POOR, message, lambda: _rebuild(patient))
    latest = ledger.latest_at(workspace.store)
    ahead = clock.seconds_of(latest) - clock.seconds_of(clock.now()) if latest else 0.0
    if ahead > CLOCK_SLACK_S:
        message = f"the clock was set back: the last entry is {int(ahead)} s in the future"
        yield Finding("clock", POOR, message)
    else:
        yield Finding("clock", WELL, "no entry from the future")
    workspace.store.close()


def _ailing(patient: Patient, ailment: repair.Ailment) -> Finding:
    """What only a person decides about (a copy of it is put aside) is `holdfast repair`'s."""
    if ailment.what == repair.TABLES:

        def mend() -> None:
            for room in ailment.rooms:
                repair.rebuild_room(patient.state, room)

        return Finding("tables", BROKEN, ailment.message, mend)
    standing = POOR if ailment.what == repair.UNSIGNED else BROKEN
    return Finding("store", standing, f"{ailment.message}: `holdfast repair` mends what can be")


def _rebuild(patient: Patient) -> None:
    rebuild_stale(patient.state)


def acts(patient: Patient) -> Iterator[Finding]:
    """What was done in the person's name, and may not have been the person."""
    if not os.path.exists(paths.store(patient.state)):
        return
    store = Workspace(patient.state).store
    lines = checked_acts.lately(store, patient.state, clock.now())
    for line in lines[-checked_acts.SHOWN :]:
        yield Finding("noticed", NOTE, line)
    if pause_file.is_foreign(patient.state):
        message = "no command of Holdfast wrote the file: if you did not, an agent may have"
        yield Finding("noticed", NOTE, f"paused, and {message}. `holdfast unpause` undoes it.")


def mirrors(patient: Patient) -> Iterator[Finding]:
    """Files people read."""
    if not os.path.exists(paths.registry(patient.state)):
        return
    unreadable = registry_file.unreadable(Workspace(patient.state))
    for path in unreadable:
        yield Finding("mirrors", POOR, f"{path} cannot be read", lambda: _render(patient))
    if not unreadable:
        yield Finding("mirrors", WELL, "sessions.json and the sessions' own read")


def _render(patient: Patient) -> None:
    registry_file.render_all(Workspace(patient.state))
