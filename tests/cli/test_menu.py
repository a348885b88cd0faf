"""The menu as people see it: help by what they want, and completion in their shell."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from terminal import run

from holdfast.cli import COMMANDS, MENU

pytestmark = pytest.mark.promise("A6")

PROGRAM = Path(sys.executable).with_name("holdfast")


def test_help_lists_every_command_once_under_what_people_want(repo):
    lines = run(repo, "--help").stdout.splitlines()

    titles = [line.rstrip(":") for line in lines if line.endswith(":") and line[0] != " "]
    assert titles == ["Options", *MENU]
    listed = [line.split()[0] for line in lines if line[:2] == "  " and line[2:3].isalpha()]
    assert [word for word in listed if word in COMMANDS] == list(COMMANDS)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_is_given_a_script_that_asks_holdfast(repo, shell):
    script = run(repo, "completion", shell).stdout

    assert "_HOLDFAST_COMPLETE" in script
    assert "holdfast" in script


def test_a_word_that_is_begun_is_completed(repo):
    given = {
        "_HOLDFAST_COMPLETE": "bash_complete",
        "COMP_WORDS": "holdfast deci",
        "COMP_CWORD": "1",
    }
    done = subprocess.run(
        [PROGRAM],
        cwd=repo,
        env={**os.environ, **given},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    words = [line.partition(",")[2] for line in done.stdout.splitlines()]
    assert words == ["decide", "decisions", "decision"]
