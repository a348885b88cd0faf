"""A project goes, or everything does, and the rest stays as it was."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from conftest import git, make_repo
from exit.leaving import (
    MARK,
    PROJECT,
    A,
    B,
    data,
    files_with,
    holdfast,
    keep_every_kind,
    mark,
    snapshot,
)
from holdfast.hook.bundle import build
from holdfast.ledger import queries
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.sessions import queries as sessions
from holdfast.system import clock, files, paths
from law import assert_replay_law

LEFT = ["hook.py", "hook.sh", "installs", "note"]

pytestmark = pytest.mark.promise("O3")

OTHER = "cccccccc-3333-4333-8333-333333333333"


@pytest.fixture
def marked_repo(tmp_path, repo, door):
    """A project whose name, path, remote and branch are marked, with two worktrees and all that
    is said in it; and a second project, `app`, where nothing is."""
    marked = make_repo(tmp_path / mark() / mark())
    git(marked, "commit", "-q", "--amend", "-m", "Another first commit: another project")
    git(marked, "remote", "add", "origin", f"https://example.com/{mark()}/{mark()}.git")
    git(marked, "worktree", "add", "-q", "-b", f"b-{mark()}", str(marked.parent / f"w-{mark()}"))
    worktree = next(marked.parent.glob("w-*"))
    (marked / ".holdfast").mkdir()
    (marked / ".holdfast" / "config.yaml").write_text(f"{mark()}: 1\n")
    for session, folder in ((A, marked), (B, worktree)):
        agent = door.agent()
        for name, said in (
            ("SessionStart.startup", {"transcript_path": f"/home/dev/{session}.jsonl"}),
            ("UserPromptSubmit", {"prompt": f"Draw {mark()}", "prompt_id": "p1"}),
            ("Stop", {"last_assistant_message": mark()}),
        ):
            door.send(name, agent=agent, session_id=session, folder=folder, **said)
    agent = door.agent()
    door.send("SessionStart.startup", agent=agent, session_id=OTHER)
    door.send("UserPromptSubmit", agent=agent, session_id=OTHER, prompt="Draw the map")
    door.send("Stop", agent=agent, session_id=OTHER)
    return marked


@pytest.fixture
def places(marked_repo, everywhere):
    return (*everywhere, str(marked_repo / ".git" / "holdfast"))


def name_of(folder: Path) -> str:
    return data(folder, "purge", "--project", "--dry-run")["name"]


def test_no_text_of_a_purged_project_is_left_and_its_neighbour_keeps_all(
    marked_repo, repo, state, workspace, places
):
    entries = queries.count(workspace.store)
    neighbour = sessions.find(workspace.store, OTHER).as_dict()
    assert files_with(MARK, *places)

    done = data(marked_repo, "purge", "--project", "--yes", name_of(marked_repo))

    assert files_with(MARK, *places) == []
    assert not (marked_repo / ".git" / "holdfast").exists()
    assert done["sessions"] == [A, B]
    assert len(done["left"]) == 3  # two transcripts, and .holdfast in the work tree
    assert "settings" in {file["what"] for file in done["files"]}
    assert queries.count(workspace.store) == entries + 3  # two sessions, and the project
    assert sessions.find(workspace.store, OTHER).as_dict() == neighbour
    assert workspace.store.value("select count(*) from projects") == 1
    assert (repo / ".git" / "holdfast" / "sessions" / f"{OTHER}.json").exists()
    assert_replay_law(state, marked_repo, repo)


def test_a_purged_project_is_met_anew_by_its_next_session(marked_repo, door, state, workspace):
    holdfast(marked_repo, "purge", "--project", "--yes", name_of(marked_repo))

    door.send("SessionStart.startup", session_id="next", folder=marked_repo, agent=door.agent())

    found = sessions.find(workspace.store, "next")
    assert sessions.project(workspace.store, found.project) is not None
    assert data(marked_repo, "sessions")["sessions"][0]["id"] == "next"


def test_a_project_whose_id_survived_elsewhere_is_met_anew_under_it(
    marked_repo, door, state, workspace
):
    """A clone that was not there when the project was purged still has its id."""
    folder = marked_repo / ".git" / "holdfast"
    on_file = (folder / "project").read_text()
    id_ = on_file.splitlines()[0]
    holdfast(marked_repo, "purge", "--project", "--yes", name_of(marked_repo))
    folder.mkdir(mode=0o700)
    (folder / "project").write_text(on_file)

    door.send("SessionStart.startup", session_id="next", folder=marked_repo, agent=door.agent())

    assert sessions.find(workspace.store, "next").project == id_
    assert sessions.project(workspace.store, id_) is not None
    assert list(sessions.aliases_of(workspace.store, id_))
    assert_replay_law(state)


def test_a_project_is_purged_by_its_id_from_anywhere(marked_repo, repo, workspace, places):
    id_ = sessions.find(workspace.store, A).project
    dry = data(repo, "purge", "--project", id_[:14], "--dry-run")

    assert holdfast(repo, "purge", "--project", id_, "--yes", dry["name"]).returncode == 0

    assert dry["projects"] == [id_]
    assert files_with(MARK, *places) == []
    assert holdfast(repo, "purge", "--project", "zzz", "--yes", "zzz").returncode == 1


def test_every_kind_of_entry_of_a_project_and_of_what_was_merged_into_it_goes(
    workspace, state, repo
):
    kept = Workspace(state)
    keep_every_kind(kept, A, PROJECT)
    at = clock.now()
    said = {"name": "merged", "root": mark()}
    kept.keep("project_met", said, key="met:P0", at=at, project="P0")
    kept.keep("prompt_given", {"prompt": mark()}, key="p", at=at, project="P0", session=B)
    kept.keep("projects_merged", {"into": PROJECT}, key="merge", at=at, project="P0")
    kept.store.close()
    name = data(repo, "purge", "--project", PROJECT, "--dry-run")["name"]

    done = holdfast(repo, "purge", "--project", PROJECT, "--yes", name)

    assert done.returncode == 0, done.stderr
    assert files_with(MARK, state) == []
    assert list(workspace.store.rows("select * from projects")) == []
    assert_replay_law(state)


def test_a_dry_run_changes_no_byte(marked_repo, repo, places):
    assert holdfast(repo, "status").returncode == 0
    before = snapshot(*places)

    for arguments in (["--project"], ["--all"]):
        assert holdfast(marked_repo, "purge", *arguments, "--dry-run").returncode == 0

    assert snapshot(*places) == before


def test_everything_goes_but_what_uninstalling_needs(marked_repo, repo, state, home, places):
    assert holdfast(repo, "init").returncode == 0
    Path(state, "faults.jsonl").write_text(mark())
    Path(state, "note").write_text("not ours")

    done = data(marked_repo, "purge", "--all", "--yes", "everything")

    assert done["sessions"] == [A, B, OTHER]
    assert files_with(MARK, *places, str(home)) == []
    left = sorted(files.names_in(state))
    assert [name for name in left if not build.is_pack(name)] == LEFT
    assert not (repo / ".git" / "holdfast").exists()
    assert holdfast(repo, "uninstall").returncode == 0
    assert not (repo / ".claude").exists()


def test_hooks_go_on_after_everything_went(marked_repo, repo, state, door):
    holdfast(repo, "purge", "--all", "--yes", "everything")

    door.send("SessionStart.startup", session_id="next")

    store = Workspace(state).store
    assert store.value("select min(seq) from entries") == 1
    assert sessions.find(store, "next") is not None
    assert_replay_law(state, repo)


def test_a_pause_that_was_there_stays_and_none_is_left_behind(marked_repo, repo, state):
    holdfast(repo, "purge", "--all", "--yes", "everything")
    assert not Path(paths.pause(state)).exists()
    holdfast(repo, "pause")

    Path(paths.log(state)).write_text("x")
    holdfast(repo, "purge", "--all", "--yes", "everything")

    assert Path(paths.pause(state)).exists()


@pytest.mark.parametrize("damage", ["rubbish", "cut short", "somebody else's"])
def test_a_store_that_cannot_be_read_can_still_be_removed(marked_repo, repo, state, damage):
    path = Path(paths.store(state))
    for name in ("store.db-wal", "store.db-shm"):
        Path(state, name).unlink(missing_ok=True)
    if damage == "somebody else's":
        path.unlink()
        with sqlite3.connect(path) as theirs:
            theirs.execute("create table t (x)")
        theirs.close()
    else:
        path.write_bytes(b"rubbish" * 999 if damage == "rubbish" else path.read_bytes()[:5000])

    done = holdfast(repo, "purge", "--all", "--yes", "everything")

    assert done.returncode == 0, done.stderr
    assert not path.exists()


@pytest.mark.parametrize("arguments", [["forget", A], ["purge", "--project", PROJECT]])
def test_what_an_entry_says_of_folders_removes_nothing_outside_ours(
    repo, state, tmp_path, door, arguments
):
    """An import may claim anything: a repository is cleaned when our own id lies in it."""
    door.send("SessionStart.startup", session_id=OTHER)
    door.send("Stop", session_id=OTHER)
    victim = tmp_path / "victim" / "holdfast" / "sessions"
    victim.mkdir(parents=True)
    (victim / f"{A}.json").write_text("mine")
    kept = Workspace(state)
    keep_every_kind(kept, A, PROJECT)
    body = json.loads(queries.bodies_of_kind(kept.store, A, "session_began")[0])
    for number, claimed in enumerate((tmp_path / "victim", repo / ".git")):
        said = {**body, "gitdir": str(claimed)}
        whose = {"at": clock.now(), "project": PROJECT, "session": A}
        kept.keep("session_began", said, key=f"again:{number}", **whose)
    kept.store.close()
    name = data(repo, *arguments, "--dry-run")["name"]

    assert holdfast(repo, *arguments, "--yes", name).returncode == 0

    assert (victim / f"{A}.json").read_text() == "mine"
    assert (repo / ".git" / "holdfast" / "project").exists()
    assert (repo / ".git" / "holdfast" / "sessions" / f"{OTHER}.json").exists()


@pytest.mark.parametrize("arguments", [[], ["--project", "--all"]])
def test_what_is_to_go_must_be_said(repo, door, arguments):
    door.send("SessionStart.startup", session_id=A)

    assert holdfast(repo, "purge", *arguments, "--yes", "everything").returncode == 2
