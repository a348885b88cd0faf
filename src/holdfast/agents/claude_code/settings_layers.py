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

    Object = dict[str, Any]

USER, PROJECT, LOCAL, MANAGED = "user", "project", "local", "managed"
POLICY_FOLDER = "/etc/claude-code" if LINUX else "/Library/Application Support/ClaudeCode"


class SettingsFile:
    """One file that is there: what it says, or that it cannot be read."""

    def __init__(self, layer: str, path: str, values: Object | None) -> None:
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
        return [
            event
            for event, hooks in self._hooks()
            if any(command in str(hook.get("command")) for hook in hooks)
        ]

    def _hooks(self) -> list[tuple[str, list[Object]]]:
        hooks = self.values.get("hooks")
        return [
            (event, _in_groups(groups))
            for event, groups in (hooks.items() if isinstance(hooks, dict) else ())
        ]


def _in_groups(groups: Any) -> list[Object]:
    """Whatever stands where hooks should."""
    return [
        hook
        for group in (groups if isinstance(groups, list) else ())
        if isinstance(group, dict) and isinstance(group.get("hooks"), list)
        for hook in group["hooks"]
        if isinstance(hook, dict)
    ]


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
    return [read(path, layer) for layer, path in places(root) if files.exists(path)]


def read(path: str, layer: str = "") -> SettingsFile:
    text = (files.read_text(path) or "").removeprefix("\ufeff")
    try:
        values = jsontext.loads(text) if text.strip() else {}
    except ValueError:
        values = None
    return SettingsFile(layer, path, values if isinstance(values, dict) else None)


def deciding(layers: list[SettingsFile], name: str) -> SettingsFile | None:
    """The file whose value counts: the strongest that has one."""
    return next((layer for layer in reversed(layers) if name in layer.values), None)


def plugin_file(root: str, plugin: str) -> str:
    """The file that switches a plugin on, of whichever marketplace; "" where none does."""
    switched: dict[str, str] = {}
    for layer in read_all(root):
        plugins = layer.values.get("enabledPlugins")
        for name, is_on in plugins.items() if isinstance(plugins, dict) else ():
            if name.partition("@")[0] == plugin:
                switched[name] = layer.path if is_on is True else ""
    return next((path for path in switched.values() if path), "")


def deciding_env(layers: list[SettingsFile], name: str) -> SettingsFile | None:
    """The file whose variable counts."""
    return next((layer for layer in reversed(layers) if layer.env(name) is not None), None)
