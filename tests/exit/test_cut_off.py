"""kill -9 in the middle: it is forgotten or it is not, and running it again finishes."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cli.terminal import in_a_shell
from exit.leaving import ALIAS, MARK, A, B, assert_sound, data, files_with, holdfast, mark
from holdfast.ledger import queries
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.sessions import queries as sessions
from holdfast.store.sqlite import Store
from holdfast.system import clock, paths

pytestmark = pytest.mark.promise("O3")

ENTRIES = 1_500


@pytest.fixture
def a_long_session(door, repo, state, tmp_path) -> Path:
    """A session with much to forget, and a copy of the state home as it was."""
    door.send("SessionStart.startup", session_id=B)
    door.send("UserPromptSubmit", session_id=B, prompt="Draw the map")
    door.send("SessionStart.startup", session_id=A)
    workspace = Workspace(state)
    project = sessions.find(workspace.store, A).project
    with workspace.store.transaction():
        for number in range(ENTRIES):
            said = {"prompt": f"{mark()} {'x' * 300}"}
            workspace.keep(
                "prompt_given",
                said,
                key=f"p{number}",
                at=clock.now(),
                project=project,
                session=A,
            )
    workspace.store.close()
    door.send("Stop", session_id=A)
    Path(paths.log(state)).write_text(mark())
    Path(state, "quarantine").mkdir()
    shutil.copy(paths.store(state), Path(state, "quarantine", "store.db"))
    shutil.copytree(state, tmp_path / "as it was")
    beside = shutil.ignore_patterns("*.tmp")  # written just now, in the background
    shutil.copytree(repo / ".git" / "holdfast", tmp_path / "beside", ignore=beside)
    return tmp_path


def restored(folder: Path, state: str, repo: Path) -> None:
    for source, place in (("as it was", Path(state)), ("beside", repo / ".git" / "holdfast")):
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(folder / source, place)


@pytest.mark.parametrize(
    ("arguments", "times"),
    [
        pytest.param(["forget", A, "--yes", ALIAS], 4, id="forget, some"),
        pytest.param(["forget", A, "--yes", ALIAS], 20, id="forget", marks=pytest.mark.exhaustive),
        pytest.param(
            ["purge", "--project", "--yes", "app"], 10, id="purge", marks=pytest.mark.exhaustive
        ),
    ],
)
def test_a_kill_at_any_moment_leaves_it_forgotten_or_not_and_the_next_run_finishes(
    a_long_session, repo, state, everywhere, arguments, times
):
    started = time.monotonic()
    assert holdfast(repo, *arguments).returncode == 0
    whole_s = time.monotonic() - started
    killed = 0
    chance = random.Random(20261115)
    for number in range(times):
        restored(a_long_session, state, repo)
        # The first third is the interpreter's: each kill falls into a slice of its own after it.
        delay_s = whole_s * (0.3 + 0.7 * (number + chance.random()) / times)
        was_killed = _kill_after(delay_s, repo, arguments)
        killed += was_killed
        if not was_killed:  # the machine is less busy by now than when it was timed
            whole_s = min(whole_s, delay_s)

        store = Store(paths.store(state))
        bodies = len(queries.with_body(store, A, ("session_forgotten",)))
        assert bodies == 0 or bodies > ENTRIES
        assert (sessions.find(store, A) is None) == (bodies == 0)
        assert sessions.find(store, B) is not None or "purge" in arguments
        store.close()
        assert_sound(state)

        name = _name_now(repo, arguments)
        again = holdfast(repo, *arguments[:-1], name)

        if again.returncode:  # nothing was left to do, not even an id to find the project by
            assert "nothing was kept of a project here" in again.stderr
        assert files_with(MARK, *everywhere) == []
        assert_sound(state)
    assert killed >= times // 4, "it was done before the kill came"


def _name_now(repo: Path, arguments: list[str]) -> str:
    """The name that a second run wants: a project that is forgotten has but its id."""
    done = holdfast(repo, *arguments[:-2], "--dry-run", "--json")
    if done.returncode:
        return "app"
    return str(data(repo, *arguments[:-2], "--dry-run")["name"])


def _kill_after(delay_s: float, repo: Path, arguments: list[str]) -> bool:
    """Whether it was still at work. A person types it: without a shell above it is refused."""
    killing = ["timeout", "-s", "KILL", f"{delay_s:.3f}"]
    words = [*killing, sys.executable, "-m", "holdfast", *arguments]
    return in_a_shell(words, repo, dict(os.environ), b"").returncode == 128 + signal.SIGKILL


LIMITED = """
import resource, runpy, sys
limit = int(sys.argv.pop(1))
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
runpy.run_module("holdfast", run_name="__main__", alter_sys=True)
"""


@pytest.mark.parametrize(
    ("limit", "said"),
    [(45_000, "nothing was changed"), (400_000, "it is out of the ledger, but")],
    ids=["the ledger cannot be written", "the file cannot be written anew"],
)
def test_a_disk_without_room_is_told_about_and_the_next_run_finishes(
    door, repo, state, everywhere, limit, said
):
    agent = door.agent()
    door.send("SessionStart.startup", agent=agent, session_id=A)
    agent.kill()
    workspace = Workspace(state)
    with workspace.store.transaction():
        for number in range(ENTRIES):
            body = {"prompt": f"{mark() if number < 100 else number} {'y' * 600}"}
            session = A if number < 100 else B
            workspace.keep("prompt_given", body, key=f"p{number}", at=clock.now(), session=session)
    workspace.store.close()

    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(limit), "forget", A, "--yes", ALIAS],
        cwd=repo,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 1, done.stderr
    assert said in done.stderr
    assert_sound(state)
    assert holdfast(repo, "forget", A, "--yes", ALIAS).returncode == 0
    assert files_with(MARK, *everywhere) == []
    assert_sound(state)
