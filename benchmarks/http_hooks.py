"""What hooks cost over HTTP, beside the installed command.

Two parts, against a real `holdfast serve --hooks`, on a store with a past. Latency: every event
goes by command and over a connection that is kept open, in turns, in one run; what counts is p95
over p95. Load: so many connections post at once for so many seconds; every answer is counted, and
afterwards every entry.

Laws: those of `hooks.py`: a clean environment, ids of its own for each event, nothing outside a
scratch folder is written without --write, and the exit code is 0.
"""

from __future__ import annotations

import argparse
import http.client
import json
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import report
from hooks import SEED, SMALL, WARM_UP, Project, took

from holdfast.agents.claude_code.payloads import HOOKS
from holdfast.ledger.workspace import Workspace
from holdfast.setup import http_hooks
from holdfast.system import files, paths

EVENTS = [event for event in HOOKS if event not in ("SessionStart", "SessionEnd")]
LIMIT = 1 / 3
PREFACE = (
    "Milliseconds, by command and over one connection that is kept open, in turns in one run. The"
    " limit is a third of the command, p95 against p95."
)
START_S = 30.0
SAMPLES_S = (5, 20)


@dataclass
class Server:
    """A running server, and how to post to it."""

    process: subprocess.Popen[bytes]
    port: int
    token: str

    def connection(self) -> http.client.HTTPConnection:
        made = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        made.connect()
        made.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return made

    def post(self, connection: http.client.HTTPConnection, said: bytes) -> int:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        connection.request("POST", http_hooks.PATH, said, headers)
        answer = connection.getresponse()
        answer.read()
        return answer.status

    def memory_mb(self) -> dict[str, float]:
        """Resident: of the server, and of the process that forks for each event."""
        forker = children(self.process.pid)[0]
        return {"server": resident_mb(self.process.pid), "forker": resident_mb(forker)}


def children(pid: int) -> list[int]:
    threads = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(word) for thread in threads for word in thread.read_text().split()]


def resident_mb(pid: int) -> float:
    (line,) = [
        line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if "VmRSS" in line
    ]
    return int(line.split()[1]) / 1024


def serve(project: Project) -> Server:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    command = [sys.executable, "-m", "holdfast", "serve", "--hooks", "--port", str(port)]
    process = subprocess.Popen(
        command,
        cwd=project.repo,
        env=project.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    ends = time.monotonic() + START_S
    while True:
        try:
            made = Server(process, port, http_hooks.token(project.state))
            assert made.post(made.connection(), b"{}") == 200
            return made
        except ConnectionError:
            assert time.monotonic() < ends, "the server does not start"
            time.sleep(0.1)


def latency(project: Project, server: Server, rounds: int) -> dict[str, dict[str, list[float]]]:
    """Milliseconds of each event: by command and over HTTP, in turns."""
    connection = server.connection()
    environment = {**project.environment, "CLAUDE_PROJECT_DIR": str(project.repo)}

    def by_command(event: str) -> float:
        return took(project.command, environment, project.payload(event, project.working))

    def over_http(event: str) -> float:
        said = project.payload(event, project.working)
        start = time.perf_counter()
        assert server.post(connection, said) == 200
        return (time.perf_counter() - start) * 1_000

    ways = {"command": by_command, "http": over_http}
    turns = [(event, way) for event in EVENTS for way in ways]
    times: dict[str, dict[str, list[float]]] = {
        event: {way: [] for way in ways} for event in EVENTS
    }
    chance = random.Random(SEED)
    for number in range(WARM_UP + rounds):
        chance.shuffle(turns)
        for event, way in turns:
            spent = ways[way](event)
            if number >= WARM_UP:
                times[event][way].append(spent)
    return times


def load(project: Project, server: Server, at_once: int, seconds: float) -> dict[str, object]:
    """Many at once, for a while: what was answered, what is kept, how much memory it took."""
    ends = time.monotonic() + seconds
    answered: list[int] = []
    errors: list[str] = []
    before = project.kept()

    def send() -> None:
        connection = server.connection()
        while time.monotonic() < ends:
            try:
                answered.append(
                    server.post(connection, project.payload("PostToolUse", project.working))
                )
            except (OSError, http.client.HTTPException) as error:
                errors.append(repr(error))
                return

    threads = [threading.Thread(target=send) for _ in range(at_once)]
    for thread in threads:
        thread.start()
    memory: dict[str, dict[str, float]] = {}
    start = ends - seconds
    for at in SAMPLES_S:
        time.sleep(max(0.0, start + min(at, seconds) - 0.2 - time.monotonic()))
        memory[f"{at} s"] = server.memory_mb()
    for thread in threads:
        thread.join()
    return {
        "at_once": at_once,
        "seconds": seconds,
        "answered": len(answered),
        "not_200": sum(status != 200 for status in answered),
        "errors": len(errors),
        "entries": project.kept() - before,
        "waiting": sum(len(files.names_in(place)) for place in paths.spools(project.state)),
        "faults": (files.read_text(paths.faults(project.state)) or "").count("\n"),
        "memory_mb": memory,
    }


def quantile(values: list[float], part: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


def markdown(
    times: dict[str, dict[str, list[float]]], loaded: dict[str, object], machine: str
) -> str:
    lines = [
        "# What hooks cost over HTTP",
        "",
        machine,
        "",
        PREFACE,
        "",
        "| event | command p50 | p95 | HTTP p50 | p95 | HTTP / command, p95 | holds |",
        "|---|--:|--:|--:|--:|--:|---|",
    ]
    every: dict[str, list[float]] = {"command": [], "http": []}
    for event, ways in [*times.items(), ("all events", every)]:
        figures = [quantile(ways[way], part) for way in ("command", "http") for part in (0.5, 0.95)]
        ratio = figures[3] / figures[1]
        cells = " | ".join(f"{figure:.2f}" for figure in figures)
        holds = "yes" if ratio < LIMIT else "**no**"
        lines.append(f"| {event} | {cells} | {ratio:.2f} | {holds} |")
        if event != "all events":
            for way, spent in ways.items():
                every[way] += spent
    memory = json.dumps(loaded["memory_mb"])
    load = (
        f"Load: {loaded['at_once']} connections for {loaded['seconds']:g} s:"
        f" {loaded['answered']} answers, {loaded['not_200']} of them not 200, {loaded['errors']}"
        f" errors, {loaded['entries']} entries kept, {loaded['waiting']} waiting,"
        f" {loaded['faults']} faults. Resident memory in MB: {memory}."
    )
    return "\n".join([*lines, "", load, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description="What hooks cost over HTTP.")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--at-once", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--write", action="store_true", help="save to benchmarks/results/")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as scratch:
        project = Project(Path(scratch), SMALL)
        server = serve(project)
        try:
            times = latency(project, server, given.rounds)
            loaded = load(project, server, given.at_once, given.seconds)
        finally:
            server.process.terminate()
            server.process.wait(30)
        Workspace(project.state).store.close()
    text = markdown(
        times,
        loaded,
        " · ".join(f"{name} {value}" for name, value in report.circumstances(given.rounds).items()),
    )
    print(text)
    if given.write:
        (Path(__file__).parent / "results" / "http-hooks.md").write_text(text)


if __name__ == "__main__":
    main()
