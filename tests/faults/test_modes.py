"""Files are 0600 and folders 0700, whatever the umask takes away or leaves."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from around import assert_private

from holdfast.system import paths
from scenarios.story import A, B, Story

pytestmark = pytest.mark.promise("X3")


@pytest.mark.parametrize("umask", [0o000, 0o027, 0o277, 0o777])
def test_every_file_is_its_owners_alone_with_any_umask(story: Story, umask: int):
    story.door.command = f"umask {umask:o}; {story.door.command}"
    for session in (A, B):
        story.begin(session)
        story.say(session, "Fix the importer so that it keeps empty rows")
        story.edit(session, "src/a.py")
        story.compact(session)
        story.stop(session)
        story.end(session)

    def holdfast(*arguments: str) -> None:
        words = [sys.executable, "-m", "holdfast", *arguments]
        done = subprocess.run(
            words, cwd=story.repo, umask=umask, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, ""), arguments

    holdfast("decide", "Keep empty rows")
    holdfast("archive", "--older-than", "0")
    holdfast("restore", A)
    holdfast("export", f"{story.state}/mine.jsonl")
    Path(paths.store(story.state)).chmod(0o600)
    holdfast("repair")
    holdfast("doctor", "--fix")

    assert_private(
        Path(story.state), Path(paths.runtime_folder()), story.repo / ".git" / "holdfast"
    )


def test_a_mode_that_was_widened_beside_the_repository_is_told_and_tightened(story: Story):
    story.begin(A)
    beside = story.repo / ".git" / "holdfast" / "project"
    brief = Path(paths.brief(paths.runtime_folder(), A))
    beside.chmod(0o644)
    brief.chmod(0o666)
    words = [sys.executable, "-m", "holdfast", "doctor"]

    told = subprocess.run(words, cwd=story.repo, capture_output=True, text=True, check=False)
    subprocess.run([*words, "--fix"], cwd=story.repo, capture_output=True, check=False)

    assert "2 files may be read by others" in told.stdout
    assert [os.stat(path).st_mode & 0o777 for path in (beside, brief)] == [0o600, 0o600]
