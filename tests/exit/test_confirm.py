"""What cannot be undone is meant by name; and no message of ours leads anybody there."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from exit.leaving import ALIAS, A, files_with, holdfast, snapshot

pytestmark = pytest.mark.promise("O3")

PACKAGE = Path(__file__).parents[2] / "src" / "holdfast"
DESTRUCTIVE = re.compile(r"\b(forget|purge|rm|erase|delete)\b")
SUGGESTED = re.compile(r"holdfast (forget|purge)")
LIMIT_S = 120.0
# The terminal is the process's own, so that ^C typed there reaches it.
AS_A_PERSON = """
import os, signal, sys
os.login_tty(0)
signal.signal(signal.SIGINT, signal.SIG_DFL)  # whoever started the tests may have ignored it
os.execv(sys.executable, [sys.executable, "-m", "holdfast", *sys.argv[1:]])
"""


def typed(folder: Path, answer: bytes, *arguments: str) -> tuple[int, str]:
    """A command on a terminal, with what a person types once asked; exit code, and the screen."""
    ours, theirs = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", AS_A_PERSON, *arguments],
        cwd=folder,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    os.set_blocking(ours, False)
    screen, answered, limit = b"", False, time.monotonic() + LIMIT_S
    try:
        while time.monotonic() < limit:
            try:
                part = os.read(ours, 4096)
            except BlockingIOError:
                time.sleep(0.01)
                continue
            except OSError:  # the other end is closed
                break
            screen += part
            if b"to go on." in screen and not answered:
                os.write(ours, answer)
                answered = True
        return process.wait(LIMIT_S), screen.decode()
    finally:
        process.kill()
        process.wait(LIMIT_S)
        os.close(ours)


@pytest.fixture
def a_session(door, repo):
    agent = door.agent()
    door.send("SessionStart.startup", agent=agent, session_id=A)
    door.send("UserPromptSubmit", agent=agent, session_id=A, prompt="Say nothing of kelp0000")
    agent.kill()  # while one is at work it must be a shell that somebody types into


def test_the_alias_typed_on_a_terminal_forgets(a_session, repo, everywhere):
    code, screen = typed(repo, f"{ALIAS}\n".encode(), "forget", A)

    assert code == 0, screen
    assert f"Type {ALIAS} to go on." in screen
    assert f"{ALIAS} is forgotten" in screen
    assert files_with("kelp0000", *everywhere) == []


@pytest.mark.parametrize("answer", [b"\n", b"y\n", b"yes\n", b"AAAAAAAA\n", b"aaaaaaa\n", b"\x04"])
def test_anything_else_that_is_typed_changes_nothing(a_session, repo, everywhere, answer):
    holdfast(repo, "status")
    before = snapshot(*everywhere)

    code, screen = typed(repo, answer, "forget", A)

    assert code == 1, screen
    assert "nothing was changed" in screen
    assert snapshot(*everywhere) == before


def test_a_terminal_that_is_interrupted_changes_nothing(a_session, repo, everywhere):
    code, _ = typed(repo, b"\x03", "purge", "--all")

    assert code == 130
    assert files_with("kelp0000", *everywhere)


@pytest.mark.parametrize("given", [["--yes", "aaaaaaa"], ["--yes", "yes"], ["--yes", ""], []])
@pytest.mark.parametrize("arguments", [["forget", A], ["purge", "--project"], ["purge", "--all"]])
def test_without_a_terminal_only_the_name_itself_counts(
    a_session, repo, everywhere, arguments, given
):
    holdfast(repo, "status")
    before = snapshot(*everywhere)

    done = holdfast(repo, *arguments, *given, said=f"{ALIAS}\n".encode())

    assert done.returncode == 1
    assert done.stdout == ""
    assert [line[:6] for line in done.stderr.splitlines()] == ["error:", "hint: "]
    assert snapshot(*everywhere) == before


@pytest.mark.parametrize(
    "command",
    ["forget x", "purge --project", "purge --all", "export", "import x", "unpause", "off --help"],
)
def test_where_nothing_was_kept_a_command_makes_nothing(repo, state, command):
    done = holdfast(repo, *command.split(), "--yes=x" if command[:2] in ("fo", "pu") else "--json")

    assert done.returncode == (0 if command in ("unpause", "off --help") else 1)
    assert not Path(state).exists()


def test_to_purge_everything_is_said_to_take_the_whole_store(a_session, repo):
    said = holdfast(repo, "purge", "--all", "--dry-run").stdout

    assert "The whole store goes, with the text and headers of " in said
    assert "headers stay" not in said
    assert "headers stay" in holdfast(repo, "purge", "--project", "--dry-run").stdout


def test_without_a_terminal_the_hint_names_the_option(a_session, repo):
    refusal = holdfast(repo, "purge", "--all").stderr

    assert "give --yes NAME: --dry-run tells the name" in refusal


def test_the_name_is_not_told_by_the_refusal(a_session, repo):
    done = holdfast(repo, "purge", "--project", "--yes", "x")

    assert repo.name not in done.stderr


def texts_in(node: ast.AST) -> list[str]:
    return [
        inner.value
        for inner in ast.walk(node)
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str)
    ]


def test_no_error_and_no_hint_suggests_a_command_that_deletes():
    found = []
    for source in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            raised = isinstance(node, ast.Raise)
            hinted = isinstance(node, ast.keyword) and node.arg == "hint"
            if raised or hinted:
                found += [
                    f"{source.name}:{node.lineno if raised else node.value.lineno} {text}"
                    for text in texts_in(node)
                    if DESTRUCTIVE.search(text)
                ]

    assert found == []


def test_what_commands_say_when_all_is_well_suggests_none_either():
    """Only the commands themselves speak of themselves."""
    theirs = {"forget.py", "purge.py", "confirm.py", "traces.py", "export.py"}
    found = []
    for source in [
        *PACKAGE.rglob("cli/**/*.py"),
        PACKAGE / "hook/briefing.py",
        PACKAGE / "ledger/faults.py",
    ]:
        tree = ast.parse(source.read_text(encoding="utf-8"))
        if source.name not in theirs:
            found += [
                text for text in texts_in(tree) if re.search(r"holdfast (forget|purge)", text)
            ]

    assert found == []
