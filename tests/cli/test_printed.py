"""What commands print of other people's text: it moves no cursor, hides and turns nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import commands
from scenarios.story import A

FORGED = "a\x1b[2J\x9b31m\u202eb\u200bc\x07\x08"


def printed(folder: Path, *arguments: str) -> str:
    done = commands.run(folder, *arguments)
    return done.stdout + done.stderr


@pytest.mark.promise("X6")
def test_a_line_has_no_character_that_a_terminal_obeys(story):
    story.begin(A)
    story.pin(A, FORGED, hours=0.01)
    lines = printed(story.repo, "pins")

    assert "a[2J31mbc" in lines
    assert all(line.isprintable() for line in lines.split("\n"))


@pytest.mark.promise("X6")
def test_data_has_them_escaped_and_says_the_same(story):
    story.begin(A)
    story.pin(A, FORGED, hours=0.01)
    text = printed(story.repo, "pins", "--json")

    assert all(line.isprintable() for line in text.split("\n"))
    (pin,) = json.loads(text)["pins"]
    assert pin["content"] == FORGED


@pytest.mark.promise("X6")
def test_an_error_has_none_either(story):
    story.begin(A)

    assert all(line.isprintable() for line in printed(story.repo, "unpin", FORGED).split("\n"))
