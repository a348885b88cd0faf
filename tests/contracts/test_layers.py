"""The layer law: data flows one way, so imports do too. Rooms do not import each other."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "holdfast"
BASE = {"system", "errors"}
KEEPING = BASE | {"redaction", "store", "ledger", "config", "hook", "agents"}
ROOMS = {f"rooms.{path.name}" for path in (PACKAGE / "rooms").iterdir() if path.is_dir()}
ROOMS -= {"rooms.__pycache__"}

# A folder may import itself and those listed. A new one must be added here. Rooms that stand on
# others say so: docs/internals/decisions/0007.
MAY_IMPORT: dict[str, set[str]] = {
    "__init__": set(),
    "errors": set(),
    "system": {"errors"},
    "redaction": BASE,
    "shell": {"system"},  # reads command lines, and knows nothing of ours
    # Of gates the words that a trigger needs: told once, when a configuration is compiled. Of the
    # ledger the names of kinds and fields, which no pattern may change.
    "config": BASE | {"agents", "rooms.gates", "ledger"},
    "agents": BASE | {"hook", "ledger"},
    "store": BASE,
    # Of rooms the projections that entries pass through (ledger/projections.py).
    "ledger": KEEPING | ROOMS,
    "rooms": set(),
    "rooms.sessions": KEEPING | {"shell"},
    "rooms.prompts": KEEPING,
    "rooms.work": KEEPING | {"rooms.prompts", "rooms.tracker", "shell"},
    # Of identity the words that texts are cut into.
    "rooms.threads": KEEPING | {"rooms.prompts", "rooms.work", "rooms.identity"},
    # Of prompts the rules that gates are made of.
    "rooms.gates": KEEPING | {"shell", "rooms.prompts"},
    "rooms.identity": KEEPING,
    "rooms.decisions": KEEPING,
    "rooms.notes": KEEPING | {"rooms.decisions", "rooms.tracker"},
    "rooms.tracker": KEEPING,
    "rooms.trajectory": KEEPING,
    "rooms.recovery": KEEPING
    | {"rooms.decisions", "rooms.notes", "rooms.tracker", "rooms.trajectory"},
    "rooms.consolidation": KEEPING,
    "rooms.recall": KEEPING | {"rooms.decisions"},  # of decisions the stems of words
    "hook": KEEPING | ROOMS | {"agents"},
    "setup": KEEPING | {"agents", "rooms.sessions", "__init__"},
    "cli": KEEPING | ROOMS | {"setup", "mcp", "web", "__init__"},
    "mcp": {"errors", "hook", "__init__"},  # of hook the voice: what is told is harmless
    "web": KEEPING | ROOMS | {"setup", "__init__"},
    "__main__": BASE | {"agents", "cli", "hook", "__init__"},
}


def room_of(source: Path) -> str:
    return folder_of(*source.relative_to(PACKAGE).with_suffix("").parts)


def folder_of(first: str, *rest: str) -> str:
    """A folder of the package, or a room."""
    return f"{first}.{rest[0]}" if first == "rooms" and rest[0] != "__init__" else first


@pytest.mark.parametrize(
    "source", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE))
)
def test_a_room_imports_only_from_the_rooms_below_it(source):
    room = room_of(source)
    run, typed = rooms_imported_by(source)

    assert run <= MAY_IMPORT[room] | {room}
    assert typed <= MAY_IMPORT[room] | {room}


def rooms_imported_by(source: Path) -> tuple[set[str], set[str]]:
    """What is imported when it runs, at the top or in a function; and under TYPE_CHECKING."""
    tree = ast.parse(source.read_text(encoding="utf-8"))
    typed_nodes: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            for inner in node.body:
                typed_nodes |= set(ast.walk(inner))
    found: tuple[set[str], set[str]] = (set(), set())
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{source}:{node.lineno} say the full name: no relative imports"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            if name == "holdfast" or name.startswith("holdfast.__"):
                found[node in typed_nodes].add("__init__")
            elif name.startswith("holdfast."):
                found[node in typed_nodes].add(folder_of(*name.split(".")[1:]))
    return found


@pytest.mark.parametrize("source", sorted(PACKAGE.rglob("*.py")), ids=lambda path: path.name)
def test_every_module_opens_with_what_lives_there(source):
    said = ast.get_docstring(ast.parse(source.read_text(encoding="utf-8")))

    assert said
    assert not said.lower().startswith(("this module", "module for"))


@pytest.mark.parametrize("source", sorted(PACKAGE.rglob("*.py")), ids=lambda path: path.name)
def test_sql_lives_on_shelves_and_in_derivations(source):
    texts = [
        node.value.lower()
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    if (
        source.stem in {"projection", "archive", "replay"}
        or source.stem.endswith("queries")
        or source.parent.name == "store"
    ):
        return

    assert not [
        text
        for text in texts
        if text.startswith(("select ", "insert ", "update ", "delete from"))
        and source.stem not in {"projections", "workspace"}
    ]
