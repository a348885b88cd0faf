"""What a committed configuration may ask for before a person trusts it: demands, and nothing else.

A demand is a requirement: it can be met, approved or switched off by the person, and takes nothing
away. Everything else waits: settings, what speaks or is switched off, programs that count, patterns
that may take long, files outside of the project, and a requirement by a name that one of the
person's own has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast.config import plain_pattern
from holdfast.config.field import key_of
from holdfast.config.settings import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Collection

    from holdfast.config.field import Table

# The first words of our own settings: what else a file says may be about requirements.
OUR_NAMES = frozenset(name.partition(".")[0] for name in SETTINGS)
PATTERNS = 100  # of a repository's that are searched in a command
SPOKEN = ("deprecated", "deprecated_message")
SWITCHES = ("enabled", "inherit")
SHOWN = 80


def apart(table: Table, personal: Collection[str]) -> tuple[Table, list[str]]:
    """What a committed file demands, and what of it waits, a line each. `personal` are the names of
    the person's own requirements."""
    waiting: list[str] = []
    kept: Table = {}
    for key, value in table.items():
        name = key_of(key)
        if name == "requirements" and isinstance(value, dict):
            kept[key] = _requirements(value, personal, waiting)
        elif name == "hooks" or name.partition(".")[0] in OUR_NAMES or name in SWITCHES:
            waiting += _lines(name, value)
        else:
            kept[key] = value  # the version, and what nobody reads
    return kept, waiting


def _lines(name: str, value: Any) -> list[str]:
    """A setting a line; what is on as it is without the file asks for nothing."""
    if isinstance(value, dict) and name not in SETTINGS:
        return [
            line for key, each in value.items() for line in _lines(f"{name}.{key_of(key)}", each)
        ]
    if name in SWITCHES and value is True:
        return []
    return [f"{name}: {shown(value)}"]


def shown(value: Any) -> str:
    """A value in one short line."""
    text = "".join(sign if sign.isprintable() else "?" for sign in str(value))
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."


def _requirements(table: Table, personal: Collection[str], waiting: list[str]) -> Table:
    kept: Table = {}
    left = PATTERNS
    for key, body in table.items():
        name = key_of(key)
        if name in personal:
            waiting.append(f"requirement {name}, beside yours of that name")
        elif not isinstance(body, dict):
            kept[key] = body  # told as broken
        else:
            patterns = _patterns(body)
            why = _why_it_waits(body, patterns)
            left -= len(patterns)
            if why or left < 0:
                waiting.append(f"requirement {name}: {why or 'too many patterns'}")
                continue
            if any(field in body for field in SPOKEN):
                waiting.append(f"requirement {name}: what it says of being deprecated")
            kept[key] = _as_demand(body)
    return kept


def _why_it_waits(body: Table, patterns: list[str]) -> str:
    from holdfast.rooms.gates.calculators import BRANCH_SIZE

    calculator = body.get("calculator")
    if calculator is not None and calculator not in BRANCH_SIZE:
        return f"the program that counts, {shown(calculator)}"
    for pattern in patterns:
        if pattern and not plain_pattern.bounded(pattern):
            return f"a pattern that is not plain, {shown(pattern)}"
    evidence = body.get("evidence")
    folders = evidence.get("dirs") if isinstance(evidence, dict) else []
    for folder in folders if isinstance(folders, list) else [folders]:
        if str(folder).startswith(("/", "~")) or ".." in str(folder).split("/"):
            return f"files outside of the project, {shown(folder)}"
    return ""


def _as_demand(body: Table) -> Table:
    """The requirement without what it says of itself, its patterns with an end."""
    kept = {key: value for key, value in body.items() if key not in SPOKEN}
    triggers = body.get("trigger_tools")
    if isinstance(triggers, list):
        kept["trigger_tools"] = [_with_an_end(each) for each in triggers]
    return kept


def _with_an_end(trigger: Any) -> Any:
    pattern = trigger.get("command_pattern") if isinstance(trigger, dict) else None
    if not isinstance(pattern, str):
        return trigger
    return {**trigger, "command_pattern": plain_pattern.bounded(pattern)}


def _patterns(body: Table) -> list[str]:
    triggers = body.get("trigger_tools")
    tables = triggers if isinstance(triggers, list) else []
    given = [each.get("command_pattern") for each in tables if isinstance(each, dict)]
    return [pattern for pattern in given if isinstance(pattern, str)]
