"""What every command prints with `--json` as a JSON Schema, made of the types that they return.

`python -m holdfast.cli.helpers.command_schema` prints it: docs/reference/commands.schema.json is
that, published. Fields may be added to an object at any time, so the published schema leaves
objects open; `closed` makes one that knows every field, for tests.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterator
from dataclasses import is_dataclass
from types import NoneType, UnionType
from typing import (
    Any,
    Literal,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from holdfast.cli import COMMANDS
from holdfast.cli.helpers.report import Data, Report, show
from holdfast.system.value import Value

PLAIN = {str: "string", bool: "boolean", int: "integer", float: "number", NoneType: "null"}


def functions() -> Iterator[tuple[str, Callable[..., Report[Any]]]]:
    """Every command line without its arguments, and what it runs: `` is `holdfast` alone."""
    for name in ("overview", *COMMANDS):
        module = importlib.import_module(f"holdfast.cli.commands.{name}_command")
        if hasattr(module, "VERBS"):
            for verb, each in module.VERBS.items():
                yield f"holdfast {name} {verb}", each.run
        else:
            yield "holdfast" if name == "overview" else f"holdfast {name}", module.run


def schema(*, closed: bool = False) -> Data:
    """An object with one property for each command line: what that prints."""
    made = Shapes(closed=closed)
    properties = {line: made.of(shape_of(run)) for line, run in functions()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "What the commands of Holdfast print with --json",
        "description": "Each property is a command line without its arguments; its schema is that"
        " of the object which the command prints on stdout. Later versions only add fields.",
        "type": "object",
        "properties": properties,
        "$defs": dict(sorted(made.definitions.items())),
    }


def shape_of(run: Callable[..., Report[Any]]) -> Any:
    """The type of the data of what a function returns."""
    returned = get_type_hints(run)["return"]
    if get_origin(returned) is not Report:
        raise TypeError(f"{run} does not say which data it returns, as in Report[RulesListed]")
    return get_args(returned)[0]


class Shapes:
    """Types as schemas; what has a name is defined once and referred to."""

    def __init__(self, *, closed: bool) -> None:
        self.closed = closed
        self.definitions: dict[str, Data] = {}
        self._named: dict[str, Any] = {}

    def of(self, shape: Any) -> Data:
        origin, arguments = get_origin(shape), get_args(shape)
        if shape in PLAIN:
            return {"type": PLAIN[shape]}
        if shape in (Any, object):
            return {}
        if is_typeddict(shape) or is_dataclass(shape) or _is_value(shape):
            return self._reference(shape)
        if origin in (Union, UnionType):
            return {"anyOf": [self.of(each) for each in arguments]}
        if origin is Literal:
            return {"enum": list(arguments)}
        if origin is list:
            return {"type": "array", "items": self.of(arguments[0])}
        if origin is dict and arguments[0] is str:
            return {"type": "object", "additionalProperties": self.of(arguments[1])}
        raise TypeError(f"{shape} has no schema: use a TypedDict, a dataclass, a list, a dict")

    def _reference(self, shape: Any) -> Data:
        name = shape.__name__
        if self._named.setdefault(name, shape) is not shape:
            raise TypeError(f"two shapes are called {name}: {shape} and {self._named[name]}")
        if name not in self.definitions:
            self.definitions[name] = {}  # it may refer to itself
            self.definitions[name] = self._definition(shape)
        return {"$ref": f"#/$defs/{name}"}

    def _definition(self, shape: Any) -> Data:
        # Not __required_keys__: Python 3.11 does not see NotRequired in an annotation that is text.
        hints = get_type_hints(shape, include_extras=True)
        optional = {name for name, hint in hints.items() if get_origin(hint) is NotRequired}
        properties = {
            name: self.of(get_args(hint)[0] if name in optional else hint)
            for name, hint in hints.items()
        }
        text = shape.__doc__ or ""
        about = {"description": " ".join(text.split())} if text and text != dict.__doc__ else {}
        return {
            **about,
            "type": "object",
            "properties": properties,
            "required": [name for name in hints if name not in optional],
            **({"additionalProperties": False} if self.closed else {}),
        }


def _is_value(shape: Any) -> bool:
    return isinstance(shape, type) and issubclass(shape, Value)


def text() -> str:
    """The schema as it is published: a line for each command and each definition."""
    lines = []
    for key, value in schema().items():
        if key not in ("properties", "$defs"):
            lines.append(f"{json.dumps(key)}: {json.dumps(value)}")
            continue
        each = ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in value.items())
        lines.append(f"{json.dumps(key)}: {{\n{each}\n }}")
    return "{\n " + ",\n ".join(lines) + "\n}"


if __name__ == "__main__":
    show(text())
