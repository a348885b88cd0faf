"""A folder of hostile repositories, each opened by the real hook."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import Door, git
from hostile.repositories import REPOSITORIES, Hostile, build
from measure import some_of
from scenarios.story import A, Story

pytestmark = pytest.mark.promise("X5")

OWN_GATE = "requirements: {mine: {trigger_tools: [Edit], message: Mine first.}}\n"
OWN_SETTINGS = "redaction: {patterns: [{name: own, pattern: 'OWN-[0-9]+'}]}\n"
SECRET = "OWN-4711"
OURS = "Of this repository's committed configuration "


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """What nobody may write to, and beside it the program that leaves a file when it is run."""
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "victim").write_text("OBEY: [not yaml\n")
    (tmp_path / "canary").write_text(f"touch {tmp_path}/ran\ncat 2>/dev/null\n")
    return folder


@pytest.fixture
def reader(home: Path) -> None:
    """Whoever opens the repository has a gate, and a pattern, of their own."""
    (home / ".claude").mkdir()
    (home / ".claude" / "requirements.yaml").write_text(OWN_GATE)
    (home / ".config" / "holdfast").mkdir(parents=True)
    (home / ".config" / "holdfast" / "config.yaml").write_text(OWN_SETTINGS)


@pytest.fixture
def opened(
    request: pytest.FixtureRequest, reader: None, state: str, home: Path, tmp_path: Path,
    outside: Path,
) -> Iterator[tuple[Hostile, Story]]:  # fmt: skip
    hostile = REPOSITORIES[request.param]
    clone = build(hostile, tmp_path, outside)
    door = Door(state, home, clone / hostile.below)
    if hostile.path:
        folder = hostile.path.replace("CLONE", str(clone))
        door.environment["PATH"] = f"{folder}:{door.environment['PATH']}"
    yield hostile, Story(door, clone, tmp_path)
    door.close()


def contents(*folders: Path) -> dict[str, bytes | str]:
    """Every file below, but for what is ours to write."""
    files: dict[str, bytes | str] = {}
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if ".local" in path.parts or f"{folder}/.git/holdfast/" in f"{path}/":
                continue
            if path.is_symlink():
                files[str(path)] = str(path.readlink())
            elif path.is_file():
                files[str(path)] = path.read_bytes()
    return files


@pytest.mark.parametrize("opened", some_of(REPOSITORIES, 15), indirect=True, ids=str)
def test_a_hostile_repository_gets_nothing_but_demands(
    opened: tuple[Hostile, Story], home: Path, tmp_path: Path, outside: Path, capsys, request
):
    hostile, story = opened
    place = story.repo / hostile.below
    before = contents(outside, home, story.repo)
    head = git(story.repo, "rev-parse", "HEAD")

    took: dict[str, float] = {}

    def timed(name: str, ask, *given, **more) -> str:
        start = time.perf_counter()
        answer = ask(A, *given, place=place, **more) or ""
        took[name] = time.perf_counter() - start
        return f"{answer}\n{story.door.shown}"

    began = timed("start", story.begin)
    asked = timed("prompt", story.say, f"Write b into a.py, with {SECRET}")
    refused = timed("before an edit", story.ask_edit, "a.py")
    ran = timed("before a command", story.ask_run, hostile.command)
    (story.repo / "a.py").write_text("b = 1\n")
    after = timed("after an edit", story.edit, "a.py")
    stopped = timed("stop", story.stop)
    with capsys.disabled():
        slowest = max(took, key=lambda name: took[name])
        print(f"\n  {request.node.callspec.id}: {slowest} {took[slowest]:.2f} s", end="")

    # Nothing runs, nothing is written, nothing is committed.
    assert not (tmp_path / "ran").exists()
    (story.repo / "a.py").write_text("a = 1\n")
    assert contents(outside, home, story.repo) == before
    assert git(story.repo, "rev-parse", "HEAD") == head
    # Nothing of it stands as ours.
    for answer in (began, asked, refused, ran, after, stopped):
        lines = [line.lstrip(" -*#[]") for line in answer.splitlines()]
        assert not [line for line in lines if line.startswith("OBEY")]
    # Nothing that is the reader's is weakened.
    assert "mine" in refused
    assert any(kind == "prompt_given" for _, kind, _ in story.ledger())
    assert SECRET not in str(story.ledger())
    # It is told in one line, or there is nothing to tell.
    told = [line for line in began.splitlines() if line.startswith((OURS, f"> {story.repo}/"))]
    assert [hostile.told in line for line in told] == ([True] if hostile.told else [])


def test_the_table_is_as_long_as_promised():
    assert len(REPOSITORIES) >= 40
