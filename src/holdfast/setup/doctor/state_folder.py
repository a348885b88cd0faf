"""The state home: whose it is, who may read it, on what disk, how much is free."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from holdfast.rooms.sessions import work_tree
from holdfast.setup.doctor.finding import BROKEN, NOTE, POOR, WELL, Finding, Patient
from holdfast.system import files as system_files
from holdfast.system import leftovers, paths

FREE_POOR_BYTES, FREE_BROKEN_BYTES = 256 << 20, 16 << 20


def folder(patient: Patient) -> Iterator[Finding]:
    """The state home: whose it is, who may read it, on what disk, how much is free."""
    if not os.path.isdir(patient.state):
        yield Finding("state home", NOTE, f"{patient.state} is not there yet")
        return
    system_files.own_folder(patient.state)
    yield from _modes(patient)
    yield from _leftovers(patient)
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


def _modes(patient: Patient) -> Iterator[Finding]:
    """In every place of ours: the state home, the runtime folder, beside the repository."""
    common = work_tree.look(str(patient.root)).common
    places = [
        patient.state,
        paths.runtime_folder(),
        *([paths.project_folder(common)] * bool(common)),
    ]
    open_ones = [
        path
        for place in places
        if system_files.is_ours(place)
        for path in _all_files(place)
        if os.lstat(path).st_mode & 0o077 and os.lstat(path).st_uid == os.geteuid()
    ]
    if open_ones:
        message = f"{len(open_ones)} files may be read by others, such as {open_ones[0]}"
        yield Finding("modes", BROKEN, message, lambda: _close(open_ones))
    else:
        yield Finding("modes", WELL, "0600 and 0700")


def _leftovers(patient: Patient) -> Iterator[Finding]:
    common = work_tree.look(str(patient.root)).common
    left = leftovers.find(patient.state, common)
    if left:
        message = f"{len(left)} files that killed processes left half done, such as {left[0]}"
        yield Finding("leftovers", POOR, message, lambda: _sweep(patient.state, common))


def _sweep(state: str, common: str) -> None:
    leftovers.sweep(state, common)


def _all_files(state: str) -> list[str]:
    paths_there = [state]
    for place, folders, names in os.walk(state):
        paths_there += [os.path.join(place, name) for name in (*folders, *names)]
    return [path for path in paths_there if not os.path.islink(path) and os.path.exists(path)]


def _close(open_ones: Iterable[str]) -> None:
    for path in open_ones:
        os.chmod(path, 0o700 if os.path.isdir(path) else 0o600)
