"""Code without what no hook reads: annotations, docstrings, what only the type checker sees.

A hook loads some fifty modules, and a quarter of their bytes is for readers. Lines keep their
numbers: a fault still says where it was.
"""

from __future__ import annotations

import ast
from types import CodeType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


def compiled(source: Path) -> CodeType:
    return compiled_text(source.read_text(encoding="utf-8"), str(source))


def compiled_text(text: str, name: str) -> CodeType:
    tree = _Lean().visit(ast.parse(text))
    for node in ast.walk(tree):
        if isinstance(node, ast.expr | ast.stmt | ast.excepthandler):
            node.end_lineno = node.lineno
            node.col_offset = node.end_col_offset = -1  # not known
    code: CodeType = compile(tree, name, "exec", dont_inherit=True)
    return code


class _Lean(ast.NodeTransformer):
    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        node.returns = None
        arguments = node.args
        named = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        for each in (*named, arguments.vararg, arguments.kwarg):
            if each is not None:
                each.annotation = None
        return self._shorter(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        fields = [each for each in node.body if isinstance(each, ast.AnnAssign)]
        self._shorter(node)
        if node.bases and fields:  # what a value is made of (system/value.py)
            names: list[ast.expr] = [ast.Constant(ast.unparse(each.target)) for each in fields]
            own = ast.Assign([ast.Name("__fields__", ast.Store())], ast.Tuple(names, ast.Load()))
            node.body.insert(0, ast.fix_missing_locations(ast.copy_location(own, fields[0])))
        return node

    def visit_Module(self, node: ast.Module) -> Any:
        return self._shorter(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        if node.value is None:
            return None
        return ast.copy_location(ast.Assign([node.target], node.value), node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | None:
        return None if node.module == "__future__" else node

    def visit_If(self, node: ast.If) -> Any:
        self.generic_visit(node)
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return node.orelse
        return node

    def _shorter(self, node: Any) -> Any:
        """Without the docstring; what has nothing else in it passes."""
        at = node.body[0].lineno if node.body else 0
        if ast.get_docstring(node, clean=False) is not None:
            del node.body[0]
        self.generic_visit(node)
        if not node.body and not isinstance(node, ast.Module):
            node.body.append(ast.Pass(lineno=at, col_offset=0, end_lineno=at, end_col_offset=0))
        return node
