"""What a prompt names, what code defines, which file is meant, and git's own list of files."""

from __future__ import annotations

from pathlib import Path

import pytest
from identity.lives import Lives

from conftest import git, make_repo
from holdfast.rooms.work.places import definitions, known_files, prompt_names
from holdfast.rooms.work.places.known_files import KnownFile


def read(prompt: str) -> prompt_names.PromptNames:
    return prompt_names.read(prompt)


def file(path: str, edits: int = 1) -> KnownFile:
    return KnownFile(edits=edits, last_at="0", path=path)


def meant(prompt: str, *known: KnownFile) -> list[str]:
    return [known.path for known in known_files.meant(read(prompt), list(known))]


# What a prompt names


@pytest.mark.parametrize(
    ("prompt", "names"),
    [
        ("fix parser.py please", ["parser.py"]),
        ("the loop in `src/parser.py:84-90`, please.", ["src/parser.py"]),
        ("look at @docs/plan.md", ["docs/plan.md"]),
        ("see ./a.tsx and b.tsx.", ["a.tsx", "b.tsx"]),
        ("since version 2.13.2 of it, or 3.11", []),
        ("read https://example.com/a/parser.py", []),
        ("read /etc/parser.py and ~/parser.py", []),
    ],
)
def test_files_are_known_by_their_ending(prompt, names):
    assert read(prompt).files == names


@pytest.mark.parametrize(
    ("prompt", "names"),
    [
        ("why is ParseTags slow?", ["ParseTags"]),
        ("rename parse_tags() and tags.sortThem", ["parse_tags", "sortThem"]),
        ("what does `render` do, and draw()?", ["render", "draw"]),
        ("an ordinary sentence (with a remark) in English", []),
        ("in app/parse_tags or https://x.org/parse_tags", []),
    ],
)
def test_names_of_code_are_known_by_their_form(prompt, names):
    assert read(prompt).identifiers == names


@pytest.mark.parametrize(
    ("prompt", "number", "sort"),
    [
        ("merge #12", 12, ""),
        ("look at PR 12, please", 12, "pull_request"),
        ("the pull request #12", 12, "pull_request"),
        ("fix issue #12.", 12, "issue"),
        ("https://github.com/team/app/pull/12/files#r1 is red", 12, "pull_request"),
        ("(https://gitlab.com/team/app/-/issues/12)", 12, "issue"),
    ],
)
def test_a_pull_request_or_an_issue_is_known_by_number_or_address(prompt, number, sort):
    (request,) = read(prompt).requests

    assert (request.number, request.sort) == (number, sort)


def test_a_number_alone_is_no_pull_request():
    assert read("12 of 30 tests fail since 2026, see #top and PR x").requests == []


# What code defines


@pytest.mark.parametrize(
    ("path", "text", "names"),
    [
        (
            "a.py",
            "class Tags:\n    async def parse_all(self):\n        pass",
            ["Tags", "parse_all"],
        ),
        ("a.go", "func (t *Tags) Parse(x int) error {\ntype Token struct {", ["Parse", "Token"]),
        ("a.ts", "export const LIMIT = 3\n  const inner = 1\n", ["LIMIT"]),
        ("a.ts", "export default async function draw() {", ["draw"]),
        ("a.rs", "pub(crate) fn parse_all<T>() {}\npub struct Span {", ["parse_all", "Span"]),
        ("a.ts", "export const enum Colour {", ["Colour"]),
        ("a.py", "    return parse_tags(x)\n# def in prose\ntype: string\nx = class_name", []),
        ("a.md", "def parse_tags():", []),
    ],
)
def test_names_that_code_defines(path, text, names):
    assert definitions.names_in(text, path) == names


def test_a_large_text_gives_a_bounded_number_of_names():
    text = "\n".join(f"def function_{number}(): pass" for number in range(1000))

    assert len(definitions.names_in(text, "a.py")) == definitions.NAMES


# Which file is meant


def test_a_name_that_is_marked_as_code_means_the_file_that_is_called_like_it():
    assert meant("why does `resume` fail?", file("cmd/resume.go")) == ["cmd/resume.go"]
    assert meant("why does `app/resume` fail?", file("cmd/resume.go")) == []


@pytest.mark.promise("W7")
@pytest.mark.parametrize(
    "prompt", ["resume is slow", "fix the resume", 'why does "resume" fail?', "run `app resume`"]
)
def test_a_plain_word_means_no_file_however_often_it_was_changed(prompt):
    assert meant(prompt, file("cmd/resume.go", edits=9)) == []


def test_of_namesakes_the_one_that_is_changed_far_more_often_is_meant_or_none():
    prompt = "why does `session` fail?"

    assert meant(prompt, file("a/session.go", edits=4), file("b/session.go", edits=2)) == [
        "a/session.go"
    ]
    assert meant(prompt, file("a/session.go", edits=3), file("b/session.go", edits=2)) == []


def test_a_name_of_several_words_means_its_file():
    assert meant("in commit_logs is a bug", file("a/commit_logs.go")) == ["a/commit_logs.go"]
    assert meant("commit the logs", file("a/commit_logs.go")) == []


def test_a_test_is_meant_by_its_whole_name_alone():
    assert meant("run `resume`", file("resume_test.go"), file("test_resume.py")) == []


@pytest.mark.promise("W7")
def test_the_first_prompt_alone_is_answered_with_the_file_it_means(workspace, tmp_path):
    repo = make_repo(tmp_path / "other")
    (repo / "resume.go").write_text("x")
    lives = Lives(workspace, str(repo))
    lives.begin("a")
    lives.edit("a", "resume.go", "x", "y")
    lives.begin("b")

    first, second = (lives.say("b", "why does `resume` fail?") for _ in range(2))

    assert "resume.go" in first
    assert "resume.go" not in second


# Git's own list


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    repo = make_repo(tmp_path / "app")
    for path in ("src/tags.py", "src/my_tags.py", "tests/tags.py", "über/tägs.py"):
        (repo / path).parent.mkdir(exist_ok=True)
        (repo / path).write_text("x")
    # Every length of a path: one of them is a letter's number, and one a slash's.
    for length in range(30, 300, 7):
        folder = repo / "p" / ("f" * (length // 2))
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{'n' * (length // 4)}_last.py").write_text("x")
    git(repo, "add", ".")
    return repo


def tracked(repo: Path, name: str) -> list[str]:
    return known_files.tracked(str(repo / ".git"), [name])[name]


def test_tracked_files_are_found_by_their_names(repo):
    assert tracked(repo, "tags.py") == ["src/tags.py", "tests/tags.py"]
    assert tracked(repo, "src/tags.py") == ["src/tags.py"]
    assert tracked(repo, "tägs.py") == ["über/tägs.py"]
    assert tracked(repo, "README.md") == ["README.md"]
    assert tracked(repo, "ags.py") == []


def test_every_tracked_path_is_found_whole(repo):
    listed = git(repo, "ls-files", "-z", "p").split("\0")

    for path in filter(None, listed):
        assert tracked(repo, path.rpartition("/")[2]) == [path]


def test_a_list_in_another_form_gives_nothing(repo):
    git(repo, "update-index", "--index-version", "4")
    assert known_files.tracked(str(repo / ".git"), ["tags.py"]) == {}

    (repo / ".git" / "index").write_bytes(b"DIRC\0\0\0\2" + b"tags.py\0" * 3)
    assert tracked(repo, "tags.py") == []

    (repo / ".git" / "index").unlink()
    assert known_files.tracked(str(repo / ".git"), ["tags.py"]) == {}
