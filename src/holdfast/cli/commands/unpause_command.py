"""Switch the hooks on again after `holdfast pause`."""

from __future__ import annotations

from typing import TypedDict

from holdfast.cli.helpers import person_check
from holdfast.cli.helpers.report import Report
from holdfast.config import pause_file
from holdfast.setup import install
from holdfast.system import files, paths
from holdfast.system.environment import env


class Unpaused(TypedDict):
    """Whether hooks were paused before."""

    paused: bool
    was_paused: bool


def run() -> Report[Unpaused]:
    state = paths.state_home()
    if pause_file.is_foreign(state):
        person_check.keep_foreign_pause(state)
    was = pause_file.end(state)
    again = "Hooks are at work again."
    if not install.installed(state) and not files.exists(paths.plugin_launcher(state)):
        again = "The pause is over. No hooks are installed: `holdfast init` does that in a project."
    lines = [again if was else "Holdfast was not paused."]
    if env("HOLDFAST_OFF") not in ("", "0"):
        lines.append("HOLDFAST_OFF is set here: agents started from this shell stay without hooks.")
    return Report(lines, {"paused": False, "was_paused": was})
