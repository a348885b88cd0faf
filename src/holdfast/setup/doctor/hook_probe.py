"""The installed command, tried out; and the events that it left waiting."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
from collections.abc import Iterator

from holdfast.config import pause_file
from holdfast.errors import StoreError
from holdfast.ledger import hook_costs
from holdfast.ledger import queries as ledger
from holdfast.ledger.workspace import Workspace
from holdfast.setup import install
from holdfast.setup.doctor.finding import BROKEN, NOTE, POOR, WELL, Finding, Patient
from holdfast.setup.doctor.installed_hooks import commands_in, files
from holdfast.system import environment, paths
from holdfast.system import files as system_files

PROBE_LIMIT_S = 30


def probe(patient: Patient) -> Iterator[Finding]:
    """The installed command itself: an event goes in, its entry is read back."""
    if not files(patient):
        return
    if pause_file.until(patient.state) or environment.env("HOLDFAST_OFF") not in ("", "0"):
        yield Finding("probe", NOTE, "switched off: no event is kept")
        return
    key, ms = _probe(patient)
    if not os.path.exists(paths.store(patient.state)):
        yield Finding("probe", BROKEN, "the hook was run and kept nothing")
        return
    try:
        kept = ledger.is_kept(Workspace(patient.state).store, "", key)
    except (StoreError, OSError) as error:
        yield Finding("probe", BROKEN, f"the hook ran; its entry cannot be read back: {error}")
        return
    if kept:
        yield Finding("probe", WELL, f"an event went through the hook and came back, {ms} ms")
    elif any(map(system_files.names_in, paths.spools(patient.state))):
        yield Finding("probe", BROKEN, "the store is locked or cannot be written: events wait")
    else:
        yield Finding("probe", BROKEN, "no event came through the hook: its command fails")


def _probe(patient: Patient) -> tuple[str, int]:
    nonce = secrets.token_hex(8)
    installed = [command for path in files(patient) for command in commands_in(path)]
    before = len(list(hook_costs.all_of(patient.state)))
    payload = json.dumps({"holdfast_probe": nonce})
    try:
        subprocess.run(
            ["/bin/sh", "-c", (installed or [install.hook_command(patient.state)])[0]],
            input=payload.encode(),
            cwd=patient.root,
            env={
                **{name: value for name, value in os.environ.items() if name != environment.INSIDE},
                "HOLDFAST_STATE_HOME": patient.state,
            },
            capture_output=True,
            timeout=PROBE_LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return f"probe:{nonce}", 0
    fresh = list(hook_costs.all_of(patient.state))[before:]
    return f"probe:{nonce}", fresh[-1].ms if fresh else 0


def spool(patient: Patient) -> Iterator[Finding]:
    """Events that wait."""
    waiting = [
        f"{place}/{name}"
        for place in paths.spools(patient.state)
        for name in system_files.names_in(place)
    ]
    if not waiting:
        yield Finding("spool", WELL, "empty")
        return
    events = [path for path in waiting if path.endswith(".json")]
    message = f"{len(events)} events wait for the store"
    if len(waiting) > len(events):
        message += f", {len(waiting) - len(events)} cannot be read"
    yield Finding("spool", POOR, message, lambda: _take_in(patient))


def _take_in(patient: Patient) -> None:
    """Any event through the hook takes in what waits before it."""
    _probe(patient)
