"""That a feature is absent is checked by two searches, and by either way of reading alike."""

from __future__ import annotations

import os
import random
import shutil
import sys
from pathlib import Path

import pytest

from conftest import git, make_repo
from holdfast.errors import HoldfastError
from holdfast.rooms.decisions import code_search, ghosts
from holdfast.rooms.decisions.code_search import RIPGREP, WALKER, listed, look_for
from holdfast.rooms.decisions.decision import BROKEN, GROUNDED, UNSUPPORTED

BESIDE = str(Path(sys.executable).parent)


@pytest.fixture(autouse=True)
def ripgrep(monkeypatch: pytest.MonkeyPatch) -> None:
    """ripgrep comes with the tools of development, beside the interpreter."""
    monkeypatch.setenv("PATH", f"{BESIDE}{os.pathsep}{os.environ['PATH']}")


def write(root: Path, **files: str) -> None:
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.mark.promise("D3")
@pytest.mark.parametrize(
    ("searches", "code", "docs", "said"),
    [
        (2, 0, 0, "ghost"),
        (2, 0, 2, "ghost"),
        (2, 0, 3, "ambiguous"),
        (2, 1, 0, "found"),
        (2, 1, 9, "found"),
        (1, 0, 0, "unverified"),
        (1, 1, 0, "found"),
    ],
)
def test_a_verdict_follows_from_what_was_found_and_how_often_it_was_sought(
    searches, code, docs, said
):
    assert ghosts.verdict(searches, code, docs) == said


@pytest.mark.promise("D3")
def test_a_checked_absence_is_grounded_until_the_feature_is_there(repo):
    before = look_for(str(repo), "rate limiting")
    write(repo, limits_dot_py="class TokenBucket: ...\n")
    after = look_for(str(repo), "rate limiting")

    assert ghosts.standing(before.verdict) == GROUNDED
    assert ghosts.standing(after.verdict) == BROKEN
    assert ghosts.standing("ambiguous") == ghosts.standing("unverified") == UNSUPPORTED


@pytest.mark.promise("D3")
@pytest.mark.parametrize(
    "line",
    [
        pytest.param("def rate_limit(key):", id="snake"),
        pytest.param("class RateLimiter:", id="camel"),
        pytest.param("rate-limiting: on", id="kebab"),
        pytest.param("RATE_LIMITS = {}", id="shouting"),
        pytest.param("# limits the rate of calls: limit rate", id="turned round"),
        pytest.param("throttled = True", id="another name for it"),
        pytest.param("rate_quota = 5", id="one word exchanged"),
    ],
)
def test_a_feature_is_found_in_every_form_that_identifiers_have(repo, line):
    write(repo, app_dot_py=f"import os\n{line}\n")

    found = look_for(str(repo), "rate limiting")

    assert (found.verdict, [hit.where() for hit in found.code]) == ("found", ["app.py:2"])


def test_words_that_only_begin_alike_are_not_the_feature(repo):
    write(repo, app_dot_py="rated = 1\nlimited = 2\ncorporate, elimination = 3, 4\n")

    assert look_for(str(repo), "rate limiting").verdict == "ghost"


@pytest.mark.promise("D3")
def test_one_wording_proves_nothing_and_other_words_are_the_second_search(repo):
    alone = look_for(str(repo), "frobnicator")
    both = look_for(str(repo), "frobnicator", ("widget spinner",))

    assert (len(alone.searches), alone.verdict) == (1, "unverified")
    assert (len(both.searches), both.verdict) == (2, "ghost")


def test_the_same_words_again_are_no_second_search(repo):
    assert look_for(str(repo), "frobnicator", ("Frobnicators",)).verdict == "unverified"


@pytest.mark.promise("D3")
def test_mentions_in_documents_are_counted_apart(repo):
    said = "rate limiting\n"
    write(repo, README_dot_md=said * 2, docs__limits_dot_html=said, notes_dot_txt=said)

    found = look_for(str(repo), "rate limiting")

    assert (len(found.code), len(found.docs), found.verdict) == (0, 4, "ambiguous")


@pytest.mark.promise("D3")
def test_the_work_tree_is_searched_as_it_is_and_no_copy_of_it(repo):
    """Another work tree inside has what this one has lost, and so has git."""
    write(repo, old_dot_py="def rate_limit(): ...\n")
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "Limit")
    git(repo, "worktree", "add", "-q", str(repo / ".trees" / "copy"), "-b", "copy")
    (repo / "old.py").unlink()

    found = look_for(str(repo), "rate limiting")

    assert (found.verdict, found.dirty) == ("ghost", True)
    assert found.commit == git(repo, "rev-parse", "HEAD")[:12]
    assert (repo / ".trees" / "copy" / "old.py").exists()


def test_what_is_ignored_binary_or_our_own_is_not_searched_and_what_is_too_large_is_said(
    repo, monkeypatch
):
    monkeypatch.setattr(code_search, "CAP_BYTES", 1_000)
    write(
        repo,
        _dot_gitignore="build/\n",
        build__out_dot_py="rate_limit\n",
        _dot_holdfast__NOTES_dot_md="rate limiting\n" * 5,
        big_dot_py="rate_limit\n" * 200,
    )
    (repo / "blob.bin").write_bytes(b"\0rate_limit\n")
    (repo / "link.py").symlink_to(repo / "big.py")

    found = look_for(str(repo), "rate limiting")

    assert (found.verdict, found.unread) == ("ghost", ("big.py",))


def test_a_feature_without_a_word_is_refused(repo):
    with pytest.raises(HoldfastError, match="names no feature"):
        look_for(str(repo), "the !!")


@pytest.mark.promise("D3")
@pytest.mark.parametrize("seed", range(3))
def test_both_ways_of_searching_give_the_same_answer(tmp_path, seed):
    """On a tree of everything that could tell them apart; ripgrep must be there."""
    assert shutil.which("rg"), "ripgrep is missing: it comes with the dev extra"
    root = make_repo(tmp_path / f"tree{seed}")
    _grow(root, random.Random(seed))

    found = [look_for(str(root), "rate limiting", way=way) for way in (RIPGREP, WALKER)]

    assert found[0] == found[1]
    assert found[0].code
    assert found[0].docs


def test_a_ripgrep_that_fails_costs_time_and_no_answer(repo, tmp_path, monkeypatch):
    broken = tmp_path / "bin"
    broken.mkdir()
    (broken / "rg").write_text("#!/bin/sh\necho broken >&2\nexit 2\n")
    (broken / "rg").chmod(0o755)
    monkeypatch.setenv("PATH", f"{broken}{os.pathsep}{os.environ['PATH']}")
    write(repo, a_dot_py="rate_limit = 1\n")

    assert look_for(str(repo), "rate limiting").verdict == "found"


@pytest.mark.promise("D3")
@pytest.mark.parametrize("seed", range(3))
def test_the_walk_without_git_lists_what_git_lists(tmp_path, seed):
    root = make_repo(tmp_path / f"tree{seed}")
    _grow(root, random.Random(seed))
    by_git = listed(str(root))
    shutil.rmtree(root / ".git")

    assert listed(str(root)) == by_git


ENDINGS = ("py", "ts", "md", "rst", "txt", "log", "bin", "yaml", "GO")
LINES = (
    b"rate_limit = 1", b"class RateLimiter {", b"// rate  limiting", b"corporate limits",
    b"throttle()", b"nothing here", b"RATE-LIMIT\r", b"rate\xff limit", b"r\xc3\xa4te limit",
    b"", b"a" * 5_000 + b" rate limit", b"rate", b"limit", b"429",
)  # fmt: skip
IGNORES = ("*.log\n", "build/\n!keep.log\n", "/only-here.py\n*.bin\n", "**/deep/*.ts\n", "\\#odd\n")


def _grow(root: Path, dice: random.Random) -> None:
    folders = ["", "src", "src/deep", "docs", "build", "src/build", ".hidden", "a b", "ümlaut"]
    for folder in folders:
        (root / folder).mkdir(parents=True, exist_ok=True)
        if dice.random() < 0.5:
            (root / folder / ".gitignore").write_text("".join(dice.sample(IGNORES, 2)))
        for number in range(6):
            lines = dice.choices(LINES, k=8)
            end = dice.choice((b"\n", b"", b"\n\n"))
            blob = b"\n".join(lines) + end
            if dice.random() < 0.1:
                blob = b"\0" + blob
            if dice.random() < 0.1:
                blob = b"\xef\xbb\xbf" + blob
            if dice.random() < 0.1:
                blob = "rate_limit\n".encode("utf-16")
            (root / folder / f"f{number} x.{dice.choice(ENDINGS)}").write_bytes(blob)
    (root / "keep.log").write_text("rate_limit\n")
    (root / "only-here.py").write_text("rate_limit\n")
    (root / "src" / "only-here.py").write_text("rate_limit\n")
    (root / "docs" / "guide.md").write_text("rate limiting\n")
    make_repo(root / "inner")
    (root / "inner" / "x.py").write_text("rate_limit\n")
