"""`init` and `uninstall` give every file back to the byte: settings with a status line of the
user's, an instruction file with our block, whatever else stands in them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st

import commands
from holdfast.agents.claude_code import status_payload
from holdfast.errors import HoldfastError
from holdfast.hook import agents_file
from holdfast.rooms.prompts.instruction_files import BLOCK_BEGIN, with_block, without_block
from holdfast.setup import install, settings_file

pytestmark = pytest.mark.promise("A3")

OURS = {"type": "command", "command": "/usr/bin/python3 -I -S /s/holdfast/hook.py statusline ab1"}
THEIRS = (
    '"statusLine": {"type":"command",\t"command":"~/.claude/line.sh" , "padding": 0}',
    '"statusLine" : null',
    '"statusLine":"odd"',
)
STYLES = (
    "{%s}",
    "{ %s }",
    '{"model": "opus", %s}',
    '{\r\n\t%s,\r\n\t"a": {}\r\n}\r\n',
    "\ufeff{%s}",
)
INSTRUCTIONS = (
    b"",
    b"# Rules\n",
    b"no last line end",
    b"windows\r\nlines\r\n",
    b"windows\r\nno end",
    b"\xef\xbb\xbfwith a mark",
    b"\xef\xbb\xbf",
    b"\n\n\n",
    b"a\n\n",
    b"old mac\rlines\r",
    b"quotes `<!-- holdfast: begin -->` in a line\n",
)
for_all = settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=200)


def is_ours(value: object) -> bool:
    return status_payload.is_ours(value)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("theirs", [*THEIRS, ""])
def test_a_status_line_comes_back_as_it_was_written(style, theirs):
    text = style % theirs if theirs else '{"model": "opus"}'

    added, replaced = settings_file.put_member(text, "statusLine", OURS, is_ours)

    assert settings_file.member(added, "statusLine") == OURS
    again, nothing = settings_file.put_member(added, "statusLine", OURS, is_ours)
    assert (again, nothing) == (added, None)
    assert settings_file.take_member(added, "statusLine", is_ours, replaced) == text


def test_one_that_the_user_put_over_ours_stays():
    text = '{"statusLine": {"type": "command", "command": "mine"}}'

    assert settings_file.take_member(text, "statusLine", is_ours, "null") == text


@for_all
@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode), st.text(max_size=80))
@example(b"", "")
@example(b"a\r", "text")
@example(b"a\n" + BLOCK_BEGIN, "text")
def test_a_block_comes_out_to_the_byte_whatever_it_stands_in(content, text):
    try:
        added, gap = with_block(content, text)
    except HoldfastError:  # half of a block is there: it is left alone
        return
    if BLOCK_BEGIN not in content:
        again, _ = with_block(added, "other words")
        assert added.startswith(content)
        assert without_block(again, gap.encode()) == content
        assert without_block(b"before\n" + added + b"after", gap.encode()) == (
            b"before\n" + content + b"after"
        )


@pytest.mark.parametrize("content", [*INSTRUCTIONS, None], ids=repr)
@pytest.mark.parametrize("line", [*THEIRS, ""], ids=["theirs", "null", "odd", "none"])
def test_init_and_uninstall_leave_every_file_as_it_was(state, repo, home, content, line):
    local, file = install.settings_path(repo), repo / "AGENTS.md"
    local.parent.mkdir()
    user = home / ".claude" / "settings.json"
    user.parent.mkdir()
    user.write_text('{"statusLine": {"type": "command", "command": "echo mine"}}')
    before = f"{{{line}}}".encode() if line else None
    if before is not None:
        local.write_bytes(before)
    if content is not None:
        file.write_bytes(content)
    kept = user.read_bytes()

    install.install(state, local, status_line=True)
    agents_file.install(state, str(repo), str(file))
    assert BLOCK_BEGIN in file.read_bytes()
    assert file.read_bytes().startswith(content or b"")
    assert install.has_status_line(local)
    agents_file.refresh(state, str(repo))
    install.install(state, local)
    agents_file.install(state, str(repo), str(file))

    install.uninstall(state, local)
    agents_file.uninstall(state, str(repo))

    assert (local.read_bytes() if local.exists() else None) == before
    assert (file.read_bytes() if file.exists() else None) == content
    assert user.read_bytes() == kept


@pytest.mark.parametrize("content", [b"caf\xe9 in another encoding\n", b"\xff\xfeU\x00T\x00F\x00"])
def test_a_file_that_is_not_utf8_is_refused_and_left_alone(state, repo, content):
    file = repo / "AGENTS.md"
    file.write_bytes(content)

    with pytest.raises(HoldfastError, match="is not UTF-8"):
        agents_file.install(state, str(repo), str(file))

    assert file.read_bytes() == content
    assert agents_file.uninstall(state, str(repo)) is None


def test_a_link_out_of_the_project_is_not_followed(state, repo, tmp_path):
    outside = tmp_path / "theirs.md"
    outside.write_text("theirs\n")
    (repo / "AGENTS.md").symlink_to(outside)

    with pytest.raises(HoldfastError, match="leads out of the project"):
        agents_file.install(state, str(repo), str(repo / "AGENTS.md"))

    assert outside.read_text() == "theirs\n"


def holdfast(repo: Path, *arguments: str) -> str:
    done = commands.run(repo, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_commands_do_so_too_and_a_dry_run_shows_it(home, repo):
    (repo / "CLAUDE.md").write_bytes(b"# Mine\r\n\r\nUse pnpm")
    before = {path: path.read_bytes() for path in repo.rglob("*") if path.is_file()}
    options = ("--statusline", "--agents-file")
    shown = holdfast(repo, "init", *options, "--dry-run")
    assert '+  "statusLine": {' in shown
    assert "+<!-- holdfast: begin -->" in shown
    assert {path: path.read_bytes() for path in repo.rglob("*") if path.is_file()} == before

    said = holdfast(repo, "init", *options)
    assert f"{repo}/CLAUDE.md tells where the work stands" in said
    assert "your words in it would be committed with it" in said
    assert "holdfast init --statusline" not in said
    line = json.loads(install.settings_path(repo).read_text())["statusLine"]
    assert status_payload.is_ours(line)
    holdfast(repo, "init")
    assert install.has_status_line(install.settings_path(repo)), "it stays unless it is taken out"

    assert f"{repo}/CLAUDE.md has no block any more." in holdfast(repo, "uninstall")
    after = {path: path.read_bytes() for path in repo.rglob("*") if path.is_file()}
    assert after == before


@pytest.mark.parametrize(("answer", "has_it"), [("y", True), ("n", False), ("", True)])
def test_at_a_terminal_init_asks_for_the_status_line(home, repo, answer, has_it):
    ours, theirs = os.openpty()
    os.write(ours, f"{answer}\n".encode())
    done = subprocess.run(
        [sys.executable, "-m", "holdfast", "init"],
        cwd=repo,
        stdin=theirs,
        stderr=theirs,
        stdout=subprocess.PIPE,
        text=True,
        timeout=120,
        check=False,
    )
    asked = os.read(ours, 10_000).decode()
    os.close(ours)
    os.close(theirs)

    assert done.returncode == 0
    assert "in the status line of Claude Code" in asked
    assert install.has_status_line(install.settings_path(repo)) is has_it
    assert ("`holdfast init --statusline`" in done.stdout) is not has_it
