"""An import is killed, at any moment, and run again: the store is that of one run.

Real processes. The same transcripts are taken in by one that nobody disturbs, and by others that
are killed at moments spread over the time that a whole one takes, until one comes to its end.
"""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

# At the end: modules of other tests have names of benchmarks.
sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

from transcripts import contents

from holdfast.store.sqlite import Store
from law import assert_replay_law
from measure import some_or_all
from scenarios.made_transcripts import a_month, fork_of

pytestmark = pytest.mark.promise("R3")

LIMIT_S = 120
# The import says when it begins: what comes before is the interpreter's.
IMPORT = """
import sys
from holdfast.hook import importing
from holdfast.ledger.workspace import Workspace
found = importing.listed(sys.argv[1])
workspace = Workspace(sys.argv[2])
print("begun", flush=True)
taken = importing.Import(workspace).take_in(found, lambda *_: None)
print(taken.sessions)
"""


def begin(folder: Path, state: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", IMPORT, str(folder), str(state)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    return process


def taken_in(folder: Path, state: Path) -> int:
    """Sessions that a whole run took in."""
    process = begin(folder, state)
    assert process.stdout is not None
    with process.stdout as lines:
        written = lines.read()
    assert process.wait(LIMIT_S) == 0
    return int(written)


def transactions(state: Path) -> int:
    store = Store(f"{state}/store.db")
    try:
        return int(store.value("select count(*) from entries where kind = 'transcript_imported'"))
    finally:
        store.close()


@some_or_all(3, 40)
def test_an_import_that_is_killed_and_run_again_leaves_what_one_run_leaves(amount, repo, tmp_path):
    made = a_month(tmp_path, repo)
    fork_of(made[0], tmp_path, repo)
    folder = tmp_path / "projects"
    began = time.monotonic()
    assert taken_in(folder, tmp_path / "whole") == 6
    seconds = time.monotonic() - began
    expected = contents(str(tmp_path / "whole"))
    chance = random.Random(20)

    for number in range(amount):
        state = tmp_path / f"killed{number}"
        for _ in range(2):
            process = begin(folder, state)
            try:
                process.wait(chance.uniform(0, seconds))
            except subprocess.TimeoutExpired:
                process.kill()
            process.communicate(timeout=LIMIT_S)
        before = transactions(state)

        assert taken_in(folder, state) == 6 - before
        assert contents(str(state)) == expected
        assert taken_in(folder, state) == 0
    assert_replay_law(str(tmp_path / "whole"), repo)
