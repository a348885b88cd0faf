"""Every line of a `sh` block of our pages, run as a reader runs it in a project of theirs."""

from __future__ import annotations

import os
import re
import shlex
import sys
from pathlib import Path

import pytest
from terminal import in_a_shell

from conftest import git
from packages import PAGES, ROOT
from scenarios.story import A, B

BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
# What is run elsewhere, or cannot be run by a test, and why.
ELSEWHERE = {
    "make ": "builds and tests this very tree: .ci/run does, tests/contracts/test_docs.py compares",
    "uv tool install ": "installs from an index: tests/setup/test_install_lines.py",
    "pipx install ": "installs from an index: tests/setup/test_install_lines.py",
    "pip install ": "installs from an index: tests/setup/test_install_lines.py",
    "claude ": "the real client, with an account: tests/e2e/",
    "holdfast serve": "runs until it is interrupted: tests/web/, tests/http_doors/",
    "cd your-project": "where the test is already",
}
ID = re.compile(r"\b[0-9a-f]{6,8}\b")
CODE = "def check(token):\n    return token\n" * 20


def lines_of(page: Path) -> list[str]:
    """The lines of a page's blocks without what they say beside them."""
    lines = [line for block in BLOCK.findall(page.read_text()) for line in block.splitlines()]
    return [code for line in lines if (code := re.split(r"(?:^|\s+)# ", line)[0].strip())]


def is_run(line: str) -> bool:
    return not line.startswith(tuple(ELSEWHERE))


def test_nothing_is_left_out_that_is_on_no_page():
    lines = [line for page in PAGES for line in lines_of(page)]

    used = {begin for begin in ELSEWHERE for line in lines if line.startswith(begin)}
    assert used >= {"make ", "uv tool install ", "cd your-project"}


@pytest.mark.parametrize(
    "page", [page for page in PAGES if any(map(is_run, lines_of(page)))], ids=lambda page: page.stem
)
def test_every_line_of_a_page_does_what_it_is_there_for(page, story, repo):
    (repo / "src").mkdir()
    (repo / "src" / "auth.py").write_text(CODE)
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "Check tokens")
    story.begin(A)
    story.say(A, "Check every token in src/auth.py.")
    story.end(A)
    story.begin(B)
    story.say(B, "Check every token in src/auth.py.")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path}
    for line in filter(is_run, lines_of(page)):
        example = ID.search(line)
        meant = line.replace(example[0], id_for(story, line)) if example else line

        done = in_a_shell(shlex.split(meant), repo, environment)

        assert done.returncode == 0, (str(page.relative_to(ROOT)), line, done.stderr)
        assert done.stderr == "", line


def id_for(story, line: str) -> str:
    """What a page's example of an id is in this project."""
    if "rules" in line:
        return str(story.holdfast("rules", "list")["rules"][0]["id"])
    if "supersede" in line or "decision" in line:
        return str(story.holdfast("decisions")["decisions"][0]["id"])
    return A
