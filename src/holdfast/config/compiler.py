"""Configuration files, read and compiled: YAML in, plain values and clear problems out.

A malformed file is left out, and so is a value that does not fit; each is one clear line. Nothing
here stops an agent.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast.config import layers as config_layers, redaction_patterns, requirement
from holdfast.config.compiled import (
    FORM,
    PROJECT,
    parts,
    read as read_compiled,
    requirement_sources,
    sources,
    stamps_of,
)
from holdfast.config.demands import OUR_NAMES
from holdfast.config.field import key_of
from holdfast.config.layers import DEMANDING, PERSONAL, Layer, Layers, Problem
from holdfast.config.requirement import FIELDS
from holdfast.config.settings import (
    DEFAULT,
    SETTINGS,
    VARIABLE,
    fitting,
    is_within,
    variable_of,
    with_variables,
)
from holdfast.system import files, paths, seal

if TYPE_CHECKING:
    from holdfast.config.field import Table

if TYPE_CHECKING:
    from holdfast.config.compiled import Compiled, Stamp
    from holdfast.config.requirement_type import Requirements
    from holdfast.config.settings import Settings


STANDS = (
    "is gone or weaker than it was, and no commit did that; it counts as before until a person runs"
    " `holdfast trust`"
)


@dataclass(frozen=True)
class Cascade:
    """Every value with where it came from, what could not be read, and what waits for trust."""

    values: Settings
    origins: dict[str, str]
    problems: tuple[Problem, ...]
    waiting: tuple[Problem, ...]


def cascade(root: str) -> Cascade:
    """The whole cascade, read afresh."""
    values = {name: known.default for name, known in SETTINGS.items()}
    origins = dict.fromkeys(SETTINGS, DEFAULT)
    read = layers_of(root)
    problems = [*read.problems]
    for layer in read.layers:
        for name, value in _settings(layer, problems).items() if _is_ours(layer.path) else ():
            values[name], origins[name] = value, layer.path
    for name, known in SETTINGS.items():
        given = os.environ.get(variable_of(name))
        if given:
            fits = fitting(given, known)
            if fits is None:
                problems.append(Problem(variable_of(name), f"{given!r} does not fit"))
            else:
                values[name], origins[name] = fits, f"{VARIABLE} {variable_of(name)}"
    waiting = [Problem(layer.path, line) for layer in read.layers for line in layer.waiting]
    return Cascade(values, origins, tuple(problems), tuple(waiting))


def compile_settings(state: str, root: str) -> Settings:
    """Read the files, and write their values down for the hooks to come."""
    # Before reading: a change in between is seen at the next look.
    stamps = stamps_of(state, root, sources(root))
    values = {name: known.default for name, known in SETTINGS.items()}
    read = config_layers.read(state, root, sources(root))
    problems = [*read.problems]
    for layer in read.layers:
        values |= _settings(layer, problems)
    written = {"stamps": stamps, "values": values, **_told(problems)}
    path = paths.compiled_settings(state, root)
    files.own_folder(os.path.dirname(path), within=state)
    files.write_whole(path, seal.sealed(json.dumps(written).encode()))
    return with_variables(values)


def _told(problems: list[Problem]) -> dict[str, Any]:
    """What a session that begins is told of problems: of those in a repository's words how many."""
    lines = [str(problem) for problem in problems if not problem.is_foreign]
    return {"problems": lines, "foreign": len(problems) - len(lines)}


def layers_of(root: str) -> Layers:
    """Every file that may hold settings or requirements, read afresh."""
    return config_layers.read(paths.state_home(), root, requirement_sources(root))


def requirement_layers(
    root: str, *, every: bool = False
) -> tuple[list[tuple[str, Table]], list[Problem]]:
    """What each file says of requirements, weakest first; and what could not be read of those
    that hold nothing else, or of `every` one."""
    read = layers_of(root)
    problems = [each for each in read.problems if every or not _is_ours(each.file)]
    return _tables(read), problems


def _tables(read: Layers) -> list[tuple[str, Table]]:
    return [(layer.path, layer.table) for layer in read.layers if layer.table]


def _is_ours(path: str) -> bool:
    return os.path.basename(path).startswith("config.")


def compile_requirements(state: str, root: str) -> Compiled:
    """Read the files, and write their requirements down for the hooks to come."""
    from holdfast.rooms.gates.triggers import literals

    stamps = stamps_of(state, root, requirement_sources(root))
    read = config_layers.read(state, root, requirement_sources(root))
    layers = _tables(read)
    compiled, wrong = requirement.compile_all(layers, OUR_NAMES)
    # Unreadable files of our own are shown with the settings.
    problems = [problem for problem in read.problems if not _is_ours(problem.file)]
    problems += [Problem(file, what, read.is_foreign(file)) for file, what in wrong]
    active = requirement.active(compiled)
    is_off = any(map(_switches_off, read.layers))
    held, kept = ({}, {}) if is_off else _held(state, root, active, stamps)
    active |= kept
    problems += [Problem(file, f"requirement {name} {STANDS}") for name, (file, *_) in held.items()]
    for body in active.values():
        for trigger in body["trigger_tools"]:
            # Told once, here: a command without these words costs a hook nothing.
            trigger["literals"] = sorted(literals(trigger["command_pattern"]))
    written = {
        "stamps": stamps,
        "form": FORM,
        "requirements": active,
        "options": requirement.options(layers),
        **_told(problems),
        "unread": [str(problem) for problem in read.problems],
        "waiting": read.waiting(),
        "committed": read.committed(),
        "held": held,
    }
    path = paths.compiled_requirements(state, root)
    if not any(stamps) and not held:
        files.remove(path)
        return written
    files.own_folder(os.path.dirname(path), within=state)
    usual: Mapping[str, object] = next(iter(active.values()), {})
    unusual = {name: _but_for(usual, body) for name, body in active.items()}
    content = json.dumps(written | {"usual": usual, "requirements": unusual}).encode()
    files.write_whole(path, seal.sealed(content))
    return written


def _switches_off(layer: Layer) -> bool:
    """Whether a file of the person's switches all of Holdfast off: then nothing could be met."""
    return (
        _is_ours(layer.path) and layer.standing == PERSONAL and layer.table.get("enabled") is False
    )


def _held(
    state: str, root: str, active: Requirements, stamps: list[Stamp]
) -> tuple[dict[str, list[str]], Requirements]:
    """Demands that were compiled last and are gone by now, or weaker, though no commit and no
    person did that: they still count. Each with the file of the project that was changed, and what
    that leaves of it."""
    before = read_compiled(paths.compiled_requirements(state, root)) if root else None
    if not before or not before.keys() >= {"usual", "requirements", "stamps", "held"}:
        return {}, {}
    whole: Any = {n: {**before["usual"], **each} for n, each in before["requirements"].items()}
    demands = {name: each for name, each in whole.items() if each.keys() >= FIELDS.keys()}
    places = [path for _, path in requirement_sources(root)]
    changed = [
        path
        for path, old, new in zip(places, before["stamps"], stamps, strict=False)
        if (old or [])[:3] != (new or [])[:3]
    ]
    held: dict[str, list[str]] = {}
    for name, each in demands.items():
        left = parts(name, active[name]) if name in active else []
        if not {*parts(name, each)} <= {*left}:
            suspects = before.get("held", {}).get(name, [])[:1] or changed
            unexplained = [path for path in suspects if _is_unexplained(state, root, path)]
            if unexplained:
                held[name] = [unexplained[0], *left]
    return held, {name: demands[name] for name in held}


def _is_unexplained(state: str, root: str, path: str) -> bool:
    """Whether a file of the project is neither as it was committed nor as a person trusted it."""
    from holdfast.config import trust
    from holdfast.system.git import is_as_committed

    name = path.removeprefix(f"{root}/")
    if name == path or is_as_committed(root, path):
        return False
    return trust.digests(state, root).get(name) != trust.digest(files.read_bytes(path) or b"")


def _but_for(usual: Mapping[str, object], body: Mapping[str, object]) -> dict[str, object]:
    """A requirement without what it shares with the first one: hooks read this before each tool
    call, and requirements are alike in most of their fields."""
    return {
        name: value for name, value in body.items() if name not in usual or usual[name] != value
    }


def _settings(layer: Layer, problems: list[Problem]) -> Settings:
    """What a layer sets. Of one that only demands nothing counts, and what is wrong is told."""
    table = layer.table if layer.whole is None else layer.whole
    ours = {
        name: value
        for name, value in table.items()
        if name in OUR_NAMES or name not in requirement.OPTIONS
    }
    values: Settings = {}
    for name, given in _flat(ours, "").items():
        value, refused = redaction_patterns.usable(name, given)
        is_foreign = layer.standing != PERSONAL
        problems += [Problem(layer.path, reason, is_foreign) for reason in refused]
        wrong = _wrong(name, value, layer)
        if wrong:
            problems.append(Problem(layer.path, wrong, is_foreign))
        elif layer.standing != DEMANDING:
            values[name] = value
    return values


def _flat(table: Table, before: str) -> Settings:
    """{"a": {"b": 1}} as {"a.b": 1}, down to the names of settings."""
    flat: Settings = {}
    for key, value in table.items():
        name = f"{before}{key_of(key)}"
        if isinstance(value, dict) and name not in SETTINGS:
            flat |= _flat(value, f"{name}.")
        else:
            flat[name] = value
    return flat


def _wrong(name: str, value: Any, layer: Layer) -> str:
    """What is wrong with a value, "" when it fits."""
    known = SETTINGS.get(name)
    if known is None:
        return f"there is no setting {name}"
    if known.personal and (layer.name == PROJECT or layer.standing != PERSONAL):
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
