"""The replay law, as a helper that every scenario calls.

Replaying the ledger in another process, with another hash seed, another clock, another time zone
and without the repository gives equal rows in every derived table.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zlib
from pathlib import Path

import holdfast
from holdfast.ledger import faults, queries
from holdfast.store.sqlite import Store

SCRIPT = """
import json, sys, time
real = time.gmtime
time.time = lambda: 1.0
time.gmtime = lambda *_: real(1)
from holdfast.ledger import replay
from holdfast.store.sqlite import Store
print(json.dumps(replay.differences(Store(sys.argv[1]))))
"""


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
        # Another one for each test, and the same one whenever it is run again.
        seed = str(zlib.crc32(os.environ.get("PYTEST_CURRENT_TEST", "").encode()))
        replayed = subprocess.run(
            [sys.executable, "-c", SCRIPT, store.path],
            env={
                "PYTHONHASHSEED": seed,
                "TZ": "Pacific/Auckland",
                "HOME": os.environ["HOME"],
                "PYTHONPATH": str(Path(holdfast.__file__).parents[1]),
            },
            capture_output=True,
            text=True,
            check=True,
            timeout=300,
            cwd="/",
        )
        assert json.loads(replayed.stdout) == {}, f"with the hash seed {seed}"
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
