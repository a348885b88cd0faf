"""The dashboard as a person starts it: the real command, on a terminal; and requests to it."""

from __future__ import annotations

import http.client
import os
import re
import select
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

LIMIT_S = 30
ADDRESS = re.compile(r"http://holdfast\.localhost:(\d+)/#code=(\S+)")


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    text: str


@dataclass
class Served:
    """A running dashboard."""

    process: subprocess.Popen[bytes]
    terminal: int
    said: str = ""
    cookie: str = ""
    port: int = 0
    codes: list[str] = field(default_factory=list)

    def wait_for(self, pattern: re.Pattern[str] | str, start: int = 0) -> re.Match[str]:
        """What it has printed by now, and if need be a little later."""
        assert self.process.stdout
        ends = time.monotonic() + LIMIT_S
        while not (match := re.compile(pattern).search(self.said, start)):
            assert time.monotonic() < ends, self.said
            if select.select([self.process.stdout], [], [], 0.2)[0]:
                part = os.read(self.process.stdout.fileno(), 65_536)
                assert part, self.said
                self.said += part.decode()
        return match

    def new_address(self) -> str:
        """The address of another browser."""
        start = len(self.said)
        os.write(self.terminal, b"\n")
        return self.wait_for(ADDRESS, start)[0]

    def request(
        self, method: str, path: str, body: bytes | None = None, **headers: str | None
    ) -> Answer:
        """A request as a browser of this machine makes it; a header that is None is left out."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT_S)
        own: dict[str, str | None] = {"Host": f"holdfast.localhost:{self.port}"}
        if self.cookie:
            own["Cookie"] = self.cookie
        if method == "POST":
            own["Origin"] = f"http://holdfast.localhost:{self.port}"
            own["Content-Type"] = "application/x-www-form-urlencoded"
        own |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in own.items():
            if value is not None:
                connection.putheader(name, value)
        if body is not None and "Transfer-Encoding" not in own:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders()
        try:
            if body is not None:
                connection.send(body)
            answer = connection.getresponse()
            return Answer(answer.status, dict(answer.getheaders()), answer.read().decode())
        finally:
            connection.close()

    def enter(self) -> None:
        """Exchange the code of the address for a cookie."""
        answer = self.request("POST", "/enter", urlencode({"code": self.codes[0]}).encode())
        assert answer.status == 204
        self.cookie = answer.headers["set-cookie"].partition(";")[0]

    def get(self, path: str) -> str:
        answer = self.request("GET", path)
        assert answer.status == 200, answer.text
        return answer.text

    def close(self) -> None:
        """End it, if a test has not; what it left open here goes in any case, once."""
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(LIMIT_S)
        if self.process.stdout and not self.process.stdout.closed:
            self.process.stdout.close()
            os.close(self.terminal)


def serve(
    folder: Path, *arguments: str, on_terminal: bool = True, port: int = 0, **environment: str
) -> Served:
    ours, theirs = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "holdfast", "serve", "--port", str(port or free_port()), *arguments],
        cwd=folder,
        env={**os.environ, **environment},
        stdin=theirs if on_terminal else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    os.close(theirs)
    served = Served(process, ours)
    if "--open" not in arguments:
        try:
            match = served.wait_for(ADDRESS)
            served.port = int(match[1])
            served.codes.append(match[2])
            wait_until_it_listens(served.port)
        except BaseException:
            served.close()
            raise
    return served


def wait_until_it_listens(port: int) -> None:
    ends = time.monotonic() + LIMIT_S
    while True:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LIMIT_S)
        try:
            connection.request("GET", "/static/mark.svg", headers={"Host": f"localhost:{port}"})
            assert connection.getresponse().status == 200
            return
        except ConnectionError:
            assert time.monotonic() < ends
        finally:
            connection.close()


def free_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
