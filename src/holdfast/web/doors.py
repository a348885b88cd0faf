"""Doors for programs beside the pages: hooks and MCP over HTTP, each behind the token.

Laws: off unless asked for; the token is compared in a time that tells nothing of it; what is not
JSON is not read. What the guard says of hosts, origins and sizes holds here, too.
"""

from __future__ import annotations

import hmac
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from contextvars import ContextVar
from http import HTTPStatus
from typing import Protocol

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from holdfast.agents import sender_surroundings
from holdfast.errors import HoldfastError
from holdfast.ledger import faults
from holdfast.setup import http_hooks
from holdfast.system import files
from holdfast.system.peers import Address
from holdfast.web.hook_forks import HookForks, Knock, NotAnsweredError, RefusedError

# Over which connection a request has come: the other end, and ours.
CALLER: ContextVar[tuple[Address, Address]] = ContextVar("CALLER")


class Door(Protocol):
    """What programs may knock on."""

    name: str
    path: str
    body_bytes: int

    def route(self) -> BaseRoute: ...

    def life(self) -> AbstractAsyncContextManager[None]: ...


def is_let_in(headers: Headers, known: str) -> bool:
    given = headers.get("authorization", "")
    return hmac.compare_digest(f"Bearer {known}".encode(), given.encode("utf-8", "replace"))


def refused(status: HTTPStatus) -> Response:
    return PlainTextResponse(f"{status.phrase}\n", status.value)


class McpDoor:
    """An application that agents ask (mcp/server.py), for those who show the token."""

    name = "MCP over HTTP"
    path = "/mcp"
    body_bytes = 1 << 20

    def __init__(self, state: str, app: Starlette) -> None:
        self._token = http_hooks.token(state)
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not is_let_in(Headers(scope=scope), self._token):
            await refused(HTTPStatus.UNAUTHORIZED)(scope, receive, send)
            return
        CALLER.set((scope["client"], scope["server"]))
        await self._app(scope, receive, send)

    def route(self) -> BaseRoute:
        return Route(self.path, self)

    @asynccontextmanager
    async def life(self) -> AsyncIterator[None]:
        async with self._app.router.lifespan_context(self._app):
            yield


class HookDoor:
    """An agent's events: each is answered as the installed command answers it."""

    name = "Hooks over HTTP"
    path = http_hooks.PATH
    body_bytes = files.INPUT_CAP_BYTES  # as much as the command reads of its stdin

    def __init__(self, state: str) -> None:
        self._state = state
        self._token = http_hooks.token(state)
        self._forks = HookForks(state)

    async def answer(self, request: Request) -> Response:
        if not is_let_in(request.headers, self._token):
            return refused(HTTPStatus.UNAUTHORIZED)
        if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            return refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
        header = request.headers.get(sender_surroundings.HEADER, "")
        knock = Knock(
            await request.body(),
            request.scope["client"],
            request.scope["server"],
            sender_surroundings.read_header(header),
        )
        try:
            text = await self._forks.answer(knock)
        except RefusedError:
            return refused(HTTPStatus.FORBIDDEN)
        except (NotAnsweredError, HoldfastError) as error:
            faults.count(self._state, "hook over HTTP", error)
            return refused(HTTPStatus.SERVICE_UNAVAILABLE)
        return Response(text, media_type="application/json")

    def route(self) -> BaseRoute:
        return Route(self.path, self.answer, methods=["POST"])

    @asynccontextmanager
    async def life(self) -> AsyncIterator[None]:
        await self._forks.start()
        yield
        self._forks.close()
