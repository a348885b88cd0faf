"""The transcripts of the agents we know, read by the agent that wrote them. One line each."""

from __future__ import annotations

from holdfast.agents.claude_code import transcript as claude_code
from holdfast.agents.transcript_rows import empty

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.agents.transcript_rows import Tail

READERS: dict[str, Callable[[str, int, int], Tail]] = {"claude-code": claude_code.read}


def read(agent: str, path: str, start: int, limit: int) -> Tail:
    """The rows from a byte on, at most the last `limit` bytes of them; none of an agent whose
    transcript nobody here can read."""
    reader = READERS.get(agent)
    return reader(path, start, limit) if reader and path else empty(start)
