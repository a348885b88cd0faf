"""The transcripts of the agents we know, read by the agent that wrote them. One line each."""

from __future__ import annotations

from holdfast.agents.claude_code.footprint import TRANSCRIPTS
from holdfast.agents.transcript_rows import empty
from holdfast.system import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.agents.transcript_rows import Tail

# Agents whose transcripts somebody here can read, and where they lie below a home.
FOLDERS = {"claude-code": TRANSCRIPTS}


def read(agent: str, path: str, start: int, limit: int) -> Tail:
    """The rows from a byte on, at most the last `limit` bytes of them; none of an agent whose
    transcript nobody here can read."""
    if agent not in FOLDERS or not path:
        return empty(start)
    from holdfast.agents.claude_code import transcript as claude_code

    return claude_code.read(path, start, limit)


def is_in_place(agent: str, path: str) -> bool:
    """Whether a transcript lies where its agent keeps them, whatever a variable says of that."""
    folder = FOLDERS.get(agent)
    return bool(folder) and path.startswith(f"{paths.home()}/{folder}/") and "/../" not in path
