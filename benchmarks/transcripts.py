"""The import of transcripts on real sessions: how fast, how safe, and how like live sessions.

    python benchmarks/transcripts.py --data DIR [--live SESSIONS] [--kills TIMES] [--write]

DIR holds recorded sessions of Claude Code (index.json, sessions/, repos/). All of them are taken in
by a process of its own, then again; some of them by processes that are killed at a random place and
run again; and some are played through the hook command, as field.py plays them, and compared with
what the import learns from the same rows.

Laws: nothing is written but in a scratch folder, --write aside, and its table holds numbers alone;
the exit code is 0, for a benchmark informs.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import field
from field_events import Choice, Reader, Recording, Turns, read_lines, recordings, together
from recall_data import moved

from holdfast.hook import importing
from holdfast.ledger import queries as ledger
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.recall import recalling
from holdfast.rooms.recall.documents import documents
from holdfast.store.sqlite import Store
from holdfast.system.paths import digest

RESULTS = Path(__file__).parent / "results" / "transcripts.md"
MB = 1_000_000
TIMEOUT_S = 1_800
SEED = 20
# What says nothing of what was taken in: chance, sums, and the index's own pages.
CHANCE = {"salt", "digest", "checksum"}
OWN = ("sqlite_%", "recalled_words%", "machines")
# What a session leaves, by table: the columns that tell it.
LEARNT = {
    "rules": "session, text, sort, is_order",
    "choices": "session, text, question, sort",
    "goals": "session, goal",
    "learnings": "session, text",
    "pull_requests": "session, sort, about, state",
}


@dataclass(frozen=True)
class Run:
    """What one import took, and what came of it."""

    sessions: int
    bytes: int
    entries: int
    wall_s: float
    cpu_s: float

    @property
    def mb(self) -> float:
        return self.bytes / MB


@dataclass(frozen=True)
class Compared:
    """How many of a sort both have, and how many only one of them."""

    both: int
    only_live: int
    only_imported: int


def main() -> None:
    options = argparse.ArgumentParser(description="Take recorded sessions in, and compare.")
    options.add_argument("--data", type=Path, required=True, help="folder of recorded sessions")
    options.add_argument("--live", type=int, default=22, help="sessions that are played, too")
    options.add_argument("--kills", type=int, default=10, help="imports that are killed")
    options.add_argument("--killed-sessions", type=int, default=60, help="what those take in")
    options.add_argument("--write", action="store_true", help=f"write {RESULTS.name}")
    options.add_argument("--take-in", nargs=3, metavar=("FOLDER", "STATE", "MANY"), help="itself")
    given = options.parse_args()
    if given.take_in:
        folder, state, many = given.take_in
        print(json.dumps(take_in(folder, state, int(many))))
        return
    scratch = Path(tempfile.mkdtemp(prefix="holdfast-transcripts-"))
    os.environ["HOME"] = str(scratch / "home")
    try:
        rows = unpack(given.data, scratch)
        first = measured(given.data, rows, scratch / "state")
        second = measured(given.data, rows, scratch / "state")
        same = sum(
            is_same_after_kill(given.data, rows, scratch, given.killed_sessions, number)
            for number in range(given.kills)
        )
        compared = live_and_imported(given.data, given.live)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    text = report(first, second, (same, given.kills, given.killed_sessions), compared, given.live)
    print(text)
    if given.write:
        RESULTS.write_text(f"{text}\n", encoding="utf-8")


# Speed, and a second run


def unpack(data: Path, scratch: Path) -> Path:
    """The transcripts as the agent keeps them, each repository's work in a repository of here."""
    folder = scratch / "transcripts"
    for each in recordings(data):
        name = each.repository.replace("/", "+")
        home = scratch / "work" / name
        if not home.exists():
            subprocess.run(["git", "init", "-q", str(home)], check=True, timeout=60)
            identity = ["-c", "user.name=dev", "-c", "user.email=dev@example.com"]
            commit = ["commit", "-q", "--allow-empty", "-m", "Begin"]
            subprocess.run(["git", "-C", str(home), *identity, *commit], check=True, timeout=60)
        target = folder / name / f"{each.id}.jsonl"
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("w", encoding="utf-8") as lines:
            lines.writelines(f"{row}\n" for row in moved(list(read_lines(each.path)), str(home)))
    return folder


def take_in(folder: str, state: str, many: int) -> dict[str, float]:
    """One import in this process, the index and all."""
    began, cpu = time.perf_counter(), time.process_time()
    found = importing.listed(folder)[: many or None]
    Path(state).mkdir(parents=True, exist_ok=True, mode=0o700)
    workspace = Workspace(state)
    taken = importing.Import(workspace).take_in(found, lambda *_: None)
    recalling.fill(workspace.store)
    assert not taken.failures, taken.failures[:3]
    return {
        "sessions": taken.sessions,
        "bytes": taken.bytes,
        "entries": sum(taken.entries.values()),
        "wall_s": time.perf_counter() - began,
        "cpu_s": time.process_time() - cpu,
    }


def command(data: Path, folder: Path, state: Path, many: int = 0) -> list[str]:
    own = [sys.executable, __file__, "--data", str(data)]
    return [*own, "--take-in", str(folder), str(state), str(many)]


def measured(data: Path, folder: Path, state: Path, many: int = 0) -> Run:
    done = subprocess.run(
        command(data, folder, state, many), capture_output=True, check=True, timeout=TIMEOUT_S
    )
    return Run(**json.loads(done.stdout))


# Killed, and run again


def is_same_after_kill(data: Path, folder: Path, scratch: Path, many: int, number: int) -> bool:
    """Whether an import that was killed somewhere and run again left what one run leaves."""
    whole = scratch / "whole"
    if not whole.exists():
        measured(data, folder, whole, many)
    began = time.perf_counter()
    timed = scratch / f"timed{number}"
    measured(data, folder, timed, many)  # now: how busy the machine is changes
    seconds = time.perf_counter() - began
    state = scratch / f"killed{number}"
    process = subprocess.Popen(command(data, folder, state, many), stdout=subprocess.DEVNULL)
    share = random.Random(SEED + number).uniform(0.1, 0.95)
    try:
        process.wait(share * seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(60)
    before = measured(data, folder, state, many).sessions
    print(f"  killed at {share:.2f}: {many - before} sessions were there", file=sys.stderr)
    is_same = contents(str(state)) == contents(str(whole))
    for path in (timed, state):
        shutil.rmtree(path)
    return is_same


def contents(state: str) -> dict[str, list[str]]:
    """All rows of a store's tables but for chance; ids by the entries that they come from."""
    store = Store(f"{state}/store.db")
    try:
        machine = store.machine()
        last = store.value("select coalesce(max(seq), 0) from entries")
        names = {digest(f"{machine}:{n}".encode())[:12]: f"#{n}" for n in range(1, last + 1)}
        names |= {row[0]: row[1] for row in store.rows("select id, root from projects")}
        names[machine] = "machine"
        pattern = re.compile(r"\b[0-9a-f]{12,32}\b")
        tables = store.rows(
            "select name from sqlite_master where type = 'table'"
            + "".join(f" and name not like '{each}'" for each in OWN)
        )

        def plain(value: Any) -> Any:
            is_text = isinstance(value, str)
            return pattern.sub(lambda it: names.get(it[0], it[0]), value) if is_text else value

        return {
            table: sorted(
                repr([plain(value) for value in row])
                for row in store.rows(f"select {_columns(store, table)} from {table}")
            )
            for table in [row[0] for row in tables]
        }
    finally:
        store.close()


def _columns(store: Store, table: str) -> str:
    columns = [row[1] for row in store.rows(f"pragma table_info({table})")]
    return ", ".join(column for column in columns if column not in CHANCE)


# Live sessions, and the same imported


def live_and_imported(data: Path, many: int) -> dict[str, Compared]:
    """What both ways learn from the same sessions, by what it is."""
    library = field.find_library()
    if not library or not many:
        return {}
    field.sweep(field.SHARED_IN)
    every = field.grouped(recordings(data))
    each = max(many // len(every), 1)
    groups = [_middling(group, each) for group in every]
    total: dict[str, Counter[str]] = {}
    with ProcessPoolExecutor(1, max_tasks_per_child=1) as pool:
        for live, imported in pool.map(both, [data] * len(groups), groups, [library] * len(groups)):
            for sort, counts in compare(live, imported).items():
                total.setdefault(sort, Counter()).update(counts)
    return {
        sort: Compared(counts["both"], counts["live"], counts["imported"])
        for sort, counts in total.items()
    }


def _middling(group: list[Recording], many: int) -> list[Recording]:
    """Sessions of middling size: long ones take minutes, and short ones say nothing."""
    by_size = sorted(group, key=lambda it: it.path.stat().st_size)
    return by_size[len(group) // 3 :][:many]


Learnt = dict[str, Counter[tuple[Any, ...]]]


def both(data: Path, group: list[Recording], library: str) -> tuple[Learnt, Learnt]:
    """What is learnt from the sessions of a machine by hooks, and by the import."""
    folder = Path(tempfile.mkdtemp(prefix="holdfast-transcripts-"))
    try:
        roots = field.Roots([row for each in group for row in read_lines(each.path)], folder)
        rows = {
            each.id: [roots.mapped(json.dumps(row)) for row in read_lines(each.path)]
            for each in group
        }
        readers = []
        for id_, lines in rows.items():
            readers.append(Reader(id_, Turns([]), Choice(looking=False)))
            readers[-1].read([json.loads(line) for line in lines])
        events, heirs = together(readers)
        bundle = data / "repos" / f"{group[0].repository.replace('/', '+')}.bundle"
        stage = field.Stage(folder, field.Repository(folder, roots, bundle), rows, heirs, library)
        try:
            for event in events:
                if field.is_sent(event.name, Choice()):
                    stage.send(event)
            live = learnt(stage.state)
        finally:
            stage.close()
        for id_, lines in rows.items():
            path = folder / "transcripts" / f"{id_}.jsonl"
            path.parent.mkdir(exist_ok=True)
            path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        take_in(str(folder / "transcripts"), str(folder / "imported"), 0)
        return live, learnt(str(folder / "imported"))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def learnt(state: str) -> Learnt:
    """What a store knows of its sessions, by what it is; and what its index covers."""
    store = Store(f"{state}/store.db")
    try:
        known: Learnt = {
            table: Counter(store.rows(f"select {columns} from {table}"))
            for table, columns in LEARNT.items()
        }
        for _, entry in ledger.read(store):
            for document in documents(entry):
                found = known.setdefault(f"index: {document.sort}", Counter())
                found[entry.session, document.text] += 1
        return known
    finally:
        store.close()


def compare(live: Learnt, imported: Learnt) -> dict[str, Counter[str]]:
    """How many both have, and how many one of them alone; each counted once."""
    compared = {}
    for sort in {**live, **imported}:
        ours, theirs = set(live.get(sort, ())), set(imported.get(sort, ()))
        compared[sort] = Counter(
            both=len(ours & theirs), live=len(ours - theirs), imported=len(theirs - ours)
        )
    return compared


def report(
    first: Run,
    second: Run,
    killed: tuple[int, int, int],
    compared: dict[str, Compared],
    live: int,
) -> str:
    same, kills, many = killed
    wall, cpu = first.mb / first.wall_s, first.mb / first.cpu_s
    lines = [
        "# The import of transcripts",
        f"date {time.strftime('%Y-%m-%d', time.gmtime())} · Python {platform.python_version()}",
        (
            f"{first.sessions} sessions, {first.mb:.1f} MB of rows, {first.entries:,} entries, the"
            f" index and all: {first.wall_s:.1f} s ({wall:.1f} MB/s), of which {first.cpu_s:.1f} s"
            f" of one core ({cpu:.1f} MB/s)."
        ),
        f"A second run takes in {second.sessions} sessions, in {second.wall_s:.1f} s.",
    ]
    if kills:
        lines.append(
            f"Killed at a random place and run again, {many} sessions each: {same} of {kills}"
            " stores are the same as after one run, in every table."
        )
    if compared:
        lines.append(
            f"The same {live} sessions played through the hook command and imported, each thing"
            " with its session and its text:"
        )
        rows = [
            f"| {sort} | {each.both:,} | {each.only_live:,} | {each.only_imported:,} |"
            for sort, each in sorted(compared.items())
        ]
        table = ["| what | both | only live | only imported |", "|---|--:|--:|--:|", *rows]
        lines.append("\n".join(table))
    return "\n\n".join(lines)


if __name__ == "__main__":
    main()
