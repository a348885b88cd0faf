"""The status line: where the work stands, in one line, after the user's own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from cli.terminal import refused, typed, typed_and_told
from conftest import Door, git
from holdfast.hook import brief_file
from holdfast.hook.status_line import columns_of, composed
from holdfast.setup import install
from law import assert_nothing_swallowed
from scenarios.story import A, Story

TASK = "Fix the retry loop in src/upload/retry.py, it never gives up"
RULE = "Never push to main."
USAGE = {"input_tokens": 4_000, "cache_read_input_tokens": 140_000, "output_tokens": 1_000}


def told(session: str = A, **more: Any) -> bytes:
    """What the client tells a status line, as far as we read it."""
    window = {"context_window_size": 200_000, "current_usage": USAGE, "used_percentage": 72}
    return json.dumps({"session_id": session, "context_window": window, **more}).encode()


def line(door: Door, said: bytes | None = None, columns: int = 200, install: str = "") -> str:
    done = door.run(
        told() if said is None else said, errand=f"statusline {install}", COLUMNS=str(columns)
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode()


@pytest.mark.promise("A1")
@pytest.mark.promise("I8")
@pytest.mark.parametrize("is_shown", [False, True])
def test_it_tells_task_branch_context_gates_rules_and_by_setting_the_brief(
    story: Story, is_shown: bool
):
    story.door.environment["HOLDFAST_IDENTITY_STATUS_LINE"] = str(int(is_shown))
    story.demand("requirements: {planned: {trigger_tools: [Edit], satisfied_by_skill: plan}}")
    story.begin(A)
    story.say(A, TASK)
    typed_and_told(story.repo, "rules", "add", RULE)
    story.stop(A)

    shown = line(story.door)

    brief = story.door.run(b"", errand=f"brief {A}").stdout.decode().strip()
    own = f" · {brief}" if is_shown else ""
    assert shown == (f"{TASK} · feature/auth · context 72% SIGNALS · 1 gate open · 1 rule{own}\n")
    assert is_shown is ("[C:" in shown)
    assert_nothing_swallowed(story.state)


def test_a_gate_that_a_tool_or_a_person_meets_is_no_longer_counted(story: Story):
    story.demand(
        "requirements: {planned: {satisfied_by_skill: plan}, asked: {scope: session}, tested:"
        " {evidence_required: [tests]}}"
    )
    story.begin(A)
    assert " · 3 gates open" in line(story.door)
    story.skill(A, "plan")
    assert " · 2 gates open" in line(story.door)
    story.run(A, "pytest -q", "3 passed in 0.1s")
    assert " · 1 gate open" in line(story.door)
    story.write(A, "src/a.py")
    assert " · 2 gates open" in line(story.door), "what was tested is not what is there"
    typed_and_told(story.repo, "req", "satisfy", "asked", "--session", A)
    assert " · 1 gate open" in line(story.door)


def test_the_pull_request_is_the_clients_else_the_one_that_the_session_made(story: Story):
    story.begin(A)
    story.run(A, "gh pr create --fill", "https://github.com/acme/app/pull/41")
    assert "feature/auth #41 · " in line(story.door)
    assert "feature/auth #77 · " in line(story.door, told(pr={"number": 77, "url": "u"}))
    git(story.repo, "checkout", "-q", "-b", "other")
    assert line(story.door).startswith("other · "), "it belongs to another branch"


def test_the_command_prints_the_same_line(story: Story):
    story.begin(A)
    shown = line(story.door)
    environment = {**os.environ, "COLUMNS": "200"}
    for words, answer in (((), shown), (("--json",), f'{{"line": "{shown.strip()}"}}\n')):
        done = subprocess.run(
            [sys.executable, "-m", "holdfast", "statusline", *words],
            input=told(),
            env=environment,
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, b"")
        assert "".join(done.stdout.decode().split()) == "".join(answer.split())


@pytest.mark.promise("C15")
def test_what_it_is_told_of_the_context_is_written_down_without_a_database(story: Story):
    story.begin(A)
    before = {path: path.stat().st_mtime_ns for path in Path(story.state).glob("*.db*")}

    line(story.door)

    assert brief_file.figures(A) == (145_000, 200_000)
    assert {path: path.stat().st_mtime_ns for path in before} == before


def parts(columns: int, task: str = TASK, branch: str = "") -> str:
    facts = {"task": task, "rules": "3", "gates": "2", "pull": "41", "branch": branch, "shown": "1"}
    shown = composed("[C:CON r=0.85 IC=0.91] off task?", facts, "", (150_000, 200_000), columns)
    assert columns_of(shown) <= columns
    return shown


@pytest.mark.parametrize("columns", range(1, 140))
def test_it_never_takes_more_than_the_columns_there_are(columns):
    parts(columns)
    parts(columns, task="進捗バーの色を変える \U0001f680 " * 5)


def test_what_does_not_fit_goes_from_the_end_and_the_task_is_cut():
    whole = parts(140)
    assert whole.endswith(
        " · #41 · context 75% SIGNALS · 2 gates open · off task? · 3 rules · [C:CON r=0.85 IC=0.91]"
    )
    assert parts(90).endswith(" · 2 gates open · off task? · 3 rules")
    assert parts(70).endswith(" · context 75% SIGNALS · 2 gates open")
    assert parts(10) == "Fix the r…"


def test_nothing_in_it_moves_the_cursor(story: Story):
    story.begin(A)
    facts = {"task": "red \x1b[31mtext\x07 \u202eback", "gitdir": f"{story.repo}/.git"}
    brief_file.write(A, 10_000, "[C:? r=? IC=?]", facts)
    Path(story.repo, ".git", "HEAD").write_text("ref: refs/heads/ma\x1b[2Jin\n")

    shown = line(story.door)

    assert shown.rstrip("\n").isprintable()
    assert shown == "red [31mtext back · ma[2Jin · context 72% SIGNALS\n"


@pytest.mark.parametrize("said", [b"", b"\n"])
def test_to_be_told_nothing_is_no_fault(door, state, said):
    assert line(door, said) == ""

    assert_nothing_swallowed(state)


def test_at_a_terminal_it_says_what_it_waits_for(repo):
    done = typed(repo, "statusline")

    assert "reads what the agent tells it, as JSON, on stdin" in refused(done, 2)
    assert "see `holdfast statusline --help`" in done.stderr


@pytest.mark.parametrize("said", [b"", b"{", b"[]", b"null", b'{"session_id": 7, "pr": 3}'])
def test_whatever_it_is_fed_it_ends_well(door, said):
    assert line(door, said) == ""


# The user's own


def wrapping(door: Door, home: Path, command: str, *, below: bool) -> str:
    """Our status line over one of the user's: in the same file, or in the home's."""
    user, local = home / ".claude" / "settings.json", install.settings_path(door.folder)
    theirs = user if below else local
    theirs.parent.mkdir(parents=True, exist_ok=True)
    theirs.write_text(json.dumps({"statusLine": {"type": "command", "command": command}}))
    install.install(door.state, local, status_line=True)
    return install.name_of(local)


@pytest.mark.parametrize("below", [True, False], ids=["in the home", "in the same file"])
def test_the_users_own_is_run_with_the_same_input_and_shown_first(door, home, below):
    name = wrapping(door, home, "printf '\\033[32m'; cat; printf '\\nsecond'", below=below)
    door.send("SessionStart.startup", session_id=A)

    shown = line(door, install=name)

    assert shown == f"\x1b[32m{told().decode()}\nsecond\nmain · context 72% SIGNALS\n"


@pytest.mark.parametrize("how", ["HOLDFAST_OFF", "paused", "no session"])
def test_the_users_own_is_shown_when_ours_is_not(door, home, how):
    name = wrapping(door, home, "echo mine", below=True)
    if how == "paused":
        Path(door.state, "paused").write_text("")
    door.environment |= {"HOLDFAST_OFF": "1"} if how == "HOLDFAST_OFF" else {}

    assert line(door, b"{}", install=name) == "mine\n"


def test_the_users_own_is_shown_though_ours_fails(door, home):
    name = wrapping(door, home, "echo mine", below=True)
    Path(door.environment["XDG_RUNTIME_DIR"], "holdfast").mkdir()
    brief = Path(brief_file.paths.brief(brief_file.paths.runtime_folder(), A))
    figures = Path(brief_file.paths.figures(str(brief.parent), A))
    figures.mkdir(parents=True)  # nothing can be written there

    assert line(door, install=name) == "mine\n"


def test_ours_over_ours_runs_what_the_weaker_one_wraps_once(door, home):
    user = home / ".claude" / "settings.json"
    user.parent.mkdir()
    user.write_text(json.dumps({"statusLine": {"type": "command", "command": "echo mine"}}))
    install.install(door.state, user, status_line=True)
    local = install.settings_path(door.folder)
    install.install(door.state, local, status_line=True)

    assert line(door, b"{}", install=install.name_of(local)) == "mine\n"


def test_a_users_own_that_calls_ours_is_not_called_by_it_again(door, home):
    name = install.name_of(install.settings_path(door.folder))
    wrapping(door, home, f"echo mine; {door.command} statusline {name}", below=True)
    door.send("SessionStart.startup", session_id=A)

    assert line(door, install=name) == "mine\n" + "main · context 72% SIGNALS\n" * 2


@pytest.mark.parametrize(
    "command", ["exit 3", "echo half; exit 1", "echo slow; sleep 60", "no-such-program-anywhere"]
)
def test_one_that_fails_or_never_ends_is_left_out(door, home, command):
    name = wrapping(door, home, f"{command} 2>/dev/null", below=True)
    door.send("SessionStart.startup", session_id=A)

    assert line(door, install=name) == "main · context 72% SIGNALS\n"


def test_one_that_leaves_something_running_is_shown_at_once(door, home):
    name = wrapping(door, home, "sleep 20 & echo mine", below=True)

    started = time.monotonic()
    shown = line_while_open(door, name)

    assert shown == "mine\n"
    assert time.monotonic() - started < 15


def line_while_open(door: Door, name: str) -> str:
    """To a file: the one that is left running holds our pipe as well."""
    with (door.folder / "shown").open("wb") as file:
        subprocess.run(
            ["/bin/sh", "-c", f"{door.command} statusline {name}"],
            input=b"{}",
            env=door.environment,
            stdout=file,
            timeout=60,
            check=True,
        )
    return (door.folder / "shown").read_text()


def test_what_it_started_ends_with_it_when_the_client_ends_it(door, home, tmp_path):
    pid_file = tmp_path / "pid"
    name = wrapping(door, home, f"sleep 60 & echo $! > {pid_file}; wait", below=True)
    running = subprocess.Popen(
        ["/bin/sh", "-c", f"exec {door.command} statusline {name}"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        env=door.environment,
    )
    until = time.monotonic() + 30
    while not (pid_file.exists() and pid_file.read_text().strip()):
        assert time.monotonic() < until
        time.sleep(0.01)
    pid = int(pid_file.read_text())

    running.send_signal(signal.SIGTERM)

    assert running.wait(10) == 0
    while is_alive(pid):
        assert time.monotonic() < until
        time.sleep(0.01)


def is_alive(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"
