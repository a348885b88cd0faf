"""Where a branch stands, against real git."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from conftest import git, make_repo
from holdfast.rooms.sessions.git_branch import branch_of
from holdfast.rooms.work.branches import branch_state
from holdfast.rooms.work.branches.branch_state import BranchState

LIMIT_S = 60.0  # a busy machine is no fault here


def look(repo: Path, *, gitdir: Path | None = None) -> BranchState:
    folder = gitdir or repo / ".git"
    return branch_state.look(str(repo), str(folder), branch_of(str(folder)), LIMIT_S)


def commit(repo: Path, subject: str, **files: str) -> None:
    for name, text in files.items():
        (repo / f"{name}.txt").write_text(text)
    git(repo, "add", ".")
    git(repo, "commit", "-q", "--allow-empty", "-m", subject)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return make_repo(tmp_path / "app")


@pytest.mark.promise("W5")
def test_a_branch_knows_its_parent_and_how_far_it_is_from_it(repo):
    git(repo, "switch", "-q", "-c", "feature/tags")
    commit(repo, "Parse tags")
    commit(repo, "Sort tags")
    git(repo, "switch", "-q", "main")
    commit(repo, "Meanwhile")
    git(repo, "switch", "-q", "feature/tags")
    (repo / "README.md").write_text("changed\n")
    (repo / "new.txt").write_text("new\n")

    state = look(repo)

    assert (state.branch, state.parent, state.how) == ("feature/tags", "main", "created")
    assert (state.ahead, state.behind) == (2, 1)
    assert [subject for _, subject in state.commits] == ["Sort tags", "Parse tags"]
    assert (state.uncommitted, state.untracked, state.files) == (1, 1, ["README.md"])
    assert state.head == git(repo, "rev-parse", "HEAD")


@pytest.mark.promise("W5")
def test_what_an_agent_and_holdfast_put_there_is_not_counted_as_untracked_work(repo):
    for name in (".claude/settings.local.json", ".holdfast/NOTES.md", ".holdfast/config.yaml"):
        (repo / name).parent.mkdir(exist_ok=True)
        (repo / name).write_text("x\n")
    assert look(repo).untracked == 0

    (repo / ".claude" / "review.md").write_text("x\n")
    git(repo, "add", ".claude/review.md")
    git(repo, "commit", "-q", "-m", "Share how we review")
    assert look(repo).untracked == 0
    (repo / ".claude" / "release.md").write_text("x\n")
    (repo / "new.txt").write_text("x\n")
    assert look(repo).untracked == 2


def test_a_stacked_branch_has_the_branch_below_for_a_parent(repo):
    git(repo, "switch", "-q", "-c", "below")
    commit(repo, "Below")
    git(repo, "switch", "-q", "-c", "above")
    assert look(repo).parent == "below"

    git(repo, "switch", "-q", "main")
    git(repo, "branch", "named", "below")
    git(repo, "switch", "-q", "named")
    assert look(repo).parent == "below"


def test_what_git_did_not_note_is_compared_with_the_default_branch_and_says_so(repo):
    git(repo, "switch", "-q", "-c", "topic")
    commit(repo, "One")
    (repo / ".git" / "logs" / "refs" / "heads" / "topic").unlink()

    state = look(repo)

    assert (state.parent, state.how, state.ahead) == ("main", "default", 1)
    git(repo, "config", "branch.topic.gh-merge-base", "release")
    assert look(repo).how == "configured"


def test_the_default_branch_has_no_parent(repo):
    state = look(repo)

    assert (state.parent, state.how, state.ahead) == ("", "", branch_state.UNKNOWN)


def test_an_upstream_tells_what_is_not_pushed(repo, tmp_path):
    git(tmp_path, "clone", "-q", "--bare", str(repo), "remote.git")
    git(repo, "remote", "add", "origin", str(tmp_path / "remote.git"))
    git(repo, "push", "-q", "-u", "origin", "main")
    commit(repo, "Not pushed")

    state = look(repo)

    assert (state.upstream, state.unpushed, state.unpulled) == ("origin/main", 1, 0)


def conflicting(repo: Path) -> None:
    git(repo, "switch", "-q", "-c", "side")
    commit(repo, "First", a="side")
    commit(repo, "Second", b="side")
    git(repo, "switch", "-q", "main")
    commit(repo, "Main", a="main")


def attempt(repo: Path, *words: str) -> None:
    """A command of git that stops at a conflict."""
    with pytest.raises(subprocess.CalledProcessError):
        git(repo, *words)


def test_a_rebase_that_stopped_belongs_to_its_branch_and_says_how_far_it_came(repo):
    conflicting(repo)
    git(repo, "switch", "-q", "side")
    attempt(repo, "rebase", "main")

    state = look(repo)

    assert (state.branch, state.operation, state.conflicts) == ("side", "rebase 1/2", 1)


def test_a_merge_and_a_cherry_pick_that_stopped_are_told(repo):
    conflicting(repo)
    attempt(repo, "merge", "side")
    assert (look(repo).operation, look(repo).conflicts) == ("merge", 1)

    git(repo, "merge", "--abort")
    attempt(repo, "cherry-pick", "side~1")
    assert look(repo).operation == "cherry-pick"


def test_only_the_stashes_of_the_branch_are_counted(repo):
    (repo / "README.md").write_text("on main\n")
    git(repo, "stash")
    git(repo, "switch", "-q", "-c", "topic")
    (repo / "README.md").write_text("on topic\n")
    git(repo, "stash", "push", "-m", "half done")

    assert look(repo).stash == 1


def test_a_worktree_of_its_own_is_looked_at_by_itself(repo, tmp_path):
    git(repo, "worktree", "add", "-q", "-b", "fix", str(tmp_path / "fix"), "main")
    (tmp_path / "fix" / "README.md").write_text("there\n")

    state = look(tmp_path / "fix", gitdir=repo / ".git" / "worktrees" / "fix")

    assert (state.branch, state.parent, state.uncommitted) == ("fix", "main", 1)
    assert look(repo).uncommitted == 0


def test_two_hundred_packed_branches_are_found(repo):
    for number in range(200):
        git(repo, "branch", f"old/{number}", "main")
    git(repo, "switch", "-q", "-c", "topic", "old/7")
    commit(repo, "On top")
    git(repo, "pack-refs", "--all")

    state = look(repo)

    assert (state.parent, state.ahead, state.behind) == ("old/7", 1, 0)
    assert state.head == git(repo, "rev-parse", "HEAD")


def test_without_an_answer_of_git_numbers_stay_open_and_files_still_tell(repo):
    git(repo, "switch", "-q", "-c", "topic")

    state = branch_state.look(str(repo), str(repo / ".git"), "topic", 0.0)

    assert (state.parent, state.head) == ("main", git(repo, "rev-parse", "HEAD"))
    numbers = (state.ahead, state.uncommitted, state.untracked)
    assert numbers == (branch_state.UNKNOWN,) * 3


def test_looking_leaves_nothing_behind(repo):
    (repo / "README.md").write_text("changed\n")
    index = (repo / ".git" / "index").read_bytes()
    names = sorted(path.name for path in (repo / ".git").iterdir())

    look(repo)

    assert (repo / ".git" / "index").read_bytes() == index
    assert sorted(path.name for path in (repo / ".git").iterdir()) == names


def test_a_glance_does_without_untracked_files_and_the_parent(repo):
    git(repo, "switch", "-q", "-c", "topic")
    (repo / "README.md").write_text("changed\n")
    (repo / "new.txt").write_text("new\n")

    state = branch_state.glance(str(repo), str(repo / ".git"), "topic", LIMIT_S)

    assert (state.uncommitted, state.files, state.parent) == (1, ["README.md"], "main")
    assert (state.untracked, state.ahead) == (branch_state.UNKNOWN, branch_state.UNKNOWN)
