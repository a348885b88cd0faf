"""What killed processes left half done: recognised by name, age and owner, and swept.

A file is replaced whole by way of `<name>.<pid>.tmp`, and tables are rebuilt in
`store.db.rebuild-<pid>`. Law: nothing is removed but a plain file of ours, in a place of ours, of
such a name, whose process is gone and has been for longer than anything of ours takes. No link is
followed, and quarantined copies are left alone.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator

from holdfast.system import paths, processes

# A process that we do not see may live in another container: nothing of ours takes this long.
LEAST_AGE_S = 3_600.0
# By then its number belongs to another process, whatever that is.
SURE_AGE_S = 86_400.0
LOGS = ("-wal", "-shm", "-journal")
# What lies in a state home itself; its folders hold nothing that is not ours.
OURS = (
    *("store.db.", "sessions.json.", "faults.", "acts.", "costs.log.", "requirements."),
    *("hook.", "paused."),
)
FOLDERS = ("settings", "spool", "archive", "installs", "trajectory", "notes")
IN_RUNTIME = ("brief-", "context-")


def find(state: str, common: str = "") -> list[str]:
    """Every leftover in the state home, the runtime folder and beside a repository."""
    now = time.time()
    runtime, spare = paths.runtime_folder(), paths.spare(state)
    places = [*_named(state, OURS), *_named(runtime, IN_RUNTIME), *_below(spare)]
    places += [path for name in FOLDERS for path in _below(f"{state}/{name}")]
    if common:
        places += _below(paths.project_folder(common))
    return sorted(path for path in places if _is_left(path, now))


def sweep(state: str, common: str = "") -> int:
    """Remove them; how many there were."""
    left = find(state, common)
    for path in left:
        try:
            os.unlink(path)
        except OSError:
            continue  # another process was first, or the disk is read-only: the next one, then
    return len(left)


def owner_of(name: str) -> int:
    """The process that a temporary file is named after; 0 for any other file."""
    for log in LOGS:
        name = name.removesuffix(log)
    if name.endswith(".tmp"):
        number = name[:-4].rpartition(".")[2]
    elif name.startswith("store.db.rebuild-"):
        number = name.rpartition("-")[2]
    else:
        return 0
    return int(number) if number.isdecimal() and len(number) < 11 else 0


def _is_left(path: str, now: float) -> bool:
    owner = owner_of(os.path.basename(path))
    if not owner:
        return False
    try:
        status = os.lstat(path)
    except OSError:
        return False
    if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
        return False
    age_s = now - status.st_mtime
    return age_s > SURE_AGE_S or (age_s > LEAST_AGE_S and not processes.process_started(owner))


def _named(folder: str, beginnings: tuple[str, ...]) -> Iterator[str]:
    if os.path.islink(folder) or not os.path.isdir(folder):
        return
    for name in os.listdir(folder):
        if name.startswith(beginnings):
            yield f"{folder}/{name}"


def _below(folder: str) -> Iterator[str]:
    if os.path.islink(folder):
        return
    for place, _, names in os.walk(folder):
        for name in names:
            yield f"{place}/{name}"
