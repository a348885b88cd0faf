"""The actions of a command line, by what its simple commands are known to do.

Laws: an action is what would run, not what is mentioned; what cannot be read is told, and is no
action; the time is bounded by the text (`shell_state.STEPS`).
"""

from __future__ import annotations

from holdfast.rooms.gates.actions import git_verbs, program_actions
from holdfast.rooms.gates.actions.vocabulary import Action
from holdfast.shell import simple_commands
from holdfast.shell.heredoc import TooLongError
from holdfast.shell.program import Word, name, normalised
from holdfast.shell.shell_state import World

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.shell.simple_commands import SimpleCommand

ALIASES_CAP = 5  # an alias of an alias
SHOWN = 200


def in_command(command: str, folder: str) -> tuple[list[Action], list[str]]:
    """The actions of a command line that runs in a folder, and what of it is opaque."""
    reading = _Reading(World(folder))
    reading.world.branch = lambda: reading.branch(folder)
    try:
        reading.read(simple_commands.seen(command, reading.world) or [])
    except TooLongError:
        reading.world.hide(command)
    reading.redirected()
    return reading.actions, reading.world.opaque


class _Reading:
    def __init__(self, world: World) -> None:
        self.world = world
        self.actions: list[Action] = []
        self.switched: dict[str, str] = {}
        self.aliases: dict[str, str] = {}  # of git, that earlier commands of the same text made
        self.depth = 0  # of aliases of aliases

    def branch(self, folder: str) -> str:
        return git_verbs.Git([Word("git")], folder, self.switched, {}).branch()

    def read(self, simple: list[SimpleCommand]) -> None:
        for command in simple:
            if command.runs:
                self.command(command)

    def command(self, command: SimpleCommand) -> None:
        words = command.words
        program = name(words[0])
        made = self.git(command) if program == "git" else program_actions.actions(command)
        if program_actions.is_hidden(words) or self.lacks_verb(command):
            self.world.hide(_shown(words))
        for action in made:
            action.folder = action.folder or command.folder
            if action.unknown and action.name != "edit_files":
                self.world.hide(_shown(words))
        self.actions += made
        if program:
            run = Action("run", program=program)
            run.text = _shown(words)
            is_name = not set(" ()") & set(program)
            run.is_shown = not made and is_name and program not in program_actions.UNTOLD
            self.actions.append(run)

    def lacks_verb(self, command: SimpleCommand) -> bool:
        """`... | xargs git`: what it is told to do comes from what nobody sees."""
        outer = command.run_by
        return (
            outer is not None
            and name(outer.words[0]) == "xargs"
            and command.stdin is None
            and name(command.words[0]) in program_actions.WORDY
            and len(normalised(command.words)) < 2
        )

    def git(self, command: SimpleCommand) -> list[Action]:
        git = git_verbs.Git(command.words, command.folder, self.switched, self.aliases)
        git.stdin = command.stdin
        text = git_verbs.alias(git) if self.depth < ALIASES_CAP else ""
        if not text:
            return git_verbs.actions(git)
        rest = " ".join(map(simple_commands.requoted, (word.text for word in git.words)))
        text = f"{text[1:]} {rest}" if text.startswith("!") else f"git {text} {rest}"
        self.depth += 1
        self.read(simple_commands.seen(text, self.world) or [])
        self.depth -= 1
        return []

    def redirected(self) -> None:
        """The files that redirections write to, and what."""
        for file, text, folder in self.world.writes:
            made = program_actions.edits([file], text)
            for action in made:
                action.folder = folder
            self.actions += made


def _shown(words: list[Word]) -> str:
    return " ".join(word.text for word in words)[:SHOWN]
