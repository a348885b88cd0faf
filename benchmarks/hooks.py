"""What a hook costs: `make bench`.

Every event that `holdfast init` installs, through the installed command, in a small and in a large
project, beside what else a machine starts. Figures are ratios to `python -I -S -c pass` of the same
interpreter, and all commands take turns in one run.

Laws: the environment is clean; the order within a round is shuffled by a fixed seed; each event
carries ids of its own, so that each is really kept, and the count at the end says so; nothing
outside a scratch folder is written without --write; the exit code is 0, for a benchmark informs.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import random
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from functools import partial
from pathlib import Path

import report
from large_store import ENTRIES, build

import holdfast
from holdfast.agents.claude_code.payloads import HOOKS
from holdfast.hook import brief_file
from holdfast.ledger.workspace import Workspace
from holdfast.setup import install
from holdfast.system import environment, files, paths

PAYLOADS = Path(__file__).parents[1] / "tests" / "payloads" / "claude_code" / "2.1.325"
VARIANTS = {
    "SessionStart": "SessionStart.startup",
    "SessionEnd": "SessionEnd.other",
    "PreCompact": "PreCompact.auto",
    "PostCompact": "PostCompact.auto",
    "Notification": "Notification.idle_prompt",
}
SMALL, LARGE = 50, 10_000
FILES, BRANCHES = 5_000, 200
WARM_UP = 5
PATH = "/usr/local/bin:/usr/bin:/bin"
SEED = 20_250_101
PROMPT = (
    "The importer drops a row whenever its parser meets an empty field in the last column. Find"
    " out why, write a test that fails first, and fix it. Don't change the schema of the queue."
)
CONSEQUENCES = (
    *("goal_set", "rule_given", "turned", "learnt", "state_inherited"),
    *("checkpoint_taken", "context_given", "confidence_moved", "evidence_seen", "stop_passed"),
    *("requirement_met", "requirement_triggered"),
    *("identity_inherited", "identity_told", "identity_persisted"),
    *("branch_seen", "work_seen", "state_synced", "thread_linked", "prompt_settled"),
)
LONG_AGO = 1_700_000_000.0
DEMANDS = 20
BRIEFS = 10_000
# The seed's commands, as its hooks would run them: TC-SESSION-24.
COMMANDS = (
    ("consciousness", "brief"),
    ("session", "restore-identity"),
    ("session", "persist-identity"),
    ("consciousness", "check-identity"),
    ("consciousness", "inject-context"),
)

Turn = Callable[[], float]  # runs a command once; milliseconds


class Project:
    """A project with a past, in a home of its own, and one session of it at work."""

    def __init__(self, folder: Path, sessions: int) -> None:
        self.name = report.SMALL if sessions == SMALL else report.LARGE
        self.sessions = sessions
        home, runtime = folder / "home", folder / "run"
        self.repo = folder / "app"
        for path in (home, runtime, self.repo):
            path.mkdir(parents=True, mode=0o700)
        make_repository(self.repo, FILES, BRANCHES)
        self.transcript = write_transcript(folder / "transcript.jsonl")
        self.state = f"{home}/.local/state/holdfast"
        files.own_folder(self.state)
        install.install(self.state, install.settings_path(self.repo), status_line=True)
        self.command = shlex.split(install.hook_command(self.state))
        self.environment = clean(home, runtime)
        self.expected = 0
        self.tokens = 0
        self.working = str(uuid.uuid4())
        self.say("SessionStart", self.working)
        build(self.state, self.working, sessions)
        self.expected = self.kept()
        self.gated = folder / "gated"
        self.gated.mkdir(mode=0o700)
        make_repository(self.gated)
        self.demand()
        # One waits for its end, whichever turn comes first; so at most three are open.
        self.waiting = [self.begin()[1]]

    def demand(self) -> None:
        """A project that demands much, and a session in it that has done all of it."""
        demands = {f"requirement_{n}": {"satisfied_by_skill": "plan"} for n in range(DEMANDS)}
        (self.gated / ".holdfast").mkdir()
        (self.gated / ".holdfast" / "config.yaml").write_text(json.dumps({"requirements": demands}))
        self.demanding = str(uuid.uuid4())
        self.say("SessionStart", self.demanding, self.gated)
        done = {"tool_name": "Skill", "tool_input": {"skill": "plan"}}
        self.say("PostToolUse", self.demanding, self.gated, **done)
        self.expected = self.kept()

    def say(self, event: str, session: str, folder: Path | None = None, **more: object) -> float:
        """One event through the installed command; milliseconds."""
        said = self.payload(event, session, folder, **more)
        # The client sets it.
        environment = {**self.environment, "CLAUDE_PROJECT_DIR": str(folder or self.repo)}
        return took(self.command, environment, said)

    def payload(
        self, event: str, session: str, folder: Path | None = None, **more: object
    ) -> bytes:
        """An event with ids of its own, as the client sends it."""
        said = json.loads((PAYLOADS / f"{VARIANTS.get(event, event)}.json").read_text())
        for name in ("prompt_id", "tool_use_id", "agent_id", "task_id"):
            if name in said or name == "prompt_id":
                said[name] = str(uuid.uuid4())
        said |= {"session_id": session, "cwd": str(folder or self.repo), **more}
        said["transcript_path"] = str(self.transcript)
        if event == "UserPromptSubmit":
            said["prompt"] = PROMPT
        # It began, and followed another one.
        self.expected += {"PreToolUse": 0, "SessionStart": 2}.get(event, 1)
        return json.dumps(said).encode()

    def turn(self, event: str) -> Turn:
        """How an event takes its turn. A session that one turn begins, another one ends."""

        def between() -> float:
            spent, session = self.begin()
            self.waiting.append(session)
            return spent

        if event == "SessionStart":
            return between
        if event == "SessionEnd":
            return lambda: self.say(event, self.waiting.pop(0))
        return lambda: self.say(event, self.working)

    def judged(self) -> float:
        """An edit, judged by every requirement."""
        given = {"file_path": f"{self.gated}/src/a.py", "old_string": "a", "new_string": "b"}
        more = {"tool_name": "Edit", "tool_input": given}
        return self.say("PreToolUse", self.demanding, self.gated, **more)

    def begin(self) -> tuple[float, str]:
        """A session that does a little work, so that the next one has something to be told; what
        its beginning took, and its id."""
        session = str(uuid.uuid4())
        spent = self.say("SessionStart", session)
        for event in ("UserPromptSubmit", "PostToolUse", "PostToolUseFailure"):
            self.say(event, session)
        return spent, session

    def asked(self, *words: str) -> float:
        """A command for other hooks, with the session it is about on stdin; milliseconds."""
        command = [sys.executable, "-m", "holdfast", *words]
        environment = {**self.environment, "CLAUDE_CODE_SESSION_ID": self.working}
        return took(command, environment, json.dumps({"session_id": self.working}).encode())

    def status_line(self) -> float:
        """As the client runs it, with a context that fills; milliseconds."""
        self.tokens += 100
        usage = {"input_tokens": self.tokens, "output_tokens": 200}
        window = {"context_window_size": 200_000, "current_usage": usage}
        told = {"session_id": self.working, "cwd": str(self.repo), "context_window": window}
        environment = {**self.environment, "COLUMNS": "120"}
        command = [*self.command, "statusline", install.name_of(install.settings_path(self.repo))]
        return took(command, environment, json.dumps(told).encode())

    def briefs(self) -> dict[str, float]:
        """What `format_brief` takes in a process that is there: TC-SESSION-11; microseconds."""
        os.environ["XDG_RUNTIME_DIR"] = self.environment["XDG_RUNTIME_DIR"]
        environment.system.environ[b"XDG_RUNTIME_DIR"] = os.environ["XDG_RUNTIME_DIR"].encode()
        assert brief_file.is_warm(self.working), "the session has no brief"
        spent = []
        for _ in range(BRIEFS):
            start = time.perf_counter()
            brief_file.format_brief(self.working)
            spent.append((time.perf_counter() - start) * 1e6)
        spent.sort()
        return {f"p{part}_us": round(spent[BRIEFS * part // 100], 1) for part in (50, 95, 99)}

    def kept(self) -> int:
        """Entries, less what Holdfast made of events: that depends on what was said before."""
        workspace = Workspace(self.state)
        sql = f"select count(*) from entries where kind not in {CONSEQUENCES}"
        count = int(workspace.store.value(sql))
        workspace.store.close()
        return count

    def proof(self) -> dict[str, object]:
        """Whether all that was sent in was kept."""
        return {
            "project": self.name,
            "sessions": self.sessions,
            "entries": self.kept(),
            "expected": self.expected,
            "faults": (files.read_text(paths.faults(self.state)) or "").count("\n"),
        }


def write_transcript(path: Path) -> Path:
    """A conversation of some length: its end tells how full the context is."""
    usage = {"input_tokens": 2, "cache_read_input_tokens": 30_000, "output_tokens": 200}
    text = {"type": "text", "text": PROMPT * 5}
    message = {"role": "assistant", "model": "claude-sonnet-4-5", "usage": usage, "content": [text]}
    row = json.dumps({"type": "assistant", "isSidechain": False, "message": message})
    path.write_text(f"{row}\n" * 200)
    return path


def make_repository(folder: Path, files: int = 0, branches: int = 0) -> None:
    git = ["git", "-C", str(folder), "-c", "user.name=dev", "-c", "user.email=dev@example.com"]
    for number in range(files):
        path = folder / f"part{number % 50}" / f"module{number}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"NUMBER = {number}\n")
        # As old as files are: what is as young as the index git reads each time again.
        os.utime(path, (LONG_AGO, LONG_AGO))
    for words in ("init -q -b main", "add .", "commit -q --allow-empty -m Begin"):
        subprocess.run([*git, *words.split()], check=True)
    for number in range(branches):
        subprocess.run([*git, "branch", f"topic/{number}"], check=True)


def clean(home: Path, runtime: Path) -> dict[str, str]:
    return {
        "HOME": str(home),
        "XDG_RUNTIME_DIR": str(runtime),
        "CLAUDE_PID": str(os.getpid()),
        "PATH": PATH,
        "HOLDFAST_DREAM_ENABLED": "false",  # one after a session would run beside what is measured
    }


def took(command: list[str], environment: dict[str, str], said: bytes = b"") -> float:
    """Start a process, give it its input, wait for its end; milliseconds."""
    reading, writing = os.pipe()
    os.write(writing, said)  # a payload is smaller than a pipe
    os.close(writing)
    actions = [
        (os.POSIX_SPAWN_DUP2, reading, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    start = time.perf_counter()
    pid = os.posix_spawn(command[0], command, environment, file_actions=actions)
    _, status = os.waitpid(pid, 0)
    end = time.perf_counter()
    os.close(reading)
    if status:
        print(
            f"  {' '.join(command)} ended with {os.waitstatus_to_exitcode(status)}", file=sys.stderr
        )
    return (end - start) * 1_000


def turns(projects: list[Project], folder: Path) -> dict[tuple[str, str], Turn]:
    """THE TABLE of commands: (name, project) -> how it takes its turn."""
    bare = [os.path.realpath(sys.executable), "-I", "-S", "-c"]
    others = {
        report.FLOOR: [*bare, "pass"],
        f"{report.FLOOR}, then posix._exit": [*bare, "import posix; posix._exit(0)"],
        report.NODE: ["node", "-e", "0"],
        "bash -c :": ["bash", "-c", ":"],
    }
    table: dict[tuple[str, str], Turn] = {}
    for name, (program, *rest) in others.items():
        found = shutil.which(program, path=PATH) or shutil.which(program)
        if found:
            table[name, report.ALONE] = partial(took, [found, *rest], clean(folder, folder))
    for project in projects:
        for event in HOOKS:
            table[event, project.name] = project.turn(event)
        table[report.GATED, project.name] = project.judged
        errand = [*project.command, "brief", project.working]
        table[report.BRIEF, project.name] = partial(took, errand, project.environment)
        table[report.STATUS_LINE, project.name] = project.status_line
        for words in COMMANDS:
            name = " ".join(("holdfast", *words))
            table[name, project.name] = partial(project.asked, *words)
    return table


def measure(table: dict[tuple[str, str], Turn], rounds: int) -> report.Times:
    order = list(table)
    chance = random.Random(SEED)
    times: report.Times = {name: [] for name in order}
    for number in range(WARM_UP + rounds):
        chance.shuffle(order)
        for name in order:
            spent = table[name]()
            if number >= WARM_UP:
                times[name].append(spent)
        if number % 20 == 0:
            print(f"  round {number} of {WARM_UP + rounds}", file=sys.stderr, flush=True)
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description="What a hook costs, as ratios in one run.")
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--small-only", action="store_true", help="without the large project")
    parser.add_argument(
        "--sessions", type=int, default=LARGE, help="of the large project; a hundred take seconds"
    )
    parser.add_argument("--write", action="store_true", help="save to benchmarks/results/")
    given = parser.parse_args()
    # As `pip install` does: no figure includes a compilation.
    compileall.compile_dir(os.path.dirname(holdfast.__file__), quiet=2)
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as scratch:
        folder = Path(scratch)
        projects = []
        for sessions in [SMALL] if given.small_only else [SMALL, given.sessions]:
            print(f"building {sessions * ENTRIES} entries", file=sys.stderr, flush=True)
            projects.append(Project(folder / str(sessions), sessions))
        times = measure(turns(projects, folder), max(given.rounds, 1))
        kept = [project.proof() for project in projects]
        briefs = projects[0].briefs()
    around: list[str] = [event for event in ("PreToolUse", "PostToolUse") if event in HOOKS]
    said = report.report(times, kept, given.rounds, around, briefs)
    print(said.markdown())
    if given.write:
        said.save(Path(__file__).parent / "results")


if __name__ == "__main__":
    main()
