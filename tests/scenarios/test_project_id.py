"""The project's id beside its repository: a changed one is noticed, not believed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from conftest import Door, git, make_repo
from holdfast.ledger import faults
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.sessions import queries, work_tree
from law import assert_nothing_swallowed, assert_replay_law

A, B, C, D = (f"{letter * 8}-0000-4000-8000-000000000000" for letter in "abcd")
WRONG = "The project's id beside the repository"


class Place:
    """Two repositories that were met, and the project of a session."""

    def __init__(self, door: Door, repo: Path, tmp_path: Path) -> None:
        self.door, self.repo, self.other = door, repo, make_repo(tmp_path / "other")
        git(self.other, "commit", "-q", "--amend", "--allow-empty", "-m", "Another beginning")
        self.begin(A, repo)
        self.begin(B, self.other)

    def begin(self, session: str, folder: Path) -> str:
        self.door.send("SessionStart.startup", agent=self.door.agent(), session_id=session,
                       folder=folder)  # fmt: skip
        return self.door.shown

    def project_of(self, session: str) -> str:
        store = Workspace(self.door.state).store
        found = queries.find(store, session)
        store.close()
        assert found is not None
        return found.project


@pytest.mark.promise("S3")
@pytest.mark.parametrize("form", ["file", "link"])
def test_a_git_file_that_points_anywhere_is_not_followed(
    place: Place, tmp_path: Path, form: str
) -> None:
    folder = tmp_path / "unpacked"
    folder.mkdir()
    target = tmp_path / "victim"
    git(make_repo(target), "status")
    if form == "file":
        (folder / ".git").write_text(f"gitdir: {target}/.git\n")
    else:
        (folder / ".git").symlink_to(target / ".git")

    place.begin(C, folder)
    place.begin(D, make_repo(tmp_path / "third"))

    assert not (target / ".git" / "holdfast").exists()
    assert place.project_of(C) not in {place.project_of(each) for each in (A, B, D)}


@pytest.mark.promise("S3")
def test_worktrees_modules_and_repositories_inside_their_folder_are_followed(
    repo: Path, tmp_path: Path
) -> None:
    git(repo, "worktree", "add", "-q", "-b", "beside", str(tmp_path / "beside"))
    allowed = ("-c", "protocol.file.allow=always")
    git(repo, *allowed, "submodule", "--quiet", "add", str(make_repo(tmp_path / "lib")), "lib")
    bare = tmp_path / "bare"
    git(tmp_path, "clone", "-q", "--bare", str(repo), str(bare / ".bare"))
    (bare / ".git").write_text("gitdir: ./.bare\n")

    looks = [work_tree.look(str(each)) for each in (tmp_path / "beside", repo / "lib", bare)]

    assert [look.common for look in looks] == [
        str(repo / ".git"),
        str(repo / ".git" / "modules" / "lib"),
        str(bare / ".bare"),
    ]


def id_file(repo: Path) -> Path:
    return repo / ".git" / "holdfast" / "project"


@pytest.fixture
def place(door: Door, repo: Path, tmp_path: Path) -> Place:
    return Place(door, repo, tmp_path)


@pytest.mark.promise("X4")
@pytest.mark.parametrize("change", ["copied", "forged", "flipped", "emptied of sense"])
def test_a_changed_id_is_told_and_the_project_stays(place: Place, change: str):
    path, before = id_file(place.repo), id_file(place.repo).read_bytes()
    path.write_bytes(
        {
            "copied": id_file(place.other).read_bytes(),
            "forged": b"0123456789abcdef01234567\n",
            "flipped": bytes((before[0] ^ 1,)) + before[1:],
            "emptied of sense": b"\0" * 42,
        }[change]
    )

    shown = place.begin(C, place.repo)

    assert place.project_of(C) == place.project_of(A)
    assert WRONG in shown
    assert path.read_bytes() == before
    assert [fault["kind"] for fault in faults.all_of(place.door.state)] == ["project id"]
    assert WRONG not in place.begin(D, place.repo)
    assert_replay_law(place.door.state, place.repo)


@pytest.mark.promise("X4")
def test_a_judgement_goes_by_the_project_and_not_by_another_ones_id(place: Place):
    shutil.copy(id_file(place.other), id_file(place.repo))
    store = Workspace(place.door.state).store

    where = work_tree.look(str(place.repo))
    from holdfast.rooms.sessions.handlers import known_project

    assert known_project(store, where.root, where.gitdir) == place.project_of(A)


@pytest.mark.promise("S3")
def test_a_folder_that_was_copied_moved_or_put_in_anothers_place_keeps_its_project(
    place: Place, tmp_path: Path
):
    copy = Path(shutil.copytree(place.repo, tmp_path / "copy"))
    shown = place.begin(C, copy)
    place.repo.rename(tmp_path / "away")
    place.other.rename(place.repo)
    shown += place.begin(D, place.repo)

    assert (place.project_of(C), place.project_of(D)) == (place.project_of(A), place.project_of(B))
    assert WRONG not in shown
    assert_nothing_swallowed(place.door.state)


@pytest.mark.promise("X4")
def test_an_id_without_a_digest_as_earlier_versions_wrote_it_is_believed(place: Place):
    id_file(place.repo).write_text(f"{place.project_of(A)}\n")

    assert WRONG not in place.begin(C, place.repo)
    assert place.project_of(C) == place.project_of(A)
    assert json.dumps(faults.all_of(place.door.state)) == "[]"
