"""Whether links between files tell what a session will change next, and what a dream costs.

Real sessions (`--data DIR`, one .jsonl.gz each: prompts and tool calls) are told in the order they
began, through the real table; after each a dream is dreamt. Before each one is told, the first
known file that it will change is the question: which other known files will it change? Links
answer, and beside them the latest changed, the most often changed, and the same folder.

Laws: only what came before is known; nothing outside a scratch folder is written without --write;
the exit code is 0, for a benchmark informs.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

from report import circumstances

from holdfast.agents.claude_code import payloads
from holdfast.hook import consolidate
from holdfast.hook.transaction import look, receive
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.consolidation import consolidating
from holdfast.rooms.sessions import queries
from holdfast.system import environment, paths

RESULTS = Path(__file__).parent / "results" / "dream.md"
EDITS = ("Edit", "Write", "MultiEdit", "NotebookEdit")
TOP = 5
RANKERS = ("links, then latest", "latest changed", "most often changed", "same folder, then latest")
RESAMPLED = 2_000

Session = tuple[str, list[dict[str, Any]]]


def main() -> None:
    options = argparse.ArgumentParser(description="What links and dreams are worth.")
    options.add_argument("--data", type=Path, required=True, help="a folder of sessions")
    options.add_argument("--sessions", type=int, default=10_000)
    options.add_argument("--write", action="store_true", help=f"write {RESULTS.name}")
    given = options.parse_args()
    sessions = read(given.data)[: given.sessions]
    with tempfile.TemporaryDirectory(prefix="holdfast-dream-") as scratch:
        told = Played(settle_in(Path(scratch)), Path(scratch))
        for session, lines in sessions:
            told.ask(lines)
            told.play(session, lines)
        written = told.report()
    print(written)
    if given.write:
        RESULTS.write_text(f"{written}\n", encoding="utf-8")


def settle_in(folder: Path) -> str:
    """A scratch home for this process and all that it starts; its state home."""
    for name in list(os.environ):
        if name.startswith(("HOLDFAST_", "XDG_", "CLAUDE", "GIT_")) or name == "CI":
            del os.environ[name]
            environment.system.environ.pop(name.encode(), None)
    for name, path in (("HOME", folder / "home"), ("XDG_RUNTIME_DIR", folder / "run")):
        path.mkdir(mode=0o700)
        os.environ[name] = str(path)
        # On the hook path the environment is read from posix, which os.environ does not reach.
        environment.system.environ[name.encode()] = str(path).encode()
    return paths.state_home()


def read(folder: Path) -> list[Session]:
    found = []
    for path in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        if lines:
            found.append((path.name.partition(".")[0], lines))
    return sorted(found, key=lambda one: one[1][0]["at"])


def changed(lines: list[dict[str, Any]]) -> list[str]:
    """The files that a session changed, each once, in that order."""
    paths = [
        line["input"].get("file_path")
        for line in lines
        if line["kind"] == "tool" and line["tool"] in EDITS and isinstance(line["input"], dict)
    ]
    return list(dict.fromkeys(path for path in paths if isinstance(path, str)))


class Played:
    """A store into which sessions are told, and what was asked of it."""

    def __init__(self, state: str, folder: Path) -> None:
        self.folder = folder
        self.workspace = Workspace(state)
        self.latest: dict[str, int] = {}
        self.often: Counter[str] = Counter()
        self.twice: dict[str, int] = {}  # the session that changed it for the second time
        self.first: dict[frozenset[str], int] = {}  # the sessions that changed both
        self.last: dict[frozenset[str], int] = {}
        self.proposed: dict[frozenset[str], int] = {}  # the session after which it first was
        self.asked: list[dict[str, tuple[float, float]]] = []
        self.spent: list[int] = []
        self.count = 0

    @property
    def project(self) -> str:
        found = queries.latest(self.workspace.store, 1)
        return str(found[0].project) if found else ""

    def ask(self, lines: list[dict[str, Any]]) -> None:
        known = [path for path in changed(lines) if path in self.latest]
        if len(known) < 2:
            return
        asked, right = known[0], set(known[1:])
        weights = {
            (pair[1] if pair[0] == ("file", asked) else pair[0])[1]: one.weight
            for pair, one in consolidating.links(self.workspace.store, self.project).items()
            if ("file", asked) in pair and pair[0][0] == pair[1][0] == "file"
        }
        folder = asked.rpartition("/")[0]
        others = [path for path in self.latest if path != asked]
        orders: dict[str, Callable[[str], tuple[Any, ...]]] = {
            RANKERS[0]: lambda path: (-weights.get(path, 0.0), -self.latest[path]),
            RANKERS[1]: lambda path: (-self.latest[path],),
            RANKERS[2]: lambda path: (-self.often[path], -self.latest[path]),
            RANKERS[3]: lambda path: (path.rpartition("/")[0] != folder, -self.latest[path]),
        }
        found = {}
        for name, order in orders.items():
            ranked = sorted((*order(path), path) for path in others)
            first = [path for *_, path in ranked[:TOP]]
            hits = len(right & set(first))
            found[name] = (float(hits > 0), hits / min(TOP, len(right)))
        self.asked.append(found)

    def play(self, session: str, lines: list[dict[str, Any]]) -> None:
        self.count += 1
        self.tell("SessionStart", session, lines[0]["at"], source="startup")
        for line in lines:
            if line["kind"] == "prompt" and "compact_summary" not in line:
                self.tell("UserPromptSubmit", session, line["at"], prompt=line["text"])
            elif line["kind"] == "tool" and line["tool"] in EDITS:
                given = {"file_path": line["input"].get("file_path")}
                self.tell(
                    "PostToolUse", session, line["at"], tool_name=line["tool"], tool_input=given
                )
        self.tell("SessionEnd", session, lines[-1]["at"], reason="other")
        files = changed(lines)
        for pair in combinations(sorted(files), 2):
            self.first.setdefault(frozenset(pair), self.count)
            self.last[frozenset(pair)] = self.count
        for path in files:
            self.latest[path] = self.count
            self.often[path] += 1
            if self.often[path] == 2:
                self.twice[path] = self.count
        dreamt = consolidate.dream(self.workspace, self.project, consolidate.HAND, limit_s=60.0)
        assert dreamt is not None
        self.spent.append(dreamt["ms"])
        names = consolidating.named(self.workspace.store, self.project)
        for one in dreamt["proposed"]:
            a, b = names[one["a"]], names[one["b"]]
            if a[0] == b[0] == "file":
                self.proposed.setdefault(frozenset((a[1], b[1])), self.count)

    def tell(self, name: str, session: str, at: str, **said: Any) -> None:
        number = len(self.asked) + len(self.spent) + time.perf_counter_ns()
        event: Any = payloads.read(
            {
                "hook_event_name": name,
                "session_id": session,
                "cwd": str(self.folder),
                "tool_use_id": f"t{number}",
                "prompt_id": f"p{number}",
                **said,
            },
            raw=str(number).encode(),
            at=at,
            process=(0, ""),
            size=lambda _: 1,
        )
        look(event)
        receive(self.workspace, event)

    def report(self) -> str:
        facts = " · ".join(f"{name} {value}" for name, value in circumstances(1).items())
        rows = [
            f"| ranked by | a hit in {TOP} | share found in {TOP} | links find more by |",
            "|---|--:|--:|--:|",
            *(self._row(name) for name in RANKERS),
        ]
        asked = (
            f"{self.count} sessions were told in the order they began, and a dream dreamt after"
            f" each. {len(self.asked)} of them changed two files or more that were known before:"
            f" asked by the first, which {TOP} others will it change? Each figure is the mean over"
            f" those sessions; the last column is by how much more links find than that row, with"
            f" 95 % of {RESAMPLED:,} paired resamples of sessions."
        )
        spent = (
            f"A dream took {statistics.median(self.spent):.0f} ms (median; the longest"
            f" {max(self.spent)} ms, the last {self.spent[-1]} ms), its commit aside."
        )
        head = "# What links and dreams are worth"
        return "\n\n".join([head, facts, asked, "\n".join(rows), self._on_proposals(), spent])

    def _row(self, name: str) -> str:
        hit, share = (statistics.mean(one[name][n] for one in self.asked) for n in (0, 1))
        better = ""
        if name != RANKERS[0]:
            gains = [one[RANKERS[0]][1] - one[name][1] for one in self.asked]
            chance = random.Random(6)
            means = sorted(
                statistics.mean(chance.choices(gains, k=len(gains))) for _ in range(RESAMPLED)
            )
            low, high = means[int(RESAMPLED * 0.025)], means[int(RESAMPLED * 0.975)]
            better = f"{statistics.mean(gains):+.3f} ({low:+.3f} to {high:+.3f})"
        return f"| {name} | {hit:.3f} | {share:.3f} | {better} |"

    def _on_proposals(self) -> str:
        """Beside all pairs that could have been proposed: both used twice, and never together."""
        came = sum(self.last.get(pair, 0) > since for pair, since in self.proposed.items())
        apart, met = 0, 0
        for pair in map(frozenset, combinations(sorted(self.twice), 2)):
            since = max(self.twice[path] for path in pair)
            if self.first.get(pair, self.count + 1) > since:
                apart += 1
                met += pair in self.first
        return (
            f"Proposals: {len(self.proposed)} pairs of files were proposed at one time or another;"
            f" {came} of them ({came / max(1, len(self.proposed)):.1%}) were changed in one session"
            f" later on. Of all {apart:,} pairs of files that were each changed in two sessions and"
            f" in none together by then, {met} ({met / max(1, apart):.1%}) were later on."
        )


if __name__ == "__main__":
    main()
