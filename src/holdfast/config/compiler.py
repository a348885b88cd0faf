"""Configuration files, read and compiled: YAML in, plain values and clear problems out.

A malformed file is left out, and so is a value that does not fit; each is one clear line. Nothing
here stops an agent.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import yaml

from holdfast.config import requirement
from holdfast.config.compiled import PROJECT, requirement_sources, sources, stamp
from holdfast.config.settings import (
    DEFAULT,
    SETTINGS,
    VARIABLE,
    fitting,
    is_within,
    stamps_of,
    variable_of,
    with_variables,
)
from holdfast.system import files, paths, seal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.config.compiled import Compiled
    from holdfast.config.field import Table
    from holdfast.config.settings import Settings

SIZE_CAP_BYTES = 256 * 1024
# The first words of our own settings: what else a file says may be about requirements.
OUR_NAMES = frozenset(name.partition(".")[0] for name in SETTINGS)


@dataclass(frozen=True)
class Problem:
    """What is wrong with a file, and where."""

    file: str
    message: str

    def __str__(self) -> str:
        return f"{self.file}: {self.message}"


@dataclass(frozen=True)
class Cascade:
    """Every value with where it came from, and what could not be read."""

    values: Settings
    origins: dict[str, str]
    problems: tuple[Problem, ...]


def cascade(root: str) -> Cascade:
    """The whole cascade, read afresh."""
    values = {name: known.default for name, known in SETTINGS.items()}
    origins = dict.fromkeys(SETTINGS, DEFAULT)
    problems: list[Problem] = []
    for layer, path in sources(root):
        for name, value in _layer(layer, path, problems).items():
            values[name], origins[name] = value, path
    for name, known in SETTINGS.items():
        given = os.environ.get(variable_of(name))
        if given:
            fits = fitting(given, known)
            if fits is None:
                problems.append(Problem(variable_of(name), f"{given!r} does not fit"))
            else:
                values[name], origins[name] = fits, f"{VARIABLE} {variable_of(name)}"
    return Cascade(values, origins, tuple(problems))


def compile_settings(state: str, root: str) -> Settings:
    """Read the files, and write their values down for the hooks to come."""
    stamps = stamps_of(root)  # before reading: a change in between is seen at the next look
    values = {name: known.default for name, known in SETTINGS.items()}
    problems: list[Problem] = []
    for layer, path in sources(root):
        values |= _layer(layer, path, problems)
    written = {
        "stamps": stamps,
        "values": values,
        "problems": [str(problem) for problem in problems],
    }
    path = paths.compiled_settings(state, root)
    files.own_folder(os.path.dirname(path), within=state)
    files.write_whole(path, seal.sealed(json.dumps(written).encode()))
    return with_variables(values)


def requirement_layers(
    root: str, *, every: bool = False
) -> tuple[list[tuple[str, Table]], list[Problem]]:
    """What each file says of requirements, weakest first; and what could not be read of those
    that hold nothing else, or of `every` one."""
    layers: list[tuple[str, Table]] = []
    problems: list[Problem] = []
    for _, path in requirement_sources(root):
        content = _table_of(path, [] if _is_ours(path) and not every else problems)
        if content:
            layers.append((path, content))
    return layers, problems


def _is_ours(path: str) -> bool:
    return os.path.basename(path).startswith("config.")


def compile_requirements(state: str, root: str) -> Compiled:
    """Read the files, and write their requirements down for the hooks to come."""
    from holdfast.rooms.gates.triggers import literals

    stamps = [stamp(path) for _, path in requirement_sources(root)]
    layers, unread = requirement_layers(root, every=True)
    # Problems of our own files are shown with the settings.
    shown = [problem for problem in unread if not _is_ours(problem.file)]
    compiled, problems = requirement.compile_all(layers, OUR_NAMES)
    active = requirement.active(compiled)
    for body in active.values():
        for trigger in body["trigger_tools"]:
            # Told once, here: a command without these words costs a hook nothing.
            trigger["literals"] = sorted(literals(trigger["command_pattern"]))
    written = {
        "stamps": stamps,
        "requirements": active,
        "options": requirement.options(layers),
        "problems": [*map(str, shown), *(f"{file}: {what}" for file, what in problems)],
        "unread": [str(problem) for problem in unread],
    }
    path = paths.compiled_requirements(state, root)
    files.own_folder(os.path.dirname(path), within=state)
    usual: Mapping[str, object] = next(iter(active.values()), {})
    unusual = {name: _but_for(usual, body) for name, body in active.items()}
    content = json.dumps(written | {"usual": usual, "requirements": unusual}).encode()
    files.write_whole(path, seal.sealed(content))
    return written


def _but_for(usual: Mapping[str, object], body: Mapping[str, object]) -> dict[str, object]:
    """A requirement without what it shares with the first one: hooks read this before each tool
    call, and requirements are alike in most of their fields."""
    return {
        name: value for name, value in body.items() if name not in usual or usual[name] != value
    }


def _table_of(path: str, problems: list[Problem]) -> Table:
    """A file as a table; what cannot be read is left out, and told."""
    content = files.read_bytes(path, SIZE_CAP_BYTES + 1)
    if content is None:
        if stamp(path) is not None:
            problems.append(Problem(path, "cannot be read; it is left out"))
        return {}
    if len(content) > SIZE_CAP_BYTES:
        problems.append(Problem(path, "too large for a configuration"))
        return {}
    try:
        table = yaml.safe_load(content)
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError, ValueError) as error:
        problems.append(Problem(path, f"not readable as YAML{_place(error)}; it is left out"))
        return {}
    if table is None:
        return {}
    if not isinstance(table, dict):
        problems.append(Problem(path, "not a table of settings; it is left out"))
        return {}
    return table


def _layer(layer: str, path: str, problems: list[Problem]) -> Settings:
    ours = {
        name: value
        for name, value in _table_of(path, problems).items()
        if name in OUR_NAMES or name not in requirement.OPTIONS
    }
    values: Settings = {}
    for name, value in _flat(ours, "").items():
        wrong = _wrong(name, value, layer)
        if wrong:
            problems.append(Problem(path, wrong))
        else:
            values[name] = value
    return values


def _flat(table: Table, before: str) -> Settings:
    """{"a": {"b": 1}} as {"a.b": 1}, down to the names of settings."""
    flat: Settings = {}
    for key, value in table.items():
        name = f"{before}{key}"
        if isinstance(value, dict) and name not in SETTINGS:
            flat |= _flat(value, f"{name}.")
        else:
            flat[name] = value
    return flat


def _wrong(name: str, value: Any, layer: str) -> str:
    """What is wrong with a value, "" when it fits."""
    known = SETTINGS.get(name)
    if known is None:
        return f"there is no setting {name}"
    if known.personal and layer == PROJECT:
        return f"{name} is personal: it counts in your own files only"
    if type(value) is int and type(known.default) is float:
        value = float(value)
    if type(value) is not type(known.default):
        return f"{name} wants a {_word(known.default)}, not a {_word(value)}"
    if name == "redaction.patterns":
        return _wrong_patterns(
            [item.get("pattern") for item in value if isinstance(item, dict)], value
        )
    if name == "redaction.exceptions":
        return _wrong_patterns(value, value)
    if type(value) in (int, float) and not is_within(value, known):
        low, high = known.range
        return f"{name} wants a number " + (
            f"from {low:g} to {high:g}" if high < 1 << 40 else "above 0" if low else "from 0 on"
        )
    return ""


def _wrong_patterns(patterns: list[Any], given: list[Any]) -> str:
    if len(patterns) != len(given) or not all(isinstance(pattern, str) for pattern in patterns):
        return "redaction wants patterns as texts (for patterns: {name, pattern})"
    for pattern in patterns:
        try:
            re.compile(pattern)
        except re.error as error:
            return f"the pattern {pattern!r} cannot be compiled: {error}"
    return ""


def _word(value: Any) -> str:
    words = {
        bool: "true or false",
        int: "number",
        float: "number",
        list: "list",
        dict: "table",
        str: "text",
    }
    return words.get(type(value), type(value).__name__)


def _place(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    return f" (line {mark.line + 1}, column {mark.column + 1})" if mark else ""
