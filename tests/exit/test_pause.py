"""Paused, nothing is kept; and a pause ends when it said it would."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from exit.leaving import A, data, holdfast
from holdfast.cli.helpers.wording import LIMIT_S
from holdfast.config import pause_file
from holdfast.ledger import queries
from holdfast.system import clock, paths

pytestmark = pytest.mark.promise("O3")


def kept(workspace) -> int:
    return queries.count(workspace.store)


def test_while_paused_no_hook_keeps_or_says_anything(door, repo, workspace):
    door.send("SessionStart.startup", agent=door.agent(), session_id=A)

    assert data(repo, "pause")["until"] is None
    before = kept(workspace)
    assert door.send("UserPromptSubmit", session_id=A) == ""
    assert kept(workspace) == before

    assert data(repo, "unpause")["was_paused"] is True
    door.send("UserPromptSubmit", session_id=A)
    assert kept(workspace) == before + 1
    assert data(repo, "unpause")["was_paused"] is False


def test_a_pause_for_a_time_is_over_by_itself(door, repo, workspace, state):
    door.send("SessionStart.startup", agent=door.agent(), session_id=A)
    until = data(repo, "pause", "--for", "2s")["until"]
    before = kept(workspace)

    door.send("UserPromptSubmit", session_id=A, prompt_id="p1")
    assert kept(workspace) == before
    assert clock.now() < until, "the machine is too slow to tell"

    for _ in range(100):
        if not pause_file.until(state):
            break
        time.sleep(0.05)
    door.send("UserPromptSubmit", session_id=A, prompt_id="p2")
    assert kept(workspace) == before + 1
    assert clock.now() > until
    assert data(repo, "unpause")["was_paused"] is False


@pytest.mark.parametrize(
    ("said", "is_paused"),
    [
        (b"", True),
        (b"lunch\n", True),
        (b"2000-01-01T00:00:00.000Z\n", False),
        (b"2000-01-01T00:00:00.000Z", False),
        (b"2999-01-01T00:00:00.000Z\n", True),
        (b"2000-01-01", True),
        (b"\xff\xfe\x00", True),
        (b"2" * 100_000, True),
    ],
)
def test_a_pause_that_says_something_odd_has_no_end(door, repo, workspace, state, said, is_paused):
    """A person made the file by hand: off is what was meant."""
    door.send("SessionStart.startup", session_id=A)
    before = kept(workspace)
    Path(paths.pause(state)).write_bytes(said)

    door.send("UserPromptSubmit", session_id=A)

    assert (kept(workspace) == before) == is_paused
    assert bool(pause_file.until(state)) == is_paused


def test_a_folder_in_the_place_of_the_file_is_a_pause_too(door, workspace, state):
    Path(paths.pause(state)).mkdir()

    door.send("SessionStart.startup", session_id=A)

    assert kept(workspace) == 0


@pytest.mark.parametrize("time_", ["", "30", "m", "-5m", "0s", "5w", "1.5h", "999999999d"])
def test_a_time_that_is_none_is_refused_and_pauses_nothing(repo, state, time_):
    done = holdfast(repo, "pause", "--for", time_)

    assert done.returncode == 2
    assert not Path(paths.pause(state)).exists()


@pytest.mark.parametrize(("time_", "seconds"), [("45s", 45), ("30m", 1800), ("366d", LIMIT_S)])
def test_times_are_told_in_seconds_minutes_hours_and_days(repo, state, time_, seconds):
    until = data(repo, "pause", "--for", time_)["until"]

    left = clock.seconds_of(until) - clock.seconds_of(clock.now())
    assert 0 <= seconds - left < 30


def test_off_switches_off_says_how_from_outside_and_resume_is_on(door, repo, workspace, state):
    done = holdfast(repo, "off")

    assert paths.pause(state) in done.stdout
    assert "HOLDFAST_OFF=1" in done.stdout
    door.send("SessionStart.startup", session_id=A)
    assert kept(workspace) == 0
    holdfast(repo, "unpause")
    door.send("SessionStart.startup", session_id=A)
    assert kept(workspace) > 0


def test_both_ways_that_off_names_work_without_holdfast(door, repo, workspace, state):
    said = json.dumps({"hook_event_name": "SessionStart", "session_id": A, "cwd": "/"}).encode()
    assert door.run(said, HOLDFAST_OFF="1").returncode == 0
    Path(paths.pause(state)).touch()
    assert door.run(said).returncode == 0

    assert kept(workspace) == 0


def test_off_with_uninstall_takes_the_hooks_out_everywhere_and_keeps_the_data(
    door, repo, home, workspace, state
):
    door.send("SessionStart.startup", agent=door.agent(), session_id=A)
    theirs = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}\n'
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_text(theirs)
    holdfast(repo, "init")
    holdfast(repo, "init", "--user")

    done = data(repo, "off", "--uninstall")

    assert len(done["uninstalled"]) == 2
    assert not (repo / ".claude").exists()
    assert (home / ".claude" / "settings.json").read_text() == theirs
    assert kept(workspace) > 0


def test_uninstalling_keeps_the_data_and_says_where_it_is(door, repo, workspace, state):
    door.send("SessionStart.startup", agent=door.agent(), session_id=A)
    holdfast(repo, "init")

    done = holdfast(repo, "uninstall")

    assert state in done.stdout
    assert not {"forget", "purge", "rm"} & set(done.stdout.replace("`", " ").split())
    assert kept(workspace) > 0
