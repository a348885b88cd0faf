"""What people set: whether Holdfast is on, its configuration, how long transcripts stay; and what
keeps every hook from running, or from doing anything, without a word from the agent.

All settings files that the agent reads are looked at, and the one that decides is named."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator

from holdfast.agents.claude_code import settings_layers
from holdfast.agents.claude_code.settings_layers import MANAGED, SettingsFile
from holdfast.config import pause_file
from holdfast.config.compiled import requirement_sources
from holdfast.setup import install
from holdfast.setup.doctor import BROKEN, NOTE, POOR, WELL, Finding, Patient, installed_hooks
from holdfast.system import environment, files, git, paths

RETENTION_DAYS = 30  # the agent's own default


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


def requirements(patient: Patient) -> Iterator[Finding]:
    """Files with demands that the last commit has and the work tree has not."""
    root = str(patient.root)
    for _, path in requirement_sources(root):
        if not files.exists(path) and git.is_missing(root, path):
            name = path[len(root) + 1 :]
            message = f"{path} is gone: what it demands is not in force."
            way_back = f"`git restore {shlex.quote(name)}` brings it back"
            yield Finding("requirements", BROKEN, f"{message} {way_back}")


def configuration(patient: Patient) -> Iterator[Finding]:
    """The configuration files."""
    from holdfast.config.compiler import cascade

    read = cascade(str(patient.root))
    problems = read.problems
    if read.waiting:
        yield Finding("trust", NOTE, _waits(len(read.waiting)))
    for problem in problems:
        yield Finding("configuration", POOR, str(problem))
    if not problems:
        yield Finding("configuration", WELL, "every file can be read")


def _waits(many: int) -> str:
    what = "1 thing" if many == 1 else f"{many} things"
    return (
        f"{what} of the committed configuration: not allowed until you run `holdfast trust`"
        " (`--show` names what)"
    )


POLICY = "ask whoever manages this machine"
# Variables of ours, and with which values every hook leaves at once.
SWITCHES: dict[str, Callable[[str], bool]] = {
    "HOLDFAST_OFF": lambda value: value not in ("", "0"),
    "HOLDFAST_ENABLED": lambda value: value.lower() in ("0", "false"),
}


def silenced(patient: Patient) -> Iterator[Finding]:
    """`disableAllHooks`, managed policy, and our own variables in the agent's settings."""
    layers = settings_layers.read_all(str(patient.root))
    findings = [
        *_unreadable(layers, [str(path) for path in installed_hooks.files(patient)]),
        *_disabled(layers),
        *_only_managed(layers),
        *_switched_off(layers),
        *_elsewhere(layers, patient.state),
    ]
    yield from findings
    if not findings:
        yield Finding("settings", WELL, "no settings file keeps hooks from running")


def _unreadable(layers: list[SettingsFile], ours: list[str]) -> Iterator[Finding]:
    """What is set in a file without hooks of ours, and is not in force."""
    for layer in layers:
        if not layer.is_readable and layer.path not in ours:
            message = f"{layer.path} is not JSON, so Claude Code leaves it out: correct it by hand"
            yield Finding("settings", POOR, message)


def _disabled(layers: list[SettingsFile]) -> Iterator[Finding]:
    decides = settings_layers.deciding(layers, "disableAllHooks")
    for layer in layers:
        value = layer.values.get("disableAllHooks")
        if value is None or value is False:
            continue
        if not isinstance(value, bool):
            message = (
                f"{layer.path} has a disableAllHooks that is neither true nor false:"
                " Claude Code runs no hook of that file. Remove that line"
            )
            yield Finding("settings", BROKEN, message)
        elif layer is decides:
            message = f"{layer.path} says disableAllHooks: no hook runs at all."
            yield Finding("settings", BROKEN, f"{message} {_way_out(layer, 'remove that line')}")
        elif decides is not None:
            message = f"{layer.path} says disableAllHooks, and {decides.path} overrules it"
            yield Finding("settings", NOTE, message)


def _only_managed(layers: list[SettingsFile]) -> Iterator[Finding]:
    """Policy that lets no hook run but its own."""
    managed = [layer for layer in layers if layer.layer == MANAGED]
    for name in ("allowManagedHooksOnly", "strictPluginOnlyCustomization"):
        decides = settings_layers.deciding(managed, name)
        value = decides.values[name] if decides else False
        if decides and (value is True or (isinstance(value, list) and "hooks" in value)):
            message = f"{decides.path} says {name}: policy keeps Claude Code from running our hooks"
            yield Finding("settings", BROKEN, f"{message}; {POLICY}")


def _switched_off(layers: list[SettingsFile]) -> Iterator[Finding]:
    for name, switches_off in SWITCHES.items():
        decides = settings_layers.deciding_env(layers, name)
        if decides and switches_off(decides.env(name) or ""):
            message = f"{decides.path} sets {name} in its env: every hook leaves at once."
            yield Finding("settings", BROKEN, f"{message} {_way_out(decides, 'remove it there')}")


def _elsewhere(layers: list[SettingsFile], state: str) -> Iterator[Finding]:
    """A state home for hooks that is not the one of this shell: both look empty to each other."""
    decides = settings_layers.deciding_env(layers, "HOLDFAST_STATE_HOME")
    place = (decides.env("HOLDFAST_STATE_HOME") or "").rstrip("/") if decides else ""
    if decides and place.startswith("/") and place != state:
        message = (
            f"{decides.path} has hooks keep what they see in {place}, and commands here look in"
            f" {state}: set HOLDFAST_STATE_HOME here, too, or remove it there"
        )
        yield Finding("settings", POOR, message)


def _way_out(layer: SettingsFile, act: str) -> str:
    if layer.layer == MANAGED:
        return f"It is policy: {POLICY}."
    return f"To have hooks again, {act}."
