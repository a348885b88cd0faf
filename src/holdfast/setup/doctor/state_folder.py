"""The state home: whose it is, who may read it, on what disk, how much is free."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from holdfast.setup.doctor.finding import BROKEN, NOTE, POOR, WELL, Finding, Patient
from holdfast.system import files as system_files

FREE_POOR_BYTES, FREE_BROKEN_BYTES = 256 << 20, 16 << 20


def folder(patient: Patient) -> Iterator[Finding]:
    """The state home: whose it is, who may read it, on what disk, how much is free."""
    if not os.path.isdir(patient.state):
        yield Finding("state home", NOTE, f"{patient.state} is not there yet")
        return
    system_files.own_folder(patient.state)
    open_ones = [path for path in _all_files(patient.state) if os.lstat(path).st_mode & 0o077]
    if open_ones:
        message = f"{len(open_ones)} files may be read by others, such as {open_ones[0]}"
        yield Finding("modes", BROKEN, message, lambda: _close(open_ones))
    else:
        yield Finding("modes", WELL, "0600 and 0700")
    kind = system_files.network_file_system(patient.state)
    if kind:
        yield Finding("disk", BROKEN, f"the state home is on a network file system ({kind})")
    free = os.statvfs(patient.state)
    left = free.f_bavail * free.f_frsize
    standing = BROKEN if left < FREE_BROKEN_BYTES else POOR if left < FREE_POOR_BYTES else WELL
    if os.statvfs(patient.state).f_flag & os.ST_RDONLY:
        yield Finding("disk", BROKEN, "the state home cannot be written to: read-only")
    else:
        yield Finding("disk", standing, f"{left >> 20} MB free")


def _all_files(state: str) -> list[str]:
    paths_there = [state]
    for place, folders, names in os.walk(state):
        paths_there += [os.path.join(place, name) for name in (*folders, *names)]
    return [path for path in paths_there if not os.path.islink(path) and os.path.exists(path)]


def _close(open_ones: Iterable[str]) -> None:
    for path in open_ones:
        os.chmod(path, 0o700 if os.path.isdir(path) else 0o600)
