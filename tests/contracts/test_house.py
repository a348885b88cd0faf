"""The house style that can be counted: names, types, walls."""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "src" / "holdfast"
SOURCES = sorted(PACKAGE.rglob("*.py"))
TREES = {source: ast.parse(source.read_text(encoding="utf-8")) for source in SOURCES}

# Words that say nothing of what a thing is.
VAGUE = {"said", "found", "one", "told"}
# Files that every room may have.
SHARED_NAMES = {"__init__.py", "queries.py", "projection.py", "handlers.py"}
# Where a dictionary of anything is what comes in: JSON and YAML.
DICTIONARIES = 80
BLOCK = 6
AGENTS = re.compile(r"claude|codex|gemini", re.IGNORECASE)


def test_at_most_five_files_lie_at_the_top():
    assert len(list(PACKAGE.glob("*.py"))) <= 5


def test_no_two_files_share_a_name():
    names = Counter(source.name for source in SOURCES if source.name not in SHARED_NAMES)

    assert [name for name, count in names.items() if count > 1] == []


def test_no_local_has_a_name_that_says_nothing():
    vague = []
    for source, tree in TREES.items():
        published = {field for node in ast.walk(tree) for field in _fields_of_json(node)}
        for node in ast.walk(tree):
            name = ""
            if node in published:
                continue  # scripts read it by this name
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                name = node.id
            elif isinstance(node, ast.arg):
                name = node.arg
            if name in VAGUE:
                vague.append(f"{source.relative_to(PACKAGE)}:{node.lineno} {name}")

    assert vague == []


def _fields_of_json(node: ast.AST) -> list[ast.AST]:
    """The names in a TypedDict: what is printed or read as JSON is called so elsewhere."""
    if not isinstance(node, ast.ClassDef):
        return []
    is_typed_dict = any(ast.unparse(base) == "TypedDict" for base in node.bases)
    fields = [each.target for each in node.body if isinstance(each, ast.AnnAssign)]
    return fields if is_typed_dict else []


def test_dictionaries_of_anything_stand_at_doors_alone():
    counts = {
        str(source.relative_to(PACKAGE)): source.read_text(encoding="utf-8").count("dict[str, Any]")
        for source in SOURCES
    }

    assert sum(counts.values()) < DICTIONARIES, {k: v for k, v in counts.items() if v}


def test_every_insert_names_its_columns():
    unnamed = [
        f"{source.relative_to(PACKAGE)}:{node.lineno}"
        for source, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and re.search(r"(?i)\binsert\s+(or\s+\w+\s+)?into\s+\S+\s+(values|select)", node.value)
    ]

    assert unnamed == []


def imports_of(source: Path) -> set[Path]:
    """Modules of ours that a module names in an import, lazy and type-level ones included."""
    names = set()
    for node in ast.walk(TREES[source]):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {f"{node.module}.{alias.name}" for alias in node.names} | {node.module}
    paths = {PACKAGE.parent.joinpath(*name.split(".")).with_suffix(".py") for name in names}
    return {path for path in paths if path in TREES} - {source}


def test_no_imports_go_in_a_circle():
    imports = {source: imports_of(source) for source in SOURCES}
    done: set[Path] = set()
    circles = []

    def follow(source: Path, way: list[Path]) -> None:
        if source in way:
            circle = way[way.index(source) :]
            circles.append(" -> ".join(str(each.relative_to(PACKAGE)) for each in circle))
        elif source not in done:
            for needed in sorted(imports[source]):
                follow(needed, [*way, source])
            done.add(source)

    for source in SOURCES:
        follow(source, [])
    assert circles == []


def code_of(source: Path) -> str:
    """A module without its comments and docstrings."""
    return ast.unparse(_Bare().visit(ast.parse(source.read_text(encoding="utf-8"))))


class _Bare(ast.NodeTransformer):
    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        is_text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return ast.Pass() if is_text else node


def test_agents_are_named_by_their_own_folder_and_by_the_set_up_alone():
    naming = [
        f"{source.relative_to(PACKAGE)}: {line.strip()}"
        for source in SOURCES
        if source.relative_to(PACKAGE).parts[0] not in ("agents", "setup")
        for line in code_of(source).splitlines()
        if AGENTS.search(line)
    ]

    assert naming == []


def test_no_block_of_six_lines_stands_twice():
    places = defaultdict(set)
    for source in SOURCES:
        lines = [
            (number, line.strip())
            for number, line in enumerate(source.read_text(encoding="utf-8").splitlines(), 1)
            if line.strip() and not line.strip().startswith(("#", "from ", "import "))
        ]
        for start in range(len(lines) - BLOCK + 1):
            block = tuple(line for _, line in lines[start : start + BLOCK])
            if sum(len(line) for line in block) > 60:
                places[block].add(f"{source.relative_to(PACKAGE)}:{lines[start][0]}")

    assert [sorted(where) for where in places.values() if len(where) > 1] == []
