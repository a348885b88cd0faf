"""Every setting: one table. The only reader of configuration and of variables that override it.

One cascade, later wins, lists replace: the user's file, the project's, the project's local one
(not committed), then `HOLDFAST_*`. YAML is read by `configuration.py`, once per change, into a
compiled file; here, on the hook path, that file is only looked up by the sources' stamps.

Law: what a repository brings along may not weaken what protects its reader. A setting that is
marked personal is not taken from the project's committed file.
"""

from __future__ import annotations

from holdfast import jsontext, paths, platform
from holdfast.platform import system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

USER, PROJECT, LOCAL, VARIABLE, DEFAULT = "user", "project", "local", "variable", "default"


class Setting:
    """A name's default, what it means, and whether only its reader may set it."""

    __slots__ = ("default", "help", "personal")

    def __init__(self, default: Any, help_: str, *, personal: bool = False) -> None:
        self.default = default
        self.help = help_
        self.personal = personal


SETTINGS: dict[str, Setting] = {
    "enabled": Setting(True, "Whether hooks do anything in this project."),
    "briefing.start_tokens": Setting(
        1500, "The most tokens that a session is told when it begins."
    ),
    "sessions.silence_hours": Setting(
        24, "Silence after which a session counts as crashed where its process cannot be seen."
    ),
    "archive.older_than_days": Setting(30, "Age after which `holdfast archive` takes a session."),
    "redaction.patterns": Setting(
        [], "More patterns of secrets to remove: a list of {name, pattern}."
    ),
    "redaction.exceptions": Setting(
        [], "Patterns of texts that are no secrets and stay.", personal=True
    ),
}


def sources(root: str) -> list[tuple[str, str]]:
    """The files of the cascade, weakest first, whether they are there or not."""
    found = [(USER, f"{paths.config_home()}/config.yaml")]
    if root:
        found.append((PROJECT, f"{root}/.holdfast/config.yaml"))
        found.append((LOCAL, f"{root}/.holdfast/config.local.yaml"))
    return found


def lookup(state: str, root: str) -> dict[str, Any] | None:
    """Every setting's value in a project; None when a source has changed since it was compiled."""
    stamps = stamps_of(root)
    if not any(stamps):
        return with_variables({name: known.default for name, known in SETTINGS.items()})
    path = paths.compiled_settings(state, root)
    content = platform.read_text(path)
    if content:
        try:
            compiled = jsontext.loads(content)
            if compiled["stamps"] == stamps and set(compiled["values"]) == set(SETTINGS):
                return with_variables(compiled["values"])
        except (ValueError, KeyError, TypeError):
            pass  # torn or foreign: to be compiled again
    return None


def problems(state: str, root: str) -> list[str]:
    """What was wrong with the files when they were compiled, a line each."""
    if not any(stamps_of(root)):
        return []
    try:
        compiled = jsontext.loads(platform.read_text(paths.compiled_settings(state, root)) or "{}")
        return [f"Configuration: {line}." for line in compiled["problems"]]
    except (ValueError, KeyError, TypeError):
        return []  # torn: it is compiled again in a moment


def with_variables(values: dict[str, Any]) -> dict[str, Any]:
    """Single settings overridden from outside; a value that does not fit is left out."""
    for name, known in SETTINGS.items():
        given = platform.env(variable_of(name))
        if given:
            value = fitting(given, known.default)
            if value is not None:
                values[name] = value
    return values


def variable_of(name: str) -> str:
    return f"HOLDFAST_{name.upper().replace('.', '_')}"


def fitting(given: str, default: Any) -> Any:
    """A variable's text as the type of its setting, None when it does not fit."""
    if isinstance(default, bool):
        return {"1": True, "true": True, "0": False, "false": False}.get(given.lower())
    if isinstance(default, int):
        return int(given) if given.isdecimal() else None
    return None  # lists are for files


def stamps_of(root: str) -> list[list[int] | None]:
    return [stamp(path) for _, path in sources(root)]


def stamp(path: str) -> list[int] | None:
    """What changes when a file does; None when it is not there."""
    try:
        found = system.stat(path)
    except OSError:
        return None
    return [found.st_mtime_ns, found.st_size, found.st_ino]
