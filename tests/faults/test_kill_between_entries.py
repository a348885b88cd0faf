"""A session is cut off between any two of its entries: what came before is there, and is told.

The hook is killed from inside SQLite: after the n-th row of `entries` was written, just before a
commit, or just after one. So every place at which a ledger can be cut is cut once, in a real
process, by a real SIGKILL. The store is set back in between, in place, to what it was before the
event that is cut.
"""

from __future__ import annotations

import json
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from around import LIMIT_S, assert_sound, event, fault_kinds, kept, waiting
from test_kill import Base

from conftest import Door
from holdfast.system.paths import launcher
from law import assert_replay_law
from measure import some_or_all

TAKEN_BACK = "Always rename everything."
FIRST, NEXT = "aaaa1111-0000-4000-8000-000000000001", "bbbb2222-0000-4000-8000-000000000002"
ROW, COMMIT, DONE = "row", "commit", "done"

# The installed launcher, in an interpreter in which SQLite ends the process at one moment.
CUT = """\
import os, signal, sys
{paths}
from holdfast.store import sqlite
moment, number = {moment!r}, {number}
class Cut(sqlite.apsw.Connection):
    def __init__(self, *given):
        super().__init__(*given)
        self.entries = 0
        self.set_update_hook(self.changed)
        self.set_commit_hook(lambda: self.at("commit"))
    def changed(self, kind, database, table, row):
        if table == "entries" and kind == sqlite.apsw.SQLITE_INSERT:
            self.entries += 1
            self.at("row")
    def set_wal_hook(self, noted):
        super().set_wal_hook(lambda *given: self.at("done") or noted(*given))
    def at(self, here):
        if here == moment and self.entries == number:
            os.kill(os.getpid(), signal.SIGKILL)
        return False
sqlite.apsw.Connection = Cut
__file__ = {launcher!r}
exec(compile(open(__file__).read(), __file__, "exec"))
"""


@dataclass(frozen=True)
class Step:
    """One event of the session, and the words in it that a next session must be told."""

    name: str
    changes: dict[str, Any]
    facts: tuple[str, ...] = ()


def scenario(repo: Path) -> list[Step]:
    def edited(name: str, number: int) -> Step:
        given = {"file_path": f"{repo}/{name}", "old_string": "a", "new_string": "b"}
        return Step(
            "PostToolUse.Edit",
            {"tool_input": given, "tool_use_id": f"toolu-{number}"},
            (name,),
        )

    def prompted(text: str, number: int, *facts: str) -> Step:
        return Step("UserPromptSubmit", {"prompt": text, "prompt_id": f"prompt-{number}"}, facts)

    todos = [
        {"content": "Count the retries", "status": "in_progress", "activeForm": "Counting"},
        {"content": "Document the back-off", "status": "pending", "activeForm": "Documenting"},
    ]
    goal = "Teach the fetcher to retry with a back-off"
    return [
        Step("SessionStart.startup", {}),
        prompted(TAKEN_BACK, 0),
        prompted(f"{goal}. Never touch the migrations.", 1, goal, "Never touch the migrations"),
        edited("src/fetch.py", 1),
        prompted("Never push to main. Always use uv.", 2, "Never push to main", "Always use uv"),
        Step(
            "PostToolUseFailure.Bash",
            {
                "tool_input": {"command": "pytest -q"},
                "error": "Exit code 1\n1 failed",
                "tool_use_id": "toolu-2",
            },
            ("`pytest -q`", "> 1 failed"),
        ),
        prompted("Never amend commits.", 3, "Never amend commits"),
        Step(
            "PostToolUse.TodoWrite",
            {"tool_input": {"todos": todos}, "tool_use_id": "toolu-3"},
            ("Count the retries", "Document the back-off"),
        ),
        Step("Stop", {"last_assistant_message": "The first half is in place."}),
        Step("PreCompact.auto", {}),
        Step("PostCompact.auto", {}),
        Step("SessionStart.compact", {}),
        prompted("From now on always run the linter before a commit.", 4, "always run the linter"),
        edited("src/backoff.py", 4),
        Step("SessionEnd.other", {}),
    ]


def write_transcript(path: Path, steps: list[Step]) -> None:
    """What the client writes of the prompts: the first was taken back before it was answered, and
    the next has its number."""
    prompts = [step.changes["prompt"] for step in steps if "prompt" in step.changes]
    with path.open("w") as file:
        for number, text in enumerate(prompts):
            row = {"type": "user", "uuid": f"u{number}", "parentUuid": f"u{number - 1}"}
            row |= {"message": {"role": "user", "content": text}, "origin": {"kind": "human"}}
            row |= {"promptSource": "typed", "turnPosition": {"promptIndex": max(number, 1)}}
            file.write(json.dumps({**row, "isSidechain": False}) + "\n")


class Moment(Base):
    """The state home and the project's id beside its repository, as they are now."""

    def __init__(self, door: Door) -> None:
        super().__init__(door)
        self._path = door.folder / ".git" / "holdfast" / "project"
        self._id = self._path.read_bytes() if self._path.exists() else b""

    def restore(self) -> None:
        super().restore()
        if self._id:
            self._path.write_bytes(self._id)
        else:
            self._path.unlink(missing_ok=True)


class Cut:
    """The door of one agent, with a hook that can be ended at a moment of one's choosing."""

    def __init__(self, door: Door, repo: Path) -> None:
        self.door = door
        self.agent, self.successor = door.agent(), door.agent()
        self.steps = scenario(repo)
        self.transcript = repo.parent / "transcript.jsonl"
        write_transcript(self.transcript, self.steps)
        self.before: list[Moment] = []  # what each event found
        self.sizes = [0]
        for step in self.steps:
            self.before.append(Moment(door))
            self.send(step)
            self.sizes.append(len(kept(door.state)))
        self.whole = entries(door.state)

    def send(self, step: Step) -> None:
        said = {"session_id": FIRST, "transcript_path": str(self.transcript), **step.changes}
        self.door.send(step.name, agent=self.agent, **said)

    def kill(self, step: Step, moment: str, number: int) -> None:
        """The event's hook, killed; the agent hears nothing from it."""
        path = Path(self.door.state).parent / "cut.py"
        own = launcher(self.door.state)
        lines = Path(own).read_text().splitlines()
        paths = [line.partition(";")[0] for line in lines if "sys.path" in line]
        path.write_text(
            CUT.format(paths="\n".join(paths), moment=moment, number=number, launcher=own)
        )
        changes = {"transcript_path": str(self.transcript), **step.changes}
        said = event(self.door, step.name, session_id=FIRST, **changes)
        *interpreter, _ = shlex.split(self.door.command)
        done = subprocess.run(
            [*interpreter, str(path)],
            input=json.dumps(said).encode(),
            env={**self.door.environment, "CLAUDE_PID": str(self.agent.pid)},
            cwd=self.door.folder,
            capture_output=True,
            timeout=LIMIT_S,
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr) == (-9, b"", b"")

    def told(self, after: Moment) -> str:
        """What the next session is told from there, the agent being gone as well."""
        after.restore()
        return self.door.send("SessionStart.startup", agent=self.successor, session_id=NEXT)


def entries(state: str) -> list[tuple[str, dict[str, Any]]]:
    """Kinds and bodies, without when something was told, and without the ids of prompts: those are
    made of the store's own name, and a store that is set back into another file gets a new one."""
    found = [(entry.kind, dict(entry.body)) for entry in kept(state)]
    for kind, body in found:
        body.pop("told", None)
        if kind != "prompt_given":
            body.pop("prompt", None)
    return found


def missing(steps: list[Step], told: str) -> list[str]:
    return [fact for step in steps for fact in step.facts if fact not in told]


@pytest.mark.promise("S5")
@pytest.mark.promise("C2")
@pytest.mark.exhaustive
def test_a_session_cut_after_any_of_its_entries_leaves_all_before_and_the_next_is_told(
    door, repo, state
):
    cut = Cut(door, repo)
    left: list[tuple[int, str, Moment]] = []
    for number, step in enumerate(cut.steps):
        first, last = cut.sizes[number], cut.sizes[number + 1]
        many = last - first
        moments = [(ROW, row) for row in range(1, many + 1)] + [(COMMIT, many), (DONE, many)]
        for moment, row in moments:
            cut.before[number].restore()

            cut.kill(step, moment, row)

            # Whole or not at all: of an event there are all entries or none.
            safe = last if moment == DONE else first
            if safe:
                assert entries(state) == cut.whole[:safe], (step.name, moment, row)
                assert_sound(state)
            left.append((number + (moment == DONE), f"{step.name} {moment} {row}", Moment(door)))
    assert len(left) == cut.sizes[-1] + 2 * len(cut.steps)
    cut.agent.kill()

    for done, where, after in left:
        told = cut.told(after)

        assert missing(cut.steps[:done], told) == [], where
        assert TAKEN_BACK not in told, where
        found = entries(state)
        assert found[: cut.sizes[done]] == cut.whole[: cut.sizes[done]], where
        assert [kind for kind, _ in found].count("session_crashed") == (
            0 < done < len(cut.steps)
        ), where
        assert waiting(state) == []
        assert fault_kinds(state) == []
        assert_sound(state)
    assert_replay_law(state, repo)


@pytest.mark.promise("S5")
@some_or_all(4, 1)
def test_a_session_that_goes_on_after_a_killed_hook_lacks_that_event_alone(
    door, repo, state, amount
):
    """Each of its hooks in turn, or every fourth."""
    cut = Cut(door, repo)
    left = []
    for number, step in list(enumerate(cut.steps[:-1]))[::amount]:
        cut.before[number].restore()
        cut.kill(step, COMMIT, cut.sizes[number + 1] - cut.sizes[number])
        for later in cut.steps[number + 1 : -1]:
            cut.send(later)
        left.append((number, Moment(door)))
    cut.agent.kill()

    for number, after in left:
        others = [*cut.steps[:number], *cut.steps[number + 1 : -1]]
        told = cut.told(after)

        assert missing(others, told) == [], cut.steps[number].name
        assert TAKEN_BACK not in told, cut.steps[number].name
        assert fault_kinds(state) == []
        assert_sound(state)
    assert_replay_law(state, repo)
