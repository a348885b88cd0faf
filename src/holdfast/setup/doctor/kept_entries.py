"""The state home and what it keeps: the folder, the disk, the store, and what is rendered of it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from holdfast.config import pause_file
from holdfast.errors import Damaged
from holdfast.ledger import queries as ledger, repair
from holdfast.ledger.replay import rebuild_stale
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.sessions import checked_acts, registry_file, work_tree
from holdfast.setup.doctor import BROKEN, NOTE, POOR, WELL, Finding, Patient
from holdfast.store.sqlite import DAMAGE
from holdfast.system import clock, files as system_files, leftovers, paths

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
        yield Finding("leftovers", POOR, message, lambda: leftovers.sweep(patient.state, common))


def _all_files(state: str) -> list[str]:
    paths_there = [state]
    for place, folders, names in os.walk(state):
        paths_there += [os.path.join(place, name) for name in (*folders, *names)]
    return [path for path in paths_there if not os.path.islink(path) and os.path.exists(path)]


def _close(open_ones: Iterable[str]) -> None:
    for path in open_ones:
        os.chmod(path, 0o700 if os.path.isdir(path) else 0o600)


CLOCK_SLACK_S = 300.0


def store(patient: Patient) -> Iterator[Finding]:
    """The store: it opens, its pages and its entries are what was written."""
    if not os.path.exists(paths.store(patient.state)):
        yield Finding("store", NOTE, "nothing has been kept yet")
        return
    try:
        workspace = Workspace(patient.state)
    except (*DAMAGE, Damaged) as error:
        yield Finding("store", BROKEN, f"{error}: `holdfast repair` mends what can be")
        return
    ailments = repair.ailments(workspace.store)
    for ailment in ailments:
        yield _ailing(patient, ailment)
    if not ailments:
        yield Finding(
            "store",
            WELL,
            f"entries: {ledger.count(workspace.store)}, all as they were written",
        )
    if any(ailment.what == repair.PAGES for ailment in ailments):
        return
    if workspace.stale:
        message = f"tables of {', '.join(workspace.stale)} wait for a rebuild"
        yield Finding("tables", POOR, message, lambda: rebuild_stale(patient.state))
    latest = ledger.latest_at(workspace.store)
    ahead = clock.seconds_of(latest) - clock.seconds_of(clock.now()) if latest else 0.0
    if ahead > CLOCK_SLACK_S:
        message = f"the clock was set back: the last entry is {int(ahead)} s in the future"
        yield Finding("clock", POOR, message)
    else:
        yield Finding("clock", WELL, "no entry from the future")
    workspace.store.close()


def _ailing(patient: Patient, ailment: repair.Ailment) -> Finding:
    """What only a person decides about (a copy of it is put aside) is `holdfast repair`'s."""
    if ailment.what == repair.TABLES:

        def mend() -> None:
            for room in ailment.rooms:
                repair.rebuild_room(patient.state, room)

        return Finding("tables", BROKEN, ailment.message, mend)
    standing = POOR if ailment.what == repair.UNSIGNED else BROKEN
    return Finding("store", standing, f"{ailment.message}: `holdfast repair` mends what can be")


def acts(patient: Patient) -> Iterator[Finding]:
    """What was done in the person's name, and may not have been the person."""
    if not os.path.exists(paths.store(patient.state)):
        return
    store = Workspace(patient.state).store
    lines = checked_acts.lately(store, patient.state, clock.now())
    for line in lines[-checked_acts.SHOWN :]:
        yield Finding("noticed", NOTE, line)
    if pause_file.is_foreign(patient.state):
        message = "no command of Holdfast wrote the file: if you did not, an agent may have"
        yield Finding("noticed", NOTE, f"paused, and {message}. `holdfast unpause` undoes it.")


def mirrors(patient: Patient) -> Iterator[Finding]:
    """Files people read."""
    if not os.path.exists(paths.registry(patient.state)):
        return
    unreadable = registry_file.unreadable(Workspace(patient.state))
    for path in unreadable:
        yield Finding(
            "mirrors",
            POOR,
            f"{path} cannot be read",
            lambda: registry_file.render_all(Workspace(patient.state)),
        )
    if not unreadable:
        yield Finding("mirrors", WELL, "sessions.json and the sessions' own read")
