"""What every test stands on: a home that cannot be the developer's, and the real door.

`door` runs the very command that `holdfast init` writes, as a process of its own, on payloads
recorded from real agents. Nothing of ours is replaced by a stand-in.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from holdfast.ledger.workspace import Workspace
from holdfast.setup import install
from holdfast.system import environment, files, paths

TESTS = Path(__file__).parent
PAYLOADS = TESTS / "payloads" / "claude_code" / "2.1.325"
REAL_HOME = os.environ.get("HOME", "")
_COPIED = tempfile.TemporaryDirectory(prefix="holdfast-tests-")


STARTING = {"door", "served"}  # fixtures that start programs of ours


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test that starts programs is tried with its first parameters alone in `make test`, and
    with all of them in `make prove`: each takes as long as fifty tests of a rule."""
    tried: set[str] = set()
    for item in items:
        starts = STARTING & set(getattr(item, "fixturenames", ()))
        if not starts or item.get_closest_marker("exhaustive"):
            continue
        test = item.nodeid.partition("[")[0]
        if test in tried:
            item.add_marker(pytest.mark.exhaustive)
        tried.add(test)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A scratch home for this process and all that it starts."""
    scratch = tmp_path / "home"
    scratch.mkdir()
    for name in list(os.environ):
        if name.startswith(("HOLDFAST_", "XDG_", "CLAUDE", "GIT_")) or name == "CI":
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(scratch))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))
    (tmp_path / "run").mkdir(mode=0o700)
    program = tmp_path / "programs" / "holdfast"  # on the path of all that is run here
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m holdfast "$@"\n')
    program.chmod(0o755)
    path = f"{program.parent}:{os.environ['PATH']}"
    monkeypatch.setenv("PATH", path)
    monkeypatch.setitem(environment.system.environ, b"PATH", path.encode())
    # On the hook path the environment is read from posix, which monkeypatch does not reach.
    for name, value in (("HOME", scratch), ("XDG_RUNTIME_DIR", tmp_path / "run")):
        monkeypatch.setitem(environment.system.environ, name.encode(), str(value).encode())
    for name in (b"XDG_STATE_HOME", b"HOLDFAST_STATE_HOME", b"HOLDFAST_OFF", b"CLAUDE_PROJECT_DIR"):
        monkeypatch.delitem(environment.system.environ, name, raising=False)
    return scratch


@pytest.fixture
def state(home: Path) -> str:
    return paths.state_home()


@pytest.fixture
def workspace(state: str) -> Workspace:
    return Workspace(state)


def git(folder: Path, *arguments: str) -> str:
    identity = [
        "-c",
        "user.name=dev",
        "-c",
        "user.email=dev@example.com",
        "-c",
        "commit.gpgsign=false",
    ]
    done = subprocess.run(
        ["git", *identity, "-C", str(folder), *arguments],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "GIT_CONFIG_NOSYSTEM": "1"},
    )
    return done.stdout.strip()


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return make_repo(tmp_path / "app")


def make_repo(path: Path) -> Path:
    """A repository with one commit: another name, another root commit."""
    shutil.copytree(_first_commit(path.name), path)
    return path


@cache
def _first_commit(name: str) -> Path:
    """Made once for each name; the others are copies."""
    path = Path(_COPIED.name) / name
    path.mkdir()
    git(path, "init", "-q", "-b", "main", "--template=")
    (path / "README.md").write_text(f"# {name}\n")
    git(path, "add", ".")
    git(path, "commit", "-q", "-m", "Begin")
    return path


def payload(name: str, **changes: Any) -> dict[str, Any]:
    """A recorded payload, with the fields that a test is about."""
    said = json.loads((PAYLOADS / f"{name}.json").read_text())
    return {**said, **changes}


class Agent:
    """A process that stands for the agent: it has a pid of its own and can be killed."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(["cat"], stdin=subprocess.PIPE)
        self.pid = self._process.pid

    def kill(self) -> None:
        self._process.send_signal(signal.SIGKILL)
        self._process.wait(10)
        if self._process.stdin:
            self._process.stdin.close()


class Door:
    """The installed hook command, and what it answers."""

    def __init__(self, state: str, home: Path, folder: Path) -> None:
        self.state = state
        self.folder = folder
        self.environment = {
            "HOME": str(home),
            "XDG_RUNTIME_DIR": os.environ["XDG_RUNTIME_DIR"],
            "PATH": f"{home.parent / 'programs'}:/usr/local/bin:/usr/bin:/bin",
            # A dream after each session would go on behind the story's back.
            "HOLDFAST_DREAM_ENABLED": "false",
        }
        files.own_folder(state)
        install.write_launcher(state)
        self.command = install.hook_command(state)
        self.shown = ""  # to the person, by the last event
        self.decision = ""  # of a call that was not let through: deny, or ask
        self._agents: list[Agent] = []
        # Whose events are those of nobody in particular; without one, of the test itself.
        self.somebody: Agent | None = None

    def agent(self) -> Agent:
        self._agents.append(Agent())
        return self._agents[-1]

    def close(self) -> None:
        for agent in self._agents:
            agent.kill()

    def run(
        self,
        said: bytes,
        *,
        agent: Agent | None = None,
        folder: Path | None = None,
        errand: str = "",
        **environment: str,
    ) -> subprocess.CompletedProcess[bytes]:
        """One event as the agent sends it: through a shell, on stdin; or one of the errands."""
        agent = agent or self.somebody
        pid = {} if agent is None else {"CLAUDE_PID": str(agent.pid)}
        return subprocess.run(
            ["/bin/sh", "-c", f"{self.command} {errand}"],
            input=said,
            env={**self.environment, **pid, **environment},
            cwd=folder or self.folder,
            capture_output=True,
            timeout=60,
            check=False,
        )

    def send(
        self, name: str, *, agent: Agent | None = None, folder: Path | None = None, **changes: Any
    ) -> str:
        """A recorded payload through the door; the context or the refusal it answers with. The
        laws of the door are asserted on every call: it exits with 0 and writes no error."""
        place = str(folder or self.folder)
        said = payload(name, **{"cwd": place, **changes})
        done = self.run(
            json.dumps(said).encode(), agent=agent, folder=folder, CLAUDE_PROJECT_DIR=place
        )
        assert (done.returncode, done.stderr) == (0, b"")
        self.shown = self.decision = ""
        if not done.stdout:
            return ""
        if name.startswith("PreCompact"):
            return done.stdout.decode()
        whole = json.loads(done.stdout)
        self.shown = str(whole.pop("systemMessage", ""))
        if not whole:
            return ""
        if "decision" in whole:
            assert (whole["decision"], said["hook_event_name"]) == ("block", "Stop")
            return str(whole["reason"])
        answer = whole["hookSpecificOutput"]
        assert answer["hookEventName"] == said["hook_event_name"]
        if "permissionDecision" in answer:
            self.decision = answer["permissionDecision"]
            assert self.decision in ("deny", "ask")
            return str(answer["permissionDecisionReason"])
        return str(answer["additionalContext"])


@pytest.fixture
def door(state: str, home: Path, repo: Path) -> Any:
    door = Door(state, home, repo)
    yield door
    door.close()


@pytest.fixture
def copied(door: Door, tmp_path: Path) -> Path:
    """A copy of the package that may be changed, with the door installed from it."""
    package = tmp_path / "lib" / "holdfast"
    there = Path(install.__file__).parents[1]
    shutil.copytree(there, package, ignore=shutil.ignore_patterns("__pycache__"))
    script = "import sys; from holdfast.setup import install; install.write_launcher(sys.argv[1])"
    subprocess.run(
        [sys.executable, "-c", script, door.state],
        env={**os.environ, "PYTHONPATH": str(package.parent)},
        check=True,
        timeout=60,
    )
    return package


@pytest.fixture
def story(door: Door, repo: Path, tmp_path: Path) -> Any:
    """A story on a branch of its own: the main one may be protected."""
    from scenarios.story import Story

    git(repo, "checkout", "-q", "-b", "feature/auth")
    return Story(door, repo, tmp_path)


@pytest.fixture(scope="session")
def axe() -> str:
    """Fetched before any test has a home of its own: npm has its settings in the real one."""
    from e2e import rig

    return rig.fetch_axe().read_text()


@pytest.fixture
def served(repo: Path) -> Any:
    """A dashboard that a person has started and come into."""
    from web.served import serve

    made = serve(repo)
    made.enter()
    yield made
    made.close()


@pytest.fixture
def exhibit(story: Any) -> Any:
    """The same, with a made-up project to show."""
    from web.exhibit import play
    from web.served import serve

    play(story)
    made = serve(story.repo)
    made.enter()
    yield made
    made.close()
