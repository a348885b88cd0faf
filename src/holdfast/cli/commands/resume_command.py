"""Suggest an earlier session to go on with, and the agent's command that reopens it.

By the branch that is checked out, the files that are changed and how long ago it was; with WORDS
also by what was said. While Holdfast is paused it ends the pause, as `holdfast unpause` does.
"""

from __future__ import annotations

from holdfast.cli.commands import unpause_command
from holdfast.cli.commands.unpause_command import Unpaused
from holdfast.cli.helpers.project_files import files_here
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.resume_views import SessionsOffered, offer
from holdfast.cli.helpers.verbs import argument
from holdfast.config import pause_file
from holdfast.system import paths

PARAMETERS = [argument("words", nargs=-1)]


def run(*, words: tuple[str, ...]) -> Report[SessionsOffered | Unpaused]:
    if pause_file.until(paths.state_home()) and not words:
        return unpause_command.run()
    return offer(files_here(), " ".join(words))
