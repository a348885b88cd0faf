from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from holdfast.system import leftovers, paths

pytestmark = pytest.mark.promise("X3")

NOBODY = 4_194_305  # a number that no process has
HOUR_S = 3_600


def left(path: str, *, hours: float = 2.0) -> Path:
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    file.write_text("half")
    then = time.time() - hours * HOUR_S
    os.utime(file, (then, then))
    return file


def ours(state: str, common: str, pid: int) -> list[str]:
    """A temporary file in each place, as each of our writers names it."""
    runtime, spare = paths.runtime_folder(), paths.spare(state)
    return [
        f"{paths.registry(state)}.{pid}.tmp",
        f"{paths.pack(state, '0badc0de')}.{pid}.tmp",
        f"{paths.compiled_settings(state, '/x')}.{pid}.tmp",
        *(f"{paths.store(state)}.rebuild-{pid}{log}" for log in ("", "-wal", "-shm")),
        f"{paths.spools(state)[0]}/event.json.{pid}.tmp",
        f"{spare}/denied-s1.{pid}.tmp",
        f"{paths.brief(runtime, 's1')}.{pid}.tmp",
        f"{paths.project_folder(common)}/sessions/s1.json.{pid}.tmp",
    ]


def test_what_killed_processes_left_is_swept_in_every_place_of_ours(state, repo):
    common = str(repo / ".git")
    killed = [left(path) for path in ours(state, common, NOBODY)]

    assert leftovers.find(state, common) == sorted(map(str, killed))
    assert leftovers.sweep(state, common) == len(killed)
    assert not any(path.exists() for path in killed)


def test_what_is_fresh_or_at_work_or_not_ours_is_left_alone(state, repo):
    common = str(repo / ".git")
    fresh = [left(path, hours=0.1) for path in ours(state, common, NOBODY)]
    at_work = [left(path) for path in ours(state, common, os.getpid())]
    foreign = [
        left(f"{state}/mine.{NOBODY}.tmp"),
        left(f"{state}/quarantine/store.db.rebuild-{NOBODY}"),
        left(f"{paths.runtime_folder()}/other.{NOBODY}.tmp"),
        left(f"{common}/index.{NOBODY}.tmp"),
        left(f"{state}/settings/notes.tmp"),
        left(f"{state}/store.db"),
    ]
    link = Path(f"{state}/faults.jsonl.{NOBODY}.tmp")
    link.symlink_to(foreign[0])

    assert leftovers.sweep(state, common) == 0
    assert all(path.exists() for path in (*fresh, *at_work, *foreign, link))


def test_after_a_day_a_number_belongs_to_another_process(state):
    old = left(f"{paths.registry(state)}.{os.getpid()}.tmp", hours=25)

    assert leftovers.sweep(state) == 1
    assert not old.exists()


def test_a_detached_process_sweeps(door, state):
    killed = left(f"{paths.store(state)}.rebuild-{NOBODY}")

    assert door.run(b"", errand="rebuild").returncode == 0
    assert not killed.exists()
