"""Every command and every verb, run once or more on a project that was worked in."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from write_commands import functions

from conftest import git
from holdfast.cli import main
from holdfast.cli.helpers import person_check
from scenarios.story import A, B, Story

TASK = "Implement the retry logic in src/fetch.py for HTTP 503. Never push to main."
REQUIREMENTS = """
requirements:
  planned: {type: blocking, scope: session, message: Write the plan first}
  guarded: {type: guard, guard_type: protected_branch, protected_branches: [main]}
"""
LIMIT_S = 120
LINES = dict(functions())


class Commands:
    """Runs commands in this process, as a person types them, and keeps what each printed."""

    def __init__(self, repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.repo = repo
        self.printed: dict[str, list[Any]] = defaultdict(list)
        self._ours, theirs = os.openpty()
        monkeypatch.chdir(repo)
        monkeypatch.setattr(sys, "stdin", os.fdopen(theirs))
        monkeypatch.setattr(person_check, "SERVED", [""])  # no shell is above this process
        monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")

    def __call__(self, line: str, *more: str, code: int = 0) -> Any:
        """The data of `holdfast LINE MORE --json`; `line` is split at spaces, and its first words
        are the command and, where it has verbs, the verb."""
        words = line.split()
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            exit_code = main([*words, *more, "--json"])
        assert exit_code == code, (line, out.getvalue(), err.getvalue())
        self._keep(words, out.getvalue())
        return json.loads(out.getvalue())

    def apart(self, line: str) -> None:
        """A command that ends when its input does."""
        done = subprocess.run(
            [sys.executable, "-m", "holdfast", *line.split(), "--json"],
            cwd=self.repo,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=True,
        )
        self._keep(line.split(), done.stdout)

    def interrupted(self, line: str, until: str) -> None:
        """A command that goes on until Ctrl-C; it is pressed when it has said this on stderr."""
        process = subprocess.Popen(
            [sys.executable, "-m", "holdfast", *line.split(), "--json"],
            cwd=self.repo,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stderr
        while until not in (said := process.stderr.readline()):
            assert said, "it ended"
        process.send_signal(signal.SIGINT)
        out, complaints = process.communicate(timeout=LIMIT_S)
        assert (process.returncode, complaints) == (0, "")
        self._keep(line.split(), out)

    def _keep(self, words: list[str], out: str) -> None:
        command = " ".join(["holdfast", *words[:2]])
        line = command if command in LINES else " ".join(["holdfast", *words[:1]])
        self.printed[line].append(json.loads(out))

    def close(self) -> None:
        sys.stdin.close()
        os.close(self._ours)


def run_all(story: Story, run: Commands) -> None:
    """In an order in which each has something to tell."""
    before_anything(run)
    work(story)
    look(run)
    steer(story, run)
    decide(story, run)
    gate(story, run)
    move_data(story, run)
    switch_off(run)


def before_anything(run: Commands) -> None:
    run("")
    run("init --dry-run")
    run("init")
    run("doctor")
    run("completion bash")
    run("config show")
    run("config check")


def work(story: Story) -> None:
    (story.repo / "src").mkdir()
    (story.repo / "src" / "fetch.py").write_text("def fetch():\n    return retry(503)\n")
    git(story.repo, "add", ".")
    git(story.repo, "commit", "-q", "-m", "Fetch")
    story.begin(A)
    story.say(A, TASK)
    story.edit(A, "src/fetch.py")
    story.run(A, "python -m pytest", "3 passed")
    story.stop(A, "The retry logic is there. Next: test the timeout.")
    story.end(A)
    story.begin(B)
    story.say(B, TASK)
    story.fill(B, 60_000)
    story.edit(B, "src/fetch.py")
    story.fail(B, "python -m pytest", "Exit code 1")
    story.stop(B)


def look(run: Commands) -> None:
    run("")
    run("status show")
    run("recall", "retry logic")
    run("recall", "retry logic", "--level", "timeline")
    run("recall", "retry logic", "--level", "full")
    run("recall", "zeppelin")
    run("resume")
    run("resume", "retry logic")
    run("sessions list")
    run("sessions list --all")
    run("sessions chain")
    run("status stats")
    run("status stats --all")
    run("status context")
    run("handoff show")
    run("handoff show", A)
    run("handoff show", "--summary", "Half done", "--next", "Test it", "--question", "Why?")
    run("handoff report", A)
    run("context status")
    checkpoint = run("context checkpoint")["checkpoint"]["id"]
    run("context status")
    run("context checkpoint --full")
    run("context restore", checkpoint[:8])
    run("context compact --dry-run")
    for level in "123":
        run("context recover", level, "retry")
    run("sessions continue", A)
    run("sessions restore-identity")
    run("sessions persist-identity")
    run("consciousness status")
    run("consciousness brief")
    run("consciousness check-identity")
    run("consciousness inject-context")
    run("trajectory show")
    run("trajectory path")
    run("trajectory schema")


def steer(story: Story, run: Commands) -> None:
    run("goal show")
    run("goal set", "Retry thrice")
    run("goal show")
    run("goal keep")
    run("goal accept")
    rule = run("rules add", "Never push")["rule"]["id"]
    run("rules list")
    run("rules list --all")
    run("rules scope", rule, "task")
    run("rules edit", rule, "Never push to main")
    rule = run("rules list")["rules"][0]["id"]
    run("rules enforce", rule, "--ask")
    run("rules enforce", rule, "--off")
    run("rules write", rule, "--file", "AGENTS.md")
    run("rules drop", rule)
    run("rules keep", rule)
    story.say(B, "Please name branches after their issue.")
    run("remember", "--rule", "--quote", "name branches after their issue")
    run("remember", "--thread", A)
    story.tell(
        "PostToolUse",
        B,
        tool_name="AskUserQuestion",
        tool_input={"questions": [{"question": "Which store?", "options": []}]},
        tool_response={"answers": {"Which store?": "SQLite"}},
    )
    thread = run("threads list --all")["threads"][0]["id"]
    for verb in ("show", "why", "close", "reopen"):
        run(f"threads {verb}", thread)
    run("threads rename", thread, "Retries")
    own = run("threads split", B)["thread"]["id"]
    other = run("threads move", B, run("threads split", A)["thread"]["id"])["thread"]["id"]
    run("threads split", B)
    run("threads merge", own, other)
    choice = run("choices list")["choices"][0]["id"]
    run("choices drop", choice)
    run("choices list --all")
    run("choices keep", choice)
    run("pins add", "Ports are 8080", "--label", "port", "--critical")
    run("pins list")
    run("pins drop", "port")
    run("pins learn", "The mock is flaky", "--category", "tests")
    learning = run("pins learnings")["learnings"][0]["id"]
    run("pins learnings", "--drop", learning)
    run("confidence show")
    run("confidence show --table")
    run("contract show")
    run("contract set", "--goal", "Retry", "--criterion", "It retries", "--evidence", "tests")
    run("contract show")
    run("contract clear")
    run("dream begin --dry-run")
    run("dream begin")
    run("dream show")


def decide(story: Story, run: Commands) -> None:
    because = ("--because", "No new dependency", "--evidence", "src/fetch.py:1-2")
    made = run("decide", "Retry with urllib", *because, "--scenario", "happy_path:retry:on 503")
    first = made["decision"]["id"]
    run("decide", "Cache answers", "--evidence", "src/none.py:1", "--unsupported")
    run("decisions supersede", first, "Retry with urllib3", "--evidence", "src/fetch.py:2")
    run("decisions list")
    run("decisions list --all")
    run("decisions show", first)
    run("decisions ask", "How long?")
    run("decisions next", "Test it")
    item = run("decisions block", "The server is down")["item"]["id"]
    run("decisions open")
    run("decisions resolve", item, "It is up")
    run("decisions check", "Retry with requests", code=1)
    run("decisions check")
    run("decisions forks")
    run("cite", "It retries on 503", "--evidence", "src/fetch.py:2")
    run("cite", "It is fast", "--assumption")
    run("ground", code=1)
    run("ghost", "retry")
    run("ghost")
    run("notes render")
    run("notes show")
    run("notes check")
    run("notes identify", "src/fetch.py:1", "where requests start")
    item = run("tracker add", "Test the timeout")["id"]
    run("tracker ready")
    run("tracker show", item)
    run("tracker start", item)
    run("tracker comment", item, "Half done")
    scenarios = [
        word
        for kind in ("happy_path", "edge_case", "error_handling")
        for word in ("--scenario", f"{kind}:{kind}:it gives up")
    ]
    run("decide", "A timeout gives up", *scenarios)
    run("context checkpoint --full")
    run("tracker done", item, "--reason", "It is tested")
    run("tracker sync")
    run("repair heal --check-only")
    run("repair heal")


def gate(story: Story, run: Commands) -> None:
    run("req status")
    run("req init --preview")
    run("req init")
    story.demand(REQUIREMENTS)
    run("trust --show")
    run("trust")
    run("trust --revoke")
    for verb in ("status", "status --summary", "list", "sessions", "config", "verify"):
        run(f"req {verb}")
    run("req explain", "git push origin main")
    run("req doctor")
    run("req metrics")
    run("req logging")
    run("req satisfy planned", "--note", "done")
    run("req approve planned --for 300")
    run("req status --verbose")
    run("req clear planned")
    run("req clear --all")
    run("req disable planned")
    run("req enable planned")
    run("req pause")
    run("req resume")
    git(story.repo, "checkout", "-q", "-b", "short-lived")
    run("req satisfy planned")
    git(story.repo, "checkout", "-q", "feature/auth")
    git(story.repo, "branch", "-q", "-D", "short-lived")
    run("req prune --dry-run")
    run("req prune")


def move_data(story: Story, run: Commands) -> None:
    exported = str(story.folder / "all.jsonl")
    run("export", exported)
    run("import", exported, "--dry-run")
    run("import", exported)
    older = story.folder / "requirements.json"
    older.write_text(json.dumps({"version": "1.0", "branch": "feature/auth", "requirements": {}}))
    run("import", "--from", str(older), "--dry-run")
    run("import", "--transcripts", str(story.folder), "--dry-run")
    (story.repo / "leak.txt").write_text("token = ghp_" + "a1B2" * 9)
    run("redact", "leak.txt")
    run("redact", "--check", "leak.txt", code=1)
    run("repair replay --check")
    run("repair replay")
    run("repair store")
    run("repair store --dry-run")
    story.end(B)
    run("archive --older-than 0 --dry-run")
    run("archive --older-than 0")
    run("restore", A, "--dry-run")
    run("restore", A)
    run("forget", A, "--dry-run")
    run("forget", A, "--yes", A[:8])
    run("purge --project --dry-run")
    run("purge --all --dry-run")
    run.apart("demo")
    run.apart("mcp")
    run.apart("statusline")
    run("brief --markdown")
    run("brief --why")
    run.interrupted("serve", "Ctrl-C")


def switch_off(run: Commands) -> None:
    run("pause --for 30m")
    run("unpause")
    run("resume")
    run("uninstall --dry-run")
    run("uninstall")
