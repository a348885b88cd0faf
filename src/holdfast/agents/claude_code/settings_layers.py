"""The settings files that Claude Code reads, and which of them decides what.

Seen with the real client 2.1.325: a value is taken from the strongest file that has it, managed
before local before project before user, so a `false` above undoes a `true` below; a file that is no
JSON is left out alone; `allowManagedHooksOnly` and `strictPluginOnlyCustomization` count in managed
files only. Policy that a server or a device manager delivers is in no file, and not looked at.
"""

from __future__ import annotations

from holdfast.system import files, jsontext, paths
from holdfast.system.environment import LINUX, env

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

USER, PROJECT, LOCAL, MANAGED = "user", "project", "local", "managed"
POLICY_FOLDER = "/etc/claude-code" if LINUX else "/Library/Application Support/ClaudeCode"


class SettingsFile:
    """One file that is there: what it says, or that it cannot be read."""

    __slots__ = ("is_readable", "layer", "path", "values")

    def __init__(self, layer: str, path: str, values: dict[str, Any] | None) -> None:
        self.layer = layer
        self.path = path
        self.is_readable = values is not None
        self.values = values or {}

    def env(self, name: str) -> str | None:
        """A variable that the file sets for everything the client runs; None when it does not."""
        variables = self.values.get("env")
        value = variables.get(name) if isinstance(variables, dict) else None
        return None if value is None else str(value)

    def events_with(self, command: str) -> list[str]:
        """The events for which a hook is there whose command names a file."""
        hooks = self.values.get("hooks")
        return [
            event
            for event, groups in (hooks.items() if isinstance(hooks, dict) else ())
            if any(command in text for text in _commands(groups))
        ]


def _commands(groups: Any) -> list[str]:
    """Whatever stands where commands should."""
    hooks = [
        hook
        for group in (groups if isinstance(groups, list) else ())
        if isinstance(group, dict) and isinstance(group.get("hooks"), list)
        for hook in group["hooks"]
    ]
    return [str(hook.get("command")) for hook in hooks if isinstance(hook, dict)]


def user_file() -> str:
    return f"{env('CLAUDE_CONFIG_DIR').rstrip('/') or f'{paths.home()}/.claude'}/settings.json"


def places(root: str) -> list[tuple[str, str]]:
    """Layer and path of every file that a session in a project may read, weakest first."""
    drop_ins = f"{POLICY_FOLDER}/managed-settings.d"
    return [
        (USER, user_file()),
        (PROJECT, f"{root}/.claude/settings.json"),
        (LOCAL, f"{root}/.claude/settings.local.json"),
        (MANAGED, f"{POLICY_FOLDER}/managed-settings.json"),
        *(
            (MANAGED, f"{drop_ins}/{name}")
            for name in files.names_in(drop_ins)
            if name.endswith(".json") and not name.startswith(".")
        ),
    ]


def read_all(root: str) -> list[SettingsFile]:
    """Those of them that are there, weakest first."""
    return [_read(layer, path) for layer, path in places(root) if files.exists(path)]


def _read(layer: str, path: str) -> SettingsFile:
    text = (files.read_text(path) or "").removeprefix("\ufeff")
    try:
        values = jsontext.loads(text) if text.strip() else {}
    except ValueError:
        values = None
    return SettingsFile(layer, path, values if isinstance(values, dict) else None)


def deciding(layers: list[SettingsFile], name: str) -> SettingsFile | None:
    """The file whose value counts: the strongest that has one."""
    return next((layer for layer in reversed(layers) if name in layer.values), None)


def deciding_env(layers: list[SettingsFile], name: str) -> SettingsFile | None:
    """The file whose variable counts."""
    return next((layer for layer in reversed(layers) if layer.env(name) is not None), None)
