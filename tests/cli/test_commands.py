"""The commands as a person runs them: a process, its lines, its exit code."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

import commands
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.sessions import queries
from law import assert_replay_law

A, B = "aaaaaaaa-0000-4000-8000-000000000000", "aaaabbbb-0000-4000-8000-000000000000"


def holdfast(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return commands.run(folder, *arguments)


def data(folder: Path, *arguments: str) -> dict:
    done = holdfast(folder, *arguments, "--json")
    assert done.stderr == ""
    return json.loads(done.stdout)


@pytest.fixture
def two_sessions(door, repo):
    first = door.agent()
    door.send("SessionStart.startup", agent=first, session_id=A)
    door.send("UserPromptSubmit", agent=first, session_id=A, prompt="Draw the map")
    first.kill()
    second = door.agent()
    door.send("SessionStart.startup", agent=second, session_id=B)
    return repo


@pytest.mark.promise("O5")
def test_status_is_one_screen_that_says_who_works_on_what(two_sessions):
    done = holdfast(two_sessions, "status")

    assert done.returncode == 0
    assert len(done.stdout.splitlines()) <= 24
    assert "aaaaaaaa → aaaabbbb" in done.stdout
    assert "Draw the map" in done.stdout
    assert "not installed here" in done.stdout


def test_why_a_session_ended_is_told_to_programs_in_the_clients_word_and_to_nobody_else(
    door, two_sessions
):
    door.send("SessionEnd.clear", session_id=B, reason="prompt_input_exit")

    assert "  ended, " in holdfast(two_sessions, "sessions").stdout
    assert "exit" not in holdfast(two_sessions, "sessions").stdout
    assert data(two_sessions, "sessions")["sessions"][0]["end_reason"] == "prompt_input_exit"


def test_the_shapes_of_json_are_promises(two_sessions):
    status = data(two_sessions, "status")
    assert set(status) == {
        "identity", "gates", "decisions", "session", "trouble", "untrusted",
        "project", "hooks", "sessions", "last", "cost", "entries", "spool", "faults", "paused",
        "goal", "rules", "kept", "dead_ends", "pins", "context", "checkpoint", "noticed",
    }  # fmt: skip
    sessions = data(two_sessions, "sessions")["sessions"]
    assert [session["id"] for session in sessions] == [B, A]
    assert set(sessions[0]) == {
        "id", "alias", "agent", "project", "worktree", "branch", "channel", "phase", "source",
        "started_at", "last_active_at", "ended_at", "end_reason", "pid", "crash_recovered",
        "archived",
    }  # fmt: skip
    chain = data(two_sessions, "chain", B)
    assert [(row["id"], row["how"], row["asked"]) for row in chain["chain"]] == [
        (A, "followed", False),
        (B, "", True),
    ]


@pytest.mark.promise("O5")
def test_status_says_what_holdfast_itself_costs(two_sessions, door):
    door.send("UserPromptSubmit", session_id=B, prompt="Go on")

    cost = data(two_sessions, "status")["cost"]

    assert cost["session"] == B
    assert cost["hooks"] == 2
    assert cost["ms"] > 0
    assert 10 < cost["tokens"] < 1_500  # it was told of the session before


@pytest.mark.promise("S2")
def test_a_session_is_named_by_its_start_when_that_is_unambiguous(two_sessions):
    assert data(two_sessions, "chain", "aaaabbbb")["session"] == B
    assert data(two_sessions, "chain", "aaaa-b")["session"] == B

    ambiguous = holdfast(two_sessions, "chain", "aaaa")

    assert ambiguous.returncode == 1
    assert ambiguous.stderr.startswith("error: aaaa fits 2 sessions")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["chain", "zzzz"], 1),
        (["restore", "aaaaaaaa"], 1),
        (["init", "/no/such/folder"], 1),
        (["frobnicate"], 2),
        (["sessions", "--limit", "many"], 2),
        (["chain", "--depth", "0"], 2),
    ],
)
def test_an_error_is_one_line_and_a_hint_and_never_a_traceback(two_sessions, arguments, code):
    done = holdfast(two_sessions, *arguments)

    assert done.returncode == code
    assert done.stdout == ""
    assert [line[:6] for line in done.stderr.splitlines()] == ["error:", "hint: "]


@pytest.mark.parametrize("command", ["sessions", "chain", "replay", "archive", "restore x"])
def test_where_nothing_was_kept_yet_a_command_says_so_and_makes_nothing(repo, state, command):
    done = holdfast(repo, *command.split())

    assert done.returncode == 1
    assert not Path(state).exists()


@pytest.mark.parametrize("command", ["status", "doctor", "config"])
def test_a_command_that_only_looks_makes_nothing(repo, state, command):
    assert holdfast(repo, command).returncode == 0
    assert not Path(state).exists()


def test_a_bug_of_ours_ends_in_the_log_and_not_on_the_screen(two_sessions, state):
    Workspace(state).store.run("alter table links rename to lost")

    done = holdfast(two_sessions, "chain", A)

    assert done.returncode == 3
    assert "this is a bug in holdfast" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Traceback" in Path(state, "holdfast.log").read_text()


def test_replay_rebuilds_what_was_damaged_and_check_only_tells(two_sessions, state):
    Workspace(state).store.run("update sessions set branch = 'x'")

    assert holdfast(two_sessions, "replay", "--check").returncode == 1
    assert holdfast(two_sessions, "replay").returncode == 0
    assert holdfast(two_sessions, "replay", "--check").returncode == 0
    assert_replay_law(state, two_sessions)


def test_init_and_uninstall_from_the_command_line(repo):
    dry = holdfast(repo, "init", "--dry-run")
    assert '+  "hooks": {' in dry.stdout
    assert not (repo / ".claude").exists()

    assert holdfast(repo / ".git" / "..", "init").returncode == 0
    assert (repo / ".claude" / "settings.local.json").exists()
    assert str(repo) in "".join(data(repo, "status")["hooks"])
    assert "is up to date" in holdfast(repo, "init").stdout

    assert '-  "hooks": {' in holdfast(repo, "uninstall", "--dry-run").stdout
    assert holdfast(repo, "uninstall").returncode == 0
    assert not (repo / ".claude").exists()
    assert "has no hooks" in holdfast(repo, "uninstall").stdout


def test_user_installs_for_the_home_and_asks_nothing(repo, home):
    assert holdfast(repo, "init", "--user").returncode == 0
    assert (home / ".claude" / "settings.json").exists()
    assert holdfast(repo, "uninstall", "--user").returncode == 0
    assert not (home / ".claude").exists()


def test_the_demonstration_greets_the_second_session_with_what_the_first_one_left(tmp_path):
    done = holdfast(tmp_path, "demo", "--folder", str(tmp_path / "demo"))

    assert done.returncode == 0, done.stderr
    told = done.stdout.split("Holdfast tells it:")[1]
    assert '> asked: "Let fetch.py retry three times' in told
    assert "; it crashed; changed src/fetch.py" in told
    again = holdfast(tmp_path, "demo", "--folder", str(tmp_path / "demo"))
    assert again.returncode == 0


def test_the_demonstration_never_clears_a_folder_that_is_not_its_own(tmp_path):
    (tmp_path / "mine").write_text("keep")

    assert holdfast(tmp_path, "demo", "--folder", str(tmp_path)).returncode == 1
    assert (tmp_path / "mine").read_text() == "keep"


@pytest.mark.promise("S8")
def test_archive_has_a_dry_run_and_restore_brings_everything_back(two_sessions, state, door):
    workspace = Workspace(state)
    store = workspace.store
    door.send("SessionEnd.other", session_id=B)
    before = {
        t: sorted(store.rows(f"select * from {t}"))
        for t in ("sessions", "links", "activity", "bodies")
    }
    entries = store.value("select count(*) from entries")

    dry = data(two_sessions, "archive", "--older-than", "0", "--dry-run")
    assert [item["id"] for item in dry["sessions"]] == [A, B]
    assert store.value("select count(*) from entries") == entries

    done = data(two_sessions, "archive", "--older-than", "0")

    assert [item["id"] for item in done["sessions"]] == [A, B]
    assert store.value("select count(*) from entries where session = ?", A) >= 4  # gravestones
    assert queries.find(store, A).archived
    assert [row["id"] for row in data(two_sessions, "chain", B)["chain"]] == [A, B]
    assert "Not looked at: 2 archived sessions" in holdfast(two_sessions, "recall", "retry").stdout
    assert_replay_law(state, two_sessions)

    assert data(two_sessions, "restore", A, "--dry-run")["entries"] == 3
    for session in (A, B):
        holdfast(two_sessions, "restore", session)
    after = {t: sorted(store.rows(f"select * from {t}")) for t in before}
    assert {t: before[t] for t in ("sessions", "links", "activity")} == {
        t: after[t] for t in ("sessions", "links", "activity")
    }
    assert set(before["bodies"]) <= set(after["bodies"])
    assert_replay_law(state, two_sessions)


@pytest.mark.promise("S8")
def test_how_old_an_archived_session_is_can_be_set_and_said(two_sessions, door):
    door.send("SessionEnd.other", session_id=B)
    assert data(two_sessions, "archive", "--dry-run")["sessions"] == []

    settings = two_sessions / ".holdfast" / "config.yaml"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text("archive:\n  older_than_days: 0\n")

    due = data(two_sessions, "archive", "--dry-run")["sessions"]
    assert [item["id"] for item in due] == [A, B]
    assert data(two_sessions, "archive", "--older-than", "1", "--dry-run")["sessions"] == []


@pytest.mark.promise("S8")
def test_a_session_that_the_chain_still_needs_is_not_archived(two_sessions):
    assert data(two_sessions, "archive", "--older-than", "0", "--dry-run")["sessions"] == []


@pytest.mark.promise("S8")
def test_a_damaged_archive_is_refused_and_kept(two_sessions, state, door):
    door.send("SessionEnd.other", session_id=B)
    holdfast(two_sessions, "archive", "--older-than", "0")
    file = next(Path(state, "archive").glob(f"{A}*"))
    file.write_bytes(file.read_bytes()[:-12])

    assert holdfast(two_sessions, "restore", A).returncode == 1
    assert file.exists()
    assert_replay_law(state, two_sessions)
