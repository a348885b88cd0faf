"""The grammar of the shell: tree-sitter's, loaded without what its packages would bring along."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from tree_sitter import Node


def root_of(source: bytes) -> Node:
    """The tree of a shell text."""
    tree_sitter = _compiled("tree_sitter")
    language = tree_sitter.Language(_compiled("tree_sitter_bash").language())
    root: Node = tree_sitter.Parser(language).parse(source).root_node
    return root


def _compiled(package: str) -> ModuleType:
    """The compiled half of a package.

    Its Python half imports `typing` and `importlib.resources`, for what is not used here; they
    cost more than all the rest, after every command that is read.
    """
    name = f"{package}._binding"
    if package not in sys.modules and name not in sys.modules:
        from importlib.machinery import PathFinder

        outer = PathFinder.find_spec(package)
        folders = outer.submodule_search_locations if outer else None
        spec = PathFinder.find_spec(name, folders) if folders else None
        if spec is not None and spec.loader is not None:
            module = spec.loader.create_module(spec)
            if module is not None:
                spec.loader.exec_module(module)
                sys.modules[name] = module
    if name not in sys.modules:
        __import__(name)
    return sys.modules[name]
