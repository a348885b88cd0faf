"""What measures uses names of the package that are there, and every corpus says what it is."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def names_used(source: Path) -> set[tuple[str, str]]:
    """Names of ours that a script imports, and attributes of modules that it imports."""
    tree = ast.parse(source.read_text())
    imports = [
        (node.module, alias.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("holdfast.")
        for alias in node.names
    ]
    modules = {name: f"{module}.{name}" for module, name in imports if is_module(module, name)}
    attributes = {
        (modules[node.value.id], node.attr)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in modules
    }
    return attributes | {pair for pair in imports if pair[1] not in modules}


def is_module(package: str, name: str) -> bool:
    path = ROOT.joinpath("src", *package.split("."), name)
    return path.is_dir() or path.with_suffix(".py").exists()


@pytest.mark.parametrize(
    "source", sorted((ROOT / "benchmarks").rglob("*.py")), ids=lambda path: path.stem
)
def test_every_name_of_ours_that_a_benchmark_uses_is_there(source):
    assert [
        f"{module}.{name}"
        for module, name in sorted(names_used(source))
        if not is_there(module, name)
    ] == []


def is_there(module: str, name: str) -> bool:
    loaded = importlib.import_module(module)
    typed = re.search(rf"^    {name} = ", Path(str(loaded.__file__)).read_text(), re.MULTILINE)
    return hasattr(loaded, name) or typed is not None


def test_every_corpus_says_who_wrote_it_how_and_under_which_licence():
    folder = ROOT / "tests" / "corpus"
    page = (folder / "README.md").read_text()
    rows = dict(re.findall(r"^\| `(\w[\w-]*\.jsonl)` \|(.+)\|$", page, re.MULTILINE))

    assert set(rows) == {path.name for path in folder.glob("*.jsonl")}
    assert all(len([cell for cell in row.split("|") if cell.strip()]) == 4 for row in rows.values())
    assert "**Licence**: Apache-2.0" in page


def test_every_corpus_has_as_many_lines_as_its_page_says():
    folder = ROOT / "tests" / "corpus"
    said = re.findall(
        r"^\| `(\w[\w-]*\.jsonl)` \| ([\d,]+) ", (folder / "README.md").read_text(), re.MULTILINE
    )

    for name, number in said:
        lines = (folder / name).read_text(encoding="utf-8").count("\n")
        assert lines == int(number.replace(",", "")), name
