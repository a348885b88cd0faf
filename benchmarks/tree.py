"""What asking for evidence costs in a large work tree, as ratios to a bare interpreter.

    python benchmarks/tree.py [--files N] [--dirty N] [--rounds N]

A project with files that are committed and some that are not, an evidence requirement before
`git commit`, and a session whose tests passed. Laws: commands take turns in one run, and every
figure is a ratio of medians to `python -I -S -c pass` of the same interpreter; all is in a scratch
folder; the exit code is 0, for a benchmark informs.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path

from hooks import LONG_AGO, PAYLOADS, clean, took

from holdfast.setup import install
from holdfast.system import files

FLOOR = [sys.executable, "-I", "-S", "-c", "pass"]
DEMAND = {
    "tested": {
        "evidence_required": ["tests"],
        "trigger_tools": [{"tool": "Bash", "command_pattern": "git commit"}],
    }
}
PASSED = {"stdout": "10 passed in 0.12s", "stderr": "", "interrupted": False}
COMMIT, TESTS, OTHER = "git commit -m x", "pytest -q", "git log"


class Project:
    """A large work tree, a session in it, and the installed hook."""

    def __init__(self, folder: Path, many: int, dirty: int, demand: Mapping[str, object]) -> None:
        self.repo = folder / "app"
        home, runtime = folder / "home", folder / "run"
        for path in (self.repo / ".holdfast", home, runtime):
            path.mkdir(parents=True, mode=0o700)
        for number in range(many):
            path = self.repo / f"part{number // 100}" / f"file{number}.py"
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"value = {number}\n")
            os.utime(path, (LONG_AGO, LONG_AGO))  # what is as young as the index git reads again
        self.git("init", "-q")
        self.git("add", ".")
        self.git("-c", "user.name=dev", "-c", "user.email=d@example.com", "commit", "-qm", "Begin")
        for number in range(dirty):
            (self.repo / "part0" / f"new{number}.py").write_text(f"value = {number}\n")
        config = self.repo / ".holdfast" / "config.yaml"
        config.write_text(json.dumps({"requirements": demand}))
        self.state = f"{home}/.local/state/holdfast"
        files.own_folder(self.state)
        install.install(self.state, install.settings_path(self.repo))
        self.command = shlex.split(install.hook_command(self.state))
        self.environment = {**clean(home, runtime), "CLAUDE_PROJECT_DIR": str(self.repo)}
        self.session = str(uuid.uuid4())
        self.say("SessionStart.startup")
        self.run(TESTS)

    def git(self, *words: str) -> None:
        subprocess.run(["git", "-C", str(self.repo), *words], check=True)

    def say(self, name: str, **more: object) -> float:
        payload = json.loads((PAYLOADS / f"{name}.json").read_text())
        payload |= {"session_id": self.session, "cwd": str(self.repo), "transcript_path": ""}
        payload |= {"tool_use_id": str(uuid.uuid4()), **more}
        return took(self.command, self.environment, json.dumps(payload).encode())

    def run(self, command: str) -> float:
        given = {"tool_input": {"command": command}, "tool_response": PASSED}
        return self.say("PostToolUse.Bash", **given)

    def ask(self, command: str) -> float:
        return self.say("PreToolUse.Bash", tool_input={"command": command})


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--files", type=int, default=50_000)
    options.add_argument("--dirty", type=int, default=20)
    options.add_argument("--rounds", type=int, default=15)
    chosen = options.parse_args()
    git = shutil.which("git") or "git"
    with tempfile.TemporaryDirectory(prefix="holdfast-tree-") as scratch:
        large = Project(Path(scratch, "large"), chosen.files, chosen.dirty, DEMAND)
        free = Project(Path(scratch, "free"), 10, 1, {})
        turns: dict[str, Callable[[], float]] = {
            "floor": lambda: took(FLOOR, large.environment, b""),
            "git diff-index HEAD": lambda: took(
                [git, "-C", str(large.repo), "diff-index", "HEAD"], large.environment, b""
            ),
            "PreToolUse, nothing demanded": lambda: free.ask(COMMIT),
            "PreToolUse, another command": lambda: large.ask(OTHER),
            "PreToolUse, the gated command": lambda: large.ask(COMMIT),
            "PostToolUse, tests where nothing is demanded": lambda: free.run(TESTS),
            "PostToolUse, tests": lambda: large.run(TESTS),
            "Stop": lambda: large.say("Stop", prompt_id=str(uuid.uuid4())),
        }
        times: dict[str, list[float]] = {name: [] for name in turns}
        for _ in range(chosen.rounds):
            for name, turn in turns.items():
                times[name].append(turn())
    floor = statistics.median(times["floor"])
    print(f"{chosen.files} files, {chosen.dirty} of them new; ratios to a bare interpreter")
    for name, spent in times.items():
        print(f"{statistics.median(spent) / floor:7.2f}  {name}")


if __name__ == "__main__":
    main()
