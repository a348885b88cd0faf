"""docs/internals/promises.md and the tests name the same promises, both ways."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
MARK = re.compile(r'pytest\.mark\.promise\("([A-Z]\d+)"\)')


def promised() -> set[tuple[str, str]]:
    found = set()
    for line in (ROOT / "docs" / "internals" / "promises.md").read_text().splitlines():
        row = re.match(r"\| ([A-Z]\d+) \|", line)
        if row:
            files = re.findall(r"`(tests/[\w/.]+\.py)`", line)
            assert files, f"{row[1]} is proved nowhere"
            found |= {(row[1], file) for file in files}
    return found


def proved() -> set[tuple[str, str]]:
    return {
        (promise, str(file.relative_to(ROOT)))
        for file in (ROOT / "tests").rglob("test_*.py")
        for promise in MARK.findall(file.read_text())
        if file.name != "test_promises.py"
    }


def test_every_promise_names_the_tests_that_prove_it_and_every_proof_its_promise():
    assert promised() == proved()
