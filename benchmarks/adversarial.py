"""What a hook takes for the largest and the worst inputs, beside a bare interpreter.

Every input of tests/faults/large_inputs.py through the installed command, in a project with
triggers; and, with --corpus N, N inputs that chance made of recorded payloads. Times are of the
processor, as a ratio to `python -I -S -c pass` of the same run: a busy machine says the same.

Laws: nothing outside a scratch folder is written without --write; each event's entry is looked for,
and what is missing is counted; the exit code is 0, for a benchmark informs.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import resource
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "faults"))

from hooks import PAYLOADS, clean, make_repository
from large_inputs import LARGE, TRANSCRIPTS

from holdfast.hook.events import EVENTS
from holdfast.ledger import queries
from holdfast.setup import install
from holdfast.store.sqlite import Store
from holdfast.system import files

RESULTS = Path(__file__).parent / "results" / "adversarial.md"
LIMIT_S = 60
SEED = 19
SHOWN = 12
TRIGGERS = (r"git\s+push", r"l.*s\b", r"curl .*\|\s*sh", r"(a|e|x).*\bmain")
MANY_BYTES = 1_000_000

Took = tuple[float, float]  # milliseconds of the processor, and by the clock


class Project:
    """A project that demands something, and one session of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.repo = folder / "app"
        for path in (folder / "home", folder / "run", self.repo):
            path.mkdir(mode=0o700)
        make_repository(self.repo)
        demands = {
            f"r{number}": {"trigger_tools": [{"tool": "Bash", "command_pattern": pattern}]}
            for number, pattern in enumerate(TRIGGERS)
        }
        local = self.repo / ".holdfast" / "config.local.yaml"
        local.parent.mkdir()
        local.write_text(json.dumps({"requirements": demands}))
        self.state = f"{folder}/home/.local/state/holdfast"
        files.own_folder(self.state)
        install.write_launcher(self.state)
        self.command = shlex.split(install.hook_command(self.state))
        self.environment = clean(folder / "home", folder / "run")
        self.environment["CLAUDE_PROJECT_DIR"] = str(self.repo)
        self.transcripts: dict[str, str] = {}
        for _ in range(2):  # the first one compiles and bundles
            self.say(self.payload({"_": "SessionStart.startup"}))
            time.sleep(1)

    def payload(self, changes: dict[str, Any]) -> dict[str, Any]:
        changes = dict(changes)
        said: dict[str, Any] = json.loads((PAYLOADS / f"{changes.pop('_')}.json").read_text())
        for name in ("prompt_id", "tool_use_id", "agent_id", "task_id"):
            if name in said:
                said[name] = str(uuid.uuid4())
        # Two events of the very same content and without an id would be one.
        said |= {"nonce": str(uuid.uuid4()), "cwd": str(self.repo), "transcript_path": ""}
        # A session ends once.
        is_end = said["hook_event_name"] == "SessionEnd"
        said |= {"session_id": str(uuid.uuid4()) if is_end else "s1", **changes}
        if said["transcript_path"] in TRANSCRIPTS:
            said["transcript_path"] = self.transcript(said["transcript_path"])
        return said

    def transcript(self, name: str) -> str:
        if name not in self.transcripts:
            path = self.folder / f"{len(self.transcripts)}.jsonl"
            path.write_text(TRANSCRIPTS[name]())
            self.transcripts[name] = str(path)
        return self.transcripts[name]

    def say(self, said: dict[str, Any] | bytes) -> Took:
        raw = said if isinstance(said, bytes) else json.dumps(said).encode()
        return took(self.command, self.environment, raw, self.repo)

    def count(self) -> int:
        store = Store(f"{self.state}/store.db", create=False)
        made: int = sum(
            entry.kind in EVENTS and entry.body.get("source") != "adopted"
            for _, entry in queries.read(store)
        )
        store.close()
        return made


def took(command: list[str], environment: dict[str, str], raw: bytes, folder: Path) -> Took:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    done = subprocess.run(
        command, input=raw, env=environment, cwd=folder, capture_output=True, timeout=LIMIT_S,
        check=False,
    )  # fmt: skip
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode or done.stderr:
        print(f"  ended with {done.returncode}: {done.stderr[-200:]!r}", file=sys.stderr)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent * 1_000, wall * 1_000


def bare(folder: Path) -> float:
    command = [os.path.realpath(sys.executable), "-I", "-S", "-c", "pass"]
    return statistics.median(took(command, {}, b"", folder)[0] for _ in range(15))


def large_rows(project: Project, rounds: int) -> list[tuple[str, int, Took]]:
    """Each input, the median of its rounds by the processor."""
    rows = []
    for name, make in LARGE:
        times = []
        size = 0
        for _ in range(rounds):
            raw = json.dumps(project.payload(make())).encode()
            size = len(raw)
            times.append(project.say(raw))
        rows.append((name, size, sorted(times)[len(times) // 2]))
        print(f"  {name}: {rows[-1][2][0]:.0f} ms", file=sys.stderr, flush=True)
    return rows


def fuzzed(amount: int) -> list[bytes]:
    """Recorded payloads with bytes lost, doubled and changed."""
    chance = random.Random(SEED)
    recorded = [path.read_bytes() for path in sorted(PAYLOADS.glob("*.json"))]
    made = []
    for _ in range(amount):
        raw = bytearray(chance.choice(recorded))
        for _ in range(chance.randrange(1, 8)):
            at = chance.randrange(len(raw))
            change = chance.randrange(4)
            if change == 0:
                raw[at] = chance.randrange(256)
            elif change == 1:
                del raw[at : at + chance.randrange(40)]
            elif change == 2:
                raw[at:at] = raw[at : at + chance.randrange(200)] * chance.randrange(50)
            else:
                raw[at:at] = chance.choice([b'"', b"\\", b"{", b"[", b"\x00", b"\xff"])
        made.append(bytes(raw))
    return made


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--corpus", type=int, default=200, help="how many inputs chance makes")
    options.add_argument("--write", action="store_true", help=f"write {RESULTS.name}")
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="holdfast-adversarial-") as scratch:
        folder = Path(scratch)
        project = Project(folder)
        floor = bare(folder)
        usual = statistics.median(
            project.say(project.payload({"_": "PostToolUse.Bash"}))[0] for _ in range(9)
        )
        before = project.count()
        rows = large_rows(project, given.rounds)
        expected = sum(1 for name, _ in LARGE if not name.startswith("asked:")) * given.rounds
        project.say(project.payload({"_": "Notification.idle_prompt"}))
        lost = before + expected + 1 - project.count()
        corpus = [project.say(raw) for raw in fuzzed(given.corpus)]
    written = report(rows, corpus, floor, usual, lost, given.rounds)
    print(written)
    if given.write:
        RESULTS.write_text(written)


def report(
    rows: list[tuple[str, int, Took]],
    corpus: list[Took],
    floor: float,
    usual: float,
    lost: int,
    rounds: int,
) -> str:
    slowest = sorted(rows, key=lambda row: row[2], reverse=True)
    large = [row for row in rows if row[1] >= MANY_BYTES]
    worst = max(corpus)[0] if corpus else 0.0
    middle = statistics.median(row[2][0] for row in rows)
    python = platform.python_version()
    return f"""# The worst inputs

`python benchmarks/adversarial.py --rounds {rounds} --corpus {len(corpus)}`, CPython {python}.

Processor time: a bare interpreter takes {floor:.0f} ms, a usual tool call {usual:.0f} ms
({usual / floor:.1f} times that). {len(rows)} inputs, {len(large)} of them a megabyte and more.
Entries missing afterwards: {lost}. The worst of {len(corpus)} inputs made by chance takes
{worst:.0f} ms, {worst / floor:.1f} times a bare interpreter.

| input | MB | ms | ratio |
|---|--:|--:|--:|
{"".join(_row(name, f"{size / 1e6:.1f}", cpu, floor) for name, size, (cpu, _) in slowest[:SHOWN])}\
{_row("*the median of all*", "", middle, floor)}"""


def _row(name: str, size: str, cpu: float, floor: float) -> str:
    return f"| {name} | {size} | {cpu:.0f} | {cpu / floor:.1f} |\n"


if __name__ == "__main__":
    main()
