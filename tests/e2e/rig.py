"""The real Claude Code, in a scratch folder of its own, against the scripted model.

Laws: the client gets a whole fresh environment and inherits nothing; its home, its temporary
files and its runtime folder lie in the scratch folder, so the developer's own `.claude` is
neither read nor written; it talks to loopback only; every wait has a bound; whatever the client
held against a hook or a setting is a complaint, and none is overlooked.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from e2e.stub_api import ScriptedModel

# The version whose payloads tests/payloads/ records; move the two together.
AXE_VERSION = "4.14.0"
CLAUDE_VERSION = "2.1.325"
# The platform package alone: the umbrella package resolves to an older client on Node 20.
CLAUDE_PACKAGE = "@anthropic-ai/claude-code-linux-x64"
FETCH_TIMEOUT_S = 300
RUN_TIMEOUT_S = 120
KILL_TIMEOUT_S = 10
# Taken now: a test's home is another one, and the client is fetched once for all of them.
CACHE = Path(
    os.environ.get("HOLDFAST_E2E_CACHE")
    or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "holdfast-e2e"
)
# The client's own words, in its debug log. The stream is silent on both: settings are read
# before it begins, and SessionEnd comes after it.
SETTING_REFUSED = "Invalid setting skipped"
END_HEARD = re.compile(r"SessionEnd:\S+ \[.*\] completed with status 0")


class FetchError(Exception):
    """The pinned client could not be installed."""


@dataclass(frozen=True)
class Run:
    """One finished `claude -p`: its stream of events, in order, and how it ended."""

    events: list[dict[str, Any]]
    exit_code: int
    stderr: str
    debug: str

    @property
    def session(self) -> str:
        """The id of the session the run ended in: `/clear` changes it on the way."""
        return str([e["session_id"] for e in self.events if e.get("session_id")][-1])

    @property
    def hooks(self) -> list[dict[str, Any]]:
        """What the hooks answered, in order; SessionEnd's comes after the stream is closed."""
        return [e for e in self.events if e.get("subtype") == "hook_response"]

    @property
    def was_killed(self) -> bool:
        return self.exit_code < 0

    def complaints(self) -> list[str]:
        """All that the client held against our hooks and settings."""
        found = [
            f"{hook['hook_name']}: exit {hook['exit_code']}, {hook['outcome']}, {hook['stderr']!r}"
            for hook in self.hooks
            if (hook["exit_code"], hook["outcome"], hook["stderr"]) != (0, "success", "")
        ]
        begun = [e["hook_id"] for e in self.events if e.get("subtype") == "hook_started"]
        if sorted(begun) != sorted(hook["hook_id"] for hook in self.hooks):
            found.append("a hook was started and never answered")
        found += [line for line in self.debug.splitlines() if SETTING_REFUSED in line]
        found += self.stderr.splitlines()
        if not (self.was_killed or END_HEARD.search(self.debug)):
            found.append("no hook of SessionEnd ended well")
        return found


@dataclass(frozen=True)
class Running:
    """One `claude -p` under way; `process` is the client itself, not a shell around it."""

    process: subprocess.Popen[bytes]
    logs: Path

    def finish(self, timeout_s: float = RUN_TIMEOUT_S) -> Run:
        """Wait for the client to end; past the bound it is killed and TimeoutExpired is raised."""
        try:
            code = self.process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self.kill()
            raise
        return self._so_far(code)

    def kill(self) -> Run:
        """SIGKILL to the client alone, as a crash does it: its children are left behind."""
        self.process.kill()
        return self._so_far(self.process.wait(KILL_TIMEOUT_S))

    def _so_far(self, code: int) -> Run:
        said, debug = (
            path.read_text(errors="replace") if path.exists() else ""
            for path in (self.logs / "stderr", self.logs / "debug")
        )
        return Run(_events(self.logs / "events.jsonl"), code, said, debug)


def fetch_claude() -> Path:
    """The pinned client's binary, installed into the cache if it is not there yet."""
    folder = CACHE / f"claude-code-{CLAUDE_VERSION}"
    binary = folder / "node_modules" / CLAUDE_PACKAGE / "claude"
    _fetch(folder, f"{CLAUDE_PACKAGE}@{CLAUDE_VERSION}", binary)
    if not os.access(binary, os.X_OK):
        raise FetchError(f"npm reported success but left no executable at {binary}")
    return binary


def fetch_axe() -> Path:
    """The script that looks at a page's accessibility."""
    folder = CACHE / f"axe-core-{AXE_VERSION}"
    script = folder / "node_modules" / "axe-core" / "axe.min.js"
    _fetch(folder, f"axe-core@{AXE_VERSION}", script)
    return script


def _fetch(folder: Path, wanted: str, file: Path) -> None:
    """A package of the registry, installed into the cache if its file is not there yet."""
    done = folder / ".installed"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        # Parallel workers wait here; the mark tells a whole install from one cut short.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (done.exists() and file.exists()):
            _npm_install(folder, wanted)
            done.touch()


def _npm_install(folder: Path, wanted: str) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise FetchError(f"npm is not on the PATH; it is needed to fetch {wanted}")
    quiet = ["--ignore-scripts", "--no-audit", "--no-fund"]
    command = [npm, "install", "--prefix", str(folder), wanted, *quiet]
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=FETCH_TIMEOUT_S)
    except subprocess.CalledProcessError as failed:
        said = failed.stderr.decode(errors="replace").strip()
        raise FetchError(f"npm could not install {wanted}:\n{said}") from failed
    except subprocess.TimeoutExpired as late:
        raise FetchError(f"npm took over {FETCH_TIMEOUT_S} s to install {wanted}") from late


def scratch_repo(path: Path) -> Path:
    """A git repository with one commit."""
    path.mkdir(parents=True)
    (path / "README.md").write_text("# scratch\n")
    git(path, "init", "-q", "-b", "main")
    git(path, "add", ".")
    git(path, "commit", "-q", "-m", "Begin")
    return path


def git(repo: Path, *args: str) -> str:
    """Run git as nobody in particular: the developer's own configuration plays no part."""
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(repo),
        "GIT_CONFIG_NOSYSTEM": "1",
        **{f"GIT_{who}_NAME": "dev" for who in ("AUTHOR", "COMMITTER")},
        **{f"GIT_{who}_EMAIL": "dev@example.com" for who in ("AUTHOR", "COMMITTER")},
    }
    command = ["git", "-C", str(repo), *args]
    return subprocess.run(
        command, env=env, check=True, capture_output=True, text=True, timeout=30
    ).stdout


def environment(model: ScriptedModel, scratch: Path, **more: str) -> dict[str, str]:
    """The client's whole environment: nothing of ours leaks in."""
    home, tmp, runtime = (scratch / name for name in ("home", "tmp", "run"))
    for folder in (home, tmp, runtime):
        folder.mkdir(parents=True, exist_ok=True)
    runtime.chmod(0o700)
    return {
        "HOME": str(home),
        "TMPDIR": str(tmp),
        "CLAUDE_CODE_TMPDIR": str(tmp),
        "XDG_RUNTIME_DIR": str(runtime),
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        "SHELL": "/bin/bash",
        "ANTHROPIC_BASE_URL": model.url,
        "ANTHROPIC_API_KEY": "sk-ant-fake-000",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "GIT_CONFIG_NOSYSTEM": "1",
        # A dream after each session would go on behind the story's back.
        "HOLDFAST_DREAM_ENABLED": "false",
        **more,
    }


def start_claude(
    model: ScriptedModel,
    repo: Path,
    prompt: str,
    *args: str,
    scratch: Path,
    env: dict[str, str] | None = None,
) -> Running:
    """Begin one `claude -p` in `repo`; `args` are further options of the client."""
    whole = environment(model, scratch, **(env or {}))
    # Files, not pipes: a child that outlives a killed client would hold a pipe open for ever.
    logs = Path(tempfile.mkdtemp(prefix="claude-", dir=scratch))
    shown = ["--output-format", "stream-json", "--verbose", "--include-hook-events"]
    shown += ["--debug-file", str(logs / "debug")]
    # As root the client refuses --dangerously-skip-permissions; pass --allowedTools for Bash.
    command = [str(fetch_claude()), "-p", prompt, *shown, "--permission-mode", "acceptEdits", *args]
    with (logs / "events.jsonl").open("wb") as stdout, (logs / "stderr").open("wb") as stderr:
        process = subprocess.Popen(
            command, cwd=repo, env=whole, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr
        )
    return Running(process, logs)


def run_claude(
    model: ScriptedModel,
    repo: Path,
    prompt: str,
    *args: str,
    scratch: Path,
    env: dict[str, str] | None = None,
    timeout_s: float = RUN_TIMEOUT_S,
) -> Run:
    """One whole `claude -p`, from start to exit."""
    return start_claude(model, repo, prompt, *args, scratch=scratch, env=env).finish(timeout_s)


def _events(out: Path) -> list[dict[str, Any]]:
    events = []
    for line in out.read_text(errors="replace").splitlines():
        try:
            events.append(json.loads(line))
        except ValueError:
            # The last line of a killed client is cut; `/clear` prints plain text.
            events.append({"type": "text", "text": line})
    return events
