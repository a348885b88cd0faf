"""The picture in the README is what the program prints."""

from __future__ import annotations

import html
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs" / "images"
sys.path.insert(0, str(IMAGES))

import draw_demo  # noqa: E402


def words_in(svg: str) -> list[str]:
    """The words of its lines, from top to bottom."""
    pieces = re.findall(r"<text [^>]*clip-path[^>]*>(.*?)</text>", svg, re.DOTALL)
    return html.unescape(" ".join(pieces)).replace("\xa0", " ").split()


def test_the_picture_shows_what_the_demo_prints(home):
    printed = " ".join(" ".join(draw_demo.printed()).split())

    picture = draw_demo.PICTURE.read_text(encoding="utf-8")
    shown = " ".join(words_in(picture))

    assert draw_demo.steady(shown) == draw_demo.steady(printed), "draw it again: make picture"
    assert "url(http" not in picture, "it asks nobody for a font"
    assert "docs/images/demo.svg" in (ROOT / "README.md").read_text()
