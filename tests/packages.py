"""The lines of our pages that install something, as a reader would run them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
# `pip install ...`, `uv tool install ...`: in a block, in a comment of one, or in a line.
INSTALLS = re.compile(
    r"(?:python -m )?(?:pip|pipx|uv pip|uv tool) (?:install|run)\b[^`#\n]*|uvx [^`#\n]*"
)
FENCE = re.compile(r"^```\w*\n(.*?)^```", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Installation:
    """Lines that are run one after the other."""

    page: str
    lines: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.page}: {'; '.join(self.lines)}"


def installations() -> list[Installation]:
    """Every one on our pages. What a comment offers instead ("or: ...") is one of its own."""
    found = []
    for page in PAGES:
        name, text = str(page.relative_to(ROOT)), page.read_text()
        for block in FENCE.findall(text):
            lines = [line.partition("#") for line in block.splitlines()]
            together = tuple(one for code, *_ in lines for one in _installs(code))
            found += [Installation(name, together)] if together else []
            found += [Installation(name, (one,)) for *_, said in lines for one in _installs(said)]
        for quoted in re.findall(r"`([^`\n]+)`", FENCE.sub("", text)):
            found += [Installation(name, (one,)) for one in _installs(quoted)]
    return found


def _installs(text: str) -> list[str]:
    return [re.split(r" {3,}|\)$", one)[0].strip() for one in INSTALLS.findall(text)]
