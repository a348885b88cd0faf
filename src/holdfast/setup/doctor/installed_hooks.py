"""Our hooks in the agent's settings files: there, once, of this installation, able to start."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from holdfast.agents.claude_code import payloads
from holdfast.errors import SettingsError
from holdfast.setup import install, settings_file
from holdfast.setup.doctor import BROKEN, NOTE, POOR, WELL, Finding, Patient
from holdfast.setup.settings_file import OurHook

NAMED = 6  # events in one line
MATCH_ALL = (None, "", "*", ".*")


def files(patient: Patient) -> list[Path]:
    """Settings files that concern this project: where we are installed, else where we would be."""
    known = set(install.installed(patient.state))
    return [path for path in install.settings_near(patient.root) if path in known]


def ours_in(path: Path) -> dict[str, list[OurHook]]:
    """Our hooks in a settings file, by event; SettingsError when nobody can tell."""
    try:
        return settings_file.ours(path.read_text(encoding="utf-8"), install.is_ours)
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(str(error)) from error


def commands_in(path: Path) -> list[str]:
    """The commands of our hooks; none where that is said elsewhere."""
    try:
        ours = [hook for hooks in ours_in(path).values() for hook in hooks]
        return sorted({hook.runs for hook in ours if hook.hook.get("type") == "command"})
    except SettingsError:
        return []  # said by `hooks`


def hooks(patient: Patient) -> Iterator[Finding]:
    """The settings file: readable, with every hook of ours, once, and as we wrote it."""
    mine = files(patient)
    plugin = install.plugin_file(str(patient.root))
    if plugin:
        yield Finding("hooks", WELL, f"by the plugin, which {plugin} switches on")
    elif not mine:
        yield Finding("hooks", NOTE, "not installed for this project: `holdfast init` does it")
    for path in mine:
        mend = partial(install.install, patient.state, path)
        if not path.exists():
            yield Finding("hooks", BROKEN, f"{path} is gone, and our hooks with it", mend)
            continue
        try:
            yield _compared(patient.state, path, ours_in(path), mend)
        except SettingsError as error:
            message = f"{path} cannot be read, so Claude Code runs no hook of that file: {error}"
            yield Finding("hooks", BROKEN, message)


def _compared(
    state: str, path: Path, there: dict[str, list[OurHook]], mend: Callable[[], object]
) -> Finding:
    wanted = install.hooks(state)
    missing = [event for event in payloads.HOOKS if not there.get(event)]
    unknown = [event for event in there if event not in payloads.HOOKS]
    doubled = [event for event, hooks in there.items() if len(hooks) > 1]
    hindered: dict[str, list[str]] = {}
    for event, hooks in there.items():
        for hindrance in {_hindrance(hook) for hook in hooks} - {""}:
            hindered.setdefault(hindrance, []).append(event)
    known = {str(hook.get("command")) for hook in wanted.values()}
    stale = {hook.runs for hooks in there.values() for hook in hooks} - known
    if missing:
        beside = f", and has some for {_names(unknown)}, which never fire" if unknown else ""
        return Finding("hooks", BROKEN, f"{path} lacks hooks for {_names(missing)}{beside}", mend)
    if hindered:
        changed = "; ".join(f"{_names(events)} ({why})" for why, events in hindered.items())
        return Finding("hooks", BROKEN, f"{path} has hooks that were changed: {changed}", mend)
    if stale:
        message = f"{path} runs another command than this installation's: {min(stale)}"
        return Finding("hooks", BROKEN, message, mend)
    if doubled:
        return Finding("hooks", POOR, f"{path} has hooks twice for {_names(doubled)}", mend)
    if unknown:
        message = f"{path} has hooks for {_names(unknown)}, which this version does not know"
        return Finding("hooks", POOR, message, mend)
    return Finding("hooks", WELL, f"{path}: {len(there)} events")


def _hindrance(our_hook: OurHook) -> str:
    """What keeps a hook that is there from running each time, or in time; "" for nothing."""
    matcher, hook = our_hook.matcher, our_hook.hook
    timeout = hook.get("timeout", 1)
    if matcher not in MATCH_ALL:
        return f"its matcher {json.dumps(matcher)} leaves other calls out"
    if "if" in hook:
        return f'it has "if": {json.dumps(hook["if"])}'
    if hook.get("type") != "command":
        return 'its type is not "command", so it never runs'
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or timeout <= 0:
        return "its timeout is not a positive number, so it never runs"
    if hook.get("async") or hook.get("asyncRewake"):
        return "it runs in the background, so its answer comes too late"
    return ""


def _names(events: list[str]) -> str:
    more = f" and {len(events) - NAMED} more" if len(events) > NAMED else ""
    return f"{', '.join(events[:NAMED])}{more}"


def interpreter(patient: Patient) -> Iterator[Finding]:
    """The interpreter and the launcher that the installed command names."""
    for path in files(patient):
        for command in commands_in(path):
            program, *_, launcher = shlex.split(command)
            gone = [each for each in (program, launcher) if not os.access(each, os.R_OK)]
            if not gone and not os.access(program, os.X_OK):
                gone = [program]
            if gone:
                mend = partial(install.install, patient.state, path)
                yield Finding("interpreter", BROKEN, f"{gone[0]} is gone: no hook runs", mend)
            else:
                yield Finding("interpreter", WELL, program)
