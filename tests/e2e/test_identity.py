"""Identity with the real Claude Code: what it is told when its model wanders off, and when not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from e2e.conftest import assert_sound
from e2e.test_claude_code import DONE

TASK = "Fix the retry loop of the uploader in src/upload/retry.py: it gives up after a timeout."
OTHER = (
    "Let's do something else now: translate the French help pages of the mobile calendar to Dutch"
)
DRIFTED = "has little to do with the task the user gave"
ANCHORED = "Identity is anchored in this task from here on"
STRAYS = 20


def at_work(repo: Path) -> list[dict[str, Any]]:
    """Steps on the task."""
    path = repo / "src" / "upload" / "retry.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("RETRIES = 1\nTIMEOUT = 5\n")
    steps: list[dict[str, Any]] = [{"tool": "Read", "input": {"file_path": str(path)}}]
    for number in range(1, 5):
        edit = {"old_string": f"RETRIES = {number}", "new_string": f"RETRIES = {number + 1}"}
        steps.append({"tool": "Edit", "input": {"file_path": str(path), **edit}})
        steps.append({"tool": "Bash", "input": {"command": "python3 src/upload/retry.py"}})
    return steps


@pytest.fixture(autouse=True)
def remarks(repo: Path) -> None:
    """Without this setting nobody is told."""
    (repo / ".holdfast").mkdir()
    (repo / ".holdfast" / "config.local.yaml").write_text("identity:\n  remarks: true\n")


def astray(repo: Path) -> list[dict[str, Any]]:
    """Steps that nobody asked for."""
    areas = ("calendar/i18n", "branding/palette", "invoices/pdf")
    return [
        {
            "tool": "Write",
            "input": {
                "file_path": str(repo / "web" / areas[number % 3] / f"page{number}.html"),
                "content": f"<article class='kalender-{number}'>Rechnung {number}</article>",
            },
        }
        for number in range(STRAYS)
    ]


@pytest.mark.exhaustive
@pytest.mark.promise("I4")
@pytest.mark.promise("I6")
def test_a_model_that_wanders_off_is_told_once_and_the_next_session_goes_on_from_it(
    claude, kept, state, repo
):
    tools = ("--allowedTools", "Bash", "Edit", "Write", "Read")
    first = claude.run(TASK, *tools, says=[*at_work(repo), DONE]).session
    claude.run("Go on with it.", "--resume", first, *tools, says=[*astray(repo), DONE])
    sent = claude.model.sent_text("main")
    told = [entry.body["class"] for entry in kept.entries(first, "identity_told")]
    assert DRIFTED in sent
    assert f"> {TASK}" in sent
    assert told in (["warning"], ["warning", "degraded"], ["degraded"])

    second = claude.run("Hello again", says=[DONE]).session
    (taken,) = kept.entries(second, "identity_inherited")
    assert taken.body["from"] == first
    assert f"Identity restored from {first[:8]}. IC: " in claude.model.sent_text("main")
    assert_sound(claude, state)


@pytest.mark.promise("I6")
@pytest.mark.exhaustive
def test_a_task_that_the_user_changes_is_a_new_anchor_and_no_alarm(claude, kept, state, repo):
    tools = ("--allowedTools", "Bash", "Edit", "Write", "Read")
    first = claude.run(TASK, *tools, says=[*at_work(repo), DONE]).session
    claude.run(OTHER, "--resume", first, *tools, says=[*astray(repo)[:3], DONE])
    sent = claude.model.sent_text("main")
    assert ANCHORED in sent
    assert DRIFTED not in sent
    assert kept.entries(first, "identity_told") == []
    assert_sound(claude, state)
