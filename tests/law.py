"""The replay law, as a helper that every scenario calls.

Replaying the ledger in another process, with another hash seed, another clock, another time zone
and without the repository gives equal rows in every derived table.
"""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import holdfast
from holdfast.ledger import faults, queries
from holdfast.store.sqlite import Store

SERVER = """
import json, os, sys, time, traceback
real = time.gmtime
time.time = lambda: 1.0
time.gmtime = lambda *_: real(1)
from holdfast.ledger import projections, replay
from holdfast.store.sqlite import Store
for room in projections.ROOMS:
    projections.projection_of(room)
for line in sys.stdin:
    home, path = json.loads(line)
    child = os.fork()
    if child == 0:
        os.environ["HOME"] = home
        try:
            answer = replay.differences(Store(path))
        except BaseException:
            answer = traceback.format_exc()
        print(json.dumps(answer), flush=True)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    if status:
        print(json.dumps(f"the replay ended with {status}"), flush=True)
"""


@cache
def replayer() -> subprocess.Popen[str]:
    """A process that replays whatever store it is told, each in a fork of its own: it loads the
    package once, and ends with this one."""
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER],
        env={
            "PYTHONHASHSEED": "1",
            "TZ": "Pacific/Auckland",
            "PYTHONPATH": str(Path(holdfast.__file__).parents[1]),
        },
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd="/",
    )
    atexit.register(server.communicate)
    return server


def differences(path: str) -> Any:
    """What replaying a store elsewhere gives otherwise than it holds."""
    server = replayer()
    assert server.stdin is not None and server.stdout is not None
    server.stdin.write(json.dumps([os.environ["HOME"], path]) + "\n")
    server.stdin.flush()
    return json.loads(server.stdout.readline())


def assert_replay_law(state: str, *repositories: Path) -> None:
    """The law holds, the sequence has no gap, and no entry is damaged."""
    store = Store(f"{state}/store.db")
    assert queries.damaged(store) == []
    for machine, count, last in store.rows(
        "select machine, count(*), max(seq) from entries group by machine"
    ):
        assert count == last, f"the sequence of {machine} has gaps"
    moved = [(path, path.with_name(f"{path.name}-moved-away")) for path in repositories]
    for path, away in moved:
        path.rename(away)
    try:
        assert differences(store.path) == {}
    finally:
        for path, away in moved:
            away.rename(path)
        store.close()


def assert_nothing_swallowed(state: str) -> None:
    assert faults.all_of(state) == []
    for folder in (f"{state}/spool",):
        assert not os.path.isdir(folder) or os.listdir(folder) == []


def copy_of(state: str, to: Path) -> str:
    """A state home as it lies on disk right now, for tests that damage it."""
    shutil.copytree(state, to)
    return str(to)
