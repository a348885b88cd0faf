"""What other programs are asked before anything of ours is loaded: they answer meanwhile.

Law: nothing waits here, and nothing depends on it; who wants the answer asks again in the same
words, and is given the one that is on its way (`system/processes.py`).
"""

from __future__ import annotations

from holdfast.agents import surroundings
from holdfast.system.git import question
from holdfast.system.processes import ask_ahead

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.hook.event import Event

STATUS = ("status", "--porcelain=v2", "--branch", "--no-renames")
AT_A_GLANCE = (*STATUS, "--untracked-files=no")
GOING_ON = ("resume", "compact")


def ask(event: Event) -> None:
    """A session that begins is told how its branch stands."""
    if event.body["source"] not in GOING_ON:
        asked = question(folder_of(event), *AT_A_GLANCE)
        if asked:
            ask_ahead(asked)


def folder_of(event: Event) -> str:
    """Where the agent was started."""
    return surroundings.project_folder() or event.cwd or "/"
