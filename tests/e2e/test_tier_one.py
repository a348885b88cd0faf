"""What must never be lost, with the real Claude Code: confidence, contract and the open list come
along after a crash and over two sessions, and a checkpoint comes back."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from e2e.conftest import assert_sound, wait_until
from e2e.test_claude_code import DONE, write
from e2e.test_next_start import BASH, shell
from e2e.test_whose_words import asked, told

TASK = "Add a login page to the shop"
OTHER = "Translate the invoice templates to Portuguese"
TOOLS = (*BASH, "--tools", "Bash,Write,TaskCreate")  # a list is off unless it is asked for
ITEMS = ("Write the form", "Test the form")


def command(*words: str) -> dict:
    return shell(shlex.join([sys.executable, "-m", "holdfast", *words]))


def work(repo: Path) -> list[dict]:
    """The agent agrees on a contract, makes a list, edits a file, and a command of its fails."""
    return [
        command("contract", "set", "--goal", "A login page", "--evidence", "tests"),
        *(
            {"tool": "TaskCreate", "input": {"subject": item, "description": item}}
            for item in ITEMS
        ),
        write(repo, "login.py"),
        shell("false"),
    ]


@pytest.mark.promise("C11")
@pytest.mark.promise("C6")
@pytest.mark.exhaustive
def test_confidence_contract_and_list_survive_a_kill_and_a_session_with_another_task(
    claude, kept, state, repo, errand
):
    running = claude.start(TASK, *TOOLS, says=[*work(repo), shell(errand.command)])
    wait_until(errand.pids, "the last command runs")
    first = claude.kill(running).session
    left = claude.holdfast("confidence", "--session", first)["confidence"]
    assert left < 75

    second = claude.run("Go on", says=[DONE]).session

    briefing = told(claude)
    assert "Contract of this task, set by an agent (asks for tests; 0 % proven;" in briefing
    assert "\n> A login page" in briefing
    for item in ITEMS:
        assert f"\n> {item}" in briefing
    assert claude.holdfast("contract", "--session", second)["contract"]["source"] == first
    assert claude.holdfast("confidence", "--session", second)["confidence"] == left

    third = claude.run(OTHER, says=[write(repo, "invoice.txt"), DONE]).session
    assert not claude.holdfast("contract", "--session", third)["binds"]
    claude.run("What is left?", says=[DONE])
    briefing = told(claude)
    assert "Contract" not in briefing
    assert f"Open here (`holdfast threads`):\n> {TASK} (" in briefing

    fifth = claude.run("Go on with the login page of the shop", says=[DONE]).session
    assert f"left: {'; '.join(ITEMS)}" in str(asked(claude.model)[0].body["messages"])
    inherited = kept.entries(fifth, "state_inherited")[-1]
    assert inherited.body["todos"] == first
    assert_sound(claude, state)


@pytest.mark.promise("C12")
def test_an_agent_brings_the_checkpoint_back_that_a_compaction_took(claude, kept, state, repo):
    first = claude.run(TASK, *TOOLS, says=[*work(repo), DONE]).session
    claude.run("/compact", "--resume", first, says=[])
    (taken,) = kept.entries(first, "checkpoint_taken")
    assert taken.body["tier1"]["task_contract"]

    second = claude.run(
        "Go on", *BASH, says=[command("context", "restore", taken.id[:8]), DONE]
    ).session
    claude.run("And then?", "--resume", second, says=[DONE])

    assert f"Restored from a checkpoint of {first[:8]}" in told(claude)
    restored = kept.entries(second, "state_inherited")[-1].body
    assert (restored["how"], restored["checkpoint"]) == ("restored", taken.id)
    output = kept.entries(second, "tool_used")[0].body["output"]
    assert f"Session {second[:8]} goes on from checkpoint {taken.id[:6]} of {first[:8]}" in output
    assert f"Goal      {TASK}" in output
    assert_sound(claude, state)
