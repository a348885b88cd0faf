"""Agents that only read files: what a start would be told, printed and kept in a file of theirs."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

import commands
from cli.terminal import typed, typed_and_told
from holdfast.hook import agents_file, briefing
from holdfast.rooms.prompts.instruction_files import BLOCK_BEGIN, BLOCK_END
from scenarios.story import A, B, Story

pytestmark = pytest.mark.promise("A1")

TASK = "Fix the retry loop in src/upload/retry.py, it never gives up"
RULE = "Never push to main."


def printed(story: Story, *arguments: str) -> str:
    done = commands.run(story.repo, *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def after_some_work(story: Story) -> None:
    story.begin(A)
    story.say(A, TASK)
    typed_and_told(story.repo, "rules", "add", RULE)
    story.edit(A, "src/upload/retry.py", "retries = 1", "retries = 5")
    story.stop(A, "The loop gives up after five tries now.")
    story.end(A)


def test_brief_prints_what_the_next_session_is_told_and_keeps_nothing(story: Story):
    after_some_work(story)
    before = story.ledger()
    files = {path: path.stat().st_mtime_ns for path in Path(story.repo).rglob("*")}

    page = printed(story, "brief", "--markdown")
    told = story.holdfast("brief")["brief"]

    assert story.ledger() == before
    assert {path: path.stat().st_mtime_ns for path in Path(story.repo).rglob("*")} == files
    assert page == f"# Where the work stands\n\n{told}\n"
    assert f"> {RULE}" in page
    assert "src/upload/retry.py" in page
    # The real one, less its opening words, which name the phase of the session.
    real = story.begin(B)
    assert real.partition("] ")[2] == told
    assert told.startswith(briefing.HEADING)
    story.ends_well()


def test_brief_says_so_where_nothing_was_left(story: Story):
    story.begin(A)
    story.end(A)

    assert "Where the work stands" in printed(story, "brief", "--markdown")


def block(file: Path) -> str:
    content = file.read_bytes()
    return content.partition(BLOCK_BEGIN)[2].partition(BLOCK_END)[0].decode()


def wait_for(file: Path, words: str, *, gone: bool = False) -> None:
    until = time.monotonic() + 60
    while (words in block(file)) is gone:
        assert time.monotonic() < until, block(file)
        time.sleep(0.05)


def test_the_block_is_rendered_anew_when_a_turn_ends_and_the_rest_stays(story: Story):
    file = story.repo / "AGENTS.md"
    file.write_bytes(b"# Ours\r\n\r\nUse pnpm")
    printed(story, "init", "--agents-file")
    assert "No session has left anything here yet." in block(file)

    story.begin(A)
    story.say(A, TASK)
    typed_and_told(story.repo, "rules", "add", RULE)
    story.stop(A)
    wait_for(file, f"> {RULE}")
    assert file.read_bytes().startswith(
        b"# Ours\r\n\r\nUse pnpm\r\n\r\n<!-- holdfast: begin -->\r\n"
    )

    # It is ours: a rule there is told all the same, for it may be withdrawn by then.
    assert RULE in story.begin(B)
    rule = story.holdfast("rules")["rules"][0]
    typed_and_told(story.repo, "rules", "drop", rule["id"])
    story.end(B)
    wait_for(file, RULE, gone=True)
    assert typed(story.repo, "uninstall").returncode == 0
    assert file.read_bytes() == b"# Ours\r\n\r\nUse pnpm"
    story.ends_well()


def test_without_any_hook_commands_keep_the_block_up_to_date(story: Story):
    file = story.repo / "AGENTS.md"
    printed(story, "init", "--agents-file")

    typed_and_told(story.repo, "rules", "add", RULE)
    assert f"> {RULE}" in block(file)

    rule = story.holdfast("rules")["rules"][0]
    typed_and_told(story.repo, "rules", "drop", rule["id"])
    assert RULE not in block(file)


def test_half_a_block_is_left_alone_and_counted(story: Story):
    file = story.repo / "AGENTS.md"
    printed(story, "init", "--agents-file")
    half = file.read_bytes().replace(BLOCK_END, b"")
    file.write_bytes(half)

    agents_file.refresh(story.state, str(story.repo))

    assert file.read_bytes() == half
    faults = (Path(story.state) / "faults.jsonl").read_text().splitlines()
    assert [json.loads(line)["kind"] for line in faults] == ["agents file not written"]
