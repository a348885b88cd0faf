"""A full disk, a dying one, a missing permission: told as what they are, never as a bug of ours."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path

import apsw
import pytest
from around import event, fill, knock, small_disk

from conftest import Door
from holdfast.errors import REFUSALS, StoreError
from holdfast.ledger import faults
from holdfast.setup.doctor import POOR, Patient
from holdfast.setup.doctor.examination import examine
from holdfast.system import refused

pytestmark = pytest.mark.promise("O2")
root = pytest.mark.skipif(os.geteuid() != 0, reason="mounting needs root")
strace = pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed")


def command(
    folder: Path, *words: str, before: tuple[str, ...] = (), **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*before, sys.executable, "-m", "holdfast", *words],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("name", REFUSALS)
def test_each_refusal_of_the_system_is_known_by_its_own_words(name, tmp_path):
    error = OSError(getattr(errno, name), os.strerror(getattr(errno, name)), "/srv/state/x")
    wrapped = StoreError("it could not be written")
    wrapped.__cause__ = error

    explained = refused.explained(error, str(tmp_path))
    assert explained is not None
    assert (str(explained), explained.hint) == (
        f"{REFUSALS[name][0]}: /srv/state/x",
        REFUSALS[name][1],
    )
    assert refused.cause_of(wrapped, str(tmp_path)) == name


def test_what_is_no_refusal_of_the_system_stays_a_bug(tmp_path):
    assert refused.explained(FileNotFoundError(errno.ENOENT, "gone"), str(tmp_path)) is None
    assert refused.explained(ValueError("x"), str(tmp_path)) is None
    assert refused.explained(apsw.ConstraintError("x"), str(tmp_path)) is None


@root
def test_a_full_disk_is_told_as_one_at_the_next_start_in_status_and_by_the_doctor(
    door: Door, repo, tmp_path
):
    with small_disk(tmp_path / "small") as small:
        state = small / "state"
        shutil.copytree(door.state, state)
        knock(door, event(door, "SessionStart.startup", session_id="s1"), state=str(state))
        fill(small)
        knock(door, event(door, "UserPromptSubmit", session_id="s1"), state=str(state))

        words = f"the disk is full: {state}"
        assert {fault["cause"] for fault in faults.all_of(str(state))} == {"ENOSPC"}
        found = [each for each in examine(Patient(str(state), repo)) if each.check == "faults"]
        assert [each.standing for each in found] == [POOR]
        assert found[0].message.startswith(words)
        assert found[0].message.endswith(": make room on it")
        status = command(repo, "status", HOLDFAST_STATE_HOME=str(state)).stdout
        assert f": {words}\n" in status

        (small / "ballast").unlink()
        answer = knock(door, event(door, "SessionStart.startup", session_id="s2"), state=str(state))
        assert (
            f"Holdfast could not do its work once ({words}): make room on it.".encode()
            in answer.stdout
        )
        again = knock(door, event(door, "SessionStart.startup", session_id="s3"), state=str(state))
        assert b"could not do its work" not in again.stdout


@root
def test_a_command_on_a_full_disk_says_so_and_not_that_it_is_a_bug(door: Door, repo, tmp_path):
    with small_disk(tmp_path / "small") as small:
        state = small / "state"
        shutil.copytree(door.state, state)
        knock(door, event(door, "SessionStart.startup", session_id="s1"), state=str(state))
        fill(small)

        done = command(repo, "pin", "The cookie is signed", HOLDFAST_STATE_HOME=str(state))

        assert done.returncode == 1
        assert done.stderr.startswith("error: the disk is full: ")
        assert done.stderr.endswith("hint:  make room on it\n")


@strace
@pytest.mark.parametrize("name", ["ENOSPC", "EDQUOT", "EIO", "EROFS", "EACCES", "ENFILE"])
def test_a_command_whose_file_the_system_refuses_says_what_it_refused(door: Door, repo, name):
    knock(door, event(door, "SessionStart.startup", session_id="s1"))
    refuse = ("strace", "-f", "-qq", "-o", "/dev/null", "-e", f"inject=rename:error={name}")

    done = command(repo, "init", before=refuse)

    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert REFUSALS[name][0] in done.stderr
    assert "bug in holdfast" not in done.stderr


def test_a_process_that_may_open_no_more_files_says_so(door: Door, repo):
    knock(door, event(door, "SessionStart.startup", session_id="s1"))
    outputs = [
        command(repo, "sessions", before=("sh", "-c", f'ulimit -n {few}; exec "$@"', "sh")).stderr
        for few in range(5, 9)
    ]

    assert [output for output in outputs if "bug in holdfast" in output] == []
    assert any(output.startswith("error: too many files are open") for output in outputs)
