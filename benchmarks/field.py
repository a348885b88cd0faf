"""Real sessions through the real hook: what was understood of them, and what they were told.

    python benchmarks/field.py --data DIR --starts STARTS.jsonl --predictions PREDICTIONS.jsonl

DIR holds recorded sessions of Claude Code (index.json, prompts.jsonl.gz, sessions/, repos/). The
sessions of one developer and repository are played together in order of time, on a machine of
their own: a scratch home, the installed hook command, a clock that shows the time of the event
(libfaketime), a process for each session's agent, a transcript that grows row by row, and the
repository at the commit of the time where repos/ has a bundle of it. field_events.py says which
events there were.

STARTS.jsonl has a line for each session that began, PREDICTIONS.jsonl one for each turn of
prompts.jsonl.gz: both in the form that the scorer beside the data reads. Which earlier sessions a
start was told of is read from the lines that were printed alone: those whose words they quote.

Laws: only events that `holdfast init` installs are sent, with --batches PostToolBatch as well;
PreToolUse not at all, for nothing is demanded here; the agent's edits are not made, so the files
are those of the commit; nothing but the files named on the command line is written, --write aside,
and its table holds numbers alone; of a group that could not be played the others' results are
kept, and the exit code is 1; else it is 0, for a benchmark informs.
"""

from __future__ import annotations

import argparse
import json
import os
import platform as machine
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from bisect import bisect_right
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from field_events import (
    KILLED,
    Choice,
    Event,
    Reader,
    Recording,
    Turns,
    read_lines,
    recordings,
    together,
    turns_of,
)

from holdfast.agents.claude_code.payloads import HOOKS
from holdfast.hook.consolidate import ASKED, BEGUN
from holdfast.hook.tokens import count
from holdfast.ledger import faults, queries as ledger
from holdfast.ledger.entry import Entry
from holdfast.ledger.reader import Reading
from holdfast.rooms.threads import queries as threads
from holdfast.rooms.threads.thread_state import Look
from holdfast.setup import install
from holdfast.system import environment, files, paths

RESULTS = Path(__file__).parent / "results" / "field.md"
LIBRARY = "libfaketime.so.1"
LIBRARIES = ("/usr/lib/*/faketime", "/usr/lib*/faketime", "/usr/local/lib/faketime")
PATH = "/usr/local/bin:/usr/bin:/bin"
PATIENCE_S = 60
TRIES = 2
# libfaketime leaves two files here for every process that ends without unwinding, as a hook does;
# one that is given a number anew, and finds the files of the last that had it, does not start.
SHARED_IN = Path("/dev/shm")
SHARED = re.compile(r"(?:faketime_shm|sem\.faketime_sem)_(\d+)")
SHARED_FOR_S = 60
DREAM_LIMIT_S = 15
DAY_S = 86_400
WORKTREES = re.compile(r"^(.*/(?:\.worktrees|\.claude/worktrees)/)")
DATED = re.compile(r"\s+\((?:[^()]*, )?\d{4}-\d\d-\d\d[^()]*\)$")
QUOTED = re.compile(r'"([^"]+)"')
TITLES = "Open here"
QUOTED_WORDS, QUOTED_AT_LEAST = 8, 3  # of a quotation, by which it is found
# A folder that projects lie in, and is none itself.
HOME = re.compile(r"^(?:[A-Za-z]:)?(?:|/root|/(?:home|Users)(?:/[^/]+)?)$")
HEARD = ("rule_given", "turned", "goal_set", "choice_made")
BATCH = "PostToolBatch"
CALLS = ("PostToolUse", "PostToolUseFailure")


@dataclass
class Played:
    """What came of the sessions of one developer and repository."""

    repository: str
    developer: str
    sessions: int = 0
    events: int = 0
    calls: int = 0
    failures: list[str] = field(default_factory=list)
    faults: int = 0
    demoted: list[str] = field(default_factory=list)  # what a person did, held to be a program's
    threads: list[dict[str, Any]] = field(default_factory=list)
    seconds: float = 0.0
    starts: list[tuple[float, dict[str, Any]]] = field(default_factory=list)
    heard: dict[str, dict[str, Any]] = field(default_factory=dict)


def main() -> None:
    options = argparse.ArgumentParser(description="Play recorded sessions through the hook.")
    options.add_argument("--data", type=Path, required=True, help="folder of recorded sessions")
    options.add_argument("--starts", type=Path, required=True, help="written: what was told")
    options.add_argument("--predictions", type=Path, required=True, help="written: what was heard")
    options.add_argument("--write", action="store_true", help=f"write {RESULTS.name}")
    options.add_argument("--sessions", type=int, help="the first so many alone")
    options.add_argument("--repo", help="one repository alone")
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--groups", type=Path, help="written: the threads as they are at the end")
    options.add_argument("--config", type=Path, help="the user's configuration while they play")
    options.add_argument("--fast", action="store_true", help="without tools that only look")
    options.add_argument(
        "--without-tools", action="store_true", help="only tools that the user speaks through"
    )
    options.add_argument(
        "--plans-as-prompts", action="store_true", help="send accepted plans as prompts, too"
    )
    options.add_argument(
        "--batches", action="store_true", help=f"send {BATCH}, as if a user had installed it"
    )
    given = options.parse_args()
    given.data = given.data.resolve()
    library = find_library()
    if not library:
        sys.exit(f"error: {LIBRARY} is needed for the clock: `apt-get install faketime`")
    sweep(SHARED_IN)
    choice = Choice(
        tools=not given.without_tools,
        looking=not given.fast,
        plans_as_prompts=given.plans_as_prompts,
        batches=given.batches,
    )
    chosen = [each for each in recordings(given.data) if given.repo in (None, each.repository)]
    groups = grouped(chosen[: given.sessions])
    began = time.perf_counter()
    config = given.config.read_text(encoding="utf-8") if given.config else ""
    played, broken = play_all(given.data, groups, choice, library, max(given.jobs, 1), config)
    seconds = time.perf_counter() - began
    write_lines(given.starts, in_order_of_time(played))
    if given.groups:
        write_lines(given.groups, [line for each in played for line in each.threads])
    sessions = {each.id for group in groups for each in group}
    heard = {id_: guess for each in played for id_, guess in each.heard.items()}
    turns = (line for line in read_lines(given.data / "prompts.jsonl.gz"))
    write_lines(
        given.predictions,
        [
            {"id": line["id"], **heard.get(line["id"], NOTHING)}
            for line in turns
            if line["session"] in sessions
        ],
    )
    written = report(played, seconds, choice)
    print(written)
    for each in played:
        for failure in each.failures[:5]:
            print(f"failed: {failure}", file=sys.stderr)
        for words in each.demoted:
            print(f"demoted: {each.repository} {words[:120]}", file=sys.stderr)
    if given.write and not broken:
        RESULTS.write_text(f"{written}\n", encoding="utf-8")
    if broken:
        sys.exit("\n".join(f"not played: {failure}" for failure in broken))


def grouped(chosen: list[Recording]) -> list[list[Recording]]:
    """By developer and repository: each on a machine of its own; the largest first."""
    groups: dict[tuple[str, str], list[Recording]] = {}
    for each in chosen:
        groups.setdefault((each.repository, each.developer), []).append(each)
    sizes = {key: sum(each.path.stat().st_size for each in groups[key]) for key in groups}
    return [groups[key] for key in sorted(groups, key=lambda key: -sizes[key])]


def play_all(
    data: Path,
    groups: list[list[Recording]],
    choice: Choice,
    library: str,
    jobs: int,
    config: str,
) -> tuple[list[Played], list[str]]:
    """What came of each group; and which could not be played, and why."""
    played, broken = [], []
    with ProcessPoolExecutor(jobs, max_tasks_per_child=1) as pool:
        waiting = {
            pool.submit(play, data, group, choice, library, config): group for group in groups
        }
        for number, done in enumerate(as_completed(waiting), 1):
            error = done.exception()
            if error is not None:
                first = waiting[done][0]
                broken.append(f"{first.repository}, {first.developer}: {error!r}")
                continue
            played.append(done.result())
            last = played[-1]
            print(
                f"  {number} of {len(groups)}: {last.sessions} sessions, {last.calls} calls,"
                f" {last.seconds:.0f} s",
                file=sys.stderr,
                flush=True,
            )
    return played, broken


def play(data: Path, group: list[Recording], choice: Choice, library: str, config: str) -> Played:
    """The sessions of one developer and repository, in a scratch folder."""
    began = time.perf_counter()
    played = Played(group[0].repository, group[0].developer)
    folder = Path(tempfile.mkdtemp(prefix="holdfast-field-"))
    try:
        roots = Roots([row for each in group for row in read_lines(each.path)], folder)
        turns = turns_of(data)
        readers, rows, words = [], {}, {}
        for each in group:
            words[each.id] = words_said(read_lines(each.path))
            rows[each.id] = [roots.mapped(json.dumps(row)) for row in read_lines(each.path)]
            reader = Reader(each.id, Turns(turns.get(each.id, [])), choice)
            if reader.read([json.loads(row) for row in rows[each.id]]):
                readers.append(reader)
        events, heirs = together(readers)
        bundle = data / "repos" / f"{group[0].repository.replace('/', '+')}.bundle"
        stage = Stage(folder, Repository(folder, roots, bundle), rows, heirs, library)
        if config:
            files.own_folder(paths.config_home())
            files.write_whole(f"{paths.config_home()}/config.yaml", config.encode())
        try:
            sent = [event for event in events if is_sent(event.name, choice)]
            perform(stage, sent, roots, played)
            add_told_of(played, words)
            by_row = {turn.uuid: turn.id for each in group for turn in turns.get(each.id, [])}
            add_chosen(played, stage.entries(None, 0), by_row, roots)
            played.demoted = stage.demoted()
            played.threads = stage.threads([each.id for each in group])
        finally:
            stage.close()
        played.sessions, played.events = len(group), len(events)
        played.faults = len(faults.all_of(stage.state))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    played.seconds = time.perf_counter() - began
    return played


def is_sent(name: str, choice: Choice) -> bool:
    return name in HOOKS or name == KILLED or (name == BATCH and choice.batches)


def perform(stage: Stage, events: list[Event], roots: Roots, played: Played) -> None:
    """Send each event, and note what was told and what was heard."""
    starts: dict[str, dict[str, Any]] = {}
    for event in events:
        before = stage.last_place() if event.turn else 0
        answer, failure = stage.send(event)
        played.calls += event.name != KILLED
        if failure:
            played.failures.append(failure)
        told = roots.unmapped(answer)
        if event.name == "SessionStart" and event.session not in starts:
            starts[event.session] = start = {
                "session": event.session,
                "start": told,
                "prompt": None,
                "tokens": count(told),
                "rules": rules_told(told),
            }
            played.starts.append((event.at, start))
        elif starts[event.session]["prompt"] is None and (
            event.name == "UserPromptSubmit" or (event.name in CALLS and told)
        ):
            # A plan that was accepted comes without a prompt: its words are met at the first call.
            starts[event.session]["prompt"] = told
        if event.turn:
            guess = understood(stage.entries(event.session, before))
            played.heard[event.turn] = json.loads(roots.unmapped(json.dumps(guess)))
    for start in starts.values():
        start["prompt"] = start["prompt"] or ""


def add_told_of(played: Played, words: dict[str, str]) -> None:
    """Which earlier sessions each start was told of, in the order told."""
    earlier: dict[str, str] = {}
    for _, start in sorted(played.starts, key=lambda pair: pair[0]):
        told = f"{start['start']}\n{start['prompt']}"
        start["sessions"] = sessions_quoted(told, earlier)
        earlier[start["session"]] = words.get(start["session"], "")


def words_said(rows: Iterable[dict[str, Any]]) -> str:
    """All that was said in a session by whomever, as bare words."""
    texts: list[str] = []
    for row in rows:
        message = row.get("message")
        content = message.get("content") if isinstance(message, dict) else row.get("content")
        blocks = content if isinstance(content, list) else [{"text": content}]
        texts += [str(block.get("text") or "") for block in blocks if isinstance(block, dict)]
    return f" {bare(' '.join(texts))} "


def sessions_quoted(told: str, earlier: dict[str, str]) -> list[str]:
    """The sessions whose words a line quotes: the one that it names, or the line above the
    quotation, else the latest. A title tells of no session."""
    named: list[str] = []
    heading = ""
    for line in told.splitlines():
        if not line.startswith(">"):
            heading = line
        if heading.startswith(TITLES) or line.startswith("> asked:"):
            continue
        if line.startswith("> stopped:"):  # whole sentences, of which some are left out
            named += [id_ for id_ in earlier if f"session {id_[:8]}," in heading]
            continue
        quoted = [*QUOTED.findall(line), *([line[1:]] if line.startswith(">") else [])]
        for text in quoted:
            words = bare(text).split()[:QUOTED_WORDS]
            if len(words) < QUOTED_AT_LEAST:
                continue
            sayers = [id_ for id_ in earlier if f" {' '.join(words)} " in earlier[id_]]
            if sayers:
                named.append(next((id_ for id_ in sayers if id_[:8] in line), sayers[-1]))
                break
    return list(dict.fromkeys(named))


def bare(text: str) -> str:
    """The words of a text, without marks and decoration."""
    return " ".join(re.findall(r"\w+", text.lower()))


# What was understood and told

NOTHING: dict[str, Any] = {
    "rules": [],
    "candidates": [],
    "withdraws": [],
    "choices": [],
    "dead": [],
    "goal": "",
}


def understood(entries: list[Entry]) -> dict[str, Any]:
    """What entries say that was understood of one turn."""
    guess: dict[str, Any] = json.loads(json.dumps(NOTHING))
    for entry in entries:
        body = entry.body
        if entry.kind == "rule_given":
            if is_rule(body):
                guess["rules"].append({"text": body["text"], "scope": "project"})
            elif body["how"] == "prompt" and body["sort"] != "dead_end":
                guess["candidates"].append(body["text"])
        elif entry.kind == "turned" and body["turn"] == "repeated":
            guess["rules"].append({"text": body["words"], "scope": "project"})
        elif entry.kind == "turned" and body["turn"] == "withdrawn" and body["how"] == "prompt":
            if body["words"] not in guess["withdraws"]:
                guess["withdraws"].append(body["words"])
        elif entry.kind == "goal_set" and body["how"] == "prompt":
            guess["goal"] = body["goal"]
        elif entry.kind == "choice_made" and is_chosen(body) and not body.get("row"):
            guess["choices"].append(body["text"])
    return guess


def add_chosen(played: Played, entries: list[Entry], by_row: dict[str, str], roots: Roots) -> None:
    """What was read from a row of the transcript, at whichever event, belongs to that row's turn;
    the same words that the hook had seen are one choice."""
    for entry in entries:
        row = str(entry.body.get("row") or "")
        turn = by_row.get(row, "") if row else ""
        if turn and entry.kind == "choice_made" and is_chosen(entry.body):
            guess = played.heard.setdefault(turn, json.loads(json.dumps(NOTHING)))
            text = roots.unmapped(entry.body["text"])
            if text not in guess["choices"]:
                guess["choices"].append(text)


def is_chosen(body: dict[str, Any]) -> bool:
    """In the user's words: the title of a plan is the agent's, and its turn nobody's. What was said
    with a Yes is only there to be pointed at."""
    return str(body["sort"]) not in ("plan", "approval")


def is_rule(body: dict[str, Any]) -> bool:
    """Whether other sessions are told it without the person having done anything about it."""
    return body["how"] == "prompt" and bool(body.get("order"))


def rules_told(start: str) -> list[str]:
    """The rules in what a session was told: what is quoted under a line that speaks of rules."""
    rules: list[str] = []
    block: list[str] = []
    is_rules = False
    for line in [*start.splitlines(), ""]:
        if line.startswith(">"):
            block.append(line[1:].strip())
            continue
        if is_rules:
            rules += _items(block)
        block = []
        heading = line.lower()
        is_rules = "rule" in heading and "dead end" not in heading
    return rules


def _items(block: list[str]) -> list[str]:
    """Quoted lines as they belong together: each item ends with its date, if any does."""
    if not any(DATED.search(line) for line in block):
        return [line for line in block if line]
    items, lines = [], []
    for line in block:
        lines.append(DATED.sub("", line))
        if DATED.search(line):
            items.append(" ".join(each for each in lines if each))
            lines = []
    return [*items, *([" ".join(lines)] if any(lines) else [])]


# The machine they are played on


class Roots:
    """The folders that sessions worked in, and where each lies here."""

    def __init__(self, rows: list[dict[str, Any]], folder: Path) -> None:
        cwds = {row["cwd"]: _slashed(row["cwd"]) for row in rows if row.get("cwd")}
        known = set(cwds.values())
        self._root = {cwd: _root_of(slashed, known) for cwd, slashed in cwds.items()}
        names: dict[str, str] = {}
        for root in dict.fromkeys(self._root.values()):
            name = PurePosixPath(root).name
            names[root] = name if name not in names.values() else f"{name}-{len(names)}"
        self._here = {root: str(folder / "w" / name) for root, name in names.items()}
        self._there = {here: root for root, here in self._here.items()}
        longest = sorted(self._here, key=len, reverse=True)
        # As it stands in JSON: a backslash is two. What follows one there is a step of a path.
        spelt = {root.replace("/", "\\\\"): root for root in longest if ":" in root[:2]}
        spelt |= {root: root for root in longest}
        self._spelt = spelt
        every = "|".join(re.escape(each) for each in sorted(spelt, key=len, reverse=True))
        self._mapping = re.compile(rf"({every})((?:\\\\[\w.@+-]+)*)(?![\w.-])")
        back = sorted(self._there, key=len, reverse=True)
        self._unmapping = re.compile(f"({'|'.join(map(re.escape, back))})")

    def mapped(self, text: str) -> str:
        """A row with the folders of here for those of there."""
        return self._mapping.sub(self._path_here, text)

    def unmapped(self, text: str) -> str:
        return self._unmapping.sub(lambda match: self._there[match[1]], text)

    def root(self, cwd: str) -> str:
        """The worktree of here that a folder of here lies in."""
        within = [here for here in self._there if _is_within(cwd, here)]
        return max(within, key=len)

    @property
    def all(self) -> list[str]:
        return list(self._there)

    def _path_here(self, match: re.Match[str]) -> str:
        return self._here[self._spelt[match[1]]] + match[2].replace("\\\\", "/")


def _slashed(path: str) -> str:
    return path.replace("\\", "/").rstrip("/")


def _root_of(cwd: str, known: set[str]) -> str:
    """The shortest known folder above, which is no worktree's when this one is not either."""
    kind = WORKTREES.match(cwd)
    alike = [
        each
        for each in known
        if _is_within(cwd, each)
        and (each == cwd or not HOME.match(each))
        and (WORKTREES.match(each) is None) == (kind is None)
        and (kind is None or each.startswith(kind[1]))
    ]
    return min(alike, key=len)


def _is_within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


class Repository:
    """The repository, with a worktree for each folder, at the commit of the time."""

    def __init__(self, folder: Path, roots: Roots, bundle: Path) -> None:
        self._git = folder / "git"
        self._branches: dict[str, str] = {}  # worktree: branch
        self._known: set[str] = set()
        self.roots = roots
        self.main = "main"
        _git(folder, "init", "-q", "-b", "nothing", str(self._git))
        _git(self._git, "config", "gc.auto", "0")
        address = f"https://example.invalid/{bundle.stem.replace('+', '/')}.git"
        _git(self._git, "remote", "add", "origin", address)
        if bundle.exists():
            name = _git(folder, "bundle", "list-heads", str(bundle)).split()[1]
            self.main = name.removeprefix("refs/heads/")
            _git(self._git, "fetch", "-q", str(bundle), f"{name}:refs/all")
        else:
            tree = _git(self._git, "mktree", said="")
            commit = _git(self._git, "commit-tree", tree, "-m", "Begin", at="2020-01-01T00:00:00Z")
            _git(self._git, "update-ref", "refs/all", commit)
        log = _git(self._git, "log", "--first-parent", "--reverse", "--format=%ct %H", "refs/all")
        self._commits: list[str] = []
        self._times: list[int] = []
        for line in log.splitlines():
            at, commit = line.split()
            self._commits.append(commit)
            self._times.append(max(int(at), self._times[-1] if self._times else 0))
        _git(self._git, "update-ref", "-d", "refs/all")  # nobody sees what is yet to come

    def check_out(self, event: Event) -> None:
        """The worktree of an event on its branch. The main branch moves on with time, another one
        stays where it began."""
        root = self.roots.root(event.cwd)
        if event.name != "SessionStart" and self._branches.get(root) == event.branch:
            return
        here = self._commits[max(bisect_right(self._times, event.at) - 1, 0)]
        if root not in self._branches:
            Path(root).parent.mkdir(exist_ok=True)
            _git(self._git, "worktree", "add", "-q", "-f", "--detach", root, here)
        self._branches[root] = event.branch
        switch = ["checkout", "-q", "-f", "--ignore-other-worktrees"]
        if event.branch in ("", "HEAD"):
            _git(Path(root), *switch, "--detach", here)
        elif event.branch == self.main or event.branch not in self._known:
            self._known.add(event.branch)
            _git(Path(root), *switch, "-B", event.branch, here)
        else:
            _git(Path(root), *switch, event.branch)


def _git(folder: Path, *arguments: str, said: str | None = None, at: str = "") -> str:
    person = [
        "-c",
        "user.name=dev",
        "-c",
        "user.email=dev@example.com",
        "-c",
        "advice.detachedHead=0",
    ]
    environment = {"PATH": PATH, "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    if at:
        environment |= {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at}
    done = subprocess.run(
        ["git", *person, "-C", str(folder), *arguments],
        input=said,
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    if done.returncode:
        raise RuntimeError(f"git {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout.strip()


class Stage:
    """A scratch home with the hook installed, the agents' processes and their transcripts."""

    def __init__(
        self,
        folder: Path,
        repository: Repository,
        rows: dict[str, list[str]],
        heirs: dict[str, str],
        library: str,
    ) -> None:
        self._repository = repository
        self._rows = rows
        self._heirs = heirs
        home, runtime = folder / "home", folder / "run"
        for path in (home, runtime):
            path.mkdir(mode=0o700)
        self._transcripts = home / ".claude" / "projects" / "app"
        self._transcripts.mkdir(parents=True)
        self._environment = {
            "HOME": str(home),
            "XDG_RUNTIME_DIR": str(runtime),
            "PATH": PATH,
            "TZ": "UTC",
            "LD_PRELOAD": library,
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "NO_FAKE_STAT": "1",
        }
        # The launcher and the ledger are used by this process, too.
        for name in ("HOME", "XDG_RUNTIME_DIR"):
            os.environ[name] = self._environment[name]
            environment.system.environ[name.encode()] = self._environment[name].encode()
        for name in ("XDG_STATE_HOME", "HOLDFAST_STATE_HOME", "HOLDFAST_OFF", "CLAUDE_PID"):
            os.environ.pop(name, None)
            environment.system.environ.pop(name.encode(), None)
        self.state = paths.state_home()
        files.own_folder(self.state)
        install.write_launcher(self.state)
        self._command = shlex.split(install.hook_command(self.state))
        self._written: dict[str, int] = {}
        self._agents: dict[str, subprocess.Popen[bytes]] = {}
        self._left: list[tuple[float, int]] = []
        self._last_at = 0.0

    def send(self, event: Event) -> tuple[str, str]:
        """One event through the hook: what the model is told, and what went wrong."""
        if event.name == KILLED:
            self._end_agent(event.session)
            return "", ""
        self._repository.check_out(event)
        os.makedirs(event.cwd, exist_ok=True)
        transcript = self._grown(event)
        agent = self._agent(event)
        payload = {
            "session_id": event.session,
            "transcript_path": str(transcript),
            "cwd": event.cwd,
            "permission_mode": "default",
            "hook_event_name": event.name,
            **event.fields,
        }
        answer, failure = self._call(event, json.dumps(payload).encode(), agent)
        if event.name == "SessionEnd":
            self._end_agent(event.session, handed_on=event.fields.get("reason") == "clear")
        return answer, failure

    def _call(self, event: Event, payload: bytes, agent: int) -> tuple[str, str]:
        self._date_dreams()
        self._last_at = event.at
        for _ in range(TRIES):
            pid, code, stdout, stderr = self._run(event, payload, agent)
            if not (code and b"libfaketime" in stderr):
                break
            _forget(pid)  # what a process left that had the same number
        if code is None:
            return "", f"{event.name}: no answer in {PATIENCE_S} s"
        if code or stderr:
            return "", f"{event.name}: exit {code}, {stderr.decode()[-300:]}"
        if not stdout or event.name == "PreCompact":
            return "", ""
        try:
            output = json.loads(stdout).get("hookSpecificOutput") or {}
        except ValueError:
            return "", f"{event.name}: no JSON"
        return str(output.get("additionalContext") or ""), ""

    def _run(
        self, event: Event, payload: bytes, agent: int
    ) -> tuple[int, int | None, bytes, bytes]:
        """The hook's process: its number, exit code (None: it was too slow), stdout, stderr."""
        stamp = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(event.at))
        hook = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=event.cwd,
            env={
                **self._environment,
                "CLAUDE_PID": str(agent),
                "CLAUDE_PROJECT_DIR": self._repository.roots.root(event.cwd),
                "FAKETIME": f"@{stamp}.{int(event.at * 1000) % 1000:03d}",
            },
        )
        try:
            stdout, stderr = hook.communicate(payload, PATIENCE_S)
        except subprocess.TimeoutExpired:
            hook.kill()
            hook.communicate()
            return hook.pid, None, b"", b""
        finally:
            self._forget_shared(hook.pid)
        return hook.pid, hook.returncode, stdout, stderr

    # The ledger

    def last_place(self) -> int:
        if not files.exists(paths.store(self.state)):
            return 0
        store = Reading(self.state).store
        try:
            return ledger.last_place(store)
        finally:
            store.close()

    def entries(self, session: str | None, after: int) -> list[Entry]:
        """What was heard in a session from a place on; without one in all of them."""
        store = Reading(self.state).store
        try:
            found = ledger.read(store, after=after, session=session)
            return [entry for _, entry in found if entry.kind in HEARD]
        finally:
            store.close()

    # What is around a hook

    def demoted(self) -> list[str]:
        """What neither processes nor the record are said to bear out. Every event here was the
        client's; a draft and a turn that was taken back are none of it."""
        store = Reading(self.state).store
        try:
            keys = store.rows("select kind from entries where key like 'unverified:%'")
            found = [f"unverified: {kind}" for (kind,) in keys]
            texts, settled = {}, []
            for _, entry in ledger.read(store):
                texts[entry.id] = str(entry.body.get("prompt", entry.kind))
                if entry.body.get("unverified"):
                    found.append(f"unverified: {texts[entry.id]}")
                if entry.kind == "prompt_settled" and entry.body["origin"] == "absent":
                    settled.append(entry.body["prompt"])
                if entry.kind == "call_settled" and not entry.body["stands"]:
                    settled.append(entry.body["call"])
            return found + [f"not in the record: {texts.get(id_, id_)}" for id_ in settled]
        finally:
            store.close()

    def threads(self, sessions: list[str]) -> list[dict[str, Any]]:
        """To which thread each session belongs after all were played, and how it stood when the
        session ended."""
        store = Reading(self.state).store
        groups = []
        try:
            for session in sessions:
                thread = threads.thread_of(store, session)
                project = store.text("select project from sessions where id = ?", session)
                own = [one for one in threads.sessions_of(store, thread) if one.id == session]
                stands = Look(store, project, own[0].at).state(own[0]).name if own else ""
                groups.append(
                    {"session": session, "threads": [thread] if thread else [], "state": stands}
                )
        finally:
            store.close()
        return groups

    def _grown(self, event: Event) -> Path:
        """The session's transcript, up to the event."""
        path = self._transcripts / f"{event.session}.jsonl"
        done = self._written.get(event.session, 0)
        if event.rows > done:
            with path.open("a", encoding="utf-8") as transcript:
                transcript.writelines(
                    f"{row}\n" for row in self._rows[event.session][done : event.rows]
                )
            self._written[event.session] = event.rows
        return path

    def _agent(self, event: Event) -> int:
        """The process of a session's agent. `/clear` and a compaction leave it as it is."""
        known = self._agents.get(event.session)
        if known is None:
            before = self._heirs.get(event.session, "") if event.source == "clear" else ""
            known = self._agents.pop(before, None)
        if known is None:
            # It ends with us: nobody writes to it, and its input is closed then.
            known = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        self._agents[event.session] = known
        return known.pid

    def _end_agent(self, session: str, *, handed_on: bool = False) -> None:
        if not handed_on and session in self._agents:
            _end(self._agents.pop(session))

    def _date_dreams(self) -> None:
        """The files by which dreams are told apart in time bear the time of here: the clock of
        the hooks is another one."""
        for name in files.names_in(self.state):
            if name.startswith("dream-"):
                path = f"{self.state}/{name}"
                if os.stat(path).st_mtime > self._last_at + DAY_S / 2:
                    os.utime(path, (self._last_at, self._last_at))

    def _await_dreams(self) -> None:
        """A dream that a hook began goes on after it, and would write into what is removed."""
        until = time.monotonic() + DREAM_LIMIT_S
        dreams = [Path(self.state, name) for name in files.names_in(self.state)]
        dreams = [path for path in dreams if path.name.startswith("dream-")]
        while any(path.read_bytes() in (ASKED, BEGUN) for path in dreams):
            if time.monotonic() > until:
                return
            time.sleep(0.05)

    def _forget_shared(self, pid: int) -> None:
        self._left.append((time.monotonic(), pid))
        while self._left and self._left[0][0] < time.monotonic() - SHARED_FOR_S:
            _forget(self._left.pop(0)[1])

    def close(self) -> None:
        for agent in self._agents.values():
            _end(agent)
        self._await_dreams()
        for _, pid in self._left:
            _forget(pid)


def _end(agent: subprocess.Popen[bytes]) -> None:
    agent.kill()
    agent.wait(10)
    if agent.stdin:
        agent.stdin.close()


def _forget(pid: int) -> None:
    for name in (f"faketime_shm_{pid}", f"sem.faketime_sem_{pid}"):
        (SHARED_IN / name).unlink(missing_ok=True)


def sweep(folder: Path) -> None:
    """Remove what the clocks of processes left that are long gone: a run may have been killed."""
    for path in folder.glob("*faketime_*"):
        of = SHARED.fullmatch(path.name)
        if of is None or Path(f"/proc/{of[1]}").exists():
            continue
        try:
            if path.stat().st_mtime < time.time() - SHARED_FOR_S:
                path.unlink()
        except OSError:
            continue  # another run was there first, or it is somebody else's


def find_library() -> str:
    for pattern in LIBRARIES:
        for folder in sorted(Path("/").glob(pattern[1:])):
            if (folder / LIBRARY).exists():
                return str(folder / LIBRARY)
    return ""


# What is written


def in_order_of_time(played: list[Played]) -> list[dict[str, Any]]:
    starts = [start for each in played for start in each.starts]
    return [start for _, start in sorted(starts, key=lambda pair: (pair[0], pair[1]["session"]))]


def write_lines(path: Path, lines: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines), encoding="utf-8"
    )


def report(played: list[Played], seconds: float, choice: Choice) -> str:
    """Numbers alone: repositories are numbered by how much was played of them."""
    by_repository: dict[str, list[Played]] = {}
    for each in sorted(played, key=lambda each: (-each.events, each.repository)):
        by_repository.setdefault(each.repository, []).append(each)
    rows = [_row(str(n), group) for n, group in enumerate(by_repository.values(), 1)]
    rows.append(_row("**all**", played))
    columns = (
        *("repository", "developers", "sessions", "events", "hook calls", "failed", "faults"),
        *(
            "rules heard",
            "goals heard",
            "choices kept",
            "demoted",
            "rules told at starts",
            "a start's tokens, median",
            "most",
        ),
    )
    table = [f"| {' | '.join(columns)} |", "|---|" + "--:|" * (len(columns) - 1), *rows]
    tools = "all tools" if choice.tools else "only tools that the user speaks through"
    if choice.tools and not choice.looking:
        tools = "all tools but those that only look"
    plans = "as prompts" if choice.plans_as_prompts else "in the transcript alone"
    facts = (
        f"date {time.strftime('%Y-%m-%d', time.gmtime())} · Python {machine.python_version()} ·"
        f" {tools} · accepted plans {plans} · {seconds:.0f} s"
    )
    return "\n\n".join(["# Real sessions through the hook", facts, "\n".join(table)])


def _row(name: str, group: list[Played]) -> str:
    guesses = [guess for each in group for guess in each.heard.values()]
    starts = [start for each in group for _, start in each.starts]
    tokens = [start["tokens"] for start in starts] or [0]
    cells = (
        len({each.developer for each in group}),
        sum(each.sessions for each in group),
        sum(each.events for each in group),
        sum(each.calls for each in group),
        sum(len(each.failures) for each in group),
        sum(each.faults for each in group),
        sum(len(guess["rules"]) for guess in guesses),
        sum(bool(guess["goal"]) for guess in guesses),
        sum(len(guess["choices"]) for guess in guesses),
        sum(len(each.demoted) for each in group),
        sum(len(start["rules"]) for start in starts),
        int(statistics.median(tokens)),
        max(tokens),
    )
    return f"| {name} | {' | '.join(f'{cell:,}' for cell in cells)} |"


if __name__ == "__main__":
    main()
