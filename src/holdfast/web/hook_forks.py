"""The server's side of `hook/fork_server.py`: hands events over, and waits for their answers."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import apsw

import holdfast
from holdfast.errors import HoldfastError
from holdfast.hook import fork_server
from holdfast.hook.bundle import build
from holdfast.system import paths
from holdfast.system.peers import Address

# As many at once as the machine can work on, and some that wait for a disk: the others wait here,
# and not for the store, where an event gives up after a second.
AT_ONCE = 2 * (os.cpu_count() or 1)
LIMIT_S = 14.0  # an agent waits for 15
START_S = 30.0
HINTS_CAP = 1_000
FOLDERS = [str(Path(module.__file__ or "").resolve().parents[1]) for module in (holdfast, apsw)]
START = f"""\
import sys; sys.path += {list(dict.fromkeys(FOLDERS))!r}
from holdfast.hook import fork_server; fork_server.main()
"""


class NotAnsweredError(Exception):
    """An event that nothing was promised for: its process died, or took too long."""


class RefusedError(Exception):
    """An event of another user."""


@dataclass(frozen=True)
class Knock:
    """An event as it came in, and over which connection."""

    raw: bytes
    theirs: Address
    ours: Address
    variables: dict[str, str]


class HookForks:
    """A process that forks for each event; started anew when it has died."""

    def __init__(self, state: str) -> None:
        self._state = state
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._starting = asyncio.Lock()
        self._free = asyncio.Semaphore(AT_ONCE)
        self._hints: dict[Address, int] = {}  # a connection's process, to be looked at first

    async def start(self) -> socket.socket:
        """Have it ready, if it is not."""
        async with self._starting:
            if self._control is None:
                self._control = await asyncio.to_thread(self._started)
            return self._control

    async def answer(self, knock: Knock) -> bytes:
        """What the agent is to read."""
        async with self._free:
            try:
                async with asyncio.timeout(LIMIT_S):
                    content = await self._asked(knock)
            except (TimeoutError, OSError) as error:
                raise NotAnsweredError(str(error) or "it took too long") from error
        if content.startswith(fork_server.REFUSED):
            raise RefusedError
        if not content.startswith(fork_server.DONE):
            raise NotAnsweredError("its process died")
        pid, _, text = content[1:].partition(b"\n")
        if len(self._hints) >= HINTS_CAP:
            self._hints.clear()
        self._hints[knock.theirs] = int(pid)
        return text

    async def _asked(self, knock: Knock) -> bytes:
        loop = asyncio.get_running_loop()
        head = {
            "theirs": knock.theirs,
            "ours": knock.ours,
            "hint": self._hints.get(knock.theirs, 0),
            "variables": knock.variables,
        }
        ours, theirs = socket.socketpair()
        with ours:
            with theirs:
                await self._hand_over(theirs)
            ours.setblocking(False)
            await loop.sock_sendall(ours, json.dumps(head).encode() + b"\n" + knock.raw)
            ours.shutdown(socket.SHUT_WR)
            parts = []
            while part := await loop.sock_recv(ours, 1 << 16):
                parts.append(part)
        return b"".join(parts)

    async def _hand_over(self, theirs: socket.socket) -> None:
        for is_last in (False, True):
            control = await self.start()
            try:
                socket.send_fds(control, [b"e"], [theirs.fileno()])
                return
            except OSError:
                self.close()
                if is_last:
                    raise

    def _started(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", START, paths.launcher(self._state), self._state],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        ours.settimeout(START_S)
        ours.sendall(json.dumps(build.modules()).encode() + b"\n")
        if ours.recv(1) != fork_server.DONE:
            raise HoldfastError("hooks over HTTP do not start", hint="see `holdfast doctor`")
        return ours

    def close(self) -> None:
        """Let it go: what it is at work on is done to its end."""
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(1.0)
            self._process = None
