"""What lies on the disk is not what was written: a bit flips, a page is gone, the file is somebody
else's. It is found before it becomes an answer, kept aside, and repaired from the entries.
"""

from __future__ import annotations

import json
import os
import random
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest
from around import assert_private

from conftest import make_repo, payload
from holdfast.cli.commands import sessions_command, status_command
from holdfast.errors import HoldfastError
from holdfast.hook import entry_point, record
from holdfast.ledger import faults, queries, repair, replay, spool
from holdfast.store import pages
from holdfast.store.sqlite import Store
from holdfast.system import environment

FLIPS = 100
PID = os.getpid()
NEXT = "99999999-0000-4000-8000-000000000000"


def session(number: int) -> str:
    return f"{number:08d}-0000-4000-8000-000000000000"


class Victim:
    """A state home that is set back as it was before each new damage. The store keeps its inode:
    by that a machine knows its own."""

    def __init__(self, scratch: Path) -> None:
        self.scratch = scratch
        self.state = scratch / "state"
        self.store = self.state / "store.db"
        self.log = self.state / "store.db-wal"
        self.repo = make_repo(scratch / "app")
        self.entries: dict[tuple[str, int], str] = {}
        self.answers: dict[str, Any] = {}
        self.greeting = ""
        self._files: dict[Path, bytes] = {}

    def send(self, name: str, **changes: Any) -> str:
        """One event through the door, in this process, left as a hook leaves: nothing is closed,
        and the log stays."""
        said = payload(name, **{"cwd": str(self.repo), **changes})
        faults.COUNTED.clear()
        answer = entry_point.answer(str(self.state), json.dumps(said).encode(), False)
        if len(entry_point.OPEN) + len(record.OPEN) > 20:
            self.let_go()
        return answer

    def let_go(self) -> None:
        entry_point.OPEN.clear()
        record.OPEN.clear()

    def greet(self) -> str:
        said = self.send("SessionStart.startup", session_id=NEXT, source="startup")
        self.let_go()
        return said

    def ask(self, name: str) -> Any:
        """What a person is told."""
        try:
            if name == "status":
                said = status_command.run().data
                return {key: said[key] for key in ("project", "sessions", "last")}
            if name == "sessions":
                return sessions_command.listed(everywhere=False, live=False, limit=50).data
            return sessions_command.walk(session=None, depth=50).data
        finally:
            pass

    def ask_all(self) -> dict[str, Any]:
        return {name: self.ask(name) for name in QUESTIONS}

    def remember(self) -> None:
        """This is how it is: what follows is compared with it."""
        self.let_go()
        self._files = {
            path: path.read_bytes()
            for path in self.state.rglob("*")
            if path.is_file() and not path.name.endswith("-shm")
        }
        (self.scratch / "anchor").unlink(missing_ok=True)
        os.link(self.store, self.scratch / "anchor")
        self.entries = entries(self.state)
        self.answers = self.ask_all()
        self.greeting = self.greet()
        self.set_back()

    def set_back(self) -> None:
        self.let_go()
        shutil.rmtree(self.state)
        self.state.mkdir(mode=0o700)
        os.link(self.scratch / "anchor", self.store)
        for path, content in self._files.items():
            path.parent.mkdir(mode=0o700, exist_ok=True)
            path.write_bytes(content)
            path.chmod(0o600)


QUESTIONS = ("status", "sessions", "chain")


def entries(state: Path) -> dict[tuple[str, int], str]:
    """Every entry that has its body, by machine and number."""
    store = Store(f"{state}/store.db", create=False)
    return {(one.machine, one.seq): json.dumps(one.body) for _, one in queries.read(store)}


def work(victim: Victim, number: int, *, turns: int = 2, calls: int = 5) -> None:
    """A session that does a little of everything."""
    own = session(number)
    victim.send("SessionStart.startup", session_id=own, source="startup")
    for turn in range(turns):
        prompt = f"Session {number}, turn {turn}: " + "make it so. " * (number * 70 % 600)
        victim.send("UserPromptSubmit", session_id=own, prompt=prompt, prompt_id=f"{own}-{turn}")
        for call in range(calls):
            path = f"{victim.repo}/src/part_{number % 3}_{call}.py"
            victim.send(
                "PostToolUse.Edit",
                session_id=own,
                tool_use_id=f"{own}-{turn}-{call}",
                tool_input={"file_path": path, "old_string": "a" * 50, "new_string": "b" * 50},
            )
        victim.send(
            "PostToolUseFailure",
            session_id=own,
            tool_use_id=f"{own}-{turn}-failed",
            tool_input={"command": f"pytest -q {turn}"},
            error="Exit code 1\n" + "E" * 300,
        )
        victim.send("Stop", session_id=own, last_assistant_message=f"Done with {turn}. " * 20)
    victim.send("SessionEnd.other", session_id=own)


def at_home(patch: pytest.MonkeyPatch, scratch: Path) -> None:
    for name, value in (
        ("HOME", scratch / "home"),
        ("XDG_RUNTIME_DIR", scratch / "run"),
        ("HOLDFAST_STATE_HOME", scratch / "state"),
        ("CLAUDE_PROJECT_DIR", scratch / "app"),
        ("CLAUDE_PID", os.getpid()),
    ):
        patch.setenv(name, str(value))
        patch.setitem(environment.system.environ, name.encode(), str(value).encode())
    patch.chdir(scratch / "app")


def fill_the_log(victim: Victim) -> None:
    """One session more, until what it did fills forty pages of the log: the event that takes it
    past a hundred empties it, and how much an event writes is not this test's matter."""
    own = session(11)
    victim.send("SessionStart.startup", session_id=own, source="startup")
    for number in range(100):
        if victim.log.stat().st_size > 40 * pages.PAGE_BYTES:
            return
        said = f"Session 11, turn {number}: make it so."
        victim.send("UserPromptSubmit", session_id=own, prompt=said, prompt_id=f"{own}-{number}")
    raise AssertionError("the log never had forty pages")


@pytest.fixture
def victim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Victim]:
    """A home with some 200 entries of twelve sessions, the last of which is in the log alone. Each
    test has its own: one that is cut short by its time limit leaves its store open, and the locks
    of this process with it."""
    scratch = tmp_path / "corruption"
    for folder in ("home", "run", "state"):
        (scratch / folder).mkdir(mode=0o700, parents=True)
    victim = Victim(scratch)
    at_home(monkeypatch, scratch)
    for number in range(11):
        work(victim, number)
    Store(str(victim.store)).close()
    fill_the_log(victim)
    victim.remember()
    yield victim
    victim.let_go()


# A trial: damage, ask everything, repair, ask again.


def trial(victim: Victim, harm: Callable[[], None]) -> str:
    """How it went. A wrong answer that nobody was warned of fails, and so does an entry that is
    missing afterwards without a word."""
    victim.set_back()
    harm()
    was_found = greets_truly(victim)
    victim.set_back()
    harm()
    for question in QUESTIONS:
        was_found |= answers_truly(victim, question)
    is_known = was_found or looks(victim)
    lost = repairs_truly(victim)
    if lost:
        return "found, and an entry lost"
    if was_found:
        return "found by asking, all kept"
    return "found by looking, all kept" if is_known else "no effect"


def greets_truly(victim: Victim) -> bool:
    said = victim.greet()
    kinds = {fault["kind"] for fault in faults.all_of(str(victim.state))}
    assert said == victim.greeting or kinds, "a wrong greeting in silence"
    if not said:
        assert len(spool.waiting(str(victim.state))) == 1, "an event that waits nowhere"
    elif kinds == {"log mended"}:
        news = [part for part in parts(said) if part not in parts(victim.greeting)]
        assert set(parts(victim.greeting)) <= set(parts(said))
        assert [part for part in news if "log mended (1)" not in part] == []
    return bool(kinds)


def parts(answer: str) -> list[str]:
    context = json.loads(answer)["hookSpecificOutput"]["additionalContext"]
    return str(context).split("\n\n")


def answers_truly(victim: Victim, question: str) -> bool:
    try:
        said = victim.ask(question)
    except (HoldfastError, apsw.CorruptError, apsw.NotADBError):
        return True
    kinds = {fault["kind"] for fault in faults.all_of(str(victim.state))}
    # A log that was mended gives the same answer as before; one that lost something says so.
    assert said == victim.answers[question] or "entries lost" in kinds, f"wrong: {question}"
    return bool(kinds)


def looks(victim: Victim) -> bool:
    """Whether `holdfast repair --dry-run` finds anything; it changes nothing."""
    before = content(victim.state)
    found = repair.look(str(victim.state)).problems
    assert content(victim.state) == before
    return bool(found)


def repairs_truly(victim: Victim) -> int:
    """Repair; the number of entries that are told to be lost, and it is those that are missing."""
    repair.repair(str(victim.state))
    found = entries(victim.state)
    missing = {key for key, body in victim.entries.items() if found.get(key) != body}
    store = Store(str(victim.store))
    assert len(missing) == len(told_lost(store))
    assert missing <= told_lost(store)
    assert queries.damaged(store) == []
    assert queries.gaps(store) == []
    assert replay.differences(store) == {}
    if not missing:
        assert victim.ask_all() == victim.answers
    assert_private(victim.state)
    return len(missing)


def told_lost(store: Store) -> set[tuple[str, int]]:
    return {
        (one.body["machine"], seq)
        for _, one in queries.read(store)
        if one.kind == "entries_lost"
        for seq in range(one.body["from"], one.body["to"] + 1)
    }


def content(state: Path) -> dict[Path, bytes]:
    return {
        path: path.read_bytes()
        for path in state.rglob("*")
        if path.is_file() and not path.name.endswith("-shm")
    }


def flip(path: Path, bit: int) -> None:
    damaged = bytearray(path.read_bytes())
    damaged[bit // 8] ^= 1 << bit % 8
    path.write_bytes(damaged)


def pages_of(victim: Victim, chosen: Callable[[str], bool]) -> list[int]:
    """The pages of the file that hold certain tables and their indexes."""
    copy = victim.scratch / "copy.db"
    shutil.copyfile(victim.store, copy)
    database = apsw.Connection(str(copy))
    rows = database.execute("select name, pageno from dbstat").fetchall()
    database.close()
    for path in victim.scratch.glob("copy.db*"):
        path.unlink()
    return [number for name, number in rows if chosen(name)]


LEDGER = ("entries", "bodies")
DERIVED = (*replay.derived_tables(), "sqlite_autoindex_projects")
GROUPS = {
    "entries": lambda name: name.startswith(LEDGER),
    "derived tables": lambda name: name.startswith(DERIVED),
    "the rest": lambda name: not name.startswith((*LEDGER, *DERIVED)),
}


def flips_in_the_store(victim: Victim, group: str, times: int) -> Counter[str]:
    """How it went when bits flipped in pages of a group, one after the other."""
    numbers = pages_of(victim, GROUPS[group])
    chance = random.Random(group)
    went: Counter[str] = Counter()
    for _ in range(times):
        page, bit = chance.choice(numbers), chance.randrange(8 * pages.PAGE_BYTES)
        at = 8 * pages.PAGE_BYTES * (page - 1) + bit
        went[trial(victim, lambda at=at: flip(victim.store, at))] += 1
    return went


def flips_in_the_log(victim: Victim, times: int) -> Counter[str]:
    bits = 8 * victim.log.stat().st_size
    assert bits > 8 * 40 * pages.PAGE_BYTES, "the log is too short to tell"
    chance = random.Random("log")
    went: Counter[str] = Counter()
    for _ in range(times):
        went[trial(victim, lambda at=chance.randrange(bits): flip(victim.log, at))] += 1
    return went


@pytest.mark.exhaustive
@pytest.mark.promise("X4")
def test_a_bit_that_flips_anywhere_is_never_a_wrong_answer(victim):
    for group in GROUPS:
        went = flips_in_the_store(victim, group, 2)
        assert went["found, and an entry lost"] == 0
    victim.set_back()
    assert flips_in_the_log(victim, 3).total() == 3


@pytest.mark.promise("X4")
@pytest.mark.exhaustive
@pytest.mark.parametrize("group", GROUPS)
def test_a_bit_that_flips_in_the_store_is_never_a_wrong_answer(victim, group, record_property):
    went = flips_in_the_store(victim, group, FLIPS if group != "the rest" else FLIPS // 4)

    record_property("went", dict(went))
    # A single bit is found by the page's signature and flipped back: nothing is lost.
    assert went["found, and an entry lost"] == 0
    assert went["found by asking, all kept"] + went["found by looking, all kept"] > 0


@pytest.mark.promise("X4")
@pytest.mark.exhaustive
def test_a_bit_that_flips_in_the_log_is_never_a_wrong_answer(victim, record_property):
    went = flips_in_the_log(victim, FLIPS)

    record_property("went", dict(went))
    # Frames have no signature to find the bit by: what it hit is lost, and told; nothing else is.
    assert went["found, and an entry lost"] <= FLIPS // 10
    assert went["found by asking, all kept"] >= FLIPS // 2
