"""The server: on this machine's own addresses alone, until it is interrupted.

How one gets in (docs/reference/dashboard.md): the address that is printed carries a code behind the
mark `#`, which no browser sends to anybody; a script hands it in, once, for a cookie. A browser
that is to be opened gets it from a file that only this user can read, because other users see the
arguments of programs; the file goes when the code was used, and at the latest after a minute.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable

import uvicorn
from starlette.concurrency import run_in_threadpool

from holdfast.errors import HoldfastError
from holdfast.system import files, paths
from holdfast.web.dashboard import Dashboard
from holdfast.web.guard import Entrance
from holdfast.web.visit import Powers

NAME = "holdfast.localhost"
PORT = 4653  # HOLD
TRIES = 20
BACKLOG = 128
OPENED_S = 60.0
FREE_PORTS = range(49_152, 65_536)

Tell = Callable[[str], None]


def serve(
    state: str,
    *,
    port: int,
    is_opened: bool,
    powers: Powers,
    tell: Tell,
) -> None:
    """Serve until interrupted. `port` is 0 where none was asked for."""
    sockets, port = _listening(port)
    entrance = Entrance(port)
    opener = _Opener()

    def address() -> str:
        return f"http://{NAME}:{port}/#code={entrance.new_code()}"

    def came(is_good: bool) -> None:
        opener.close()
        tell("A browser came in." if is_good else "A code was tried that had been used before.")
        if sys.stdin.isatty():
            tell("Press Enter for the address of another browser.")

    dashboard = Dashboard(state, port, entrance, powers, came)
    config = uvicorn.Config(
        dashboard.app(),
        log_level="error",
        access_log=False,
        server_header=False,
        ws="none",
        # Who knocks is told by the connection, and by no header: nothing stands between.
        proxy_headers=False,
        lifespan="on",
        timeout_graceful_shutdown=1,
        timeout_keep_alive=75,
    )

    def greet() -> None:
        _greet(address, opener if is_opened else None, port, powers, tell)
        _hand_out(address, tell)

    try:
        with contextlib.suppress(KeyboardInterrupt):
            _Server(config, dashboard, greet).run(sockets=sockets)
    finally:
        opener.close()


def _greet(
    address: Callable[[], str], opener: _Opener | None, port: int, powers: Powers, tell: Tell
) -> None:
    """Say where the dashboard is, to the browser or on the terminal."""
    if powers.why_not:
        tell(f"This dashboard only shows, and changes nothing: {powers.why_not}.")
    if opener is not None and opener.open(address()):
        tell(f"The dashboard opens in your browser (port {port}). Ctrl-C ends it.")
        return
    tell(f"The dashboard: {address()}")
    tell("It is good for one browser. Ctrl-C ends the dashboard.")


class _Server(uvicorn.Server):
    """It greets once it answers, and Ctrl-C is its own; pages that listen for news are let go at
    once when it ends."""

    def __init__(
        self, config: uvicorn.Config, dashboard: Dashboard, greet: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._dashboard = dashboard
        self._greet = greet

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            await run_in_threadpool(self._greet)  # a browser may take its time

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await self._dashboard.watch.end()
        await super().shutdown(sockets)


def _listening(asked: int) -> tuple[list[socket.socket], int]:
    """Sockets on both of the machine's own addresses, so that nobody else answers for us on one."""
    ports = [asked] if asked else [PORT, *(secrets.choice(FREE_PORTS) for _ in range(TRIES))]
    for port in ports:
        try:
            return _bound(port), port
        except OSError:
            continue
    raise HoldfastError(f"port {asked or PORT} is taken", hint="name another one with --port")


def _bound(port: int) -> list[socket.socket]:
    sockets: list[socket.socket] = []
    try:
        for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
            if family == socket.AF_INET6 and not _has_ipv6():
                continue
            # By its protocol asyncio knows that a socket is TCP, and lets small answers go at
            # once: else they wait 40 ms for the reader to acknowledge the part before.
            made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
            sockets.append(made)
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            made.bind((address, port))
            made.listen(BACKLOG)
    except OSError:
        for each in sockets:
            each.close()
        raise
    return sockets


def _has_ipv6() -> bool:
    try:
        with socket.create_server(("::1", 0), family=socket.AF_INET6):
            return True
    except OSError:
        return False


def _hand_out(address: Callable[[], str], tell: Tell) -> None:
    """Another address for every line that a person enters."""
    if not sys.stdin.isatty():
        return

    def ask() -> None:
        for _ in sys.stdin:
            tell(f"The dashboard: {address()}")

    threading.Thread(target=ask, daemon=True).start()


class _Opener:
    """Shows an address to the user's browser, and to no one else."""

    def __init__(self) -> None:
        self._path = ""

    def open(self, address: str) -> bool:
        folder = files.own_folder(paths.runtime_folder())
        self._path = f"{folder}/dashboard-{secrets.token_hex(8)}.html"
        page = f'<!doctype html><meta http-equiv="refresh" content="0;url={address}">'
        files.write_whole(self._path, page.encode(), sync=False)
        timer = threading.Timer(OPENED_S, self.close)
        timer.daemon = True
        timer.start()
        if webbrowser.open(f"file://{self._path}"):
            return True
        self.close()
        return False

    def close(self) -> None:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._path) if self._path else None
