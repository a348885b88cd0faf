"""The reference of the command line, made of the commands themselves: a section for each command
and each verb with what its help says, and an example where something must be given.

`python -m holdfast.cli.helpers.command_pages docs` writes both pages: docs/reference/commands.md,
and docs/internals/commands.md with the commands of the designs.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from holdfast.cli import JSON, MENU, SELDOM, menu
from holdfast.cli.helpers.verbs import VerbGroup

HEAD = """\
# Reference: commands

This page is generated from the commands' own help. [Commands](../cli.md) gives an overview and says
who may run each; [commands.schema.json](commands.schema.json) describes the output of `--json`.

Every command takes `--json`, before or after its name. An error is one line and a hint on stderr;
then stdout is empty, with `--json` too. A verb may come after its options, and may be left out
where its command says so.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | something you can fix, or a check that found something |
| 2 | misuse; `repair`: not repaired; `sessions restore-identity`: the identity is damaged |
| 3 | a bug in Holdfast; the report is in `<state home>/holdfast.log` |
| 130 | interrupted |

On a terminal, `repair replay`, `import`, `archive`, `dream`, `ground` and `decisions` show a
progress bar on stderr, without colours if `NO_COLOR` is set. All other output is plain text. Help
is as wide as the terminal (`COLUMNS`), up to 100 characters.
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
    "rules write": "3fa9c1 --file AGENTS.md",
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


OF_DESIGNS = "Of the designs"
DESIGNS_HEAD = """\
# Commands of the designs

This page is generated from the commands' own help, as [the reference](../reference/commands.md) is.
`holdfast help all` lists these commands, `holdfast --help` does not.
"""


def pages() -> dict[str, str]:
    """Both pages, by their place below docs/."""
    menus = {**MENU, **SELDOM}
    of_designs = {OF_DESIGNS: menus.pop(OF_DESIGNS)}
    context = click.Context(menu, info_name="holdfast", color=False)
    return {
        "reference/commands.md": _page([HEAD, *_section("holdfast", menu, context)], menus),
        "internals/commands.md": _page([DESIGNS_HEAD], of_designs),
    }


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
        Path(sys.argv[1], place).write_text(page, encoding="utf-8")
