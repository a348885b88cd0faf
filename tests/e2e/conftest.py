"""The real client at work in a repository where `holdfast init` was run.

The scratch folder is the test's own, so its home and its runtime folder are the ones that every
other test has: `state` names the store that the hooks of the client fill.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import commands
from e2e import rig
from e2e.stub_api import Reply, ScriptedModel
from e2e.terminal import Terminal
from holdfast.ledger import queries as ledger
from holdfast.ledger.entry import Entry
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.sessions import queries
from holdfast.rooms.sessions.queries import Session
from holdfast.system import environment, files
from law import assert_nothing_swallowed, assert_replay_law

WAIT_S = 120.0
COMMAND_TIMEOUT_S = 120


class Claude:
    """The client, the model it asks, and what Holdfast kept of them."""

    def __init__(self, scratch: Path, repo: Path, model: ScriptedModel) -> None:
        self.scratch = scratch
        self.repo = repo
        self.model = model
        self.runs: list[rig.Run | Terminal] = []
        self._begun: list[rig.Running] = []
        self.holdfast("init")

    def start(
        self, prompt: str, *args: str, says: list[Reply] | None = None, folder: Path | None = None
    ) -> rig.Running:
        """Begin a run; `says` is all that the model will answer, unless it was told before."""
        if says is not None:
            self.model.say(*says)
        running = rig.start_claude(
            self.model, folder or self.repo, prompt, *args, scratch=self.scratch
        )
        self._begun.append(running)
        return running

    def run(self, prompt: str, *args: str, says: list[Reply], **env: str) -> rig.Run:
        """One run from start to end. What the model was sent before is forgotten."""
        self.model.say(*says)
        run = rig.run_claude(self.model, self.repo, prompt, *args, scratch=self.scratch, env=env)
        self.runs.append(run)
        return run

    def kill(self, running: rig.Running) -> rig.Run:
        self.runs.append(running.kill())
        return self.runs[-1]

    def finish(self, running: rig.Running) -> rig.Run:
        self.runs.append(running.finish())
        return self.runs[-1]

    def terminal(
        self, *args: str, says: list[Reply], env: dict[str, str] | None = None
    ) -> Terminal:
        """The client with a person before it, who is asked before anything is run or edited."""
        self.model.say(*says)
        mode = () if "--permission-mode" in args else ("--permission-mode", "default")
        terminal = Terminal(
            self.model, self.repo, *mode, *args, scratch=self.scratch, env=env or {}
        )
        self.runs.append(terminal)
        return terminal

    def close(self) -> None:
        """A test that failed half-way leaves no client behind."""
        for running in self._begun:
            if running.process.poll() is None:
                running.kill()
        for run in self.runs:
            if isinstance(run, Terminal):
                run.kill()

    def holdfast(self, *arguments: str, folder: Path | None = None) -> Any:
        """What the real command prints as data, run as the person at this machine runs it."""
        environment = rig.environment(self.model, self.scratch)
        done = commands.run(folder or self.repo, *arguments, "--json", alone=True, **environment)
        assert (done.returncode, done.stderr) == (0, "")
        return json.loads(done.stdout)


class Kept:
    """What the store holds, read anew at every question: hooks write while a test looks."""

    def __init__(self, state: str) -> None:
        self.state = state

    def _ask(self, question: Callable[[Workspace], Any]) -> Any:
        workspace = Workspace(self.state)
        try:
            return question(workspace)
        finally:
            workspace.store.close()

    def entries(self, session: str, *kinds: str) -> list[Entry]:
        found = self._ask(lambda w: [e for _, e in ledger.read(w.store, session=session)])
        return [entry for entry in found if not kinds or entry.kind in kinds]

    def kinds(self, session: str) -> list[str]:
        return [entry.kind for entry in self.entries(session)]

    def sources(self, session: str) -> list[str]:
        """Each beginning of a session, by its source."""
        return [entry.body["source"] for entry in self.entries(session, "session_began")]

    def sessions(self) -> dict[str, Session]:
        return {found.id: found for found in self._ask(lambda w: queries.latest(w.store, 100))}

    def link(self, session: str) -> tuple[str, str] | None:
        """The session before, and how this one came from it."""
        found: tuple[str, str] | None = self._ask(lambda w: queries.previous_of(w.store, session))
        return found

    def registry(self) -> dict[str, Any]:
        """The live sessions, as the file that people read tells them."""
        path = Path(self.state) / "sessions.json"
        said: dict[str, Any] = json.loads(path.read_text())["sessions"] if path.exists() else {}
        return said


class Errand:
    """A command for the agent's shell that lasts: a killed client leaves it behind."""

    def __init__(self) -> None:
        self.mark = f"errand-{uuid.uuid4().hex}"
        # The client refuses a plain `sleep`.
        self.command = f"python3 -c 'import time; time.sleep(28)  # {self.mark}'"

    def pids(self) -> list[int]:
        found = []
        for process in Path("/proc").iterdir():
            if process.name.isdecimal() and self.mark.encode() in (
                files.read_bytes(f"{process}/cmdline") or b""
            ):
                found.append(int(process.name))
        return found

    def kill(self) -> None:
        for pid in self.pids():
            try:
                environment.system.kill(pid, 9)
            except ProcessLookupError:
                continue  # it went with the one before


def wait_until(is_so: Callable[[], Any], what: str) -> None:
    end = time.monotonic() + WAIT_S
    while not is_so():
        assert time.monotonic() < end, f"waited {WAIT_S} s in vain: {what}"
        time.sleep(0.05)


def assert_sound(claude: Claude, state: str) -> None:
    """How every story ends: the client complained of nothing, nothing was swallowed, nothing of the
    person's was taken for somebody else's, and the ledger gives every derived row again."""
    assert [run.complaints() for run in claude.runs] == [[] for _ in claude.runs]
    assert_nothing_swallowed(state)
    assert demoted(state) == []
    assert_replay_law(state, claude.repo)


def demoted(state: str) -> list[tuple[str, Any]]:
    """What the client sent and was not believed."""
    workspace = Workspace(state)
    entries = [entry for _, entry in ledger.read(workspace.store)]
    workspace.store.close()
    return [
        (entry.kind, entry.body)
        for entry in entries
        if entry.body.get("unverified")
        or (entry.kind == "call_settled" and not entry.body["stands"])
        or (entry.kind == "prompt_settled" and entry.body["origin"] == "absent")
    ]


@pytest.fixture(scope="session", autouse=True)
def client() -> Path:
    """Fetched before any test has a home of its own: npm has its settings in the real one."""
    return rig.fetch_claude()


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return rig.scratch_repo(tmp_path / "app")


@pytest.fixture
def claude(tmp_path: Path, repo: Path) -> Iterator[Claude]:
    with ScriptedModel() as model:
        claude = Claude(tmp_path, repo, model)
        yield claude
        claude.close()


@pytest.fixture
def kept(state: str) -> Kept:
    return Kept(state)


@pytest.fixture
def errand() -> Iterator[Errand]:
    errand = Errand()
    yield errand
    errand.kill()
