"""The files that hold requirements: write a preset, show the values in force, find mistakes; and
whether gates would refuse anything here: the hook, the files, the grammar, what is switched off."""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any, NotRequired, TypedDict

import click

from holdfast.agents import surroundings
from holdfast.cli.commands import config_command
from holdfast.cli.commands.config_command import ConfigurationFile
from holdfast.cli.commands.doctor_command import FindingRow
from holdfast.cli.helpers import gates_here, person_check
from holdfast.cli.helpers.gates_here import Demands
from holdfast.cli.helpers.report import Report, shaped
from holdfast.cli.helpers.session_rows import project_here
from holdfast.cli.helpers.wording import local_time, plural, times
from holdfast.config import trust
from holdfast.config.compiled import requirement_sources
from holdfast.config.compiler import cascade
from holdfast.config.requirement import DYNAMIC, FIELDS, active
from holdfast.errors import HoldfastError, SettingsError
from holdfast.hook.voice import inline
from holdfast.ledger import faults
from holdfast.ledger.workspace import existing
from holdfast.rooms.gates import judgement_log, preset_effects, queries, repository_trust
from holdfast.rooms.gates.calculators import BRANCH_SIZE, GROUP
from holdfast.rooms.gates.gate_commands import known
from holdfast.rooms.gates.presets import PRESETS
from holdfast.rooms.sessions import acting_session, work_tree
from holdfast.rooms.sessions.queries import of_project
from holdfast.setup import install
from holdfast.setup.doctor import (
    BROKEN,
    MARKS,
    NOTE,
    POOR,
    WELL,
    Finding,
    Patient,
    installed_hooks,
    switches,
)
from holdfast.system import clock, files, paths

DEFAULT_PRESET = "relaxed"
LOOKED_AT = 10  # sessions, for what a preset would have asked


class DemandRow(TypedDict):
    """A requirement that the files demand."""

    name: str
    type: str
    scope: str
    enabled: bool
    file: str | None
    description: str


class Demanded(TypedDict):
    """Everything that the files demand, whether it counts or not."""

    requirements: list[DemandRow]


class PresetWritten(TypedDict):
    """The file of requirements, and the copy of the one before."""

    preset: str
    file: str
    written: bool
    backup: str | None
    text: NotRequired[str]


class RequirementsInForce(TypedDict):
    """The values in force: requirements by name, with what each comes from."""

    requirements: dict[str, Row]
    options: Row
    sources: dict[str, str]
    files: list[ConfigurationFile]
    problems: list[str]


class FileProblem(TypedDict):
    """What is wrong with a file."""

    file: str
    said: str


class FilesVerified(TypedDict):
    """All that is wrong with the files, and the requirements that are left."""

    problems: list[FileProblem]
    requirements: list[str]


class GatesExamined(TypedDict):
    """Whether gates would refuse anything here."""

    well: bool
    findings: list[FindingRow]


class JudgementLog(TypedDict):
    """What is logged of judgements, and where."""

    level: str
    file: str


Row = dict[str, Any]

FILE = surroundings.REQUIREMENTS[0]
DEFAULT = "default"
HOOK = "PreToolUse"
GRAMMAR = ("tree_sitter", "tree_sitter_bash")
FAULT = "not judged"
MEANINGS = {
    judgement_log.DEBUG: "every judgement, and all of info",
    judgement_log.INFO: "what was refused, met or let go",
    judgement_log.OFF: "nothing",
}


def listed(*, verbose: bool) -> Report[Demanded]:
    """List every requirement, whether it counts or not."""
    demanded = gates_here.demands(_root())
    rows: list[DemandRow] = [
        {
            "name": name,
            "type": each["type"],
            "scope": each["scope"],
            "enabled": each["enabled"],
            "file": demanded.sources.get(f"requirements.{name}"),
            "description": each["description"] or each["short_message"] or each["message"],
        }
        for name, each in demanded.requirements.items()
    ]
    width = max((len(row["name"]) for row in rows), default=0)
    lines = []
    for row in rows:
        description = inline(row["description"], 400 if verbose else 80)
        mark = "●" if row["enabled"] else "·"
        lines.append(
            f"{mark} {row['name']:{width}}  {row['type']:8}  {row['scope']:10}  {description}"
        )
        if verbose:
            lines.append(f"    {row['file']}")
    empty = "Nothing is demanded here. `holdfast req init` writes a beginning."
    return Report(lines or [empty], {"requirements": rows})


def _chosen(root: str) -> str:
    """The preset that a person at a terminal picks, shown with what it would have asked for."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return DEFAULT_PRESET
    for text in PRESETS.values():
        lead = text.partition("\n")[0].removeprefix("# Requirements, preset ")
        click.echo(f"  {lead} {_effect(root, text)}", err=True)
    chosen: str = click.prompt(
        "What shall be demanded here?", type=click.Choice(list(PRESETS)), default=DEFAULT_PRESET,
        err=True,
    )  # fmt: skip
    return chosen


def _effect(root: str, text: str) -> str:
    """How often a preset would have spoken in the last sessions here; "" where none is known."""
    if not files.exists(paths.store(paths.state_home())):
        return ""
    workspace = existing()
    sessions = of_project(workspace.store, project_here(workspace), LOOKED_AT)
    if not sessions:
        return ""
    places = [(each.id, each.branch, each.worktree) for each in sessions]
    asked = times(preset_effects.times(workspace.store, places, text))
    return f"Over {plural(len(sessions), 'session')} here it would have asked {asked}."


def init(*, preset: str | None, preview: bool, force: bool) -> Report[PresetWritten]:
    """Write a preset as the project's file of requirements."""
    root = _root()
    preset = preset or (DEFAULT_PRESET if preview else _chosen(root))
    path, text = Path(root) / FILE, PRESETS[preset]
    data: PresetWritten = {"preset": preset, "file": str(path), "written": False, "backup": None}
    if preview:
        return Report(text.splitlines(), {**data, "text": text})
    is_there = path.exists() or path.is_symlink()
    if is_there and not force:
        raise HoldfastError(
            f"{path} is there already",
            hint="--force writes over it and keeps a copy; --preview shows the preset",
        )
    if is_there or active(gates_here.demands(root).requirements):  # something is demanded already
        person_check.ask("req init")
    try:
        if is_there:
            data["backup"] = _copied(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        files.write_whole(str(path), text.encode())
        path.chmod(0o644)  # a file of the project, to be committed
    except OSError as error:
        raise HoldfastError(f"cannot write {path}: {error}", hint="is it yours?") from error
    if not person_check.doubt():
        _trust(root)
    demanded = gates_here.demands(root)
    lines = [
        f"{path} is written: {plural(len(active(demanded.requirements)), 'requirement')} in all."
    ]
    lines += filter(None, [_effect(root, text)])
    if data["backup"]:
        lines.append(f"What was there is in {data['backup']}.")
    lines.append("It counts from the next tool call on. `holdfast req list` names what it demands.")
    return Report(lines, {**data, "written": True})


def _trust(root: str) -> None:
    """What a person wrote goes on to count when it is committed."""
    state = paths.state_home()
    written = [each for each in repository_trust.asked(root) if each.name == FILE]
    if files.exists(paths.store(state)):
        workspace = existing()
        repository_trust.give(workspace, project_here(workspace), root, written)
    else:
        trust.give(state, root, {each.name: each.content for each in written})


def _copied(path: Path) -> str:
    """A copy beside it, under a name that is free."""
    stamp = clock.now().replace(":", "").replace(".", "")
    copy = path.with_name(f"{path.name}.{stamp}.backup")
    files.write_whole(str(copy), path.read_bytes())
    return str(copy)


def config(
    *, names: tuple[str, ...], with_sources: bool, verbose: bool
) -> Report[RequirementsInForce]:
    """Show the values in force, of all requirements or of those named."""
    root = _root()
    demanded = gates_here.demands(root)
    for name in names:
        known(name, demanded.requirements)
    files = config_command.files_of(requirement_sources(root))
    chosen = {
        name: each for name, each in demanded.requirements.items() if not names or name in names
    }
    problems = [f"{file}: {message}" for file, message in demanded.problems]
    data = shaped(
        RequirementsInForce, demanded, requirements=chosen, files=files, problems=problems
    )
    rows = [row for name in chosen for row in _values(demanded, name, chosen[name], every=verbose)]
    if not names:
        rows += _sourced(demanded, _flat(demanded.options, ""), every=verbose)
    width = max((len(name) for name, *_ in rows), default=0)
    lines = [
        f"{name:{width}}  {inline(json.dumps(value, ensure_ascii=False), 200)}"
        + (f"   ({source})" if with_sources else "")
        for name, value, source in rows
    ]
    if with_sources or not lines:
        lines += config_command.file_lines(files)
    return Report((*lines, *(f"○ {problem}" for problem in data["problems"])), data)


def _values(
    demanded: Demands, name: str, requirement: Mapping[str, object], *, every: bool
) -> list[tuple[str, Any, str]]:
    """A requirement's fields, those of tables one by one, each with where it comes from."""
    rows: list[tuple[str, Any]] = []
    for field in FIELDS:
        place, value = f"requirements.{name}.{field}", requirement[field]
        inner = value if isinstance(value, dict) else {}
        rows += [(f"{place}.{key}", each) for key, each in inner.items()] or [(place, value)]
    return _sourced(demanded, rows, every=every)


def _sourced(
    demanded: Demands, rows: list[tuple[str, Any]], *, every: bool
) -> list[tuple[str, Any, str]]:
    """Values with the file that each comes from; defaults only where `every` one is asked for."""
    sourced = [(place, value, demanded.sources.get(place, DEFAULT)) for place, value in rows]
    return [row for row in sourced if every or row[2] != DEFAULT]


def _flat(table: Row, before: str) -> list[tuple[str, Any]]:
    rows: list[tuple[str, Any]] = []
    for key, value in table.items():
        name = f"{before}{key}"
        rows += _flat(value, f"{name}.") if isinstance(value, dict) else [(name, value)]
    return rows


def verify() -> Report[FilesVerified]:
    """Say what is wrong with the files; exits with 1 when anything is."""
    root = _root()
    demanded = gates_here.demands(root)
    problems = [*demanded.problems, *uncounted(demanded)]
    lines = [f"○ {file}: {message}" for file, message in problems]
    many = plural(len(active(demanded.requirements)), "requirement")
    if not problems:
        lines.append(f"● {many}, and nothing is wrong with the files.")
    else:
        lines.append(f"{plural(len(problems), 'problem')}; {many} left to count.")
    data: FilesVerified = {
        "problems": [{"file": file, "said": message} for file, message in problems],
        "requirements": sorted(demanded.requirements),
    }
    return Report(lines, data, 1 if problems else 0)


def uncounted(demanded: Demands) -> list[tuple[str, str]]:
    """Dynamic requirements whose calculator nobody has installed."""
    offered = {entry_point.name for entry_point in metadata.entry_points(group=GROUP)} | set(
        BRANCH_SIZE
    )
    wrong = []
    for name, each in demanded.requirements.items():
        if each["type"] == DYNAMIC and each["enabled"] and each["calculator"] not in offered:
            file = demanded.sources.get(f"requirements.{name}.calculator", "configuration")
            message = f"requirement {name}: calculator {each['calculator']} is not installed"
            wrong.append((file, f"{message}; it lets through"))
    return wrong


def _root() -> str:
    return work_tree.look(os.getcwd()).root


# Whether gates would refuse anything here


def doctor() -> Report[GatesExamined]:
    """Say whether gates would refuse anything here; exits with 1 when they are broken."""
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
    findings = [shaped(FindingRow, each, said=each.message) for each in all_findings]
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
    for finding in switches.silenced(patient):
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
    switched_off = [finding.message for finding in switches.switched(patient)]
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


def logging(*, level: str | None) -> Report[JudgementLog]:
    """Say whether and where judgements are logged, or switch that."""
    state = paths.state_home()
    if level is not None:
        try:
            judgement_log.set_level(state, level)
        except OSError as error:
            raise HoldfastError(
                f"cannot write to {state}: {error.strerror}", hint="the level is as it was"
            ) from error
    in_force, path = judgement_log.level(state), paths.gate_log(state)
    lines = [f"Logging  {in_force}: {MEANINGS[in_force]}", f"File     {path}"]
    if in_force == judgement_log.OFF and level is None:
        lines.append("`holdfast req logging --level info` begins to log, for every project.")
    return Report(lines, {"level": in_force, "file": path})
