"""`holdfast` without a command: where you stand here, and what to do next."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from terminal import refused, run, told

from conftest import Door
from holdfast.cli.helpers.wording import local_time
from holdfast.ledger import faults
from holdfast.system import clock, paths
from law import assert_replay_law

A, B = "aaaaaaaa-0000-4000-8000-000000000000", "bbbbbbbb-0000-4000-8000-000000000000"
pytestmark = pytest.mark.promise("O5")
GOAL = "Teach fetch.py to retry three times"


@pytest.fixture
def installed(door: Door, repo: Path) -> Path:
    assert run(repo, "init").returncode == 0
    return repo


def test_outside_of_a_project_it_says_where_to_go(tmp_path: Path, state: str):
    done = run(tmp_path)

    assert (done.returncode, done.stderr) == (0, "")
    assert "this folder is in no git repository" in done.stdout
    assert "go to your project's folder and run `holdfast init`" in done.stdout
    advice = "this folder is in no git repository; go to your project's folder"
    assert advice in run(tmp_path, "status").stdout
    assert not Path(state).exists()


def test_before_the_installation_that_is_what_comes_next(repo: Path, state: str):
    done = run(repo)

    assert (done.returncode, done.stderr) == (0, "")
    assert "Hooks     not installed in this project" in done.stdout
    assert "Next      `holdfast init`" in done.stdout
    assert told(repo)["next"] == "holdfast init"
    assert not Path(state).exists()


def test_after_the_installation_the_agent_is_to_be_started(installed: Path):
    said = run(installed).stdout

    assert "Hooks     installed; no session yet: restart Claude Code\n" in said
    assert "Next      start your agent here" in said


def test_a_plugin_that_is_switched_on_counts_as_installed(door: Door, repo: Path):
    user = Path.home() / ".claude" / "settings.json"
    own = repo / ".claude" / "settings.local.json"
    for path, is_on in ((user, "true"), (own, "false")):
        path.parent.mkdir(exist_ok=True)
        path.write_text(f'{{"enabledPlugins": {{"holdfast@holdfast": {is_on}}}}}')

    assert "Hooks     not installed in this project" in run(repo).stdout

    own.unlink()

    assert "Hooks     not installed" not in run(repo).stdout
    assert f"Hooks     {user}" in run(repo, "status").stdout
    examined = run(repo, "doctor").stdout
    assert f"by the plugin, which {user} switches on" in examined
    assert "before you run `holdfast init`" not in examined


def test_a_project_without_git_is_installed_with_a_warning(tmp_path: Path):
    done = run(tmp_path, "init", "--json")

    assert done.returncode == 0
    assert "no git repository here: branches and worktrees are not known" in done.stderr
    assert "git" not in run(tmp_path, "init", "--user").stderr


def test_it_says_who_is_at_work_for_what_under_which_rules(installed: Path, door: Door, state: str):
    first, second = door.agent(), door.agent()
    door.send("SessionStart.startup", agent=first, session_id=A)
    rule = "From now on never push to main."
    door.send("UserPromptSubmit", agent=first, session_id=A, prompt=f"{GOAL}. {rule}")
    first.kill()
    door.send("SessionStart.startup", agent=second, session_id=B)

    done, data = run(installed), told(installed)

    assert done.returncode == 0
    assert len(done.stdout.splitlines()) <= 9
    assert "Hooks     installed and at work\n" in done.stdout
    assert "Sessions  2 known, at work now: bbbbbbbb" in done.stdout
    assert f"Goal      {GOAL}" in done.stdout
    assert "Rules     1 rule in force" in done.stdout
    assert "Faults    none" in done.stdout
    assert "Next      `holdfast status`" in done.stdout
    assert set(data) == {
        "project", "root", "branch", "is_repository", "hooks", "off_by", "paused_until", "sessions",
        "live", "crashed", "goal", "rules", "faults", "problem", "next", "trouble",
    }  # fmt: skip
    assert (data["sessions"], data["live"], data["rules"]) == (2, [B], 1)
    assert data["goal"].startswith(GOAL)
    assert_replay_law(state, installed)


def test_what_switches_it_off_is_said_and_how_to_go_on(installed: Path):
    assert run(installed, "pause", "--for", "2h").returncode == 0
    paused = told(installed)
    assert run(installed, "off").returncode == 0
    off = told(installed)
    assert "Hooks     installed, but paused\n" in run(installed).stdout
    assert run(installed, "resume").returncode == 0

    assert (paused["off_by"], paused["next"]) == ("pause", "holdfast unpause")
    assert paused["paused_until"] > "2026"
    assert (off["off_by"], off["paused_until"]) == ("pause", None)
    assert told(installed)["off_by"] is None
    assert "switched off in this shell" in run(installed, HOLDFAST_OFF="1").stdout
    assert told(installed, HOLDFAST_OFF="1")["off_by"] == "HOLDFAST_OFF"
    (installed / ".holdfast").mkdir()
    (installed / ".holdfast" / "config.yaml").write_text("enabled: false\n")
    assert told(installed)["off_by"] == "enabled"
    assert "by the setting `enabled`" in run(installed).stdout


def test_a_pause_says_where_it_holds_until_when_by_the_persons_clock_and_what_ends_it(
    installed: Path, state: str
):
    begun = run(installed, "pause", "--for", "30d", TZ="UTC-05:30").stdout
    until = time.strftime(
        "%Y-%m-%d %H:%M",
        time.gmtime(clock.seconds_of(told(installed)["paused_until"]) + 5.5 * 3_600),
    )
    here = {"TZ": "UTC-05:30"}

    assert begun.startswith(f"Paused in every project until {until}, or `holdfast unpause`")
    assert f"paused until {until}\n" in run(installed, **here).stdout
    pause = f"in every project until {until}; `holdfast unpause` ends it"
    assert f"Paused    {pause}\n" in run(installed, "status", **here).stdout
    assert run(installed, "doctor", **here).stdout.endswith(f"but Holdfast is paused {pause}.\n")


@pytest.fixture
def in_india(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as there:
        there.setenv("TZ", "UTC-05:30")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("in_india")
def test_of_a_time_today_only_the_hour_is_said():
    now = "2026-11-18T12:10:25.315Z"

    assert local_time("2026-11-18T14:40:25.315Z", now) == "20:10"
    assert local_time("2026-11-18T18:40:25.315Z", now) == "2026-11-19 00:10"


def test_the_end_of_a_pause_puts_no_hooks_to_work_that_are_not_there(repo: Path):
    assert run(repo, "pause").returncode == 0

    assert "No hooks are installed" in run(repo, "unpause").stdout

    assert run(repo, "init").returncode == 0
    assert run(repo, "pause").returncode == 0
    assert run(repo, "unpause").stdout == "Hooks are at work again.\n"


def test_faults_lead_to_the_doctor(installed: Path, state: str):
    faults.note(state, "not kept", "here.py:1")

    said = run(installed).stdout

    assert "Faults    1, the last" in said
    assert told(installed)["next"] == "holdfast doctor"


def test_a_store_that_cannot_be_read_is_said_and_is_no_failure(installed: Path, state: str):
    Path(paths.store(state)).write_bytes(b"no database at all" * 500)

    done = run(installed)

    assert (done.returncode, done.stderr) == (0, "")
    assert "Store     " in done.stdout
    assert told(installed)["next"] == "holdfast doctor"


def test_json_may_stand_before_a_command_as_well(installed: Path):
    assert run(installed, "--json", "status").stdout == run(installed, "status", "--json").stdout


def test_a_mistyped_command_is_misuse_and_not_the_overview(installed: Path):
    assert "No such command" in refused(run(installed, "stauts"), code=2)
