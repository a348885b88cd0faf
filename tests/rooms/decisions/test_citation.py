"""Evidence is what a file says at a place; what is not there is an error that says where it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import git
from holdfast.errors import HoldfastError
from holdfast.rooms.decisions.grounding.citation import cited

TOKEN = "ghp_" + "a1B2" * 9  # shaped like a token, and nobody's
FILE = """\
import os


def fetch(url, timeout=30):
    return get(url)


def load():
    return get(url)
"""


@pytest.fixture
def root(repo: Path) -> str:
    (repo / "src").mkdir()
    (repo / "src" / "fetch.py").write_text(FILE)
    return str(repo)


def place(root: str, given: str, quote: str = "", folder: str = "") -> tuple[str, int, int, str]:
    found = cited(root, folder or root, given, quote)
    return found.path, found.line, found.last, found.quote


@pytest.mark.promise("D1")
def test_the_quote_is_read_from_the_file(root):
    assert place(root, "src/fetch.py:4") == (
        "src/fetch.py",
        4,
        4,
        "def fetch(url, timeout=30):",
    )
    assert place(root, "src/fetch.py:4-5")[3] == "def fetch(url, timeout=30):\n    return get(url)"


@pytest.mark.promise("D1")
@pytest.mark.parametrize(
    "given", ["fetch.py:4", "${PROJECT_ROOT}/src/fetch.py:4", "../src/fetch.py:4"]
)
def test_a_path_is_kept_from_the_root_however_it_is_named(root, given):
    assert place(root, given, folder=f"{root}/src")[:2] == ("src/fetch.py", 4)
    assert place(root, f"{root}/src/fetch.py:4")[0] == "src/fetch.py"


def test_blank_lines_at_the_ends_of_a_range_are_left_out(root):
    assert place(root, "src/fetch.py:2-7")[1:3] == (4, 5)


@pytest.mark.promise("D1")
@pytest.mark.parametrize(
    ("given", "quote", "said"),
    [
        ("src/none.py:1", "", "does not exist, or is not a text file"),
        ("src:1", "", "does not exist, or is not a text file"),
        ("src/fetch.py:10", "", "has 9 lines, and no line 10"),
        ("src/fetch.py:0", "", "names no lines"),
        ("src/fetch.py:5-4", "", "names no lines"),
        ("src/fetch.py", "", "names no line"),
        ("src/fetch.py:2", "", "is blank"),
        ("src/fetch.py:4", "timeout=60", "does not say that"),
        ("src/fetch.py:5", "def fetch(url, timeout=30):", "does not say that; line 4 does"),
        ("src/fetch.py", "return get(url)", "says that 2 times; lines 5, 9 do"),
        ("src/fetch.py", "nothing like it", "says that no times"),
        ("/etc/hostname:1", "", "outside the project"),
        ("../../etc/hostname:1", "", "outside the project"),
    ],
)
def test_evidence_that_is_not_there_is_an_error(root, given, quote, said):
    with pytest.raises(HoldfastError, match=said.replace("(", r"\(")):
        cited(root, root, given, quote)


def test_a_link_out_of_the_project_is_no_evidence(root, repo, tmp_path):
    (tmp_path / "foreign.py").write_text("token = load()\n")
    (repo / "link.py").symlink_to(tmp_path / "foreign.py")

    with pytest.raises(HoldfastError, match="outside the project"):
        cited(root, root, "link.py:1")


@pytest.mark.promise("D1")
def test_a_quote_that_is_given_must_be_there_and_may_say_which_line(root):
    assert place(root, "src/fetch.py:4", "timeout=30") == ("src/fetch.py", 4, 4, "timeout=30")
    assert place(root, "src/fetch.py", "def load():")[1:] == (8, 8, "def load():")
    # Whole lines are kept as the file has them, whatever blanks the quote came with.
    assert place(root, "src/fetch.py:9", "return get(url)")[3] == "    return get(url)"
    assert place(root, "src/fetch.py:1-9", "def fetch(url, timeout=30):\n    return get(url)")[
        1:3
    ] == (
        4,
        5,
    )


def test_a_word_is_not_found_in_a_longer_one(root):
    with pytest.raises(HoldfastError, match="no times"):
        cited(root, root, "src/fetch.py", "timeout=3")


@pytest.mark.promise("D1")
def test_more_than_a_quote_holds_is_refused_whole(root, repo):
    (repo / "long.py").write_text("x = 1\n" * 30 + "y" * 2_000 + "\n")

    with pytest.raises(HoldfastError, match="at most 20 lines"):
        cited(root, root, "long.py:1-21")
    with pytest.raises(HoldfastError, match="2000 characters are too much"):
        cited(root, root, "long.py:31")


@pytest.mark.promise("D1")
def test_a_secret_is_not_kept_with_its_quote(root, repo):
    (repo / "keys.py").write_text(f'api = connect(token="{TOKEN}", retries=3)\n{TOKEN}\n')

    found = cited(root, root, "keys.py:1")
    assert TOKEN not in found.quote
    assert "retries=3" in found.quote
    with pytest.raises(HoldfastError, match="is a secret"):
        cited(root, root, "keys.py:2")


def test_a_line_of_a_private_key_is_not_kept_though_it_does_not_look_like_one(root, repo):
    body = "\n".join("MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEA" for _ in range(4))
    (repo / "key.pem").write_text(
        f"-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----\n"
    )

    with pytest.raises(HoldfastError, match="is a secret"):
        cited(root, root, "key.pem:3")


def test_evidence_names_the_commit_it_was_read_at(root, repo):
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "Fetch")

    assert cited(root, root, "src/fetch.py:4").commit == git(repo, "rev-parse", "HEAD")
