"""A dream is killed, at any moment: nothing is lost, nothing is half-merged, and the lock is free.

Real processes, started as a hook starts them. A hundred are killed at moments spread over the time
that a whole one takes; others from inside SQLite, after each row that they keep, before their
commit and after it. The store is set back in between, in place, so that each has the same to dream.
"""

from __future__ import annotations

import os
import random
import shlex
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from around import LIMIT_S, Held, assert_private, assert_sound, fault_kinds, kept, opened
from consolidation.sleeper import Sleeper
from test_kill import Base
from test_kill_between_entries import COMMIT, CUT, DONE, ROW
from test_unavailable_store import fill, mount, root, small  # noqa: F401 - a fixture

from conftest import Door, git
from holdfast.hook import consolidate
from holdfast.ledger import faults
from holdfast.rooms.work import commands, queries as work_queries
from holdfast.system import environment, paths, processes
from law import assert_replay_law
from measure import some_or_all

SAYS = ("The cache is warmed by the first request", "the cache is warmed by the first request.")


class Asleep:
    """A project with something to dream of, and the command that a hook starts for it."""

    def __init__(self, door: Door, repo: Path) -> None:
        git(repo, "checkout", "-q", "-b", "feature/auth")
        self.door, self.state = door, door.state
        sleeper = Sleeper(door.state, repo)
        for number in range(6):
            name = f"s{number}"
            sleeper.session(name, "hub.py", f"{number % 3}.py", prompt="widget widgets", ends=False)
            sleeper.learn(SAYS[number % 2], name)
            commands.pin(sleeper.place(name), f"pin {number}", critical=True)
            commands.give_rule(sleeper.place(name), f"never touch file {number}")
        self.project = sleeper.project
        sleeper.store.close()
        self.base = Base(door)
        self.before = self.entries()
        self.said = self.words()

    def begin(self, *, cut: tuple[str, int] | None = None) -> subprocess.Popen[bytes]:
        interpreter = shlex.split(self.door.command)
        if cut:
            interpreter[-1] = self._cut(*cut)
        return subprocess.Popen(
            [*interpreter, "dream", self.project, "crisis"],
            env={**self.door.environment, environment.INSIDE: "1"},
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    def _cut(self, moment: str, number: int) -> str:
        path = Path(self.state).parent / "cut.py"
        own = paths.launcher(self.state)
        lines = Path(own).read_text().splitlines()
        folders = [line.partition(";")[0] for line in lines if "sys.path" in line]
        said = CUT.format(paths="\n".join(folders), moment=moment, number=number, launcher=own)
        path.write_text(said)
        return str(path)

    def ended(self, process: subprocess.Popen[bytes]) -> int:
        out, _ = process.communicate(timeout=LIMIT_S)
        assert out == b""
        return process.returncode

    def entries(self) -> list[tuple[str, str]]:
        return [(entry.kind, entry.session) for entry in kept(self.state)]

    def words(self) -> dict[str, list[Any]]:
        """Pins and rules: whatever happens, they are as they were."""
        with opened(self.state) as store:
            return {name: sorted(store.rows(f"select * from {name}")) for name in ("pins", "rules")}

    def learnings(self) -> int:
        with opened(self.state) as store:
            return len(work_queries.learnings(store, self.project, 100))

    def is_free(self) -> bool:
        """A moment later: who was about to start git left a child that has the lock until it
        runs."""
        lock = processes.Lock(paths.dream(self.state, self.project))
        try:
            return lock.take(wait_s=LIMIT_S)
        finally:
            lock.release()


@pytest.fixture
def asleep(door: Door, repo: Path) -> Asleep:
    return Asleep(door, repo)


def whole(asleep: Asleep) -> tuple[list[tuple[str, str]], int]:
    """What there is after a dream that nobody disturbs: entries, learnings."""
    assert asleep.ended(asleep.begin()) == 0
    found = (asleep.entries(), asleep.learnings())
    assert found[0][-1] == ("dreamt", "")
    assert found[1] == 1
    return found


@pytest.mark.promise("I9")
@some_or_all(12, 100)
def test_dreams_killed_at_any_moment_changed_everything_or_nothing(asleep, repo, amount):
    done = whole(asleep)
    nothing = (asleep.before, 6)
    chance, paces, seen = random.Random(9), [], {"nothing": 0, "everything": 0}

    for number in range(amount):
        if number % 20 == 0:  # how long one takes just now, on a machine that others use too
            asleep.base.restore()
            began = time.monotonic()
            assert asleep.ended(asleep.begin()) == 0
            paces.append(time.monotonic() - began)
        asleep.base.restore()
        process = asleep.begin()
        # Spread over all of its life: one in each part of it, and by chance inside of that. The
        # first is killed at once and the last lives, however busy the machine is.
        moment = (number + chance.random()) / amount * paces[-1] * 1.1 if number else 0.0
        timer = threading.Timer(LIMIT_S if number == amount - 1 else moment, process.kill)
        timer.start()
        code = asleep.ended(process)
        timer.cancel()

        assert code in (0, -9)
        found = (asleep.entries(), asleep.learnings())
        assert found in (nothing, done), number
        seen["everything" if found == done else "nothing"] += 1
        assert asleep.words() == asleep.said
        assert asleep.is_free()
        assert_sound(asleep.state)
        # The next one works, whatever this one left.
        assert asleep.ended(asleep.begin()) == 0
        assert (asleep.entries()[-1], asleep.learnings()) == (("dreamt", ""), 1)

    assert seen["nothing"] > 0
    assert seen["everything"] > 0
    assert fault_kinds(asleep.state) == []
    assert asleep.words() == asleep.said
    assert_private(Path(asleep.state))
    assert_replay_law(asleep.state, repo)


@pytest.mark.promise("I9")
@pytest.mark.exhaustive
def test_a_dream_cut_after_any_row_that_it_keeps_has_kept_none_and_after_its_commit_all(asleep):
    done = whole(asleep)
    rows = len(done[0]) - len(asleep.before)
    assert rows > 6
    moments = [(ROW, row) for row in range(1, rows + 1)] + [(COMMIT, rows), (DONE, rows)]

    for cut in moments:
        asleep.base.restore()
        assert asleep.ended(asleep.begin(cut=cut)) == -9

        found = (asleep.entries(), asleep.learnings())
        assert found == (done if cut[0] == DONE else (asleep.before, 6)), cut
        assert asleep.is_free()
        assert_sound(asleep.state)
        # The next one says so, and the one after it has no more to say of it.
        for was_cut in (1, 0):
            assert asleep.ended(asleep.begin()) == 0
            assert kept(asleep.state)[-1].body["counts"]["cut_short"] == was_cut


@pytest.mark.promise("I9")
def test_of_dreams_that_begin_at_once_one_dreams_at_a_time(asleep):
    several = [asleep.begin() for _ in range(6)]

    assert [asleep.ended(process) for process in several] == [0] * 6

    # Who waited for its turn in vain leaves; who got it found nothing left to merge.
    new = asleep.entries()[len(asleep.before) :]
    assert 1 <= new.count(("dreamt", "")) <= 6
    assert [kind for kind, _ in new].count("turned") == 5
    assert fault_kinds(asleep.state) == []
    assert_sound(asleep.state)


@pytest.mark.promise("I9")
def test_hooks_that_ask_for_a_dream_at_once_begin_one_and_none_for_a_minute(asleep):
    begun = []

    def ask() -> None:
        begun.append(consolidate.start(asleep.state, asleep.project, consolidate.CRISIS))

    several = [threading.Thread(target=ask) for _ in range(8)]
    for one in several:
        one.start()
    for one in several:
        one.join()

    assert sorted(begun) == [False] * 7 + [True]
    for _ in range(1_200):  # it is detached; it has a minute
        if asleep.entries()[-1] == ("dreamt", ""):
            break
        time.sleep(0.05)
    assert asleep.entries()[-1] == ("dreamt", "")
    assert consolidate.start(asleep.state, asleep.project, consolidate.CRISIS) is False
    mark = paths.dream(asleep.state, asleep.project)
    os.utime(mark, (time.time() - 61, time.time() - 61))
    off = {"dream.enabled": False, "dream.cooldown_s": 60}
    assert (
        consolidate.start(asleep.state, asleep.project, consolidate.CRISIS, settings=off) is False
    )
    assert consolidate.start(asleep.state, asleep.project, consolidate.CRISIS) is True
    assert consolidate.start(asleep.state, "odd/../name", consolidate.HAND) is True
    for _ in range(1_200):
        if asleep.is_free() and asleep.entries().count(("dreamt", "")) == 2:
            break
        time.sleep(0.05)
    assert asleep.entries().count(("dreamt", "")) == 2
    assert fault_kinds(asleep.state) == []


@pytest.mark.promise("I9")
def test_a_locked_store_is_a_counted_fault_and_the_next_dream_works(asleep):
    with Held(asleep.state, "begin immediate"):
        assert asleep.ended(asleep.begin()) == 0

    assert asleep.entries() == asleep.before
    assert fault_kinds(asleep.state) == ["not dreamt"]
    assert asleep.is_free()
    whole(asleep)


@root
@pytest.mark.promise("I9")
def test_a_full_disk_is_a_counted_fault_and_nothing_of_the_dream_is_kept(asleep, mount):  # noqa: F811
    full = small(mount, "full", "8m")
    for path in Path(asleep.state).rglob("*"):
        if path.is_file():
            (full / path.relative_to(asleep.state)).write_bytes(path.read_bytes())
    fill(full)
    asleep.door.environment["HOLDFAST_STATE_HOME"] = str(full)

    assert asleep.ended(asleep.begin()) == 0

    assert [fault["kind"] for fault in faults.all_of(str(full))] == ["not dreamt"]
    (full / "ballast").unlink()
    assert [entry.kind for entry in kept(str(full))] == [kind for kind, _ in asleep.before]
    assert_sound(str(full))
