"""An agent that sends its hooks over HTTP: one connection, kept open, as the client's own."""

from __future__ import annotations

import http.client
import json
import os
from pathlib import Path
from typing import Any

from conftest import payload
from holdfast.agents import sender_surroundings
from web.served import LIMIT_S, Served

# The agent is this process: its connection says so.
HERE = {"CLAUDE_PID": str(os.getpid())}


class HookClient:
    """What it posts, and what it is answered."""

    def __init__(self, served: Served, state: str, folder: Path, session: str = "s1") -> None:
        self.token = (Path(state) / "token").read_text().strip()
        self.port = served.port
        self.folder = folder
        self.session = session
        self.connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=LIMIT_S)

    def post(
        self,
        body: bytes,
        variables: dict[str, str] | None = None,
        *,
        path: str = "/hooks",
        method: str = "POST",
        **headers: str | None,
    ) -> tuple[int, str]:
        """A request as the client makes it, with each header it was told to fill in."""
        carried = " ".join(
            f"{n}={(variables or {}).get(n, '')}" for n in sender_surroundings.CARRIED
        )
        given: dict[str, str | None] = {
            "Host": f"127.0.0.1:{self.port}",
            "Authorization": f"Bearer {self.token}",
            "Content-Type": "application/json",
            sender_surroundings.HEADER: carried,
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        told = {name: value for name, value in given.items() if value is not None}
        self.connection.request(method, path, body, told)
        answer = self.connection.getresponse()
        return answer.status, answer.read().decode()

    def send(self, name: str, variables: dict[str, str] | None = None, **changes: Any) -> str:
        """A recorded payload; what is answered, which must be well."""
        said = payload(name, **{"session_id": self.session, "cwd": str(self.folder), **changes})
        status, text = self.post(json.dumps(said).encode(), variables)
        assert status == 200, text
        return text

    def close(self) -> None:
        self.connection.close()
