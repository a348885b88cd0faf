"""What a page of the dashboard costs, with few sessions and with many.

    python benchmarks/dashboard.py [--write]

The real server on two stores, one of 100 sessions and one of 10,000 (a million entries); every page
is asked for over one open connection, the stores taking turns, and the least of several times is
taken. Then an event goes through the real hook, and it is measured how long the stream of news and
the page Now take to show it.

Laws: nothing outside a scratch folder is written without --write; the exit code is 0, for a
benchmark informs.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlencode

from hooks import Project
from large_store import ENTRIES

from holdfast.ledger.workspace import Workspace
from holdfast.rooms.sessions import queries

FEW, MANY = 100, 10_000
ROUNDS = 12
LIMIT = 3.0
ADDRESS = re.compile(rb"http://holdfast\.localhost:(\d+)/#code=(\S+)")
RESULTS = Path(__file__).parent / "results" / "web.md"


class Dashboard:
    """A server of its own, and one open connection to it."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.process = subprocess.Popen(
            [sys.executable, "-m", "holdfast", "serve", "--port", str(_free_port())],
            cwd=project.repo,
            env=project.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        printed = b""
        while not (match := ADDRESS.search(printed)):
            assert self.process.stdout
            part = os.read(self.process.stdout.fileno(), 4096)
            assert part, printed
            printed += part
        self.host = f"holdfast.localhost:{int(match[1])}"
        self.port = int(match[1])
        self.connection = self.connect()
        self.headers = {"Host": self.host}
        body = urlencode({"code": match[2].decode()})
        self.headers["Cookie"] = self._enter(body)

    def connect(self) -> http.client.HTTPConnection:
        ends = time.monotonic() + 30
        while True:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
            try:
                connection.connect()
                return connection
            except ConnectionError:
                assert time.monotonic() < ends
                time.sleep(0.05)

    def _enter(self, body: str) -> str:
        origin = {
            "Origin": f"http://{self.host}",
            "Content-Type": "application/x-www-form-urlencoded",
        }
        self.connection.request("POST", "/enter", body, self.headers | origin)
        answer = self.connection.getresponse()
        answer.read()
        return str(answer.headers["Set-Cookie"]).partition(";")[0]

    def get(self, path: str) -> tuple[float, str]:
        """Milliseconds, and the page."""
        begun = time.perf_counter()
        try:
            self.connection.request("GET", path, headers=self.headers)
            answer = self.connection.getresponse()
        except ConnectionError:  # it was idle for long
            self.connection = self.connect()
            return self.get(path)
        text = answer.read().decode()
        assert answer.status == 200, (path, answer.status, text[-300:])
        return (time.perf_counter() - begun) * 1000, text

    def pages(self) -> dict[str, str]:
        store = Workspace(self.project.state).store
        session = queries.listed(store, limit=1)[0]
        at = f"/projects/{session.project}"
        words = urlencode({"project": session.project, "q": "retry loop of the importer"})
        return {
            "Now": "/",
            "Sessions": "/sessions",
            "Session": f"/sessions/{session.id}",
            "Entry": "/entries/40",
            "Project (briefing)": at,
            "Rules": f"{at}/rules",
            "Decisions": f"{at}/decisions",
            "Gates": f"{at}/gates",
            "Chain": f"{at}/chain",
            "Recall": f"/recall?{words}",
            "Health": "/health",
        }

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(30)


def measured(few: Dashboard, many: Dashboard, rounds: int) -> dict[str, tuple[float, float]]:
    pages = [few.pages(), many.pages()]
    for place, dashboard in enumerate((few, many)):
        for path in pages[place].values():
            dashboard.get(path)  # fills the index, opens files: not what a page costs
    times: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in pages[0]}
    for _ in range(rounds):
        for name in pages[0]:
            times[name][0].append(few.get(pages[0][name])[0])
            times[name][1].append(many.get(pages[1][name])[0])
    return {name: (min(own[0]), min(own[1])) for name, own in times.items()}


def news(dashboard: Dashboard, events: int) -> list[tuple[float, float]]:
    """For each event: seconds until the stream tells of it, and until Now has been asked for."""
    stream = dashboard.connect()
    stream.request("GET", "/live", headers=dashboard.headers)
    answer = stream.getresponse()
    _next_event(answer)
    delays = []
    for number in range(events):
        command = f"echo {number}"
        dashboard.project.say(
            "PostToolUse",
            dashboard.project.working,
            tool_name="Bash",
            tool_input={"command": command},
            tool_use_id=f"news-{number}",
        )
        kept = time.perf_counter()
        _next_event(answer)
        heard = time.perf_counter()
        dashboard.get("/")
        delays.append((heard - kept, time.perf_counter() - kept))
    stream.close()
    return delays


def _next_event(answer: http.client.HTTPResponse) -> None:
    while not answer.readline().startswith(b"data:"):
        pass
    answer.readline()


def _free_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def told(
    pages: dict[str, tuple[float, float]], delays: list[tuple[float, float]], many: int
) -> str:
    how = (
        f"`python benchmarks/dashboard.py`: the least of {ROUNDS} requests over one open connection"
        f" to the real server, with {FEW} sessions and with {many:,} ({many * ENTRIES:,} entries),"
        " in turns. Times are of the machine at hand; the ratio is what counts: at most 3."
    )
    lines = ["# What a page costs", "", how, ""]
    lines += [f"| page | {FEW} sessions | {many:,} sessions | ratio |", "|---|---|---|---|"]
    for name, (few_ms, many_ms) in pages.items():
        ratio = many_ms / few_ms
        mark = "" if ratio <= LIMIT else " (missed)"
        lines.append(f"| {name} | {few_ms:.1f} ms | {many_ms:.1f} ms | {ratio:.2f}{mark} |")
    slowest = max(delay[1] for delay in delays)
    median = sorted(delay[1] for delay in delays)[len(delays) // 2]
    when = (
        f"An event is on the page Now {median:.2f} s after its hook is done (median of"
        f" {len(delays)}, slowest {slowest:.2f} s), with {many:,} sessions."
    )
    lines += ["", when, ""]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the results page")
    parser.add_argument("--sessions", type=int, default=MANY)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="holdfast-web-"))
    dashboards: list[Dashboard] = []
    try:
        projects = [Project(folder / str(many), many) for many in (FEW, given.sessions)]
        dashboards += [Dashboard(project) for project in projects]
        few, many = dashboards
        pages = measured(few, many, given.rounds)
        delays = news(dashboards[1], 10)
        text = told(pages, delays, given.sessions)
        print(text)
        print(json.dumps({name: list(pair) for name, pair in pages.items()}), file=sys.stderr)
        if given.write:
            RESULTS.write_text(text)
    finally:
        for dashboard in dashboards:
            dashboard.close()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
