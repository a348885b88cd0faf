"""Only literals speak in our voice (X6): what mypy cannot see of it, by the syntax tree.

mypy sees that a remark, a refusal and a line for the person are of the type `Ours`. Here: that only
`hook/voice.py` makes that type, and that whatever is handed to it for our own words is a literal.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "holdfast"
VOICE = PACKAGE / "hook" / "voice.py"
TREES = {source: ast.parse(source.read_text(encoding="utf-8")) for source in PACKAGE.rglob("*.py")}
# What takes our own words, and where among its arguments they stand.
TAKES_OURS = {"ours": 0, "joined": 0, "known": 1}


def module_of(source: Path) -> str:
    return ".".join(source.relative_to(PACKAGE.parent).with_suffix("").parts)


MODULES = {module_of(source): tree for source, tree in TREES.items()}


@cache
def constants_of(tree: ast.Module) -> dict[str, ast.expr]:
    """What names in capitals stand for at the top of a module; several at once included."""
    constants: dict[str, ast.expr] = {}
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            targets = [node.target]
        for target in targets:
            if isinstance(target, ast.Name):
                constants[target.id] = node.value
            elif isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                names = [each.id for each in target.elts if isinstance(each, ast.Name)]
                constants |= dict(zip(names, node.value.elts, strict=False))
    return {name: value for name, value in constants.items() if name.isupper()}


@cache
def imported_by(tree: ast.Module) -> dict[str, str]:
    """Names of our modules, and of what is in them, by the names they have here."""
    return {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("holdfast")
        for alias in node.names
    }


def is_literal(node: ast.expr, tree: ast.Module) -> bool:
    """Whether a value can only be one of our own literals."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str)
    if isinstance(node, ast.IfExp):
        return is_literal(node.body, tree) and is_literal(node.orelse, tree)
    if isinstance(node, ast.Subscript):
        return is_literal(node.value, tree)
    if isinstance(node, (ast.Tuple, ast.List)):
        return all(is_literal(each, tree) for each in node.elts)
    if isinstance(node, ast.Dict):
        return all(is_literal(each, tree) for each in node.values)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        is_lookup = node.func.attr == "get" and len(node.args) == 2
        return is_lookup and is_literal(node.func.value, tree) and is_literal(node.args[1], tree)
    if isinstance(node, ast.Name):
        return _is_constant(node.id, tree) or _is_literal_here(node, tree)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        module = MODULES.get(imported_by(tree).get(node.value.id, ""))
        return module is not None and _is_constant(node.attr, module)
    return False


def _is_constant(name: str, tree: ast.Module) -> bool:
    value = constants_of(tree).get(name)
    if value is not None:
        return is_literal(value, tree)
    module, _, inner = imported_by(tree).get(name, "").rpartition(".")
    return module in MODULES and inner.isupper() and _is_constant(inner, MODULES[module])


def _is_literal_here(name: ast.Name, tree: ast.Module) -> bool:
    """A local of which every assignment in its function is a literal."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef) and name in ast.walk(function):
            values = [value for target, value in _assigned(function) if target == name.id]
            return bool(values) and all(each and is_literal(each, tree) for each in values)
    return False


def _assigned(function: ast.FunctionDef) -> list[tuple[str, ast.expr | None]]:
    """Every name that a function binds, with the value where one assignment says it alone."""
    bound: list[tuple[str, ast.expr | None]] = [(each.arg, None) for each in function.args.args]
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                bound += _paired(target, node.value)
    plain = {node for target in _plain_targets(function) for node in ast.walk(target)}
    bound += [
        (node.id, None)
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node not in plain
    ]
    return bound


def _plain_targets(function: ast.FunctionDef) -> list[ast.expr]:
    return [
        target
        for node in ast.walk(function)
        if isinstance(node, ast.Assign)
        for target in node.targets
    ]


def _paired(target: ast.expr, value: ast.expr) -> list[tuple[str, ast.expr | None]]:
    if isinstance(target, ast.Name):
        return [(target.id, value)]
    if not isinstance(target, ast.Tuple):
        return []
    if isinstance(value, ast.Tuple):
        pairs = zip(target.elts, value.elts, strict=False)
        return [(each.id, of) for each, of in pairs if isinstance(each, ast.Name)]
    if isinstance(value, ast.Call):  # what, undo = TABLE.get(key, (..., ...))
        return [(each.id, value) for each in target.elts if isinstance(each, ast.Name)]
    return [(each.id, None) for each in target.elts if isinstance(each, ast.Name)]


def called(node: ast.Call, tree: ast.Module) -> str:
    """The name of a function of voice.py that is called, by itself or through the module."""
    function, names = node.func, imported_by(tree)
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        return function.attr if names.get(function.value.id) == "holdfast.hook.voice" else ""
    where = names.get(function.id, "") if isinstance(function, ast.Name) else ""
    return where.rpartition(".")[2] if where.startswith("holdfast.hook.voice.") else ""


def not_literal(tree: ast.Module) -> list[int]:
    """Lines on which something else than a literal is handed over for our own words."""
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and (place := TAKES_OURS.get(called(node, tree))) is not None
        if len(node.args) <= place or not is_literal(node.args[place], tree)
    ]


@pytest.mark.promise("X6")
def test_our_own_words_are_literals():
    speaking = {
        str(source.relative_to(PACKAGE)): lines
        for source, tree in TREES.items()
        if source != VOICE and (lines := not_literal(tree))
    }

    assert speaking == {}


@pytest.mark.promise("X6")
def test_only_the_voice_makes_text_of_ours():
    makers = [
        f"{source.relative_to(PACKAGE)}:{node.lineno}"
        for source, tree in TREES.items()
        if source != VOICE
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and any(
            isinstance(part, ast.Name) and part.id == "Ours"
            for part in (node.func, *node.args[:1])  # cast(Ours, ...)
        )
    ]

    assert makers == []


@pytest.mark.parametrize(
    "spoken",
    [
        "ours(f'Branch {branch}')",
        "ours('Branch ' + branch)",
        "ours('Branch %s' % branch)",
        "ours('Branch {}'.format(branch))",
        "ours(branch)",
        "ours(BRANCHES[branch].name)",
        "joined(branch, [])",
        "known(branch, [branch])",
    ],
)
def test_a_text_that_is_made_of_others_is_no_literal(spoken):
    imports = "from holdfast.hook.voice import joined, known, ours"

    assert not_literal(ast.parse(f"{imports}\ndef told(branch):\n    {spoken}")) == [3]


HANDED = """
from holdfast.hook.event import NOTICE, Answer, Remark
from holdfast.hook.voice import Ours, joined, ours

def told(branch: str) -> list[object]:
    lines: list[Ours] = [{spoken}]
    return lines
"""


@pytest.mark.promise("X6")
@pytest.mark.exhaustive
def test_mypy_refuses_a_plain_text_wherever_ours_is_spoken(tmp_path):
    spoken = [
        "f'Branch {branch}'",
        "Remark(NOTICE, branch).text",
        "Remark(NOTICE, ours(''), rest=branch).text",
        "ours('Branch {}', branch)",
        "joined(', ', [branch])",
        "Answer(refusal=branch).refusal or ours('')",
    ]
    sources = []
    for number, each in enumerate(spoken):
        sources.append(tmp_path / f"spoken{number}.py")
        sources[-1].write_text(HANDED.replace("{spoken}", each))
    root = PACKAGE.parents[1]
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--strict",
            "--cache-dir",
            str(tmp_path),
            *map(str, sources),
        ],
        cwd=root,
        env={"MYPYPATH": str(PACKAGE.parent), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )

    refused = {line.partition(":")[0].rpartition("/")[2] for line in done.stdout.splitlines()}
    assert {source.name for source in sources} <= refused, done.stdout
