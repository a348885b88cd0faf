from __future__ import annotations

import pytest

from holdfast.rooms.sessions.project import PATH, REMOTE, ROOT_COMMIT, Names
from holdfast.rooms.sessions.work_tree import normalise_remote


@pytest.mark.promise("S3")
@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/dev/app.git",
        "https://github.com/dev/app",
        "https://user:secret@github.com/dev/app.git/",
        "git@github.com:dev/app.git",
        "ssh://git@github.com/dev/app.git",
        "ssh://git@GitHub.com:22/dev/app",
    ],
)
def test_one_remote_has_one_name_however_it_is_spelt(url):
    assert normalise_remote(url) == "github.com/dev/app"


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("/srv/git/app", "/srv/git/app"),
        ("../app", "../app"),
        ("file:///srv/git/app", "/srv/git/app"),
        ("ssh://git@host:2222/dev/app", "host:2222/dev/app"),
        ("", ""),
    ],
)
def test_paths_and_ports_are_told_apart(url, name):
    assert normalise_remote(url) == name


def names(aliases: list[tuple[str, str, str]], **where: str) -> Names:
    return Names(
        lambda sort, value: [p for s, v, p in aliases if (s, v) == (sort, value)],
        lambda project, sort: any((s, p) == (sort, project) for s, _, p in aliases),
        **{"remote": "", "root_commit": "", "path": "/x", **where},
    )


def found(aliases: list[tuple[str, str, str]], **where: str) -> str:
    return names(aliases, **where).find()


@pytest.mark.promise("S3")
def test_a_remote_finds_its_project_again():
    assert found([(REMOTE, "h/a", "p1")], remote="h/a") == "p1"


@pytest.mark.promise("S3")
def test_a_root_commit_finds_a_project_that_has_no_remote_yet():
    assert found([(ROOT_COMMIT, "c0", "p1")], remote="h/a", root_commit="c0") == "p1"


@pytest.mark.promise("S3")
def test_a_fork_on_another_remote_is_another_project():
    aliases = [(ROOT_COMMIT, "c0", "p1"), (REMOTE, "h/a", "p1")]

    assert found(aliases, remote="h/fork", root_commit="c0") == ""


@pytest.mark.promise("S3")
def test_a_clone_of_the_clone_on_this_disk_is_the_same_project():
    aliases = [(ROOT_COMMIT, "c0", "p1"), (REMOTE, "h/a", "p1"), (PATH, "/home/dev/app", "p1")]

    assert found(aliases, remote="/home/dev/app", root_commit="c0") == "p1"
    assert found(aliases, remote="/home/dev/app/.git", root_commit="c0") == "p1"


@pytest.mark.promise("S3")
def test_a_path_speaks_only_for_a_project_without_a_repository():
    assert found([(PATH, "/x", "p1")]) == "p1"
    assert found([(PATH, "/x", "p1"), (ROOT_COMMIT, "c0", "p1")], root_commit="c9") == ""
