"""`holdfast ghost`: what it says, how it exits, and that it is kept."""

from __future__ import annotations

from pathlib import Path

import pytest
from terminal import run, told

from conftest import Door
from scenarios.story import A, Story


@pytest.fixture
def story(door: Door, repo: Path, tmp_path: Path) -> Story:
    (repo / "main.py").write_text("print(1)\n")
    found = Story(door, repo, tmp_path)
    found.begin(A)
    return found


@pytest.mark.promise("D3")
def test_a_ghost_is_settled_kept_and_grounded(story):
    done = run(story.repo, "ghost", "rate limiting", "--also", "token bucket")
    found = told(story.repo, "ghost", "rate limiting", "--also", "token bucket")

    assert done.returncode == 0
    assert done.stdout.startswith("· ghost: rate limiting is not found by two searches\n")
    assert (found["verdict"], found["standing"], found["code"], found["docs"]) == (
        "ghost",
        "grounded",
        0,
        0,
    )
    entries = story.entries("ghost_checked")
    assert [(one.session, one.body["verdict"]) for one in entries] == [(A, "ghost")] * 2
    story.ends_well()


@pytest.mark.promise("D3")
@pytest.mark.parametrize(
    ("files", "arguments", "verdict", "code"),
    [
        pytest.param({"a.py": "rate_limit = 1\n"}, ["rate limiting"], "found", 0, id="found"),
        pytest.param(
            {"doc.md": "rate limiting\n" * 3}, ["rate limiting"], "ambiguous", 1, id="ambiguous"
        ),
        pytest.param({}, ["frobnicator"], "ambiguous", 1, id="one search"),
        pytest.param({}, ["frobnicator", "--also", "spinner"], "ghost", 0, id="a ghost"),
        pytest.param(
            {"a.py": "spinner = 1\n"}, ["frobnicator", "--also", "spinner"], "found", 0, id="also"
        ),
    ],
)
def test_the_exit_code_says_whether_the_question_is_settled(story, files, arguments, verdict, code):
    for name, text in files.items():
        (story.repo / name).write_text(text)

    done = run(story.repo, "ghost", *arguments)

    assert (done.returncode, done.stdout.split()[1]) == (code, f"{verdict}:")


@pytest.mark.promise("D3")
def test_features_looked_for_before_are_looked_for_again(story):
    run(story.repo, "ghost", "rate limiting", "--also", "token bucket")
    (story.repo / "a.py").write_text("class RateLimiter: ...\n")

    again = told(story.repo, "ghost")["features"]

    assert [(one["feature"], one["verdict"], one["standing"]) for one in again] == [
        ("rate limiting", "found", "broken")
    ]
    assert again[0]["where"]["code"] == [{"path": "a.py", "line": 1}]
    kept = [one.body["verdict"] for one in story.entries("ghost_checked")]
    assert kept == ["ghost", "found"]


def test_misuse_and_an_empty_feature_are_one_line_and_a_hint(story):
    without = run(story.repo, "ghost", "--also", "x")
    empty = run(story.repo, "ghost", "the")

    assert (without.returncode, empty.returncode) == (2, 1)
    assert "hint:" in without.stderr
    assert "hint:" in empty.stderr
