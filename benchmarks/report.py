"""The figures of a run, beside their limits, as a table for people and as JSON.

Law: no host names and no paths, for what is written here is committed.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw

FLOOR = "python -I -S -c pass"
NODE = "node -e 0"
BRIEF = "consciousness brief, by the launcher"
STATUS_LINE = "status line"
AROUND = "hooks around a tool call, as installed"
BOTH = "PreToolUse + PostToolUse"
GATED = "PreToolUse, 20 requirements"
ALONE, SMALL, LARGE = "alone", "small", "large"  # what a command was measured in

# At most this many times the floor; around a tool call, less than node takes to start.
LIMITS = {
    BRIEF: 1.15,
    STATUS_LINE: 1.3,
    "PreToolUse": 1.6,
    GATED: 1.8,
    "PostToolUse": 3.0,
    "SessionStart": 5.5,
    "UserPromptSubmit": 4.0,
    # The identity commands: the design's budgets (50 ms to 3 s) over a start of 10 ms.
    "holdfast consciousness brief": 5.0,
    "holdfast session restore-identity": 200.0,
    "holdfast session persist-identity": 300.0,
    "holdfast consciousness check-identity": 50.0,
    "holdfast consciousness inject-context": 100.0,
}
GROWTH_LIMIT = 1.15
BRIEF_LIMITS_US = {"p95_us": 100, "p99_us": 500}

PREFACE = (
    f"Ratios of medians (p50) to `{FLOOR}` of the same interpreter. All commands took turns in one"
    " run, each round in a shuffled order, in a clean environment, with byte code compiled"
    " beforehand. What is not a hook knows no project and stands under the small one. Limits hold"
    f" in both projects; the large one may take {GROWTH_LIMIT} times the small one."
)
HEAD = (
    "| command | small p50 ms | p95 ms | x floor | large p50 ms | p95 ms | x floor"
    " | large / small | limit | holds |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|---|"
)

Times = dict[tuple[str, str], list[float]]  # (command, project) -> milliseconds, round by round
Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Report:
    """A run, ready to be read and kept."""

    circumstances: dict[str, Any]
    rows: Rows
    kept: Rows
    briefs: dict[str, float]

    def markdown(self) -> str:
        facts = " · ".join(f"{name} {value}" for name, value in self.circumstances.items())
        table = "\n".join([HEAD, *map(_line, self.rows)])
        told = [_briefs(self.briefs), *map(_proof, self.kept)]
        return "\n\n".join(["# What a hook costs", facts, PREFACE, table, *told])

    def save(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        (folder / "hooks.md").write_text(f"{self.markdown()}\n", encoding="utf-8")
        said = {"circumstances": self.circumstances, "rows": self.rows, "kept": self.kept}
        said["format_brief"] = self.briefs
        text = json.dumps(said, indent=1, ensure_ascii=False)
        (folder / "hooks.json").write_text(f"{text}\n", encoding="utf-8")


def report(
    times: Times, kept: Rows, rounds: int, around: list[str], briefs: dict[str, float]
) -> Report:
    for project in (SMALL, LARGE):
        if ("PreToolUse", project) in times:
            for name, events in ((AROUND, around), (BOTH, ["PreToolUse", "PostToolUse"])):
                spent = [times[event, project] for event in events]
                times[name, project] = [sum(round_) for round_ in zip(*spent, strict=True)]
    floor = statistics.median(times[FLOOR, ALONE])
    node = times.get((NODE, ALONE))
    limits: dict[str, float] = dict(LIMITS)
    if node:
        limits[AROUND] = round(statistics.median(node) / floor, 3)
    names = dict.fromkeys(name for name, _ in times)
    rows = [_row(name, times, floor, limits.get(name)) for name in names]
    return Report(circumstances(rounds), rows, kept, {**briefs, "holds": briefs_hold(briefs)})


def briefs_hold(briefs: Mapping[str, float]) -> bool:
    """Whether `format_brief` stays within its limits."""
    return all(briefs[name] <= limit for name, limit in BRIEF_LIMITS_US.items())


def circumstances(rounds: int) -> dict[str, Any]:
    return {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "Python": platform.python_version(),
        "SQLite": apsw.sqlite_lib_version(),
        "CPU": _cpu(),
        "cores": os.cpu_count(),
        "kernel": f"{platform.system()} {platform.release()}",
        "rounds": rounds,
        "load": round(os.getloadavg()[0], 1),  # of which the benchmark itself is about one
    }


def _row(name: str, times: Times, floor: float, limit: float | None) -> dict[str, Any]:
    """A command's figures and whether its limits hold; None where nothing was measured."""
    found = {
        project: _figures(times[name, project], floor)
        for project in (ALONE, SMALL, LARGE)
        if (name, project) in times
    }
    row: dict[str, Any] = {"command": name, **found, "limit": limit, "growth": None, "holds": None}
    claims = [] if limit is None else [figure["ratio"] <= limit for figure in found.values()]
    if SMALL in found and LARGE in found:
        row["growth"] = round(found[LARGE]["p50_ms"] / found[SMALL]["p50_ms"], 3)
        claims.append(row["growth"] <= GROWTH_LIMIT)
    if claims:
        row["holds"] = all(claims)
    return row


def _figures(spent: list[float], floor: float) -> dict[str, float]:
    median = statistics.median(spent)
    late = sorted(spent)[min(len(spent) - 1, int(len(spent) * 0.95))]
    return {
        "p50_ms": round(median, 3),
        "p95_ms": round(late, 3),
        "min_ms": round(min(spent), 3),
        "ratio": round(median / floor, 3),
    }


def _line(row: dict[str, Any]) -> str:
    cells = [f"`{row['command']}`"]
    for figure in (row.get(ALONE) or row.get(SMALL), row.get(LARGE)):
        if figure is None:
            cells += [""] * 3
        else:
            cells += [
                f"{figure['p50_ms']:.2f}",
                f"{figure['p95_ms']:.2f}",
                f"{figure['ratio']:.2f}",
            ]
    cells.append("" if row["growth"] is None else f"{row['growth']:.2f}")
    limit = "" if row["limit"] is None else f"{row['limit']:.2f}"
    cells.append(f"{limit} (node)" if row["command"] == AROUND and limit else limit)
    cells.append({True: "yes", False: "**no**", None: ""}[row["holds"]])
    return f"| {' | '.join(cells)} |"


def _briefs(briefs: dict[str, float]) -> str:
    figures = ", ".join(
        f"{name[:-3]} {spent} µs"
        + (f" (limit {BRIEF_LIMITS_US[name]})" if name in BRIEF_LIMITS_US else "")
        for name, spent in briefs.items()
        if name != "holds"
    )
    return f"`format_brief`, in a process that is there, ten thousand times: {figures}."


def _proof(proof: dict[str, Any]) -> str:
    missing = proof["expected"] - proof["entries"]
    return (
        f"The {proof['project']} project began with {proof['sessions']:,} sessions and ended with"
        f" {proof['entries']:,} entries: {missing} of those sent in are missing,"
        f" {proof['faults']} faults were counted."
    )


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.machine())
