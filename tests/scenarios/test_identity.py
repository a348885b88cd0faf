"""Identity through the real hook command: the sheet, the beginnings, and a damaged mind."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from story import A, B, C, Story

import commands
from holdfast.hook import consolidate
from holdfast.ledger import faults
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.identity import brief, lookup, queries
from holdfast.system import paths

TASK = (
    "Fix the retry loop of the uploader in src/upload/retry.py: it gives up after the first timeout"
)


def at_work(story: Story, session: str) -> None:
    story.begin(session)
    story.say(session, TASK)
    for number in range(3):
        story.edit(session, "src/upload/retry.py", "retries = 1", f"retries = {number}")
        story.run(session, "python -m pytest tests/upload/test_retry.py")


def brief_of(story: Story, session: str) -> str:
    done = story.door.run(b"", errand=f"brief {session}")
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode().strip()


def run(
    story: Story, *arguments: str, session: str = "", given: str = ""
) -> subprocess.CompletedProcess[str]:
    """A command, as a hook or a person runs it."""
    inside = {"CLAUDE_CODE_SESSION_ID": session} if session else {}
    return commands.run(story.repo, *arguments, given=given, **inside)


@pytest.mark.promise("I8")
def test_the_launcher_prints_the_brief_and_the_status_line_where_the_session_stands(story: Story):
    assert brief_of(story, A) == "[C:? r=? IC=?]"
    at_work(story, A)
    workspace = Workspace(story.state)
    told = brief.of(lookup.reading_of(workspace.store, A))
    workspace.store.close()

    assert brief_of(story, A) == told
    asked = f'{{"session_id": "{A}"}}'.encode()
    line = story.door.run(asked, errand="statusline", COLUMNS="200")
    assert line.stdout.decode() == f"{TASK} · feature/auth\n"
    story.end(A)
    assert brief_of(story, A) == "[C:? r=? IC=?]"
    story.ends_well()


@pytest.mark.promise("I4")
def test_the_next_session_is_measured_by_branch_and_files_until_it_has_done_something(story: Story):
    story.door.environment["HOLDFAST_IDENTITY_REMARKS"] = "1"
    at_work(story, A)
    story.stop(A)
    story.end(A)
    told = story.begin(B)
    assert f"Identity restored from {A[:8]}. IC: " in told
    assert "provisional, by branch and changed files, until the fifth event" in told
    found = story.holdfast("consciousness", session=B)
    assert (found["provisional"], found["events"], found["restored_from"]) == (True, 0, A)
    story.say(B, TASK)
    for number in range(5):
        story.edit(B, "src/upload/retry.py", "retries = 1", f"retries = {number}")
    found = story.holdfast("consciousness", session=B)
    assert not found["provisional"]
    assert found["class"] in brief.SOUND
    assert story.holdfast("status")["identity"]["class"] == found["class"]
    story.ends_well()


PLACES = ("calendar/i18n", "branding/palette", "invoices/pdf", "radio/tuner")
OTHER = (
    "Let's do something else now: translate the French help pages of the mobile calendar to Dutch"
)


def work_elsewhere(story: Story, session: str, rounds: int) -> None:
    """As many edits and commands that have nothing to do with the task."""
    for number in range(rounds):
        place = PLACES[number % len(PLACES)]
        new = f"<article class='{place}-{number}'>Kalender {number}</article>"
        story.edit(session, f"web/{place}/page{number}.html", "<article>", new)
        story.run(session, f"npx prettier --write web/{place}/page{number}.html")


@pytest.mark.promise("I4")
@pytest.mark.promise("I6")
@pytest.mark.promise("W9")
@pytest.mark.exhaustive
def test_work_elsewhere_after_go_on_is_measured_by_the_inherited_task_and_shown(story: Story):
    at_work(story, A)
    story.stop(A)
    story.end(A)
    story.begin(B)
    answers = [story.say(B, "go on")]
    before = len(story.ledger())
    work_elsewhere(story, B, 30)

    shown = story.holdfast("consciousness", session=B)
    assert (shown["class"], shown["provisional"]) == ("degraded", False)
    assert shown["cross_session_ic"] < 0.5
    assert brief_of(story, B) == shown["brief"]
    line = story.door.run(f'{{"session_id": "{B}"}}'.encode(), errand="statusline")
    assert line.stdout.decode().endswith(" · off task?\n")
    assert story.holdfast("status")["identity"]["class"] == "degraded"
    text = run(story, "status").stdout
    assert f"Identity  {shown['brief']} degraded  (`holdfast consciousness`)" in text
    assert "Identity" not in "".join(answers), "the agent is told nothing"
    assert {kind for _, kind, _ in story.ledger()[before:]} == {"tool_used"}
    assert check(story, B) == f"IC crisis ({shown['ic']:.2f}), dream triggered\n"
    assert len(dreamt(story, 1)) == 1
    story.ends_well()


@pytest.mark.promise("I6")
def test_a_new_task_takes_the_place_of_an_inherited_purpose_at_once(story: Story):
    at_work(story, A)
    story.stop(A)
    story.end(A)
    story.begin(B)
    story.say(B, OTHER)
    seen = []
    for number in range(6):
        new = f"<p>Veelgestelde vragen over de agenda {number}</p>"
        story.edit(B, "help/calendar/nl.html", "<p>Questions</p>", new)
        seen.append(story.holdfast("consciousness", session=B))

    assert {shown["class"] for shown in seen} <= set(brief.SOUND)
    assert seen[-1]["cross_session_ic"] < 0.5, "it does not go on with the session before"
    story.ends_well()


@pytest.mark.promise("I6")
@pytest.mark.exhaustive
def test_a_drifted_session_does_not_hand_its_drift_on_as_the_purpose(story: Story):
    in_a_crisis(story, A)
    story.stop(A)
    story.end(A)
    story.begin(B)
    story.say(B, "go on")
    for number in range(6):
        story.edit(B, "src/upload/retry.py", "retries = 1", f"retries = {number}")
    assert story.holdfast("consciousness", session=B)["class"] in brief.SOUND
    story.end(B)
    story.begin(C)
    story.say(C, "go on")
    work_elsewhere(story, C, 15)

    assert story.holdfast("consciousness", session=C)["class"] == "degraded"
    story.ends_well()


def in_a_crisis(story: Story, session: str) -> None:
    """A task, worked on; then work elsewhere."""
    at_work(story, session)
    story.edit(session, "src/upload/backoff.py", "wait = 1", "wait = 2 * wait")
    story.stop(session)
    story.say(session, "go on")
    work_elsewhere(story, session, 15)
    assert story.holdfast("consciousness", session=session)["class"] == "degraded"


def check(story: Story, session: str) -> str:
    """What the design's hook prints after a tool."""
    done = run(story, "consciousness", "check-identity", "--auto-dream", session=session)
    assert (done.returncode, done.stdout) == (0, "")
    return done.stderr


def dreamt(story: Story, count: int) -> list[dict[str, Any]]:
    """The reports of dreams, once there are so many; a dream is a process of its own."""
    for _ in range(1_200):
        if len(story.bodies("dreamt")) >= count:
            break
        time.sleep(0.05)
    return story.bodies("dreamt")


@pytest.mark.promise("I9")
def test_an_agent_that_is_told_of_a_crisis_begins_a_dream(story: Story):
    story.door.environment["HOLDFAST_IDENTITY_REMARKS"] = "1"
    story.door.environment["HOLDFAST_DREAM_ENABLED"] = "1"
    in_a_crisis(story, A)

    assert os.path.exists(paths.dream(story.state, story.entries("session_began")[0].project))
    assert [report["why"] for report in dreamt(story, 1)] == ["crisis"]
    story.ends_well()


@pytest.mark.promise("I9")
def test_the_end_of_a_session_begins_a_dream_which_reports_if_it_did_anything(story: Story):
    story.door.environment["HOLDFAST_DREAM_ENABLED"] = "1"
    at_work(story, A)
    story.end(A)
    mark = paths.dream(story.state, story.entries("session_began")[0].project)
    for _ in range(1_200):  # it has a minute
        if Path(mark).read_bytes() == consolidate.OVER:
            break
        time.sleep(0.05)
    assert Path(mark).read_bytes() == consolidate.OVER
    assert story.bodies("dreamt") == []

    story.begin(B)
    for _ in range(2):
        run(story, "learn", "The cache is warmed by the first request", session=B)
    os.utime(mark, (time.time() - 61, time.time() - 61))
    story.end(B)

    (report,) = dreamt(story, 1)
    assert (report["why"], report["counts"]["learnings_merged"]) == ("end", 1)
    story.ends_well()


@pytest.mark.promise("I9")
def test_a_crisis_dreams_once_a_minute(story: Story):
    in_a_crisis(story, A)
    assert check(story, A).endswith("dream triggered\n")
    dreamt(story, 1)
    mark = paths.dream(story.state, story.entries("dreamt")[0].project)

    os.utime(mark, (time.time() - 30, time.time() - 30))
    assert check(story, A).startswith("IC crisis: 0.")
    os.utime(mark, (time.time() - 61, time.time() - 61))
    assert check(story, A).endswith("dream triggered\n")
    assert len(dreamt(story, 2)) == 2


@pytest.mark.promise("I4")
def test_compaction_resume_and_clear_are_three_different_beginnings_of_identity(story: Story):
    at_work(story, A)
    before = brief_of(story, A)
    story.compact(A)
    assert brief_of(story, A) == before
    story.end(A)
    story.begin(A, "resume")
    assert brief_of(story, A) == before
    story.clear(A, B)
    assert brief_of(story, B) == "[C:? r=? IC=?]"
    assert story.holdfast("consciousness", session=B)["restored_from"] is None
    story.ends_well()


@pytest.mark.promise("I8")
def test_the_brief_is_printed_in_a_terminal_and_by_alias(story: Story):
    at_work(story, A)
    told = brief_of(story, A)
    assert "?" not in told

    assert run(story, "consciousness", "brief").stdout == f"{told}\n"
    assert run(story, "consciousness", "brief", "--session", A[:8]).stdout == f"{told}\n"
    assert run(story, "consciousness", "brief", "--session", "aaa").stdout == f"{told}\n"
    story.begin("aaaabbbb-0000-4000-8000-000000000000")
    cold = "[C:? r=? IC=?]\n"
    assert run(story, "consciousness", "brief", "--session", "aaa").stdout == cold, "it fits two"
    assert run(story, "consciousness", "brief", "--session", B[:8]).stdout == cold


@pytest.mark.promise("I7")
def test_a_resume_of_an_ended_session_leaves_no_brief_behind(story: Story):
    at_work(story, A)
    story.stop(A)
    story.end(A)
    given = f'{{"session_id": "{A}", "source": "resume"}}'
    done = run(story, "session", "restore-identity", given=given)

    assert done.stdout.startswith(f"Identity restored from {A}. IC: ")
    assert brief_of(story, A) == "[C:? r=? IC=?]"
    story.begin(A, "resume")
    assert brief_of(story, A) != "[C:? r=? IC=?]", "the session itself has one again"


@pytest.mark.promise("X9")
def test_a_damaged_snapshot_of_the_session_before_is_told(story: Story):
    at_work(story, A)
    story.end(A)
    workspace = Workspace(story.state)
    workspace.store.run("update identities set snapshot = x'0102'")
    workspace.store.close()

    told = story.begin(B)

    assert "The kept identity of an earlier session cannot be read:" in told
    assert "repair --cf session_identity" in told
    story.holdfast("repair", "--cf", "session_identity")
    assert "cannot be read" not in story.begin(C, after=B)


@pytest.mark.promise("I7")
def test_a_damaged_mind_costs_a_notice_and_no_event_and_repair_brings_it_back(story: Story):
    at_work(story, A)
    story.end(A)
    workspace = Workspace(story.state)
    workspace.store.run("update minds set mind = x'0102'")
    workspace.store.close()
    told = story.begin(B)
    assert "The identity of the session before cannot be read" in told
    assert "repair --cf session_identity" in told
    assert [one["kind"] for one in faults.all_of(story.state)] == ["not done"]
    story.holdfast("repair", "--cf", "session_identity")
    workspace = Workspace(story.state)
    assert queries.mind_of(workspace.store, A) is not None
    workspace.store.close()
