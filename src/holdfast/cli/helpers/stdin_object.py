"""What an agent gives a command on stdin: a JSON object, or nothing at all.

An agent with nothing to say may leave stdin open, so a command waits only for a moment. What cannot
be read counts as nothing, with a warning.
"""

from __future__ import annotations

import os
import select
import sys
import time
from collections.abc import Mapping
from typing import Any

from holdfast.system import jsontext

LIMIT_S = 0.5
CAP_BYTES = 1 << 20


def given() -> tuple[dict[str, Any], tuple[str, ...]]:
    """The object, and warnings."""
    raw = _read()
    if not raw.strip():
        return {}, ()
    try:
        payload = jsontext.loads(raw.decode("utf-8", "replace"))
    except ValueError as error:
        return {}, (f"Warning: stdin was not read ({error}); taken for a startup",)
    return (
        (payload, ()) if isinstance(payload, dict) else ({}, ("Warning: stdin is no JSON object",))
    )


def text(payload: Mapping[str, object], name: str) -> str:
    value = payload.get(name)
    return value if isinstance(value, str) else ""


def _read() -> bytes:
    if sys.stdin is None or sys.stdin.closed or sys.stdin.isatty():
        return b""
    handle, until, content = sys.stdin.fileno(), time.monotonic() + LIMIT_S, b""
    while len(content) < CAP_BYTES:
        left = until - time.monotonic()
        if left <= 0 or not select.select([handle], [], [], left)[0]:
            break
        part = os.read(handle, 1 << 16)
        if not part:
            break
        content += part
    return content
