"""Hooks of `type: http`: what is written into an agent's settings, and the token they show.

Laws: the token lies in a file that this user alone can read, and in no settings file, argument or
output: the agent takes it from its own environment. What must not be missed goes by command.
"""

from __future__ import annotations

import os
import secrets
from urllib.parse import urlsplit

from holdfast.agents import sender_surroundings
from holdfast.errors import HoldfastError
from holdfast.setup.settings_file import JsonObject, JsonValue
from holdfast.system import files, paths

PATH = "/hooks"
PORT = 4653  # HOLD
TOKEN_BYTES = 32
# A gate that opens when a server is down is no gate; a beginning and an end that are missed make a
# session look crashed. The client runs no SessionStart over HTTP, and of PreCompact it takes plain
# text, which no answer over HTTP may be.
BY_COMMAND = frozenset({"SessionStart", "PreToolUse", "PreCompact", "Stop", "SessionEnd"})


def hook(port: int, timeout: int) -> JsonObject:
    names: list[JsonValue] = [sender_surroundings.TOKEN, *sender_surroundings.CARRIED]
    return {
        "type": "http",
        "url": f"http://127.0.0.1:{port}{PATH}",
        "headers": {
            "Authorization": f"Bearer ${sender_surroundings.TOKEN}",
            sender_surroundings.HEADER: sender_surroundings.header_value(),
        },
        "allowedEnvVars": names,
        "timeout": timeout,
    }


def is_ours(hook: JsonObject) -> bool:
    """Whether a hook knocks on this machine, with our token."""
    url, names = hook.get("url"), hook.get("allowedEnvVars")
    if hook.get("type") != "http" or not isinstance(url, str) or not isinstance(names, list):
        return False
    where = urlsplit(url)
    is_here = where.hostname == "127.0.0.1" and where.path == PATH
    return is_here and sender_surroundings.TOKEN in names


def token(state: str) -> str:
    """What a program shows that asks over HTTP; made when it is asked for first."""
    path = paths.token(files.own_folder(state))
    known = (files.read_text(path) or "").strip()
    if not known:
        known = secrets.token_urlsafe(TOKEN_BYTES)
        files.write_whole(path, f"{known}\n".encode())
    if os.stat(path).st_mode & 0o077:
        hint = f"run `chmod 600 {path}`, or remove the file for a new one"
        raise HoldfastError(f"{path} may be read by others", hint=hint)
    return known
