"""Fields of Claude Code's payloads: what is said in odd types is kept as text, not refused.

And its tools: what each of them does, and what the client says when one is refused.
"""

from __future__ import annotations

from holdfast.system import jsontext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Payload = dict[str, Any]
    # Kind, body and natural key of an event.
    Read = tuple[str, dict[str, Any], str]


def text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    try:
        return jsontext.dumps(value)
    except RecursionError:  # it was read with less on the stack than there is now
        return "[nested too deeply]"


def is_whole(value: Any) -> bool:
    """A number that a database holds; what is larger is no duration and no count of tokens."""
    return type(value) is int and 0 <= value < 1 << 62


def keyed(prefix: str, payload: Payload, name: str) -> str:
    """A natural key from the payload's own id, "" when it has none."""
    value = payload.get(name)
    return f"{prefix}:{value}" if isinstance(value, str) and 0 < len(value) <= 200 else ""


DEEDS = {
    "Bash": "run",
    "PowerShell": "run",
    "Write": "create",
    "Edit": "edit",
    "MultiEdit": "edit",
    "NotebookEdit": "edit",
    "Read": "read",
    "Grep": "search",
    "Glob": "search",
    "LS": "search",
    "ToolSearch": "search",
    "WebFetch": "fetch",
    "WebSearch": "fetch",
    "Agent": "delegate",
    "Task": "delegate",
    "TodoWrite": "plan",
    "TaskCreate": "plan",
    "TaskUpdate": "plan",
    "ExitPlanMode": "plan",
    "Skill": "skill",
    "AskUserQuestion": "ask",
}

# Whoever refuses the tool that asks the user types no words: the client does.
ASKING = "AskUserQuestion"
REFUSED = "The user doesn't want to proceed with this tool use."
WORDS_FOLLOW = "the user said:\n"


def words_of_refusal(response: str) -> str:
    """What the person typed in refusing a call, from what the agent is told of it."""
    is_refusal = response.startswith(REFUSED)
    return response.partition(WORDS_FOLLOW)[2].strip() if is_refusal else ""
