"""Whether gates would refuse anything here: the hook, the files, the grammar, what is switched off,
and what could not be judged."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TypedDict

from holdfast.cli.commands.doctor_command import MARKS, FindingRow
from holdfast.cli.helpers import gates_here
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.requirement_config import uncounted
from holdfast.cli.helpers.session_rows import project_here
from holdfast.cli.helpers.wording import local_time, plural, times
from holdfast.config import pause_file
from holdfast.config.compiler import cascade
from holdfast.config.requirement import active
from holdfast.errors import SettingsError
from holdfast.ledger import faults
from holdfast.ledger.workspace import existing
from holdfast.rooms.gates import queries
from holdfast.rooms.sessions import acting_session, work_tree
from holdfast.setup import install
from holdfast.setup.doctor import installed_hooks, silencers
from holdfast.setup.doctor.finding import BROKEN, NOTE, POOR, WELL, Finding, Patient
from holdfast.system import clock, files, paths


class GatesExamined(TypedDict):
    """Whether gates would refuse anything here."""

    well: bool
    findings: list[FindingRow]


HOOK = "PreToolUse"
GRAMMAR = ("tree_sitter", "tree_sitter_bash")
FAULT = "not judged"


def report() -> Report[GatesExamined]:
    patient = Patient(paths.state_home(), Path(work_tree.look(os.getcwd()).root))
    all_findings = [
        *_hook(patient),
        *_files(patient),
        *_grammar(),
        *_switches(patient),
        *_faults(patient),
    ]
    lines = [
        f"{MARKS[finding.standing]} {finding.check:9} {finding.message}" for finding in all_findings
    ]
    broken = sum(finding.standing == BROKEN for finding in all_findings)
    findings: list[FindingRow] = [
        {"check": finding.check, "standing": finding.standing, "said": finding.message}
        for finding in all_findings
    ]
    return Report(lines, {"well": not broken, "findings": findings}, 1 if broken else 0)


def _hook(patient: Patient) -> Iterator[Finding]:
    """Whether the agent asks before a tool runs."""
    files = installed_hooks.files(patient)
    if not files:
        yield Finding("hook", BROKEN, "not installed for this project: `holdfast init` does it")
    for path in files:
        try:
            there = installed_hooks.ours_in(path)
        except SettingsError as error:
            yield Finding("hook", BROKEN, f"{path} cannot be read: {error}")
            continue
        if not there.get(HOOK):
            message = f"{path} has no {HOOK} hook, so nothing is refused: run `holdfast init` again"
            yield Finding("hook", BROKEN, message)
        else:
            yield Finding("hook", WELL, f"{HOOK} in {path}")
    for finding in silencers.silenced(patient):
        if finding.standing == BROKEN:
            yield Finding("hook", BROKEN, finding.message)


def _files(patient: Patient) -> Iterator[Finding]:
    demanded = gates_here.demands(str(patient.root))
    problems = [*demanded.problems, *uncounted(demanded)]
    for file, message in problems:
        yield Finding("files", POOR, f"{file}: {message}")
    many = len(active(demanded.requirements))
    if not many:
        yield Finding("files", NOTE, "demand nothing: `holdfast req init` writes a beginning")
    elif not problems:
        yield Finding("files", WELL, f"read, and demand {plural(many, 'requirement')}")


def _grammar() -> Iterator[Finding]:
    """Commands are read by the shell's grammar, which the hook finds beside the driver."""
    known = install.launcher_text()
    for name in GRAMMAR:
        try:
            module = importlib.import_module(name)
        except ImportError as error:
            yield Finding("grammar", BROKEN, f"commands cannot be read: {error}")
            return
        folder = str(Path(module.__file__ or "").resolve().parents[1])
        if repr(folder) not in known:
            message = f"{name} lies in {folder}, where the hook does not look"
            yield Finding("grammar", BROKEN, f"commands cannot be read: {message}")
            return
    yield Finding("grammar", WELL, "of the shell is there")


def _switches(patient: Patient) -> Iterator[Finding]:
    switched_off = []
    if pause_file.until(patient.state):
        switched_off.append(f"every hook, by {paths.pause(patient.state)}: `holdfast unpause`")
    if os.environ.get("HOLDFAST_OFF", "0") not in ("", "0"):
        switched_off.append("every hook, by HOLDFAST_OFF in this shell")
    if not cascade(str(patient.root)).values["enabled"]:
        switched_off.append("every hook, by the setting `enabled`")
    if files.exists(paths.store(patient.state)):
        switched_off += _switched(patient)
    for message in switched_off:
        yield Finding("off", NOTE, message)
    if not switched_off:
        yield Finding("off", WELL, "nothing is")


def _switched(patient: Patient) -> list[str]:
    """What a command has switched off, for the project and for the session here."""
    workspace = existing()
    project = project_here(workspace)
    session = (
        acting_session.acting(workspace.store, project, str(patient.root)) if project else None
    )
    of_project, names = queries.is_off(workspace.store, project, "")
    of_session, _ = queries.is_off(workspace.store, project, session.id if session else "")
    switched_off = [f"{name}: `holdfast req enable {name}`" for name in sorted(names)]
    if of_project:
        switched_off.append("all gates of this project: `holdfast req resume --project`")
    elif of_session:
        switched_off.append("all gates of the session here: `holdfast req resume`")
    return switched_off


def _faults(patient: Patient) -> Iterator[Finding]:
    """Judgements that failed: each let a tool through."""
    sums = faults.summed(
        [fault for fault in faults.all_of(patient.state) if fault.get("kind") == FAULT]
    )
    for fault in sums:
        count, last = times(fault["count"]), local_time(fault["last"], clock.now())
        message = f"{FAULT} {count} at {fault['place']}, last {last}: {fault['detail']}"
        yield Finding("faults", POOR, message)
    if not sums:
        yield Finding("faults", WELL, "every call was judged")
