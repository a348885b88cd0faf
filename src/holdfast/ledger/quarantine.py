"""The quarantine: copies of damaged files as they were found, each time in a folder of its own.

A copy is safe on the disk before anything else is done. It stays until a person removes it, or
forgets what is in it.
"""

from __future__ import annotations

import os
import shutil

from holdfast.store.salvage import Held
from holdfast.system import clock, paths
from holdfast.system import files as system_files

LOGS_LOOKED_AT = 3


def put_aside(state: str, files: list[str], held: Held | None = None) -> str:
    """Copy files; the folder they are in now. Those that are not there are left out."""
    folder = system_files.own_folder(paths.quarantine(state), within=state)
    name = clock.now().replace(":", "")
    while os.path.lexists(f"{folder}/{name}"):
        name += "+"
    aside = system_files.own_folder(f"{folder}/{name}")
    for path in files:
        there = f"{aside}/{os.path.basename(path)}"
        if os.path.isdir(path):
            shutil.copytree(path, there, symlinks=True)
        elif os.path.isfile(path):
            _copy(path, there, held)
    for place in (aside, folder):
        sync(place)
    return aside


def logs(state: str) -> list[str]:
    """The logs put aside last: whoever did it may have been killed before he had used them."""
    folder = paths.quarantine(state)
    candidates = [f"{folder}/{name}/store.db-wal" for name in system_files.names_in(folder)]
    return [path for path in candidates if os.path.isfile(path)][-LOGS_LOOKED_AT:]


def sync(path: str) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _copy(path: str, there: str, held: Held | None) -> None:
    source = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    target = os.open(there, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        while part := os.read(source, 1 << 20):
            system_files.write_all(target, part)
        os.fsync(target)
    finally:
        os.close(target)
        if held:
            held.handles.append(source)  # to close it would let go of what is held
        else:
            os.close(source)
