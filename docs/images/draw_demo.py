"""Draws docs/images/demo.svg: what `holdfast demo` prints, as a terminal shows it. `make picture`.

The picture is of a real run; `tests/contracts/test_picture.py` checks that the program still prints
it.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

PICTURE = Path(__file__).with_name("demo.svg")
COLUMNS = 100
BEGIN, END = "The first session", "$ holdfast status"
# What differs from run to run: ids, times, numbers of processes.
VARYING = (
    (r"\b[0-9a-f]{8}\b", "3a36a9fb"),
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d\.\d+)?Z", "2026-11-18T09:30Z"),
    (r"\d{4}-\d\d-\d\d", "2026-11-18"),
    (r"\d\d-\d\d \d\d:\d\d", "11-18 09:30"),
    (r"process \d+", "process 4711"),
)


def printed() -> list[str]:
    """The lines of a real run, from the first session to what the second is told, with `holdfast`
    on the path as a user has it."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    with tempfile.TemporaryDirectory() as folder:
        text = subprocess.run(
            [sys.executable, "-m", "holdfast", "demo", "--folder", f"{folder}/demo"],
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        ).stdout
    return text[text.index(BEGIN) : text.index(END)].rstrip().splitlines()


def steady(line: str) -> str:
    """A text in which every run is the same."""
    for pattern, instead in VARYING:
        line = re.sub(pattern, instead, line)
    return line


def drawn(lines: list[str]) -> str:
    """The picture; its text is that of the lines, wrapped."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    for line in lines:
        style = "green" if line.lstrip().startswith(">") else "bold" if line[:1] != " " else ""
        console.print(Text(line, style=style))
    picture = console.export_svg(title="holdfast demo", unique_id="holdfast-demo")
    # Without fonts from elsewhere: a picture asks nobody for anything.
    return re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL)


if __name__ == "__main__":
    PICTURE.write_text(drawn(printed()), encoding="utf-8")
