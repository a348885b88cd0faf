"""The reference of the command line, made of the commands themselves.

`python docs/reference/write_commands.py` writes it: docs/reference/commands.md and
docs/internals/commands.md, with those that help leaves out, have a section for each command and
verb with what its help says, and an example where something must be given;
docs/reference/commands.schema.json is what every command prints with `--json` as a JSON Schema,
made of the types that they return. Fields may be added to an object at any time, so the published
schema leaves objects open; `closed` makes one that knows every field, for tests."""

from __future__ import annotations

import importlib
import inspect
import json
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import is_dataclass
from pathlib import Path
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

import click

from holdfast.cli import COMMANDS, JSON, MENU, OTHER_NAMES, SELDOM, menu
from holdfast.cli.helpers.report import Data, Report
from holdfast.cli.helpers.verbs import VerbGroup
from holdfast.rooms.gates.protection.persons_acts import ACTS, FREE, WHOLE
from holdfast.system.value import Value

DOCS = Path(__file__).parents[1]
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


def schema_text() -> str:
    """The schema as it is published: a line for each command and each definition."""
    lines = []
    for key, value in schema().items():
        if key not in ("properties", "$defs"):
            lines.append(f"{json.dumps(key)}: {json.dumps(value)}")
            continue
        each = ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in value.items())
        lines.append(f"{json.dumps(key)}: {{\n{each}\n }}")
    return "{\n " + ",\n ".join(lines) + "\n}"


HEAD = """\
# Commands

This page is generated from the commands' own help. `holdfast` alone says where you stand in a
project and which command is useful next; `holdfast COMMAND --help` lists a command's verbs. A verb
may come after its options, and may be left out where its command says so.

Every command takes `--json`, before or after its name; [commands.schema.json](commands.schema.json)
describes the output, and later versions only add fields. An error is one line and a hint on stderr;
then stdout is empty. What `holdfast help all` lists besides is on
[a page of its own](../internals/commands.md).

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | something you can fix, or a check that found something |
| 2 | misuse; `repair`: not repaired; `sessions restore-identity`: the identity is damaged |
| 3 | a bug in Holdfast; the report is in `<state home>/holdfast.log` |
| 130 | interrupted |

Name a session by its id, or by the start of it if that is unambiguous. A command that records
something acts for the agent's session it runs in, else for the newest live session of the worktree,
else for the project and all later sessions. In lists, `●` is working, `◐` resting, `·` ended, `○`
crashed.

Some commands speak for you or lower protection, so an agent cannot run them:
{acts}.
An agent is around a command if the variables that it sets for its programs are there, or a process
of an open session is above it; then the command is refused with 1, and nothing changes. Your
scripts may run `pause`, `uninstall`, `forget`, `purge` and `import` (without `--from`); the others
need a terminal. With `--dry-run`, `--preview` or `--show` anyone may run them. If an act may not
have been yours, you are told ([whose act it was](../explanation/whose-act.md)).
"""
# Of every command that must be given something.
EXAMPLES = {
    "completion": "bash",
    "recall": "retry logic --level full",
    "sessions chain": "7ec123a1 --depth 3",
    "sessions continue": "7ec123a1",
    "handoff show": '--summary "The parser is done" --next "Test the timeout"',
    "handoff report": "3f2a --html report.html",
    "context recover": "2 retry logic",
    "goal set": '"Retry three times on 503"',
    "rules add": '"Never push to main"',
    "rules keep": "3fa9c1",
    "rules drop": "3fa9c1",
    "rules edit": '3fa9c1 "Never push to main or release"',
    "rules scope": "3fa9c1 task",
    "rules enforce": "3fa9c1",
    "rules write": "3fa9c1 --file AGENTS.md",
    "threads show": "8a41c0",
    "threads why": "7ec123a1",
    "threads rename": '8a41c0 "Retries of the fetcher"',
    "threads merge": "8a41c0 77b2e9",
    "threads split": "7ec123a1",
    "threads move": "7ec123a1 77b2e9",
    "threads close": "8a41c0",
    "threads reopen": "8a41c0",
    "choices drop": "5d20aa",
    "choices keep": "5d20aa",
    "remember": '--rule --quote "caches can be large"',
    "pins add": '"Port 5433 is taken" --label port',
    "pins drop": "port",
    "pins learn": '"The mock server is flaky" --category tests',
    "decide": '"Rotate tokens" --because "stolen ones are replayed" --evidence src/auth.py:12',
    "decisions show": "91b2e0",
    "decisions ask": '"How long is a token valid?"',
    "decisions next": '"Test the timeout"',
    "decisions block": '"The staging server is down"',
    "decisions resolve": '91b2e0 "An hour"',
    "decisions check": '"Use sessions instead of tokens"',
    "decisions supersede": '91b2e0 "Short-lived tokens only" --evidence src/auth.py:30',
    "cite": '"Tokens are signed" --evidence src/auth.py:12',
    "ghost": "token rotation --also refresh",
    "notes identify": 'src/auth.py:12-20 "where tokens are checked"',
    "tracker show": "hf-44aa",
    "tracker add": '"Test the timeout"',
    "tracker start": "hf-44aa",
    "tracker comment": 'hf-44aa "Half done"',
    "tracker done": 'hf-44aa --reason "It is tested"',
    "req satisfy": 'commit_plan --note "It is in the issue"',
    "req approve": "commit_plan --for 30m",
    "req clear": "commit_plan",
    "req enable": "commit_plan",
    "req disable": "commit_plan",
    "contract set": '--goal "Retry on 503" --evidence tests,lint',
    "pause": "--for 2h",
    "export": "kept.jsonl",
    "import": "kept.jsonl --dry-run",
    "restore": "7ec123a1",
    "forget": "7ec123a1 --dry-run",
    "purge": "--all --dry-run",
    "redact": "--check notes.txt",
}


OTHERS_HEAD = """\
# Commands that are seldom needed

This page is generated from the commands' own help, as [the reference](../reference/commands.md) is.
`holdfast help all` lists these commands, `holdfast --help` does not.

Names of earlier versions stay: {names}.
"""


def pages() -> dict[str, str]:
    """Each page, by its place below docs/."""
    context = click.Context(menu, info_name="holdfast", color=False)
    head = HEAD.format(acts=_acts())
    names = ", ".join(f"`{old}` (`{new}`)" for old, new in OTHER_NAMES.items())
    return {
        "reference/commands.md": _page([head, *_section("holdfast", menu, context)], MENU),
        "internals/commands.md": _page([OTHERS_HEAD.format(names=names)], SELDOM),
        "reference/commands.schema.json": schema_text() + "\n",
    }


def _acts() -> str:
    """The acts of a person: each command, with its verbs where it has any."""
    listed = []
    for name, verbs in ACTS.items():
        of_person = [verb for verb in verbs if verb != WHOLE and verb not in FREE.get(name, ())]
        if name not in OTHER_NAMES:
            listed.append(f"`{name}`" + (f" ({', '.join(of_person)})" if of_person else ""))
    return textwrap.fill(", ".join(listed), 100)


def _page(parts: list[str], menus: dict[str, tuple[str, ...]]) -> str:
    context = click.Context(menu, info_name="holdfast", color=False)
    for title, names in menus.items():
        parts.append(f"## {title}\n")
        for name in names:
            command = menu.get_command(context, name)
            if command is not None:
                parts += _section(f"holdfast {name}", command, context)
    return "\n".join(parts).rstrip("\n") + "\n"


def _section(line: str, command: click.Command, parent: click.Context) -> Iterator[str]:
    name = line.removeprefix("holdfast").strip()
    yield f"{'####' if ' ' in name else '###'} {line}\n"
    yield f"{inspect.cleandoc(command.help or '')}\n"
    if isinstance(command, VerbGroup):
        yield f"Without a verb: `{command.default}`.\n"
        for verb, each in command.commands.items():
            yield from _section(f"{line} {verb}", each, parent)
        return
    yield f"```text\n{_usage(line, command)}\n{_options(command)}```\n"
    if name in EXAMPLES:
        yield f"Example: `{line} {EXAMPLES[name]}`\n"


def _usage(line: str, command: click.Command) -> str:
    return " ".join([line, *command.collect_usage_pieces(click.Context(command))])


def _options(command: click.Command) -> str:
    context = click.Context(command)
    options = [each for each in command.params if isinstance(each, click.Option) and each != JSON]
    rows = [row for each in options if (row := each.get_help_record(context))]
    formatter = click.HelpFormatter(width=100)
    formatter.indent()
    if rows:
        formatter.write_dl(rows)
    return formatter.getvalue()


if __name__ == "__main__":
    for place, page in pages().items():
        (DOCS / place).write_text(page, encoding="utf-8")
