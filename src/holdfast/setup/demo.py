"""A demonstration: two sessions through the very hook command that users get.

A scratch home and a scratch repository, an installed Holdfast, an agent that is killed in the
middle of its work, and a second one that is greeted with what the first one left. The agent here
is a small process that sends what Claude Code sends; everything else is the real thing.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from holdfast.errors import HoldfastError

PROMPT = (
    "Let fetch.py retry three times when the server answers 503, and test it. Never push to main."
)
CODE = "def fetch(url):\n    for attempt in range(3):\n        ...\n"
WAIT_S = 30
Payload = dict[str, Any]  # what Claude Code sends to a hook: JSON
MARK = ".holdfast-demo"


def play(folder: Path, say: Callable[[str], None]) -> None:
    """Play both sessions; `say` gets every line."""
    _clear(folder)
    home, repo = folder / "home", folder / "project"
    environment = _environment(home, folder / "run")
    _repository(repo, environment)
    say(f"$ holdfast init          (in a scratch project, {repo})")
    for line in _holdfast(repo, environment, "init").splitlines():
        say(f"  {line}")
    first, second = str(uuid.uuid4()), str(uuid.uuid4())
    say("")
    say(f"The first session, {first[:8]}, is given a task:")
    say(f"  > {PROMPT}")
    _first(repo, environment, first, say)
    say("")
    say(f"The second session, {second[:8]}, begins. Holdfast tells it:")
    answer = _send(repo, environment, os.getpid(), _began(repo, second))
    context = (
        json.loads(answer)["hookSpecificOutput"]["additionalContext"] if answer else "(nothing)"
    )
    for line in context.splitlines():
        say(f"  {line}")
    say("")
    say("$ holdfast status")
    for line in _holdfast(repo, environment, "status").splitlines():
        say(f"  {line}")


def _first(
    repo: Path, environment: dict[str, str], session: str, say: Callable[[str], None]
) -> None:
    agent = subprocess.Popen(
        [sys.executable, "-m", "holdfast.setup.demo", str(repo), session],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        if agent.stdout is None or "working" not in agent.stdout.readline():
            raise HoldfastError("the demonstration's agent did not start")
        say(f"It writes src/fetch.py, a test fails, and process {agent.pid} is killed: SIGKILL.")
    finally:
        agent.send_signal(signal.SIGKILL)
        agent.wait(WAIT_S)
        if agent.stdout:
            agent.stdout.close()


def act(repo: Path, session: str) -> None:
    """The first agent's part: begin, edit, see a test fail, and never come to an end."""
    environment = dict(os.environ)
    (repo / "src").mkdir(exist_ok=True)
    (repo / "src" / "fetch.py").write_text(CODE)
    for payload in _work(repo, session):
        _send(repo, environment, os.getpid(), payload)
    print("working", flush=True)  # noqa: T201 - to the process that plays the demonstration
    time.sleep(WAIT_S)


def _work(repo: Path, session: str) -> Iterator[Payload]:
    yield _began(repo, session)
    turn = {**_base(repo, session), "prompt_id": str(uuid.uuid4())}
    yield {**turn, "hook_event_name": "UserPromptSubmit", "prompt": PROMPT}
    yield {
        **turn,
        "hook_event_name": "PostToolUse",
        "tool_name": "Write",
        "tool_input": {"file_path": f"{repo}/src/fetch.py", "content": CODE},
        "tool_response": {"type": "create", "filePath": f"{repo}/src/fetch.py"},
        "tool_use_id": f"toolu_{uuid.uuid4().hex}",
    }
    yield {
        **turn,
        "hook_event_name": "PostToolUseFailure",
        "tool_name": "Bash",
        "tool_input": {"command": "pytest -q tests/test_fetch.py"},
        "tool_use_id": f"toolu_{uuid.uuid4().hex}",
        "error": "Exit code 1\nFAILED tests/test_fetch.py::test_gives_up - assert 4 == 3",
    }


def _began(repo: Path, session: str) -> Payload:
    return {**_base(repo, session), "hook_event_name": "SessionStart", "source": "startup"}


def _base(repo: Path, session: str) -> Payload:
    return {"session_id": session, "transcript_path": "", "cwd": str(repo)}


def _send(repo: Path, environment: dict[str, str], pid: int, payload: Payload) -> str:
    """As the agent does: the command from its settings file, through a shell, JSON on stdin."""
    settings = json.loads((repo / ".claude" / "settings.local.json").read_text())
    command = settings["hooks"][payload["hook_event_name"]][0]["hooks"][0]["command"]
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        input=json.dumps(payload),
        env={**environment, "CLAUDE_PID": str(pid), "CLAUDE_PROJECT_DIR": str(repo)},
        cwd=repo,
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=True,
    )
    return done.stdout


def _holdfast(repo: Path, environment: dict[str, str], *arguments: str) -> str:
    command = [sys.executable, "-m", "holdfast", *arguments]
    done = subprocess.run(
        command, cwd=repo, env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout


def state_of(folder: Path) -> Path:
    """Where a demonstration that was played in a folder keeps what it kept."""
    return folder / "home" / ".local" / "state" / "holdfast"


def _environment(home: Path, runtime: Path) -> dict[str, str]:
    for folder in (home, runtime):
        folder.mkdir(mode=0o700, parents=True)
    return {
        "HOME": str(home),
        "XDG_RUNTIME_DIR": str(runtime),
        "PATH": os.environ.get("PATH", "/usr/local/bin:/usr/bin:/bin"),
        "LANG": "C.UTF-8",
    }


def _repository(repo: Path, environment: dict[str, str]) -> None:
    repo.mkdir()
    (repo / "README.md").write_text("# A demonstration project\n")
    who = "-c user.name=demo -c user.email=demo@example.com -c commit.gpgsign=false".split()
    for arguments in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "Begin"]):
        subprocess.run(["git", *who, *arguments], cwd=repo, env=environment, check=True)


def _clear(folder: Path) -> None:
    """A fresh folder; one that is not a demonstration of ours is never cleared."""
    if folder.exists() and any(folder.iterdir()):
        if not (folder / MARK).exists():
            raise HoldfastError(f"{folder} is not empty", hint="name a new folder")
        shutil.rmtree(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MARK).touch()


if __name__ == "__main__":
    act(Path(sys.argv[1]), sys.argv[2])
