"""What a command has to say: lines for people, data for programs, warnings, an exit code.

Law: whatever is printed shows what it is. No text that was kept or read moves the cursor, hides or
turns what stands beside it: in lines such characters are left out, in data they are escaped.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, is_dataclass
from typing import Any, Generic, TypeVar, cast

import click

from holdfast.hook.voice import visible

Data = dict[str, Any]
Shape_co = TypeVar("Shape_co", covariant=True)
Shape = TypeVar("Shape", bound=Mapping[str, Any])


@dataclass(frozen=True)
class Report(Generic[Shape_co]):
    """`data` is the JSON object that `--json` prints. A command says which fields it has by what it
    returns: `Report[RulesListed]`. People's scripts read them, so they stay as they are;
    `docs/reference/commands.schema.json` publishes them."""

    lines: Iterable[str]
    data: Shape_co
    exit_code: int = 0
    warnings: Iterable[str] = ()  # for stderr, whatever is printed
    each: Iterable[Shape_co] = ()  # objects that `--json` prints instead, one on a line


def shaped(shape: type[Shape], of: object, **more: Any) -> Shape:
    """The fields of a shape as a row or a value has them; `more` are those that it has not, or has
    otherwise."""
    names = [name for name in shape.__annotations__ if name not in more]
    own = {name: of[name] if isinstance(of, Mapping) else getattr(of, name) for name in names}
    return cast("Shape", {name: {**own, **more}[name] for name in shape.__annotations__})


def is_for_programs() -> bool:
    """Whether the command that runs was asked for data."""
    context: click.Context | None = click.get_current_context()
    while context is not None:
        if context.params.get("as_json"):
            return True
        context = context.parent
    return False


def show(line: str, *, is_error: bool = False) -> None:
    """Print a line for people."""
    click.echo(visible(line), err=is_error)


def _as_dict(value: Any) -> Data:
    return asdict(value) if is_dataclass(value) else value.as_dict()  # type: ignore[arg-type]


def show_data(data: object, *, indent: int | None = 2) -> None:
    """Print data for programs."""
    text = json.dumps(data, indent=indent, ensure_ascii=False, default=_as_dict)
    if not text.isascii():
        text = "".join(
            each if each.isprintable() or each == "\n" else json.dumps(each)[1:-1] for each in text
        )
    click.echo(text)


Tell = Callable[[int, int], None]


@contextmanager
def progress(doing: str) -> Iterator[Tell]:
    """A bar for what takes long, on a terminal; silence elsewhere. It is drawn on stderr, and gone
    when the work is done: stdout is the report alone."""
    if not sys.stderr.isatty():
        yield lambda done, of: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(doing, total=None)
        yield lambda done, of: bar.update(task, completed=done, total=of)
