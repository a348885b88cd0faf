"""What every request must pass before any page sees it.

Laws: the Host is ours by name and port, so that no other name leads here; what a page of another
origin sends is refused; nothing but the entrance and the look of the pages is given without a
cookie; a body is at most `BODY_BYTES` and is there within `BODY_S`; what is answered may run no
script but ours, load nothing from anywhere else, stand in no frame, and stays in no cache.
Who is let in: a code that is good once becomes a cookie, and only that opens a page. Code and
cookie are held in memory alone; a code dies with its first use, right or wrong use of any other
changes nothing; both are compared in a time that tells nothing of them.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

BYTES = 32


class Entrance:
    """The codes that are still good, and the cookies of those who came in."""

    def __init__(self, port: int) -> None:
        # A browser sends a host's cookies to each of its ports: two dashboards must not mix.
        self.cookie_name = f"holdfast-{port}"
        self._codes: set[str] = set()
        self._spent: set[str] = set()
        self._guests: set[str] = set()

    def new_code(self) -> str:
        """A code that lets one browser in; those before it that nobody used are void."""
        code = secrets.token_urlsafe(BYTES)
        self._spent |= self._codes
        self._codes = {code}
        return code

    def enter(self, code: str) -> str:
        """The cookie for a code that is good, "" for any other."""
        known = next((each for each in self._codes if _are_equal(each, code)), "")
        if not known:
            return ""
        self._codes.discard(known)
        self._spent.add(known)
        guest = secrets.token_urlsafe(BYTES)
        self._guests.add(guest)
        return guest

    def was_good(self, code: str) -> bool:
        """Whether a code was good once: somebody else may have come in with it."""
        return any(_are_equal(each, code) for each in self._spent)

    def guest(self, cookies: str) -> str:
        """Whose cookie is among those of a request; "" when it is nobody's."""
        try:
            given = SimpleCookie(cookies).get(self.cookie_name)
        except CookieError:
            return ""
        if given is None:
            return ""
        return next((each for each in self._guests if _are_equal(each, given.value)), "")

    def cookie(self, guest: str) -> str:
        """The header that gives a browser its cookie. It ends with the browser or the server."""
        return f"{self.cookie_name}={guest}; Path=/; HttpOnly; SameSite=Strict"


def form_token(guest: str) -> str:
    """What a form of a guest's page brings along: nobody else's page knows it."""
    return hmac.new(guest.encode(), b"form", "sha256").hexdigest()


def is_token(given: str, guest: str) -> bool:
    return _are_equal(form_token(guest), given)


def _are_equal(kept: str, given: str) -> bool:
    return hmac.compare_digest(kept.encode(), given.encode("utf-8", "replace"))


BODY_BYTES = 65_536
BODY_S = 15.0
TARGET_BYTES = 4_096
METHODS = ("GET", "HEAD", "POST")
ENTER, STATIC = "/enter", "/static/"
# Names of this machine for itself. Of these a browser keeps the cookies of the first apart from
# those of other programs on other ports.
OWN_NAMES = ("holdfast.localhost", "localhost", "127.0.0.1", "[::1]")
POLICY = "; ".join(
    (
        "default-src 'none'",
        *(f"{what}-src 'self'" for what in ("script", "style", "img", "connect")),
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Not `no-referrer`: of that a browser makes the origin of our own forms, too, a secret.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Guard:
    """Around the whole application."""

    def __init__(self, app: ASGIApp, *, entrance: Entrance, port: int, stranger: ASGIApp) -> None:
        self.app = app
        self._entrance = entrance
        self._stranger = stranger  # the page for who has no cookie
        self._hosts = {f"{name}:{port}" for name in OWN_NAMES}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        send = _with_headers(send)
        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers)
        if refusal:
            await refusal(scope, receive, send)
            return
        path = scope["path"]
        guest = self._entrance.guest(headers.get("cookie", ""))
        scope["guest"] = guest
        is_open = guest or path == ENTER or path.startswith(STATIC)
        app = self.app if is_open else self._stranger
        await app(scope, _limited(receive), send)

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        host, origin = headers.getlist("host"), headers.getlist("origin")
        method = scope["method"]
        if len(host) != 1 or host[0].lower() not in self._hosts:
            return _refused(HTTPStatus.MISDIRECTED_REQUEST)
        if method not in METHODS:
            return _refused(HTTPStatus.METHOD_NOT_ALLOWED)
        if origin and origin != [f"http://{host[0].lower()}"]:
            return _refused(HTTPStatus.FORBIDDEN)
        if method == "POST" and not origin:
            return _refused(HTTPStatus.FORBIDDEN)
        if headers.get("sec-fetch-site", "none") in ("same-site", "cross-site") and not (
            headers.get("sec-fetch-mode") == "navigate" and method in ("GET", "HEAD")
        ):
            return _refused(HTTPStatus.FORBIDDEN)
        if len(scope["raw_path"]) + len(scope["query_string"]) > TARGET_BYTES:
            return _refused(HTTPStatus.REQUEST_URI_TOO_LONG)
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > BODY_BYTES:
            return _refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        return None


def _refused(status: HTTPStatus) -> Response:
    return PlainTextResponse(f"{status.phrase}\n", status.value)


def _with_headers(send: Send) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
        await send(message)

    return sent


def _limited(receive: Receive) -> Receive:
    """A body as it comes in, counted, also where its length was not told, and timed. What comes
    after it, the end of the connection, may take its time."""
    taken, is_whole = 0, False
    ends = asyncio.get_running_loop().time() + BODY_S

    async def received() -> Message:
        nonlocal taken, is_whole
        if is_whole:
            return await receive()
        try:
            async with asyncio.timeout_at(ends):
                message = await receive()
        except TimeoutError:
            raise HTTPException(HTTPStatus.REQUEST_TIMEOUT) from None
        is_whole = not message.get("more_body", False)
        taken += len(message.get("body", b""))
        if taken > BODY_BYTES:
            raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        return message

    return received
