"""Small changes to our sources, each of which some test should notice.

Laws:
  - a mutant is known by its file, function, change and place among equal ones, never by its line,
    so that a sample stays the same when other lines change;
  - what no test could notice is not changed: docstrings, annotations, what only the type checker
    sees, texts of errors and messages, `__slots__`, decorators;
  - words in tables at the top of a module are data, not lines: numbers there are changed, words
    are not.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

TEXT = (ast.Raise, ast.Assert, ast.JoinedStr)
UNSEEN_KEYWORDS = {"strict", "encoding", "errors", "indent", "exist_ok", "parents", "dont_inherit"}
COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
SWAPPED_CALLS = {"min": "max", "max": "min", "any": "all", "all": "any"}
# What a function returns instead, by the beginning of what it says it returns.
EMPTY = {"str": "''", "int": "0", "float": "0.0", "list": "[]", "dict": "{}", "tuple": "()"}
QUERY = re.compile(r"\s*(select|insert|update|delete|with)\b", re.IGNORECASE)
QUERY_CHANGES = (
    (re.compile(r" and "), " or "),
    (re.compile(r" or "), " and "),
    (re.compile(r" desc\b"), " asc"),
    (re.compile(r" is null\b"), " is not null"),
    (re.compile(r" is not null\b"), " is null"),
    (re.compile(r" <= "), " < "),
    (re.compile(r" >= "), " > "),
    (re.compile(r" < "), " <= "),
    (re.compile(r" > "), " >= "),
    (re.compile(r" = \?"), " != ?"),
    (re.compile(r"\bmax\("), "min("),
    (re.compile(r"\bmin\("), "max("),
)
TOP = "<module>"


@dataclass(frozen=True, order=True)
class Block:
    """Statements that run together: a body, an `else`, an `except` ..., within a function."""

    file: str
    function: str  # its qualified name, TOP for what runs when the module is loaded
    number: int


@dataclass(frozen=True)
class Mutant:
    block: Block
    line: int
    names: tuple[str, ...]  # what is assigned there, when it runs at the top
    start: int
    end: int
    before: str
    after: str
    key: str

    @property
    def id(self) -> str:
        return hashlib.sha256(self.key.encode()).hexdigest()[:10]

    def rank(self, seed: int) -> str:
        """Its place in the sample of a seed: the lowest are taken."""
        return hashlib.sha256(f"{seed}|{self.key}".encode()).hexdigest()

    def applied(self, source: bytes) -> bytes:
        return source[: self.start] + self.after.encode() + source[self.end :]

    def change(self) -> tuple[str, str]:
        """What stood there and what stands there now, in one line each."""
        return " ".join(self.before.split()), " ".join(self.after.split())

    def __str__(self) -> str:
        return f"{self.block.file}:{self.line} {' -> '.join(self.change())}"


class Source:
    """A file of ours: the blocks in it, and every mutant that could be made of it."""

    def __init__(self, file: str, content: bytes) -> None:
        self.content = content
        self.tree = ast.parse(content)
        self.blocks: list[tuple[Block, list[ast.stmt]]] = []
        self.mutants: list[Mutant] = []
        self._file = file
        self._starts = [0]
        for line in content.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))
        self._numbers: Counter[str] = Counter()
        self._same: Counter[str] = Counter()
        self._suite(self.tree.body, "", ())

    def _suite(self, statements: list[ast.stmt], function: str, returns: tuple[str, ...]) -> None:
        block = Block(self._file, function or TOP, self._numbers[function])
        self._numbers[function] += 1
        self.blocks.append((block, statements))
        for statement in statements:
            self._statement(statement, block, function, returns)

    def _statement(
        self, node: ast.AST, block: Block, function: str, returns: tuple[str, ...]
    ) -> None:
        """What a statement holds. `returns`: what may be returned instead, in this function."""
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            name = f"{function}.{node.name}".lstrip(".")
            for default in (*node.args.defaults, *node.args.kw_defaults):
                if default is not None:
                    self._expression(default, Block(self._file, name, self._numbers[name]), ())
            self._suite(node.body, name, _instead(node))
        elif isinstance(node, ast.ClassDef):
            for statement in node.body:
                self._statement(statement, block, f"{function}.{node.name}".lstrip("."), ())
        elif not _is_unseen(node):
            names = assigned(node) if block.function == TOP else ()
            for before, after in _changes_of_statement(node, returns):
                self._add(before, after, block, names)
            for field, value in ast.iter_fields(node):
                parts = value if isinstance(value, list) else [value]
                if parts and isinstance(parts[0], ast.stmt):
                    self._suite(parts, function, returns)
                    continue
                for part in parts:
                    if isinstance(part, ast.ExceptHandler | ast.match_case):
                        self._suite(part.body, function, returns)
                    elif isinstance(part, ast.withitem):
                        self._expression(part.context_expr, block, names)
                    elif isinstance(part, ast.expr) and field not in ("annotation", "target"):
                        self._expression(part, block, names)

    def _expression(self, node: ast.AST, block: Block, names: tuple[str, ...]) -> None:
        if isinstance(node, TEXT) or (
            isinstance(node, ast.keyword) and node.arg in UNSEEN_KEYWORDS
        ):
            return
        is_word = isinstance(node, ast.Constant) and isinstance(node.value, str)
        for after in _changes_of_expression(node):
            if is_word and after == "''" and block.function == TOP:
                continue
            self._add(node, after, block, names)
        for child in ast.iter_child_nodes(node):
            self._expression(child, block, names)

    def _add(self, node: ast.AST, after: str, block: Block, names: tuple[str, ...]) -> None:
        start = self._starts[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]
        end = self._starts[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]
        before = self.content[start:end].decode()
        change = f"{self._file}|{block.function}|{before}|{after}"
        self._same[change] += 1
        key = f"{change}|{self._same[change]}"
        line = node.lineno  # type: ignore[attr-defined]
        self.mutants.append(Mutant(block, line, names, start, end, before, after, key))


def _is_unseen(node: ast.AST) -> bool:
    """Docstrings and lone strings, errors, types, the fields that a class declares."""
    if isinstance(node, ast.If):
        return ast.unparse(node.test) == "TYPE_CHECKING"
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Assign | ast.AnnAssign):
        return set(assigned(node)) <= {"__slots__", "__all__", "TYPE_CHECKING", "__hash__"}
    return isinstance(node, (*TEXT, ast.Import, ast.ImportFrom))


def assigned(node: ast.AST) -> tuple[str, ...]:
    targets = getattr(node, "targets", [getattr(node, "target", None)])
    inside = (each for target in targets if target is not None for each in ast.walk(target))
    return tuple(each.id for each in inside if isinstance(each, ast.Name))


def _instead(function: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[str, ...]:
    """What a function could return instead of what it does, by its annotation."""
    said = ast.unparse(function.returns) if function.returns else "None"
    if said == "None" or said.startswith(("Iterator", "Generator", "NoReturn")):
        return ()
    if said == "bool":
        return ("not",)
    return (EMPTY.get(re.split(r"\W", said)[0], "None"),)


def _changes_of_statement(node: ast.AST, returns: tuple[str, ...]) -> Iterator[tuple[ast.AST, str]]:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield node, "pass"
    elif isinstance(node, ast.Return) and node.value is not None:
        for instead in returns:
            value = ast.unparse(node.value)
            if instead == "not":
                yield node.value, f"(not ({value}))"
            elif value != instead:
                yield node.value, instead
    elif isinstance(node, ast.If):
        yield node.test, "True"
        yield node.test, "False"
    elif isinstance(node, ast.While):
        yield node.test, "False"


def _changes_of_expression(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Compare):
        for place, operator in enumerate(node.ops):
            for other in COMPARISONS[type(operator)]:
                operators = [*node.ops[:place], other(), *node.ops[place + 1 :]]
                yield _written(ast.Compare(node.left, operators, node.comparators))
    elif isinstance(node, ast.BoolOp):
        other_way = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield _written(ast.BoolOp(other_way, node.values))
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield _written(node.operand)
    elif isinstance(node, ast.IfExp):
        yield _written(node.body)
        yield _written(node.orelse)
    elif isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC and not _joins_texts(node):
        yield _written(ast.BinOp(node.left, ARITHMETIC[type(node.op)](), node.right))
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id in SWAPPED_CALLS:
            other_call = ast.Name(SWAPPED_CALLS[node.func.id])
            yield _written(ast.Call(other_call, node.args, node.keywords))
    elif isinstance(node, ast.Constant):
        yield from _changes_of_constant(node.value)


def _changes_of_constant(value: object) -> Iterator[str]:
    if isinstance(value, bool):
        yield repr(not value)
    elif isinstance(value, int | float):
        yield repr(value + 1)
        yield repr(value - 1)
    elif isinstance(value, str) and QUERY.match(value):
        for pattern, other in QUERY_CHANGES:
            for match in pattern.finditer(value):
                yield repr(value[: match.start()] + other + value[match.end() :])
    elif isinstance(value, str) and value and not re.search(r"\s", value):
        yield "''"


def _joins_texts(node: ast.BinOp) -> bool:
    sides = (node.left, node.right)
    if any(isinstance(side, ast.JoinedStr | ast.List | ast.Tuple) for side in sides):
        return True
    return any(isinstance(side, ast.Constant) and isinstance(side.value, str) for side in sides)


def _written(node: ast.expr) -> str:
    return f"({ast.unparse(ast.fix_missing_locations(node))})"
