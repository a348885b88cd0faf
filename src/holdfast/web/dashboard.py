"""The application: which path shows which page, what is done with a form, and news of the ledger.

News is for pages that are open: one look for all of them, four times a second, and only while
somebody listens.

Law of the templates: every text that was kept is escaped, and shows what it is. No text hides,
turns or imitates what stands beside it: characters that nobody sees are left out before anything
is written into a page (hook/voice.py), then all of it is escaped.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from urllib.parse import parse_qsl

import apsw
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from holdfast import __version__
from holdfast.errors import HoldfastError, NotFound, StoreError
from holdfast.hook.tokens import count
from holdfast.hook.voice import inline, visible
from holdfast.ledger.queries import last_place
from holdfast.ledger.reader import Reading
from holdfast.rooms.sessions.life import short
from holdfast.system import clock, files, paths
from holdfast.web.guard import ENTER, Entrance, Guard, form_token, is_token
from holdfast.web.pages import (
    decisions_page,
    gates_page,
    health_page,
    now_page,
    project_page,
    recall_page,
    rules_page,
    session_page,
    sessions_page,
)
from holdfast.web.visit import Done, Page, Powers, View, Visit

FOLDER = Path(__file__).parent
KINDS = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


def environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "short": short,
        "line": inline,
        "tokens": count,
        "time": _time,
        "thousands": _thousands,
        "marked": _marked,
        "sentence": sentence,
        "many": _many,
    }
    made.globals |= {"version": __version__}
    return made


def static_files() -> dict[str, tuple[bytes, str]]:
    """What the pages look like and how they move, by name: no path of a request leads to a file."""
    folder = FOLDER / "static"
    return {
        file.name: (file.read_bytes(), KINDS[file.suffix])
        for file in sorted(folder.iterdir())
        if file.suffix in KINDS
    }


def _shown(value: object) -> object:
    if isinstance(value, str) and not isinstance(value, Markup):
        return visible(value)
    return "" if value is None else value


def _time(at: str, form: str = "") -> Markup:
    """A time, which a script writes in the reader's zone; without it, in UTC."""
    if len(at) < len("2026-01-01T00:00:00"):
        return Markup("")
    text = f"{at[:10]} {at[11:16]} UTC"
    return Markup('<time datetime="{}" data-form="{}">{}</time>').format(at, form, text)


def _marked(text: str) -> Markup:
    """A message of ours, with what stands in backquotes as code."""
    parts = visible(text).split("`")
    wrap = (Markup("{}"), Markup("<code>{}</code>"))
    is_whole = len(parts) % 2 == 1  # a backquote without its other stays as it is
    if not is_whole:
        return escape(visible(text))
    return Markup("").join(wrap[place % 2].format(part) for place, part in enumerate(parts))


def sentence(text: object) -> str:
    """A message of ours, which begins small and has no full stop, as a sentence."""
    words = str(text).strip()
    end = "" if not words or words[-1] in ".!?" else "."
    return f"{words[:1].upper()}{words[1:]}{end}"


def _many(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _thousands(number: float) -> str:
    return f"{number:,.0f}"


PAUSE_S = 0.25
HEARTBEAT_S = 15.0  # a connection that nobody reads any more is found by writing to it


class Watch:
    """Looks where the ledger ends, and wakes who listens when it has grown."""

    def __init__(self, last_place: Callable[[], int]) -> None:
        self._last_place = last_place
        self._place = -1
        self._listeners = 0
        self._grown = asyncio.Condition()
        self._task: asyncio.Task[None] | None = None
        self.is_over = False

    async def events(self) -> AsyncIterator[bytes]:
        """Server-sent events: the place of the last entry, first as it is."""
        self._listeners += 1
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._look())
        try:
            told_place = -1
            while not self.is_over:
                try:
                    async with self._grown:
                        if self._place == told_place:
                            await asyncio.wait_for(self._grown.wait(), HEARTBEAT_S)
                except TimeoutError:
                    yield b": here\n\n"
                    continue
                if self._place != told_place:
                    told_place = self._place
                    yield f"event: grown\ndata: {told_place}\n\n".encode()
        finally:
            self._listeners -= 1

    async def _look(self) -> None:
        while self._listeners and not self.is_over:
            place = await run_in_threadpool(self._last_place)
            if place != self._place:
                async with self._grown:
                    self._place = place
                    self._grown.notify_all()
            await asyncio.sleep(PAUSE_S)

    async def end(self) -> None:
        self.is_over = True
        async with self._grown:
            self._grown.notify_all()


VIEWS: dict[str, View] = {
    "/": now_page.page,
    "/sessions": sessions_page.page,
    "/sessions/{session}": session_page.page,
    "/entries/{number}": session_page.entry,
    "/projects/{project}": project_page.page,
    "/projects/{project}/rules": rules_page.page,
    "/projects/{project}/decisions": decisions_page.page,
    "/projects/{project}/gates": gates_page.page,
    "/projects/{project}/chain": sessions_page.chain,
    "/recall": recall_page.page,
    "/health": health_page.page,
}
ACT = "/act/{name}"
FIELDS = 50
NOTHING_YET = NotFound(
    "nothing has been kept yet", hint="run `holdfast init` in a project and start the agent there"
)


@dataclass
class Dashboard:
    """A server's own state: where the store lies, who is in, what may be changed."""

    state: str
    port: int
    entrance: Entrance
    powers: Powers
    on_enter: Callable[[bool], None]  # somebody came in; or came with a code that was used before
    notices: dict[str, list[Done]] = field(default_factory=dict)  # for a guest's next page

    def __post_init__(self) -> None:
        self.templates = environment()
        self.static = static_files()
        self.watch = Watch(self._last_place)

    def app(self) -> ASGIApp:
        routes = [
            Route(ENTER, self.enter, methods=["POST"]),
            Route("/static/{name}", self.static_file),
            Route("/live", self.live),
            Route(ACT, self.act, methods=["POST"]),
            *(Route(path, self._shown(view)) for path, view in VIEWS.items()),
        ]
        handlers = {HTTPStatus.NOT_FOUND: self._lost, Exception: self._broken}
        app = Starlette(routes=routes, lifespan=self._life, exception_handlers=handlers)
        return Guard(app, entrance=self.entrance, port=self.port, stranger=self.stranger)

    @asynccontextmanager
    async def _life(self, _: Starlette) -> AsyncIterator[None]:
        yield
        await self.watch.end()

    # Coming in

    async def stranger(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Whoever has no cookie gets the page that exchanges a code for one, and nothing else."""
        text = self.templates.get_template("enter.html").render()
        await HTMLResponse(text, HTTPStatus.UNAUTHORIZED)(scope, receive, send)

    async def enter(self, request: Request) -> Response:
        code = (await _form(request)).get("code", "")
        guest = self.entrance.enter(code)
        if guest:
            self.on_enter(True)
            headers = {"Set-Cookie": self.entrance.cookie(guest)}
            return Response(status_code=HTTPStatus.NO_CONTENT, headers=headers)
        if self.entrance.was_good(code):
            self.on_enter(False)
        return Response(status_code=HTTPStatus.FORBIDDEN)

    def static_file(self, request: Request) -> Response:
        content, kind = self.static.get(request.path_params["name"], (b"", ""))
        if not kind:
            return Response(status_code=HTTPStatus.NOT_FOUND)
        return Response(content, media_type=kind)

    # Pages

    def _shown(self, view: View) -> Callable[[Request], Response]:
        def endpoint(request: Request) -> Response:
            try:
                with _store_errors():
                    place = self._last_place()  # before the page: what comes meanwhile is news
                    page = view(self._visit(request))
            except HoldfastError as error:
                return self._error(request, error)
            return self._page(request, page, place)

        return endpoint

    def _visit(self, request: Request) -> Visit:
        if not files.exists(paths.store(self.state)):
            raise NOTHING_YET
        return Visit(
            Reading(self.state),
            clock.now(),
            request.path_params,
            dict(request.query_params),
            self.powers,
        )

    def _page(self, request: Request, page: Page, place: int = 0) -> Response:
        guest = request.scope["guest"]
        text = self.templates.get_template(page.template).render(
            page=page,
            it=page.content,
            path=request.url.path,
            here=request.url.path + (f"?{request.url.query}" if request.url.query else ""),
            place=place,
            why_not=self.powers.why_not,
            token=form_token(guest),
            notices=self._notices(request, guest),
        )
        return HTMLResponse(text, page.status)

    def _notices(self, request: Request, guest: str) -> list[Done]:
        """What was done just now, said once: to a page that is opened, not to one that renews
        itself meanwhile."""
        is_opened = request.headers.get("sec-fetch-mode", "navigate") == "navigate"
        return self.notices.pop(guest, []) if is_opened else []

    def _error(self, request: Request, error: HoldfastError) -> Response:
        if error is NOTHING_YET:
            return self._page(request, Page("error.html", "Now", error, tab="Now"))
        is_lost = isinstance(error, NotFound)
        status = HTTPStatus.NOT_FOUND if is_lost else HTTPStatus.SERVICE_UNAVAILABLE
        title = "Not here" if is_lost else "The store cannot be read"
        return self._page(request, Page("error.html", title, error, status=status.value))

    async def _broken(self, request: Request, _: Exception) -> Response:
        """A bug of ours: it is printed where the server runs."""
        hint = "the terminal of `holdfast serve` says what; `holdfast doctor` may tell more"
        error = HoldfastError("this page could not be made", hint=hint)
        page = Page("error.html", "Something broke", error, status=500)
        return self._page(request, page)

    async def _lost(self, request: Request, _: Exception) -> Response:
        if not request.scope["guest"]:
            return Response(status_code=HTTPStatus.NOT_FOUND)
        error = NotFound("there is no such page", hint="the menu lists the pages there are")
        return self._error(request, error)

    # Live

    async def live(self, _: Request) -> Response:
        return StreamingResponse(self.watch.events(), media_type="text/event-stream")

    def _last_place(self) -> int:
        if not files.exists(paths.store(self.state)):
            return 0
        return last_place(Reading(self.state).store)

    # Acts of a person

    async def act(self, request: Request) -> Response:
        form, guest = await _form(request), request.scope["guest"]
        if not is_token(form.get("token", ""), guest):
            return Response(status_code=HTTPStatus.FORBIDDEN)
        if self.powers.why_not:
            error = HoldfastError(
                f"this dashboard only shows: {self.powers.why_not}",
                hint="run `holdfast serve` yourself, in a terminal outside the agent",
            )
            page = Page("error.html", "Refused", error, status=HTTPStatus.FORBIDDEN.value)
            return self._page(request, page)
        act = self.powers.acts.get(request.path_params["name"])
        if act is None:
            return await self._lost(request, Exception())
        try:
            with _store_errors():
                done = await run_in_threadpool(act, form)
        except HoldfastError as error:
            done = Done(f"{sentence(error)} {sentence(error.hint)}".strip(), is_refused=True)
        self.notices.setdefault(guest, []).append(done)
        return RedirectResponse(_local(form.get("back", "")), HTTPStatus.SEE_OTHER)


@contextmanager
def _store_errors() -> Iterator[None]:
    """What the store refuses, as an error of ours."""
    try:
        yield
    except apsw.SQLError:
        raise  # a statement of ours that is wrong: a bug
    except apsw.Error as error:
        hint = "`holdfast doctor` tells more"
        raise StoreError(f"the store refused: {error}", hint=hint) from error


def _local(path: str) -> str:
    """A path of ours to go back to, whatever a form names."""
    is_ours = path.startswith("/") and path[1:2] not in ("/", "\\") and path.isprintable()
    return path if is_ours else "/"


async def _form(request: Request) -> dict[str, str]:
    """The fields of a form, each once."""
    body = (await request.body()).decode("utf-8", "replace")
    try:
        return dict(parse_qsl(body, keep_blank_values=True, max_num_fields=FIELDS))
    except ValueError:  # more fields than any form of ours has
        raise HTTPException(HTTPStatus.BAD_REQUEST) from None
