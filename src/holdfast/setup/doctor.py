"""Whether Holdfast works here. The doctor tries it out.

A check is a function that looks and answers with findings; `CHECKS` is all of them. A finding
says how things stand, and carries the act that mends it where that can be done safely. The probe
runs the very hook command that is installed and reads its entry back from the store.

Law: "well" is said only of what was looked at. What was not looked at is said too.
"""

from __future__ import annotations

import compileall
import importlib.util
import json
import os
import secrets
import shlex
import subprocess
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import apsw

import holdfast
from holdfast.agents.claude_code import payloads
from holdfast.config import pause_file
from holdfast.errors import Damaged, HoldfastError, SettingsError, StoreError
from holdfast.hook.bundle import build
from holdfast.ledger import faults, hook_costs, repair
from holdfast.ledger import queries as ledger
from holdfast.ledger.rebuild import rebuild_stale
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.sessions import checked_acts, registry_file
from holdfast.setup import install, settings_file
from holdfast.store.sqlite import DAMAGE
from holdfast.system import clock, environment, paths
from holdfast.system import files as system_files

WELL, NOTE, POOR, BROKEN = "well", "note", "poor", "broken"
FREE_POOR_BYTES, FREE_BROKEN_BYTES = 256 << 20, 16 << 20
CLOCK_SLACK_S = 300.0
RETENTION_DAYS = 30  # the agent's own default
PROBE_LIMIT_S = 30


@dataclass(frozen=True)
class Finding:
    """How one thing stands, and what mends it."""

    check: str
    standing: str
    message: str
    mend: Callable[[], None] | None = None


@dataclass(frozen=True)
class Firings:
    """How often the hook of an event fired, when last, and what it cost."""

    event: str
    count: int
    last_at: str
    p50_ms: int
    p95_ms: int
    failed: int


@dataclass(frozen=True)
class Patient:
    """What is looked at: a state home, and the project one is in."""

    state: str
    root: Path


def examine(patient: Patient) -> list[Finding]:
    """Every check, in order; a check that fails is a finding, never an end."""
    findings: list[Finding] = []
    for check in CHECKS:
        try:
            findings += check(patient)
        except (HoldfastError, OSError, ValueError, apsw.Error) as error:
            findings.append(Finding(check.__name__.strip("_"), BROKEN, f"{error}"))
    return findings


def files(patient: Patient) -> list[Path]:
    """Settings files that concern this project: where we are installed, else where we would be."""
    near = [install.settings_path(patient.root), install.settings_path(None)]
    known = set(install.installed(patient.state))
    return [path for path in near if path in known]


def hooks(patient: Patient) -> Iterator[Finding]:
    """The settings file: readable, with every hook of ours, once, and not switched off."""
    mine = files(patient)
    if not mine:
        yield Finding("hooks", NOTE, "not installed for this project: `holdfast init` does it")
    for path in mine:
        mend = _installer(patient.state, path)
        try:
            text = path.read_text(encoding="utf-8")
            hooks_there = settings_file.ours(text, install.is_ours)
        except FileNotFoundError:
            yield Finding("hooks", BROKEN, f"{path} is gone, and our hooks with it", mend)
            continue
        except (SettingsError, OSError, UnicodeDecodeError) as error:
            message = f"{path} cannot be read, so the agent runs no hook at all: {error}"
            yield Finding("hooks", BROKEN, message)
            continue
        yield _compared(patient.state, path, hooks_there, mend)
        if json.loads(text or "{}").get("disableAllHooks") is True:
            yield Finding("hooks", BROKEN, f"{path} says disableAllHooks: none of them runs")


def _compared(
    state: str, path: Path, there: dict[str, list[str]], mend: Callable[[], None]
) -> Finding:
    command = install.hook_command(state)
    missing = [event for event in payloads.HOOKS if not there.get(event)]
    doubled = [event for event, commands in there.items() if len(commands) > 1]
    stale = {
        installed for commands in there.values() for installed in commands if installed != command
    }
    if missing:
        return Finding("hooks", BROKEN, f"{path} lacks hooks for {', '.join(missing)}", mend)
    if doubled:
        return Finding("hooks", POOR, f"{path} has hooks twice for {', '.join(doubled)}", mend)
    if stale:
        message = f"{path} runs another command than this installation's: {min(stale)}"
        return Finding("hooks", BROKEN, message, mend)
    return Finding("hooks", WELL, f"{path}: {len(there)} events")


def interpreter(patient: Patient) -> Iterator[Finding]:
    """The interpreter that the installed command names."""
    for path in files(patient):
        try:
            there = settings_file.ours(path.read_text(encoding="utf-8"), install.is_ours)
        except (SettingsError, OSError, UnicodeDecodeError):
            continue  # said by `hooks`
        for command in sorted({installed for commands in there.values() for installed in commands}):
            program = shlex.split(command)[0]
            if not os.access(program, os.X_OK):
                mend = _installer(patient.state, path)
                yield Finding("interpreter", BROKEN, f"{program} is gone: no hook runs", mend)
            else:
                yield Finding("interpreter", WELL, program)


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
        yield Finding("pack", WELL, "current")
    else:
        message = (
            "the hook's modules are not packed, or were changed since: each is found by itself"
        )
        yield Finding("pack", POOR, message, lambda: build.write(patient.state))
    package = Path(holdfast.__file__).parent
    missing = [source.name for source in sorted(package.rglob("*.py")) if not _is_compiled(source)]
    if missing:
        message = f"{len(missing)} modules have no current byte code: every hook compiles them anew"
        yield Finding("byte code", POOR, message, lambda: _compile(package))
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


def _compile(package: Path) -> None:
    compileall.compile_dir(str(package), quiet=2)


def folder(patient: Patient) -> Iterator[Finding]:
    """The state home: whose it is, who may read it, on what disk, how much is free."""
    if not os.path.isdir(patient.state):
        yield Finding("state home", NOTE, f"{patient.state} is not there yet")
        return
    system_files.own_folder(patient.state)
    open_ones = [path for path in _all_files(patient.state) if os.lstat(path).st_mode & 0o077]
    if open_ones:
        message = f"{len(open_ones)} files may be read by others, such as {open_ones[0]}"
        yield Finding("modes", BROKEN, message, lambda: _close(open_ones))
    else:
        yield Finding("modes", WELL, "0600 and 0700")
    kind = system_files.network_file_system(patient.state)
    if kind:
        yield Finding("disk", BROKEN, f"the state home is on a network file system ({kind})")
    free = os.statvfs(patient.state)
    left = free.f_bavail * free.f_frsize
    standing = BROKEN if left < FREE_BROKEN_BYTES else POOR if left < FREE_POOR_BYTES else WELL
    if os.statvfs(patient.state).f_flag & os.ST_RDONLY:
        yield Finding("disk", BROKEN, "the state home cannot be written to: read-only")
    else:
        yield Finding("disk", standing, f"{left >> 20} MB free")


def _all_files(state: str) -> list[str]:
    paths_there = [state]
    for place, folders, names in os.walk(state):
        paths_there += [os.path.join(place, name) for name in (*folders, *names)]
    return [path for path in paths_there if not os.path.islink(path) and os.path.exists(path)]


def _close(open_ones: Iterable[str]) -> None:
    for path in open_ones:
        os.chmod(path, 0o700 if os.path.isdir(path) else 0o600)


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
            "store", WELL, f"{ledger.count(workspace.store)} entries, as they were written"
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
        yield Finding("noticed", NOTE, f"paused, and {message}. `holdfast resume` undoes it.")


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


def probe(patient: Patient) -> Iterator[Finding]:
    """The installed command itself: an event goes in, its entry is read back."""
    if not files(patient):
        return
    if pause_file.until(patient.state) or environment.env("HOLDFAST_OFF") not in ("", "0"):
        yield Finding("probe", NOTE, "switched off: no event is kept")
        return
    key, ms = _probe(patient)
    if not os.path.exists(paths.store(patient.state)):
        yield Finding("probe", BROKEN, "the hook ran and kept nothing")
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
        yield Finding("probe", BROKEN, "the hook ran and its event is not in the store")


def _probe(patient: Patient) -> tuple[str, int]:
    nonce = secrets.token_hex(8)
    command = install.hook_command(patient.state)
    for path in files(patient):
        try:
            there = settings_file.ours(path.read_text(encoding="utf-8"), install.is_ours)
            command = next(iter(there.values()))[0]
            break
        except (SettingsError, OSError, UnicodeDecodeError, StopIteration, IndexError):
            continue
    before = len(list(hook_costs.all_of(patient.state)))
    payload = json.dumps({"holdfast_probe": nonce})
    try:
        subprocess.run(
            ["/bin/sh", "-c", command],
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
        message = f"{row.event}: {row.count} times, last {row.last_at}, {cost}{failed}"
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
        message = (
            f"{fault['kind']} at {fault['place']}, {fault['count']} times, last {fault['last']}"
        )
        yield Finding("faults", POOR, f"{message}: {fault['detail']}")


def retention(patient: Patient) -> Iterator[Finding]:
    """How long the agent keeps its own transcripts: what it deletes nobody can import later."""
    days, where = RETENTION_DAYS, "its default"
    places = [
        install.settings_path(None),
        patient.root / ".claude" / "settings.json",
        install.settings_path(patient.root),
    ]
    for path in places:
        try:
            settings = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        if isinstance(settings, dict) and isinstance(settings.get("cleanupPeriodDays"), int):
            days, where = settings["cleanupPeriodDays"], str(path)
    yield Finding("transcripts", NOTE, f"Claude Code deletes its own after {days} days ({where})")


def switched(patient: Patient) -> Iterator[Finding]:
    """Whether it is switched off, on purpose."""
    if pause_file.until(patient.state):
        yield Finding("paused", NOTE, f"by {paths.pause(patient.state)}: every hook leaves at once")
    if environment.env("HOLDFAST_OFF") not in ("", "0"):
        yield Finding("off", NOTE, "by HOLDFAST_OFF in this shell")


def configuration(patient: Patient) -> Iterator[Finding]:
    """The configuration files."""
    from holdfast.config.compiler import cascade

    problems = cascade(str(patient.root)).problems
    for problem in problems:
        yield Finding("configuration", POOR, str(problem))
    if not problems:
        yield Finding("configuration", WELL, "reads")


def _installer(state: str, path: Path) -> Callable[[], None]:
    def mend() -> None:
        install.install(state, path)

    return mend


CHECKS: tuple[Callable[[Patient], Iterable[Finding]], ...] = (
    switched,
    hooks,
    interpreter,
    launcher,
    folder,
    configuration,
    probe,
    store,
    acts,
    spool,
    mirrors,
    swallowed,
    fired,
    retention,
)
