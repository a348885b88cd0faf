"""A file or a name of the code that a docstring speaks of is there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
OURS = [path for part in ("src", "tests", "benchmarks") for path in (ROOT / part).rglob("*.py")]
TREES = {path: ast.parse(path.read_text()) for path in OURS}
FILE = re.compile(r"(?<![\w./<*{-])((?:[\w.-]+/)*[\w-]+\.(?:py|md|sql|toml|html|js|css))\b")
NAME = re.compile(r"`([A-Za-z]+_\w+|[A-Z]{2,})(?:\(\))?`")
# Files of the project that Holdfast works in, of other programs, and of examples.
THEIRS = set(
    "CLAUDE.md AGENTS.md NOTES.md app.py auth.py a.py search.py check_fetch.py score.py python.py"
    " fetch.py".split()
)


def docstrings(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef):
            yield ast.get_docstring(node, clean=False) or ""


def test_every_file_that_a_docstring_names_is_there():
    there = [f"/{path.relative_to(ROOT)}" for path in ROOT.glob("*") if path.is_file()]
    for part in ("src", "tests", "benchmarks", "docs", "plugin"):
        there += [f"/{path.relative_to(ROOT)}" for path in (ROOT / part).rglob("*.*")]
    missing = [
        (str(path.relative_to(ROOT)), name)
        for path, tree in TREES.items()
        for text in docstrings(tree)
        for name in FILE.findall(text)
        if Path(name).name not in THEIRS and not any(each.endswith(f"/{name}") for each in there)
    ]

    assert missing == []


def test_every_name_that_a_docstring_quotes_is_in_the_code():
    quoted = {
        (str(path.relative_to(ROOT)), name)
        for path, tree in TREES.items()
        for text in docstrings(tree)
        for name in NAME.findall(text)
    }
    code = [ROOT / "pyproject.toml", *(ROOT / "src").rglob("*.sql"), *OURS]
    words: set[str] = set()
    for path in code:
        text = path.read_text()
        if path in TREES:
            for doc in docstrings(TREES[path]):
                text = text.replace(doc, "") if doc else text
        words |= set(re.findall(r"\w+", text))

    assert sorted((path, name) for path, name in quoted if name not in words) == []
