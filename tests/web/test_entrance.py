"""Who gets in, and what is refused before any page is made."""

from __future__ import annotations

import asyncio
import os
import re
import stat
import subprocess
import time
from pathlib import Path
from urllib.parse import urlencode

import pytest

from cli.terminal import refused, typed
from conftest import Door
from holdfast.cli.helpers.dashboard_acts import ACTS
from holdfast.web import guard
from holdfast.web.guard import BODY_BYTES, Entrance, Guard, form_token
from web.served import LIMIT_S, Served, free_port, serve

pytestmark = pytest.mark.promise("A5")


def code_form(code: str) -> bytes:
    return urlencode({"code": code}).encode()


def test_without_a_cookie_no_page_shows_anything_of_the_store(door, repo):
    door.send("SessionStart.startup", session_id="s1")
    door.send("UserPromptSubmit", session_id="s1", prompt="Paint the harbour green")
    dashboard = serve(repo)
    try:
        for path in ("/", "/sessions/s1", "/live", "/health", "/nowhere", "/act/rules-add"):
            answer = dashboard.request("GET", path)
            assert answer.status == 401
            assert "harbour" not in answer.text
        for name in ACTS:
            assert dashboard.request("POST", f"/act/{name}", b"text=x").status == 401
        assert dashboard.request("GET", "/entered").status == 401
        assert dashboard.request("GET", "/static/none/of/it").text == ""
    finally:
        dashboard.close()


def test_a_code_lets_one_browser_in_and_is_dead_then(served: Served):
    assert "Now" in served.get("/")

    served.cookie = ""
    assert served.request("POST", "/enter", code_form(served.codes[0])).status == 403
    served.wait_for("A code was tried that had been used before")
    assert served.request("GET", "/").status == 401


def test_a_wrong_code_lets_nobody_in_and_spoils_nothing(repo):
    dashboard = serve(repo)
    try:
        for wrong in ("", "x", dashboard.codes[0][:-1], dashboard.codes[0] + "x", "\u00e9"):
            assert dashboard.request("POST", "/enter", code_form(wrong)).status == 403
        dashboard.enter()
        assert dashboard.request("GET", "/").status == 200
    finally:
        dashboard.close()


def test_enter_gives_another_address_and_voids_the_one_nobody_used(served: Served):
    first = served.new_address().partition("#code=")[2]
    second = served.new_address().partition("#code=")[2]

    served.cookie = ""
    assert served.request("POST", "/enter", code_form(first)).status == 403
    assert served.request("POST", "/enter", code_form(second)).status == 204


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:{port}",
        "127.0.0.1",
        "127.0.0.1:1",
        "holdfast.localhost:{port}.evil.example",
        "holdfast.localhost.:{port}",
        "0.0.0.0:{port}",
        "",
        None,
    ],
)
def test_a_foreign_host_is_refused(served: Served, host: str | None):
    given = None if host is None else host.format(port=served.port)

    assert served.request("GET", "/", Host=given).status in (400, 421)
    assert served.request("GET", "/static/style.css", Host=given).status in (400, 421)


@pytest.mark.parametrize(
    "origin",
    [
        None,
        "null",
        "http://evil.example",
        "https://holdfast.localhost:{port}",
        "http://holdfast.localhost",
        "http://127.0.0.1:{port}",  # another of our names is another origin
        "http://holdfast.localhost:{port}.evil.example",
    ],
)
def test_a_form_of_another_origin_is_refused(served: Served, origin: str | None):
    given = None if origin is None else origin.format(port=served.port)

    assert served.request("POST", "/act/rules-add", b"text=x", Origin=given).status == 403
    assert served.request("POST", "/enter", code_form("x"), Origin=given).status == 403


def test_what_another_site_asks_for_in_passing_is_refused(served: Served):
    foreign = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "no-cors"}

    assert served.request("GET", "/static/style.css", **foreign).status == 403
    assert served.request("GET", "/", **foreign).status == 403
    assert served.request("GET", "/", Origin="http://evil.example").status == 403


@pytest.mark.parametrize(
    "path",
    [
        "/static/../dashboard.py",
        "/static/..%2fdashboard.py",
        "/static/%2e%2e/%2e%2e/errors.py",
        "/static/%2e%2e%2f%2e%2e%2ferrors.py",
        "/static//etc/passwd",
        "/static/%00style.css",
        "/static/..\\dashboard.py",
        "/templates/base.html",
        "//evil.example/",
        "/sessions/..%2f..%2fetc%2fpasswd",
        "/sessions/%00",
        "/sessions/%ff%fe",
        "/entries/-1",
        "/entries/%D9%A3",
        "/projects/../sessions",
    ],
)
def test_no_path_leads_to_a_file(door: Door, served: Served, path: str):
    door.send("SessionStart.startup", session_id="s1")

    answer = served.request("GET", path)

    assert answer.status == 404
    assert "import" not in answer.text
    assert "root:" not in answer.text


def test_a_body_that_is_too_large_is_refused_whether_it_says_so_or_not(served: Served):
    large = b"text=" + b"x" * BODY_BYTES

    assert served.request("POST", "/act/rules-add", large).status == 413
    chunks = b"%x\r\n%s\r\n0\r\n\r\n" % (len(large), large)
    answer = served.request("POST", "/act/rules-add", chunks, Transfer_Encoding="chunked")
    assert answer.status == 413
    assert served.request("GET", "/?" + "x" * 5_000).status == 414
    assert served.request("DELETE", "/").status == 405
    many_fields = b"&".join(b"a%d=1" % number for number in range(60))
    assert served.request("POST", "/enter", many_fields).status == 400


def test_a_body_that_does_not_come_is_not_waited_for(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(guard, "BODY_S", 0.01)
    told: list[str] = []

    async def application(scope, receive, send) -> None:
        try:
            await receive()
        except guard.HTTPException as error:
            told.append(str(error.status_code))

    async def nothing_comes():
        await asyncio.Event().wait()

    async def send(_) -> None: ...

    around = Guard(application, entrance=Entrance(1), port=1, stranger=application)
    headers = [(b"host", b"localhost:1"), (b"origin", b"http://localhost:1")]
    scope = {"type": "http", "method": "POST", "path": "/enter", "raw_path": b"/enter"}
    scope |= {"query_string": b"", "headers": headers}
    asyncio.run(around(scope, nothing_comes, send))
    assert told == ["408"]


def test_where_a_request_says_that_it_goes_does_not_matter(served: Served):
    """The target of a request may name another host than its header does."""
    assert served.request("GET", "http://evil.example/").status == 404
    assert served.request("GET", "/", X_Forwarded_Host="evil.example").status == 200
    assert served.request("GET", "/", Host="evil.example", X_Forwarded_Host="x").status == 421


def test_every_answer_forbids_what_a_page_does_not_need(served: Served):
    for path in ("/", "/static/dashboard.js", "/nowhere"):
        headers = served.request("GET", path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["x-frame-options"] == "DENY"
        assert headers["cross-origin-opener-policy"] == "same-origin"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        assert headers["cache-control"] == "no-store"


def test_the_cookie_is_out_of_reach_of_scripts_and_of_other_sites(repo):
    dashboard = serve(repo)
    try:
        cookie = dashboard.request("POST", "/enter", code_form(dashboard.codes[0]))
        assert "HttpOnly; SameSite=Strict" in cookie.headers["set-cookie"]
    finally:
        dashboard.close()


def test_it_listens_on_this_machine_alone(served: Served):
    inodes = {
        target.partition("[")[2].rstrip("]")
        for each in Path(f"/proc/{served.process.pid}/fd").iterdir()
        if (target := os.readlink(each)).startswith("socket:")
    }
    rows = [
        line.split()
        for name in ("tcp", "tcp6")
        for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]
    ]
    listening = {row[1].rpartition(":")[0] for row in rows if row[3] == "0A" and row[9] in inodes}

    assert listening <= {"0100007F", "00000000000000000000000001000000"}
    assert "0100007F" in listening


# A browser that is opened


def test_what_opens_the_browser_stands_in_no_argument_and_stays_on_no_disk(
    repo: Path, tmp_path: Path
):
    seen = tmp_path / "seen"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {seen}.part && mv {seen}.part {seen}\n')
    browser.chmod(0o700)
    dashboard = serve(repo, "--open", BROWSER=f"{browser} %s")
    try:
        dashboard.port = int(dashboard.wait_for(r"port (\d+)")[1])
        ends = time.monotonic() + LIMIT_S
        while not seen.exists():
            assert time.monotonic() < ends
        file = Path(seen.read_text().removeprefix("file://"))
        code = file.read_text().partition("#code=")[2].partition('"')[0]
        assert len(code) > 30
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert code not in seen.read_text()
        assert code not in dashboard.said
        everything = subprocess.check_output(["ps", "-eo", "args"], text=True)
        assert code not in everything

        dashboard.codes.append(code)
        dashboard.enter()
        assert not file.exists()
        assert list(file.parent.glob("dashboard-*")) == []
    finally:
        dashboard.close()


def test_a_browser_that_does_not_open_leaves_no_file_and_the_address_is_printed(repo: Path):
    dashboard = serve(repo, "--open", BROWSER="/nonexistent %s", PATH="/nonexistent")
    try:
        dashboard.wait_for(r"#code=\S+")
        folder = Path(os.environ["XDG_RUNTIME_DIR"]) / "holdfast"
        assert list(folder.glob("dashboard-*")) == []
    finally:
        dashboard.close()


# Who started it


def test_without_a_person_at_a_terminal_it_only_shows(repo: Path):
    dashboard = serve(repo, on_terminal=False)
    try:
        assert "only shows" in dashboard.said
        dashboard.enter()
        assert "only shows" in dashboard.get("/")
        form = {"token": form_token(dashboard.cookie.partition("=")[2]), "text": "x"}
        answer = dashboard.request("POST", "/act/rules-add", urlencode(form).encode())
        assert "only shows" in answer.text
        assert answer.status == 403
    finally:
        dashboard.close()


@pytest.mark.parametrize("is_in_agent", [False, True], ids=["a person's", "an agent's"])
def test_no_act_is_done_without_its_token_or_inside_an_agent(
    door: Door, repo: Path, is_in_agent: bool
):
    door.send("SessionStart.startup", session_id="s1")
    dashboard = serve(repo, **({"CLAUDECODE": "1"} if is_in_agent else {}))
    try:
        dashboard.enter()
        place = re.findall(r'data-place="(\d+)"', dashboard.get("/"))
        token = form_token(dashboard.cookie.partition("=")[2]) if is_in_agent else ""
        for name in ACTS:
            form = urlencode({"token": token, "session": "s1", "typed": "s1", "text": "x"})
            answer = dashboard.request("POST", f"/act/{name}", form.encode())
            assert answer.status == 403, name
            assert ("only shows" in answer.text) == is_in_agent
        assert re.findall(r'data-place="(\d+)"', dashboard.get("/")) == place
    finally:
        dashboard.close()


def test_a_port_that_is_taken_is_said_in_a_line(served: Served, repo: Path):
    done = typed(repo, "serve", "--port", str(served.port))

    assert "is taken" in refused(done)


def test_without_the_extra_the_command_says_what_to_install(repo: Path, tmp_path: Path):
    (tmp_path / "without" / "starlette").mkdir(parents=True)
    broken = tmp_path / "without" / "uvicorn.py"
    broken.write_text("raise ModuleNotFoundError('no uvicorn', name='uvicorn')\n")
    done = typed(repo, "serve", "--port", str(free_port()), PYTHONPATH=str(broken.parent))

    assert "uv tool install '.[web]'" in refused(done)
