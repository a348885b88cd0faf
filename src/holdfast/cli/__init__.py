"""The command line. One file per command; this table is the whole menu.

A command returns a `Report`; it never prints, never exits and holds no rule. `--json` prints the
report's data alone. Errors are one line and a hint. Exit codes: 0 done, 1 you can fix it, 2 misuse,
3 our bug, 130 interrupted.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterable
from typing import Any

import apsw
import click

from holdfast import __version__
from holdfast.cli.helpers.report import Report, show, show_data
from holdfast.cli.helpers.verbs import VerbGroup, did_you_mean
from holdfast.errors import Damaged, HoldfastError, StoreError
from holdfast.rooms.sessions import work_tree
from holdfast.system import files, paths, refused

# What people want -> the commands for it, in the order in which help lists them.
MENU = {
    "Start": ("init", "uninstall", "doctor", "config"),
    "Look": ("status", "threads", "brief", "recall", "resume", "sessions", "handoff", "serve"),
    "Steer": ("goal", "rules", "choices", "pins"),
    "Decide": ("decide", "decisions"),
    "Gates": ("req", "trust"),
    "Switch off": ("pause", "unpause"),
    "Data": ("export", "import", "forget", "repair"),
}
# What `holdfast help all` lists besides.
SELDOM = {
    "For agents and programs": ("remember", "mcp", "statusline", "completion"),
    "Seldom needed": ("demo", "archive", "restore", "purge", "redact"),
    "Of the designs": (
        *("notes", "tracker", "cite", "ground", "ghost", "confidence", "contract"),
        *("consciousness", "context", "trajectory", "dream"),
    ),
}
COMMANDS = tuple(name for names in (*MENU.values(), *SELDOM.values()) for name in names)
# Names by themselves of what is a command's verb now, or of a whole command; they stay for good.
OTHER_NAMES = {
    "constraints": "rules",
    "pin": "pins add",
    "unpin": "pins drop",
    "learn": "pins learn",
    "learnings": "pins learnings",
    "chain": "sessions chain",
    "session": "sessions",
    "decision": "decisions",
    "supersede": "decisions supersede",
    "replay": "repair replay",
    "heal": "repair heal",
    "stats": "status stats",
    "report": "handoff report",
    "off": "pause",
}
HELP = "help"
# Commands that change what a session would be told.
TOLD_BY = {*MENU["Steer"], *MENU["Decide"], *SELDOM["Of the designs"], "remember"}


class Menu(click.Group):
    """Commands, each imported when it is called for."""

    shown = MENU

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for names in self.shown.values() for name in names]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Grouped by what people want."""
        for title, names in self.shown.items():
            commands = [(name, self.get_command(ctx, name)) for name in names]
            with formatter.section(title):
                formatter.write_dl(
                    [
                        (name, command.get_short_help_str(80))
                        for name, command in commands
                        if command
                    ]
                )

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """`help COMMAND` is `COMMAND --help`; `help all` leaves none out."""
        if args == [HELP, "all"]:
            self.shown, args = {**MENU, **SELDOM}, [HELP]
        if args[:1] == [HELP]:
            args = [*args[1:], "--help"]
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if self.get_command(ctx, args[0]) is None and not ctx.resilient_parsing:
            message = f"No such command '{args[0]}'.{did_you_mean(args[0], COMMANDS)}"
            raise click.UsageError(message, ctx=ctx)
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        name, _, verb = OTHER_NAMES.get(cmd_name, cmd_name).partition(" ")
        if name not in COMMANDS:
            return None
        module = importlib.import_module(f"holdfast.cli.commands.{name}_command")
        command = command_of(cmd_name, module)
        return command.commands[verb] if isinstance(command, VerbGroup) and verb else command


JSON = click.Option(["--json", "as_json"], is_flag=True, help="Print data instead of text.")
SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


def command_of(name: str, module: Any) -> click.Command:
    """The command of a module: with verbs where it has them."""
    verbs = getattr(module, "VERBS", None)
    if verbs is None:
        return _command(name, module.__doc__, module.run, getattr(module, "PARAMETERS", ()))
    commands = {
        verb: _command(verb, each.run.__doc__, each.run, each.parameters)
        for verb, each in verbs.items()
    }
    return VerbGroup(
        name,
        commands,
        help=module.__doc__,
        short_help=module.__doc__.splitlines()[0],
        context_settings=SETTINGS,
    )


def _command(
    name: str, text: str, run: Callable[..., Report[Any]], parameters: Iterable[click.Parameter]
) -> click.Command:
    return click.Command(
        name,
        params=[*parameters, JSON],
        help=text,
        short_help=text.splitlines()[0],
        callback=lambda **options: _run(run, **options),
    )


@click.command(cls=Menu, params=[JSON], invoke_without_command=True, context_settings=SETTINGS)
@click.version_option(__version__, "-V", "--version", prog_name="holdfast")
@click.pass_context
def menu(context: click.Context, *, as_json: bool) -> int:
    """Holdfast: the continuity layer for coding agents.

    Without a command: where you stand here, and what to do next. `holdfast help all` lists what is
    seldom needed, too.
    """
    if context.invoked_subcommand:
        return 0
    from holdfast.cli.commands import overview_command

    return _run(overview_command.run, as_json=as_json)


def _run(run: Callable[..., Report[Any]], *, as_json: bool, **options: Any) -> int:
    report = run(**options)
    if as_json or click.get_current_context().find_root().params.get("as_json"):
        rows = list(report.each)
        for row in rows or [report.data]:
            show_data(row, indent=None if rows else 2)
    else:
        for line in report.lines:
            show(line)
    for line in report.warnings:
        show(line, is_error=True)
    name = click.get_current_context().command_path.split()[1:2]
    if {OTHER_NAMES.get(each, each).split()[0] for each in name} & TOLD_BY:
        _renew_agents_file()
    return int(report.exit_code)


def _renew_agents_file() -> None:
    """Bring the block of this project up to date, where it has one."""
    state, root = paths.state_home(), work_tree.look(os.getcwd()).root
    if files.exists(paths.agents_file(state, root)):
        from holdfast.hook import agents_file

        agents_file.refresh(state, root)


def main(arguments: list[str] | None = None, *, program: str = "holdfast") -> int:
    """Run a command; expected errors become one line and a hint. A `program` other than our own is
    one of our commands."""
    try:
        command = menu if program == "holdfast" else menu.get_command(click.Context(menu), program)
        assert command is not None
        return int(command.main(arguments, program, standalone_mode=False) or 0)
    except click.ClickException as error:
        usage = getattr(error, "ctx", None)
        show(f"error: {' '.join(error.format_message().split())}", is_error=True)
        if usage is not None:
            show(f"hint:  see `{usage.command_path} --help`", is_error=True)
        return 2
    except click.Abort:
        return 130
    except apsw.SQLError:
        raise  # a statement of ours that is wrong: a bug
    except (apsw.CorruptError, apsw.NotADBError) as error:
        return _told(Damaged(f"{paths.store(paths.state_home())} is damaged: {error}"))
    except (apsw.Error, OSError) as error:
        refusal = refused.explained(error, paths.state_home())
        if refusal is None and isinstance(error, OSError):
            raise  # not foreseen: a bug
        hint = "`holdfast doctor` tells more"
        store = paths.store(paths.state_home())
        return _told(refusal or StoreError(f"{store} refused: {error}", hint=hint))
    except HoldfastError as error:
        return _told(error)


def _told(error: HoldfastError) -> int:
    show(f"error: {error}", is_error=True)
    if error.hint:
        show(f"hint:  {error.hint}", is_error=True)
    return 1
