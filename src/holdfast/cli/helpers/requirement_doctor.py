"""Whether gates would refuse anything here: the hook, the files, the grammar, what is switched off,
and what could not be judged."""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

from holdfast.cli.commands.doctor_command import MARKS
from holdfast.cli.commands.sessions_command import project_here
from holdfast.cli.helpers import gates_here
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.requirement_config import uncounted
from holdfast.cli.helpers.wording import plural
from holdfast.config import pause_file
from holdfast.config.compiler import cascade
from holdfast.config.requirement import active
from holdfast.errors import SettingsError
from holdfast.ledger import faults
from holdfast.ledger.workspace import existing
from holdfast.rooms.gates import queries
from holdfast.rooms.sessions import acting_session, work_tree
from holdfast.setup import doctor, install, settings_file
from holdfast.setup.doctor import BROKEN, NOTE, POOR, WELL, Finding, Patient
from holdfast.system import files, paths

HOOK = "PreToolUse"
GRAMMAR = ("tree_sitter", "tree_sitter_bash")
FAULT = "not judged"


def report() -> Report:
    patient = Patient(paths.state_home(), Path(work_tree.look(os.getcwd()).root))
    found = [
        *_hook(patient),
        *_files(patient),
        *_grammar(),
        *_switches(patient),
        *_faults(patient),
    ]
    lines = [f"{MARKS[one.standing]} {one.check:9} {one.said}" for one in found]
    broken = sum(one.standing == BROKEN for one in found)
    findings = [{"check": one.check, "standing": one.standing, "said": one.said} for one in found]
    return Report(tuple(lines), {"well": not broken, "findings": findings}, 1 if broken else 0)


def _hook(patient: Patient) -> Iterator[Finding]:
    """Whether the agent asks before a tool runs."""
    files = doctor.files(patient)
    if not files:
        yield Finding("hook", BROKEN, "not installed for this project: `holdfast init` does it")
    for path in files:
        try:
            text = path.read_text(encoding="utf-8")
            there = settings_file.ours(text, install.is_ours)
        except (SettingsError, OSError, UnicodeDecodeError) as error:
            yield Finding("hook", BROKEN, f"{path} cannot be read: {error}")
            continue
        if not there.get(HOOK):
            said = f"{path} has no {HOOK} hook, so nothing is refused: run `holdfast init` again"
            yield Finding("hook", BROKEN, said)
        elif json.loads(text).get("disableAllHooks") is True:
            yield Finding("hook", BROKEN, f"{path} says disableAllHooks: nothing is refused")
        else:
            yield Finding("hook", WELL, f"{HOOK} in {path}")


def _files(patient: Patient) -> Iterator[Finding]:
    found = gates_here.demands(str(patient.root))
    problems = [*found.problems, *uncounted(found)]
    for file, said in problems:
        yield Finding("files", POOR, f"{file}: {said}")
    many = len(active(found.requirements))
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
            said = f"{name} lies in {folder}, where the hook does not look"
            yield Finding("grammar", BROKEN, f"commands cannot be read: {said}")
            return
    yield Finding("grammar", WELL, "of the shell is there")


def _switches(patient: Patient) -> Iterator[Finding]:
    found = []
    if pause_file.until(patient.state):
        found.append(f"every hook, by {paths.pause(patient.state)}: `holdfast resume`")
    if os.environ.get("HOLDFAST_OFF", "0") not in ("", "0"):
        found.append("every hook, by HOLDFAST_OFF in this shell")
    if not cascade(str(patient.root)).values["enabled"]:
        found.append("every hook, by the setting `enabled`")
    if files.exists(paths.store(patient.state)):
        found += _switched(patient)
    for said in found:
        yield Finding("off", NOTE, said)
    if not found:
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
    found = [f"{name}: `holdfast req enable {name}`" for name in sorted(names)]
    if of_project:
        found.append("all gates of this project: `holdfast req resume --project`")
    elif of_session:
        found.append("all gates of the session here: `holdfast req resume`")
    return found


def _faults(patient: Patient) -> Iterator[Finding]:
    """Judgements that failed: each let a tool through."""
    found = faults.summed([one for one in faults.all_of(patient.state) if one.get("kind") == FAULT])
    for one in found:
        times = plural(one["count"], "time")
        said = f"{FAULT} {times} at {one['place']}, last {one['last']}: {one['detail']}"
        yield Finding("faults", POOR, said)
    if not found:
        yield Finding("faults", WELL, "every call was judged")
