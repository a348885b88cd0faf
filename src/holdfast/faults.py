"""Faults of our own: swallowed at the door, and never silently.

A fault is one JSON line, appended. When the state home cannot take it the runtime folder does.
Nothing here raises.
"""

from __future__ import annotations

from holdfast import jsontext, paths, platform
from holdfast.platform import system
from holdfast.redaction import gate_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SIZE_CAP_BYTES = 1 << 20


def note(state: str, kind: str, place: str, detail: str = "") -> None:
    """Count a fault: its kind, where it happened, when."""
    line = jsontext.dumps(
        {"at": platform.now(), "kind": kind, "place": place, "detail": gate_text(detail, 300)}
    )
    for folder in (state, paths.runtime_folder()):
        try:
            _append(paths.faults(platform.own_folder(folder)), f"{line}\n".encode())
        except Exception:  # noqa: BLE001, S112 - the last resort has no other to turn to
            continue
        return


def all_of(state: str) -> list[dict[str, Any]]:
    """Every fault that is on record, oldest first."""
    found = []
    for folder in (state, paths.runtime_folder()):
        for line in (platform.read_text(paths.faults(folder)) or "").splitlines():
            try:
                said = jsontext.loads(line)
            except ValueError:
                continue  # a line that a full disk cut short
            if isinstance(said, dict):
                found.append(said)
    return sorted(found, key=lambda fault: str(fault.get("at")))


def _append(path: str, line: bytes) -> None:
    flags = (
        system.O_WRONLY | system.O_CREAT | system.O_APPEND | system.O_NOFOLLOW | system.O_CLOEXEC
    )
    handle = system.open(path, flags, 0o600)
    try:
        if system.fstat(handle).st_size < SIZE_CAP_BYTES:
            platform.write_all(handle, line)
    finally:
        system.close(handle)
