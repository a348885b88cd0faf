"""What takes long shows how far it is, to somebody who watches, and to nobody else."""

from __future__ import annotations

import os
import re
import subprocess
import threading
from pathlib import Path

import pytest
from terminal import HOLDFAST, LIMIT_S, run

from holdfast.system import paths
from scenarios.story import A, B

pytestmark = pytest.mark.promise("A6")

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def watched(folder: Path, *arguments: str, **environment: str) -> tuple[str, str]:
    """What a command prints on stdout, and what is seen of it on a terminal."""
    ours, theirs = os.openpty()
    seen: list[bytes] = []

    def read() -> None:
        while True:
            try:
                part = os.read(ours, 1 << 16)
            except OSError:  # nobody has the terminal open any more
                return
            seen.append(part)

    reader = threading.Thread(target=read)
    reader.start()
    try:
        done = subprocess.run(
            [*HOLDFAST, *arguments],
            cwd=folder,
            env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "60", **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=theirs,
            timeout=LIMIT_S,
            check=False,
        )
    finally:
        os.close(theirs)
        reader.join(LIMIT_S)
        os.close(ours)
    return done.stdout.decode(), b"".join(seen).decode()


@pytest.fixture
def worked(story, repo):
    (repo / "a.py").write_text("one = 1\n")
    story.begin(A)
    story.end(A)
    story.begin(B)
    story.holdfast("decide", "One is one", "--evidence", "a.py:1")
    story.end(B)
    assert run(repo, "export", f"{story.folder}/all.jsonl").returncode == 0
    (repo / "a.py").write_text("one = 1\ntwo = 2\n")  # or what was judged before still holds
    return story


LONG = {
    "replay": "Replaying",
    "replay --check": "Replaying",
    "dream": "Dreaming",
    "archive --older-than 0": "Archiving",
    "import FOLDER/all.jsonl": "Importing",
    "ground --at HEAD --all": "Grounding",
    "decisions": "Grounding",
}


@pytest.mark.parametrize("line", LONG)
def test_who_watches_a_long_command_sees_how_far_it_is(worked, line):
    words = line.replace("FOLDER", str(worked.folder)).split()

    stdout, seen = watched(worked.repo, *words)

    assert LONG[line] in seen
    assert "%" in seen
    assert "\x1b" not in stdout
    assert LONG[line] not in stdout


@pytest.mark.parametrize("line", LONG)
def test_a_long_command_that_nobody_watches_says_nothing_beside_its_report(worked, line):
    words = line.replace("FOLDER", str(worked.folder)).split()

    assert run(worked.repo, *words).stderr == ""


def test_the_bar_has_colours_unless_they_are_not_wanted_and_fits_the_width(worked):
    _, coloured = watched(worked.repo, "replay")
    _, plain = watched(worked.repo, "replay", NO_COLOR="1")

    assert COLOUR.search(coloured)
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]", plain)
    for text in (coloured, plain):
        drawn = [CONTROL.sub("", each) for each in re.split(r"[\r\n]+", text)]
        assert max(map(len, drawn)) <= 60


def test_the_bar_is_gone_when_the_work_is_done(worked):
    _, seen = watched(worked.repo, "replay")

    assert seen.rstrip().endswith("\x1b[2K")


def test_help_is_as_wide_as_the_terminal(repo):
    narrow, wide = (run(repo, "req", "--help", COLUMNS=width).stdout for width in ("50", "100"))

    assert max(map(len, narrow.splitlines())) <= 50 < max(map(len, wide.splitlines())) <= 100


@pytest.mark.parametrize("width", ["40", "200"])
def test_nothing_that_is_printed_has_colours(worked, width):
    for words in (["status"], ["decisions"], ["rules"], ["--help"], ["req", "doctor"]):
        done = run(worked.repo, *words, COLUMNS=width, FORCE_COLOR="1")
        assert "\x1b" not in done.stdout + done.stderr


def test_an_error_of_the_store_names_its_file(worked, repo):
    path = Path(paths.store(worked.state))
    path.write_bytes(b"no database at all" * 400)

    done = run(repo, "decisions")

    assert done.returncode == 1
    assert str(path) in done.stderr
