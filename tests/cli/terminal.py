"""Commands as a person types them, and as an agent runs them that made itself a terminal."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import commands

LIMIT_S = 120
HOLDFAST = [sys.executable, "-m", "holdfast"]

# An agent with a shell: it waits for a command, runs it on a terminal of its own, with nothing
# left in the environment that would speak of it, and says what came of it.
AGENT = """
import json, os, subprocess, sys
for line in sys.stdin:
    ours, theirs = os.openpty()
    done = subprocess.run(json.loads(line), stdin=theirs, capture_output=True, text=True)
    print(json.dumps([done.returncode, done.stdout, done.stderr]), flush=True)
"""

Done = subprocess.CompletedProcess[str]


def typed(folder: Path, *arguments: str, **environment: str) -> Done:
    """A command on a terminal, as a person types it; what it prints is kept apart from it."""
    return in_a_shell([*HOLDFAST, *arguments], folder, {**os.environ, **environment})


def in_a_shell(
    words: list[str], folder: Path, environment: dict[str, str], given: bytes | None = None
) -> Done:
    """A command that somebody runs in a shell which reads from a terminal; with something given
    to it, that is what it reads."""
    ours, theirs = os.openpty()
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        source = "" if given is None else f"<{name}/in"
        (place / "in").write_bytes(given or b"")
        line = f"{shlex.join(words)} {source} >{name}/out 2>{name}/err; echo $? >{name}/code\n"
        (place / "line").write_text(line)
        try:
            os.write(ours, f". {name}/line; exit\n".encode())
            subprocess.run(
                ["/bin/sh"],
                cwd=folder,
                env={**environment, "PS1": "", "ENV": ""},
                stdin=theirs,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=LIMIT_S,
                check=False,
            )
            out, err, code = ((place / each).read_text() for each in ("out", "err", "code"))
            return subprocess.CompletedProcess(words, int(code), out, err)
        finally:
            os.close(ours)
            os.close(theirs)


def answered(folder: Path, answer: str, *arguments: str) -> tuple[int, str, str]:
    """A command on a terminal that asks something: its exit code, what it printed, and what stood
    on the terminal. The answer was typed ahead."""
    ours, theirs = os.openpty()
    with tempfile.TemporaryDirectory() as name:
        line = f"{shlex.join([*HOLDFAST, *arguments])} >{name}/out; echo $? >{name}/code; exit\n"
        Path(name, "line").write_text(line)
        try:
            os.write(ours, f". {name}/line\n{answer}\n".encode())
            subprocess.run(
                ["/bin/sh"],
                cwd=folder,
                env={**os.environ, "PS1": "", "ENV": ""},
                stdin=theirs,
                stdout=subprocess.DEVNULL,
                stderr=theirs,
                timeout=LIMIT_S,
                check=False,
            )
            screen = os.read(ours, 65_536).decode()
            out, code = (Path(name, each).read_text() for each in ("out", "code"))
            return int(code), out, screen
        finally:
            os.close(ours)
            os.close(theirs)


def run(folder: Path, *arguments: str, **environment: str) -> Done:
    """A command without a terminal."""
    return commands.run(folder, *arguments, **environment)


def on_screen(folder: Path, columns: int, *arguments: str) -> str:
    """What a command prints on a terminal of so many columns."""
    ours, theirs = os.openpty()
    try:
        done = subprocess.run(
            [*HOLDFAST, *arguments],
            cwd=folder,
            env={**os.environ, "COLUMNS": str(columns)},
            stdin=theirs,
            stdout=theirs,
            stderr=subprocess.PIPE,
            timeout=LIMIT_S,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, b"")
        return os.read(ours, 65_536).decode().replace("\r\n", "\n")
    finally:
        os.close(ours)
        os.close(theirs)


def told(folder: Path, *arguments: str, **environment: str) -> Any:
    """What a command says that anybody may run."""
    return _said(run(folder, *arguments, "--json", **environment))


def typed_and_told(folder: Path, *arguments: str, **environment: str) -> Any:
    """What a command says that a person types."""
    return _said(typed(folder, *arguments, "--json", **environment))


def _said(done: Done) -> Any:
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    return json.loads(done.stdout)


def refused(done: Done, code: int = 1) -> str:
    """One line and a hint, and nothing on stdout."""
    assert (done.returncode, done.stdout) == (code, ""), done
    assert [line[:6] for line in done.stderr.splitlines()] == ["error:", "hint: "]
    return done.stderr


class AgentWithAShell:
    """A process that stands for the agent, and runs commands."""

    def __init__(self, folder: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", AGENT],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.pid = self._process.pid

    def run(self, *words: str) -> Done:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin
        assert stdout
        stdin.write(json.dumps(words) + "\n")
        stdin.flush()
        return subprocess.CompletedProcess(words, *json.loads(stdout.readline()))

    def kill(self) -> None:
        self._process.kill()
        self._process.wait(10)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                pipe.close()
