"""A process that stands for the client: it runs hooks as the client does, and lines of shell as its
Bash tool does. Both are its children, with the variables that the client leaves in them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

LIMIT_S = 60
CLIENT = """
import json, os, subprocess, sys
os.environ["CLAUDE_PID"] = str(os.getpid())
shell = {**os.environ, "CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": sys.argv[1]}
for line in sys.stdin:
    way, text, given = json.loads(line)
    done = subprocess.run(
        ["/bin/sh", "-c", text] if way == "hook" else ["/bin/bash", "-c", text],
        input=given, capture_output=True, text=True, env=os.environ if way == "hook" else shell,
    )
    print(json.dumps([done.returncode, done.stdout, done.stderr]), flush=True)
"""


class Client:
    """The process, and what it can be told to do."""

    def __init__(self, folder: Path, session: str, hook: str, environment: dict[str, str]) -> None:
        self._hook, self.session, self._folder = hook, session, folder
        self._process = subprocess.Popen(
            [sys.executable, "-c", CLIENT, session],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.pid = self._process.pid

    def run(self, line: str) -> subprocess.CompletedProcess[str]:
        """A line of shell, as the agent's Bash tool runs it."""
        return self._do("run", line, "")

    def send(self, name: str, **fields: Any) -> dict[str, Any]:
        """An event, through the installed hook; what it answers."""
        done = self._do("hook", self._hook, json.dumps(self.payload(name, **fields)))
        assert (done.returncode, done.stderr) == (0, "")
        answer: dict[str, Any] = json.loads(done.stdout) if done.stdout else {}
        return answer

    def payload(self, name: str, **fields: Any) -> dict[str, Any]:
        where = {"transcript_path": "", "cwd": str(self._folder)}
        return {"session_id": self.session, "hook_event_name": name, **where, **fields}

    def ask(self, line: str) -> str:
        """Why the hook refuses a line before it runs, "" when it lets it through."""
        given = {"tool_name": "Bash", "tool_input": {"command": line}, "tool_use_id": "t1"}
        answer = self.send("PreToolUse", **given).get("hookSpecificOutput", {})
        return str(answer.get("permissionDecisionReason", ""))

    def _do(self, way: str, text: str, given: str) -> subprocess.CompletedProcess[str]:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin
        assert stdout
        stdin.write(json.dumps([way, text, given]) + "\n")
        stdin.flush()
        return subprocess.CompletedProcess([text], *json.loads(stdout.readline()))

    def kill(self) -> None:
        self._process.kill()
        self._process.wait(LIMIT_S)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                pipe.close()


def environment(home: Path) -> dict[str, str]:
    """What the client is started with: our own commands are found by their names."""
    programs = str(Path(sys.executable).parent)
    return {
        "HOME": str(home),
        "XDG_RUNTIME_DIR": os.environ["XDG_RUNTIME_DIR"],
        "PATH": f"{programs}:/usr/local/bin:/usr/bin:/bin",
    }
