"""The installed hook: what its command loads, whether an event comes through it, what waits for it,
and what is on record of it: when each fired, what it cost, what went wrong."""

from __future__ import annotations

import compileall
import importlib.util
import json
import os
import secrets
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import holdfast
from holdfast.agents.claude_code import payloads
from holdfast.config import pause_file
from holdfast.errors import StoreError
from holdfast.hook.bundle import build
from holdfast.ledger import faults, hook_costs, queries as ledger
from holdfast.ledger.workspace import Workspace
from holdfast.setup import install
from holdfast.setup.doctor import BROKEN, NOTE, POOR, WELL, Finding, Patient
from holdfast.setup.doctor.installed_hooks import commands_in, files
from holdfast.system import clock, environment, files as system_files, paths


def launcher(patient: Patient) -> Iterator[Finding]:
    """The launcher, and the byte code it loads."""
    if not files(patient):
        return
    path = paths.launcher(patient.state)
    if system_files.read_bytes(path) != install.launcher_text().encode():
        yield Finding(
            "launcher",
            BROKEN,
            f"{path} is gone or of another installation",
            lambda: install.write_launcher(patient.state),
        )
    if build.is_current(patient.state):
        yield Finding("pack", WELL, "the hook's modules are in one file, and current")
    else:
        message = (
            "the hook's modules are not packed, or were changed since: each is found by itself"
        )
        yield Finding("pack", POOR, message, lambda: build.write(patient.state))
    package = Path(holdfast.__file__).parent
    missing = [source.name for source in sorted(package.rglob("*.py")) if not _is_compiled(source)]
    if missing:
        message = f"{len(missing)} modules have no current byte code: every hook compiles them anew"
        yield Finding(
            "byte code", POOR, message, lambda: compileall.compile_dir(str(package), quiet=2)
        )
    else:
        yield Finding("byte code", WELL, "current")


def _is_compiled(source: Path) -> bool:
    compiled = Path(importlib.util.cache_from_source(str(source)))
    try:
        header = compiled.read_bytes()[:16]
    except OSError:
        return False
    if header[:4] != importlib.util.MAGIC_NUMBER or header[4:8] != b"\0\0\0\0":
        return header[:4] == importlib.util.MAGIC_NUMBER  # judged by a digest, not by time
    return int.from_bytes(header[8:12], "little") == int(source.stat().st_mtime) & 0xFFFFFFFF


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
    # Any event through the hook takes in what waits before it.
    yield Finding("spool", POOR, message, lambda: _probe(patient))


@dataclass(frozen=True)
class Firings:
    """How often the hook of an event fired, when last, and what it cost."""

    event: str
    count: int
    last_at: str
    p50_ms: int
    p95_ms: int
    failed: int


def fired(patient: Patient) -> Iterator[Finding]:
    """When each hook last fired, how often, and what it cost."""
    rows = firings(patient.state)
    if not rows and files(patient):
        yield Finding(
            "fired", NOTE, "no hook has fired yet: restart the agent after `holdfast init`"
        )
    for row in rows:
        cost = f"p50 {row.p50_ms} ms, p95 {row.p95_ms} ms"
        failed = f", {row.failed} with a fault" if row.failed else ""
        times = "once, at" if row.count == 1 else f"{row.count} times, last at"
        message = f"{row.event}: {times} {row.last_at}, {cost}{failed}"
        yield Finding("fired", WELL if not row.failed else NOTE, message)


def firings(state: str) -> list[Firings]:
    """Per event: how often, when last, what it cost."""
    names = list(payloads.HOOKS)
    by_event: dict[str, list[hook_costs.Cost]] = {}
    for cost in hook_costs.all_of(state):
        name = names[cost.event] if cost.event < len(names) else "other"
        by_event.setdefault(name, []).append(cost)
    return [
        Firings(
            event=name,
            count=len(costs),
            last_at=clock.iso(costs[-1].at),
            p50_ms=hook_costs.quantile([cost.ms for cost in costs], 0.5),
            p95_ms=hook_costs.quantile([cost.ms for cost in costs], 0.95),
            failed=sum(cost.failed for cost in costs),
        )
        for name, costs in by_event.items()
    ]


def swallowed(patient: Patient) -> Iterator[Finding]:
    """Faults on record."""
    sums = faults.summed(faults.all_of(patient.state))
    if not sums:
        yield Finding("faults", WELL, "none on record")
    for fault in sums:
        refusal = fault["refusal"]
        what = str(refusal) if refusal else f"{fault['kind']} at {fault['place']}"
        why = refusal.hint if refusal else fault["detail"]
        times = "once" if fault["count"] == 1 else f"{fault['count']} times, last"
        yield Finding("faults", POOR, f"{what} ({times} at {fault['last']}): {why}")
