"""The system underneath, variables, and the launcher's bundle of modules.

The hook path comes through here, so it imports `posix` and not `os`, whose import costs a tenth of
a whole hook.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    system: Any
else:
    try:
        import posix as system
    except ImportError:  # a system without it: slower, the same names
        import os as system

LINUX = sys.platform == "linux"
INSIDE = "HOLDFAST_INSIDE"


def bring(group: str) -> bool:
    """Load a group of modules from the launcher's one file, where there is such a file (bundle/);
    False when it is gone or stale: then each is found when it is asked for, which takes longer."""
    load = getattr(sys.modules["__main__"], "bring", None)
    return load is not None and bool(load(group))


def is_bundle_damaged() -> bool:
    """Whether the launcher's one file was found to be other than it was written."""
    return bool(getattr(sys.modules["__main__"], "damaged", False))


def set_with(prefix: str) -> dict[str, str]:
    """The environment variables whose names begin so."""
    start = prefix.encode()
    return {
        name.decode(): value.decode("utf-8", "surrogateescape")
        for name, value in system.environ.items()
        if name.startswith(start)
    }


def env(name: str) -> str:
    """An environment variable, or "" when it is not set."""
    value: bytes = system.environ.get(name.encode()) or b""
    return value.decode("utf-8", "surrogateescape")
