"""git is asked, and runs nothing that a repository brings along."""

from __future__ import annotations

import ast
import os
from pathlib import Path

import pytest

from conftest import git as person_git, make_repo
from holdfast.rooms.sessions import work_tree
from holdfast.system import environment, git, processes

pytestmark = pytest.mark.promise("X5")


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    """A program that leaves a file when it is run."""
    program = tmp_path / "canary.sh"
    program.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/ran\ncat 2>/dev/null\n')
    program.chmod(0o755)
    return program


def ran(canary: Path) -> str:
    left = canary.parent / "ran"
    return left.read_text() if left.exists() else ""


def ask_everything(repo: Path) -> None:
    for words in (
        ("status", "--porcelain=v2", "--branch", "--no-renames"),
        ("diff", "--numstat", "HEAD"),
        ("diff", "HEAD"),
        ("log", "-p", "-n2"),
        ("log", "--format=%h %G?", "-n2"),
        ("show", "HEAD"),
        ("ls-files", "--modified"),
        ("restore", "--source=HEAD", "--worktree", "--", "a.txt"),
    ):
        git.said(str(repo), *words)


CONFIGS = {
    "fsmonitor": "[core]\n\tfsmonitor = PROGRAM fsmonitor\n",
    "hooks": "[core]\n\thooksPath = HOOKS\n",
    "a filter": '[filter "x"]\n\tclean = PROGRAM\n\tsmudge = PROGRAM\n\trequired = true\n',
    "a filter's process": '[Filter "x"]\n\tprocess = PROGRAM\n',
    "a filter with an odd name": '[filter "a=b"]\n\tclean = PROGRAM\n',
    "a filter in a file that is included": "[include]\n\tpath = ../carried\n",
    "a driver of diffs": '[diff "x"]\n\tcommand = PROGRAM\n\ttextconv = PROGRAM\n',
    "an external diff": "[diff]\n\texternal = PROGRAM\n",
    "a pager": "[core]\n\tpager = PROGRAM\n[pager]\n\tlog = PROGRAM\n",
    "a signature's program": "[log]\n\tshowSignature = true\n[gpg]\n\tprogram = PROGRAM\n",
    "an alias": "[alias]\n\tstatus = !PROGRAM\n",
    "a promised object": (
        "[extensions]\n\tpartialClone = origin\n[remote \"origin\"]\n\turl = ext::PROGRAM\n"
        "\tpromisor = true\n[protocol \"ext\"]\n\tallow = always\n"
    ),
}  # fmt: skip


@pytest.mark.parametrize("text", CONFIGS.values(), ids=CONFIGS)
def test_a_repository_s_configuration_runs_no_program(repo, canary, text):
    (repo / ".gitattributes").write_text("*.txt filter=x diff=x\n*.md filter=a=b\n")
    (repo / "a.txt").write_text("one\n")
    person_git(repo, "add", ".")
    person_git(repo, "commit", "-q", "-m", "More")
    hooks = canary.parent / "hooks"
    hooks.mkdir()
    for name in ("post-checkout", "post-index-change", "fsmonitor-watchman"):
        os.link(canary, hooks / name)
    filled = text.replace("PROGRAM", str(canary)).replace("HOOKS", str(hooks))
    carried = CONFIGS["a filter"].replace("PROGRAM", str(canary))
    (repo / "carried").write_text(carried)
    with (repo / ".git" / "config").open("a") as file:
        file.write(filled)
    (repo / "a.txt").write_text("two\n")
    (repo / "README.md").write_text("three\n")

    ask_everything(repo)

    assert ran(canary) == ""


def test_what_changed_is_told_although_filters_are_left_out(repo):
    (repo / "README.md").write_text("changed\n")

    assert git.said(str(repo), "status", "--porcelain") == "M README.md"
    assert git.run(str(repo), "diff", "--name-only") == b"README.md\n"
    assert git.heard(str(repo), "no-such-command") is None


def test_a_bare_repository_that_was_committed_is_not_believed(repo, canary):
    inner = repo / "vendor"
    inner.mkdir()
    person_git(inner, "init", "-q", "--bare")
    (inner / "config").write_text(
        f"[core]\n\tbare = false\n\tworktree = {inner}\n\tfsmonitor = {canary}\n"
    )

    assert git.heard(str(inner), "status") is None
    assert work_tree.look(str(inner)).root == str(repo)
    assert ran(canary) == ""


def test_a_bare_repository_of_its_own_answers(repo, tmp_path):
    bare = tmp_path / "bare.git"
    person_git(tmp_path, "clone", "-q", "--bare", str(repo), str(bare))

    where = work_tree.look(str(bare))

    assert where.root == str(bare)
    assert work_tree.root_commit_of(where) == person_git(repo, "rev-parse", "HEAD")


@pytest.fixture
def variable(monkeypatch):
    def put(name: str, value: str) -> None:
        monkeypatch.setenv(name, value)
        monkeypatch.setitem(environment.system.environ, name.encode(), value.encode())

    return put


def test_variables_that_point_git_elsewhere_do_not_count(repo, tmp_path, variable, canary):
    other = make_repo(tmp_path / "other")
    (other / "b.txt").write_text("b\n")
    for name, value in (
        ("GIT_DIR", f"{other}/.git"),
        ("GIT_WORK_TREE", str(other)),
        ("GIT_INDEX_FILE", f"{other}/.git/index"),
        ("GIT_CONFIG_COUNT", "1"),
        ("GIT_CONFIG_KEY_0", "core.fsmonitor"),
        ("GIT_CONFIG_VALUE_0", str(canary)),
        ("GIT_EXTERNAL_DIFF", str(canary)),
        ("GIT_PAGER", str(canary)),
        ("GIT_TRACE", f"{tmp_path}/trace"),
    ):
        variable(name, value)

    assert git.said(str(repo), "rev-parse", "--show-toplevel") == str(repo)
    ask_everything(repo)

    assert ran(canary) == ""
    assert not (tmp_path / "trace").exists()


@pytest.mark.parametrize("folder", [".", "", "bin", "TREE/bin", "TREE/x/../bin", "/./TREE/bin"])
def test_no_program_is_found_where_a_repository_could_put_it(
    repo, canary, variable, monkeypatch, folder
):
    (repo / "bin").mkdir()
    for place in (repo, repo / "bin"):
        (place / "git").write_text(f"#!/bin/sh\n{canary} $@\n")
        (place / "git").chmod(0o755)
    monkeypatch.chdir(repo)
    variable("PATH", f"{folder.replace('TREE', str(repo))}:/usr/local/bin:/usr/bin:/bin")

    assert git.said(str(repo), "rev-parse", "--show-toplevel") == str(repo)
    assert ran(canary) == ""


def test_a_program_of_the_person_s_own_is_found(repo, tmp_path, variable):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "br").write_text("#!/bin/sh\necho mine\n")
    (tmp_path / "own" / "br").chmod(0o755)
    variable("PATH", f"{tmp_path}/own:/usr/bin:/bin")

    assert processes.said_by(["br"]) == "mine"


PACKAGE = Path(git.__file__).parents[1]


def test_git_is_called_in_one_place_and_yaml_is_read_in_another():
    """But for the demonstration, which makes a repository of its own."""
    calling, reading = set(), set()
    for source in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            first = node.elts[0] if isinstance(node, ast.List) and node.elts else None
            if isinstance(first, ast.Constant) and first.value == "git":
                calling.add(str(source.relative_to(PACKAGE)))
            if isinstance(node, ast.Import) and node.names[0].name == "yaml":
                reading.add(str(source.relative_to(PACKAGE)))

    assert calling == {"system/git.py", "setup/demo.py"}
    assert reading == {"config/layers.py"}
