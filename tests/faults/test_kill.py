"""A hook is killed, at any moment: the ledger is whole, and at most the event in flight is missing.

`strace` finds every system call a hook makes, and then kills a hook at each of them in turn. The
store is set back in between, in place, so that every hook makes the same calls.
"""

from __future__ import annotations

import json
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from around import LIMIT_S, assert_private, assert_sound, event, fault_kinds, keys, knock, waiting

from conftest import Door
from law import assert_replay_law
from measure import some_or_all

CI = bool(os.environ.get("CI"))
CALL = re.compile(r"^(\d+) +(\w+)\(")
# The agent is this process, whatever stands between it and its hooks.
HERE = {"CLAUDE_PID": str(os.getpid())}


@pytest.fixture(scope="session")
def strace() -> str:
    if not shutil.which("strace") and os.geteuid() == 0 and shutil.which("apt-get"):
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "check": False}
        subprocess.run(["apt-get", "update", "-qq"], timeout=120, **quiet)
        subprocess.run(["apt-get", "install", "-y", "-qq", "strace"], timeout=120, **quiet)
    found = shutil.which("strace") or ""
    works = bool(found) and subprocess.run(
        [found, "-o", os.devnull, "true"], check=False, capture_output=True
    )
    if not works or works.returncode != 0:
        if sys.platform == "linux" and CI:
            pytest.fail("strace does not work here")
        pytest.skip("no strace, or not permitted to trace")
    return found


def spread(calls: list[tuple[str, int]], amount: int) -> list[tuple[str, int]]:
    """About so many, and the last: few calls follow the commit, and one must be among them."""
    step = max(1, len(calls) // amount)
    return list(dict.fromkeys([*calls[step // 2 :: step], calls[-1]]))


class Base:
    """A state home to which every killed hook is sent anew. Files are written back in place: the
    store's machine is known by its inode."""

    def __init__(self, door: Door) -> None:
        self._files = {
            path: path.read_bytes()
            for path in Path(door.state).rglob("*")
            if path.is_file() and not path.name.endswith("-shm")
        }
        self._state = Path(door.state)

    def restore(self) -> None:
        for path in list(self._state.rglob("*")):
            if path.is_file() and path not in self._files:
                path.unlink()
        for path, content in self._files.items():
            path.write_bytes(content)
            path.chmod(0o600)


class Traced:
    """The installed hook under strace."""

    def __init__(self, strace: str, door: Door, log: Path) -> None:
        self._strace = strace
        self._door = door
        self._log = log

    def run(self, said: dict[str, Any], *options: str) -> int:
        # The tracer stands beside the hook, not above it: what calls a hook counts.
        done = subprocess.run(
            [
                *(self._strace, "-D", "-f", "-qq", "-o", str(self._log), *options),
                *shlex.split(self._door.command),
            ],
            input=json.dumps(said).encode(),
            env={**self._door.environment, **HERE},
            cwd=self._door.folder,
            capture_output=True,
            timeout=LIMIT_S,
            check=False,
        )
        return done.returncode

    def calls(self, said: dict[str, Any]) -> list[tuple[str, int]]:
        """Every system call from the opening of the store to the exit: its name, and how many
        of that name there had been by then. A row of reads is one."""
        assert self.run(said) == 0
        self._wait_for_the_log()
        counts: Counter[str] = Counter()
        found = []
        own, is_open = "", False
        for line in self._log.read_text(errors="replace").splitlines():
            call = CALL.match(line)
            if call is None:
                continue  # a signal, an exit, or the second half of a call
            own = own or call[1]
            if call[1] != own:
                continue  # git, which a hook asks about a project it has not met
            counts[call[2]] += 1
            is_open = is_open or "/store.db" in line
            # Pages of the log are read one after the other, and reading leaves nothing behind.
            again = call[2] == "pread64" and found and found[-1][0] == "pread64"
            if is_open and not again:
                found.append((call[2], counts[call[2]]))
        return found

    def _wait_for_the_log(self) -> None:
        """The tracer outlives the hook by a moment."""
        for _ in range(int(LIMIT_S * 100)):
            if "exit_group(" in self._log.read_text(errors="replace"):
                return
            time.sleep(0.01)
        raise AssertionError("the tracer never told of the end")

    def kill_at(self, said: dict[str, Any], name: str, number: int) -> bool:
        """Kill a hook as it enters a call; whether it came to that."""
        inject = f"inject={name}:signal=KILL:when={number}"
        code = self.run(said, "-e", f"trace={name}", "-e", inject)
        assert code in (0, -9, 137)
        return code != 0


@pytest.fixture
def traced(strace: str, door: Door, tmp_path: Path) -> Traced:
    return Traced(strace, door, tmp_path / "strace.log")


def call(door: Door, session: str, number: int) -> dict[str, Any]:
    used = f"call-{session}-{number}"
    return event(door, "PostToolUse.Bash", session_id=session, tool_use_id=used)


def until_the_log_is_emptied(door: Door) -> tuple[Base, int]:
    """A base at which the next hook not only writes to SQLite's log but copies it back too: all
    that a hook ever does to the store is then in one trace."""
    log = Path(f"{door.state}/store.db-wal")
    for number in range(100):
        base = Base(door)
        knock(door, call(door, "s1", number), **HERE)
        if log.stat().st_size == 0:
            base.restore()
            return base, number
    raise AssertionError("the log was never emptied")


@pytest.mark.promise("S5")
@some_or_all(12, 1 << 20)
def test_a_hook_killed_at_any_system_call_loses_at_most_its_own_event(
    door, repo, state, traced, amount
):
    knock(door, event(door, "SessionStart.startup", session_id="s1"), **HERE)
    base, next_ = until_the_log_is_emptied(door)
    said = call(door, "s1", next_)
    before = [("s1", f"tool:call-s1-{number}") for number in range(next_)]
    whole = [*before, ("s1", f"tool:call-s1-{next_}")]
    calls = traced.calls(said)
    assert {"fdatasync", "ftruncate", "pwrite64", "exit_group"} <= {name for name, _ in calls}
    calls = spread(calls, amount)
    killed, survived = 0, 0

    for name, number in calls:
        base.restore()
        killed += traced.kill_at(said, name, number)
        found = keys(state, "tool_used")
        assert found in (before, whole), (name, number)
        survived += found == whole
        assert_sound(state)
        knock(door, said, **HERE)
        assert keys(state, "tool_used") == whole, (name, number)
        assert waiting(state) == []

    # Not every number comes up twice: memory is asked for as it happens to lie.
    assert killed > len(calls) * 0.8
    assert 0 < survived < len(calls)
    assert fault_kinds(state) == []
    assert_private(Path(state))
    assert_replay_law(state, repo)


@pytest.mark.promise("S5")
@some_or_all(8, 60)
def test_a_session_whose_first_hook_is_killed_begins_with_the_next(
    door, repo, state, traced, amount
):
    """From nothing: the folder, the store and its tables are not there yet."""
    said = event(door, "SessionStart.startup", session_id="s1")
    base = Base(door)
    calls = traced.calls(said)
    chosen = random.Random(4).sample(calls, amount)
    killed = 0

    for name, number in chosen:
        base.restore()
        shutil.rmtree(repo / ".git" / "holdfast", ignore_errors=True)
        killed += traced.kill_at(said, name, number)
        knock(door, said, **HERE)
        knock(door, call(door, "s1", 0), **HERE)
        assert keys(state, "tool_used") == [("s1", "tool:call-s1-0")], (name, number)
        assert len(keys(state, "session_began")) == 1, (name, number)
        assert len(keys(state, "project_met")) == 1, (name, number)
        assert waiting(state) == []
        assert_sound(state)

    assert killed > len(chosen) * 0.7
    assert fault_kinds(state) == []
    assert_replay_law(state, repo)


class Writers(threading.Thread):
    """One agent: it sends its events one after the other, and some hooks of its are killed."""

    def __init__(self, door: Door, session: str, enough: Locked) -> None:
        super().__init__(daemon=True)
        self._door = door
        self._session = session
        self._enough = enough
        self._chance = random.Random(session)
        self.done: list[str] = []
        self.killed: list[str] = []
        self.odd: list[tuple[int, bytes]] = []

    def run(self) -> None:
        pace = 0.0
        for number in range(800):
            if self._enough.is_over:
                return
            # Every other hook is let live, and tells how long one takes just now.
            moment = self._chance.uniform(0.0, pace) if number % 2 else LIMIT_S
            key = f"tool:call-{self._session}-{number}"
            began = time.monotonic()
            code, said = self._send(call(self._door, self._session, number), moment)
            pace = pace if number % 2 else time.monotonic() - began
            if code == -9:
                self.killed.append(key)
                if next(self._enough, None) is None:
                    return
            else:
                self.done.append(key)
                if (code, said) != (0, b""):
                    self.odd.append((code, said))

    def _send(self, said: dict[str, Any], moment: float) -> tuple[int, bytes]:
        # `exec`: what is killed is the hook, not the shell before it.
        hook = subprocess.Popen(
            ["/bin/sh", "-c", f"exec {self._door.command}"],
            env=self._door.environment,
            cwd=self._door.folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        timer = threading.Timer(moment, hook.kill)
        timer.start()
        try:
            out, _ = hook.communicate(json.dumps(said).encode(), timeout=LIMIT_S)
        finally:
            timer.cancel()
            hook.kill()
        return hook.returncode, out


@pytest.mark.promise("S5")
@some_or_all(40, 200)
def test_hooks_killed_among_four_writers_lose_only_their_own_events(door, repo, state, amount):
    sessions = [f"s{number}" for number in range(4)]
    for session in sessions:
        knock(door, event(door, "SessionStart.startup", session_id=session))
    enough = Locked(amount - 1)
    writers = [Writers(door, session, enough) for session in sessions]

    try:
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
    finally:
        enough.stop()  # also when the time limit cuts in: no hook goes on beside other tests

    killed = {(w._session, key) for w in writers for key in w.killed}
    done = {(w._session, key) for w in writers for key in w.done}
    assert [writer.odd for writer in writers] == [[]] * 4
    assert len(killed) >= amount
    assert len(done) >= amount
    found = keys(state, "tool_used")
    spooled = {(said["session"], said["key"]) for said in waiting(state)}
    assert Counter(found).most_common(1)[0][1] == 1
    assert done - set(found) - spooled == set()
    assert set(found) - done - killed == set()
    if amount >= 200:  # of so many, both happened: killed before it was kept, and killed after
        assert 0 < len(killed - set(found)) < len(killed)
    assert_sound(state)

    for writer in writers:
        for key in [*writer.killed, *writer.done[:5]]:
            knock(door, call(door, writer._session, int(key.rpartition("-")[2])))

    assert sorted(keys(state, "tool_used")) == sorted(done | killed)
    assert waiting(state) == []
    assert fault_kinds(state) == []
    assert_replay_law(state, repo)


class Locked:
    """A count-down that threads may share."""

    def __init__(self, count: int) -> None:
        self._left = iter(range(count))
        self._lock = threading.Lock()
        self.is_over = False

    def __next__(self) -> int:
        with self._lock:
            return next(self._left)

    def stop(self) -> None:
        self.is_over = True

    def __iter__(self) -> Locked:
        return self
