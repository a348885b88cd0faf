"""Our hooks in the agent's settings files: there, once, of this installation, able to start."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

from holdfast.agents.claude_code import payloads
from holdfast.errors import SettingsError
from holdfast.setup import install, settings_file
from holdfast.setup.doctor.finding import BROKEN, NOTE, POOR, WELL, Finding, Patient


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


def _installer(state: str, path: Path) -> Callable[[], None]:
    def mend() -> None:
        install.install(state, path)

    return mend
