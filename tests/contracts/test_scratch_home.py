"""The tests themselves: their home is a scratch one, in this process and in those it starts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from conftest import REAL_HOME
from holdfast.system import paths


def test_no_test_can_reach_the_developers_home(home, tmp_path):
    assert str(home).startswith(str(tmp_path))
    assert paths.home() == str(home)
    assert paths.home() != REAL_HOME
    assert os.path.expanduser("~") == str(home)
    assert Path.home() == home
    said = subprocess.check_output(
        [sys.executable, "-c", "from holdfast.system import paths; print(paths.state_home())"],
        text=True,
    )
    assert said.strip() == f"{home}/.local/state/holdfast"


def test_the_real_hook_command_keeps_to_the_scratch_home(door, home, repo):
    door.send("SessionStart.startup")

    assert (home / ".local" / "state" / "holdfast" / "store.db").exists()
    assert not (home / ".claude").exists()
    assert door.environment["HOME"] == str(home)
