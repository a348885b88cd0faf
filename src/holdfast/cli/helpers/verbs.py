"""A command of several verbs: each has its own parameters, help and usage errors.

Law: a verb may stand behind options, `holdfast contract --session ID clear`, and may be left out:
the first of a command is meant without any, `holdfast rules --all`.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from holdfast.cli.helpers.report import Report

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


def argument(name: str, **about: Any) -> click.Argument:
    return click.Argument([name], **about)


def option(*names: str, **about: Any) -> click.Option:
    return click.Option(names, **about)


def flag(*names: str, help: str) -> click.Option:
    """An option without a value."""
    return click.Option(names, is_flag=True, help=help)


ID = argument("id_", metavar="ID")
TEXT = argument("text", nargs=-1, required=True)
LIMIT = option("--limit", type=click.IntRange(1), default=20, show_default=True)
SESSION = option("--session", metavar="ID", help="For this session.")


def did_you_mean(given: str, names: Iterable[str]) -> str:
    """The name that a mistyped one is nearest to, as a question; "" where none is near."""
    near = difflib.get_close_matches(given.lower(), names, n=1)
    return f" Did you mean '{near[0]}'?" if near else ""


class Verb:
    """What a verb does, and what it takes. The docstring of `run` is its help."""

    def __init__(self, run: Callable[..., Report[Any]], *parameters: click.Parameter) -> None:
        self.run = run
        self.parameters = parameters


class VerbGroup(click.Group):
    """A command whose verbs are commands."""

    def __init__(self, name: str, commands: Mapping[str, click.Command], **rest: Any):
        self.default = next(iter(commands))
        epilog = (
            f"Without a verb: `{self.default}`. With --help behind a verb, what that one takes."
        )
        super().__init__(
            name, dict(commands), epilog=epilog, subcommand_metavar="[VERB] [ARGS]...", **rest
        )

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Verbs"):
            formatter.write_dl(
                [(name, verb.get_short_help_str(80)) for name, verb in self.commands.items()]
            )

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, self._verb_first(ctx, args))

    def _verb_first(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The same words with the verb before its options."""
        at = self._verb_at(ctx, args)
        if any(word in ctx.help_option_names for word in args[:at]):
            return ctx.help_option_names[:1]
        if at < len(args):
            if args[at] == "--":
                return self._verb_first(ctx, [args[at + 1], *args[: at + 1], *args[at + 2 :]])
            if self._is_argument(args[at]):
                return [self.default, *args]
            return [args[at], *args[:at], *args[at + 1 :]]
        if ctx.resilient_parsing:  # a shell completes: the verb is what is asked for
            return []
        return [self.default, *args]

    def _is_argument(self, word: str) -> bool:
        """Whether a word is no verb, nor like one, and the verb that is meant without any takes
        it."""
        takes = any(isinstance(each, click.Argument) for each in self.commands[self.default].params)
        return takes and word not in self.commands and not did_you_mean(word, self.commands)

    def _verb_at(self, ctx: click.Context, args: Sequence[str]) -> int:
        """Where the verb stands: the first word that is neither an option nor the value of one."""
        takes_value = {
            name
            for command in self.commands.values()
            for option in command.params
            if isinstance(option, click.Option) and not option.is_flag
            for name in option.opts
        }
        at = 0
        while at < len(args) and args[at].startswith("-"):
            if args[at] == "--":
                return at if at + 1 < len(args) else len(args)
            at += 2 if args[at] in takes_value else 1
        return min(at, len(args))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.commands and not ctx.resilient_parsing:
            known = f"{', '.join(self.commands)}.{did_you_mean(args[0], self.commands)}"
            raise click.UsageError(f"{self.name} has no verb {args[0]}: {known}", ctx=ctx)
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Verbs, or the options of the one that is meant without a verb."""
        if incomplete.startswith("-"):
            command = self.commands[self.default]
            with command.make_context(self.default, [], ctx, resilient_parsing=True) as meant:
                return command.shell_complete(meant, incomplete)
        return super().shell_complete(ctx, incomplete)
