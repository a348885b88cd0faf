"""What a tool call was: edits, plans, skills, read from the fields of its input.

Bodies of `tool_used` keep an input in these fields, whichever agent sent it: an agent's folder
brings its own names into them. No room reads an input by itself.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Input = Mapping[str, Any]

PATH_FIELDS = ("file_path", "notebook_path", "path")
TEXT_FIELDS = ("content", "new_string", "old_string", "new_source", "edits", "patch", "input")
EDITING_TOOLS = ("Edit", "Write", "MultiEdit", "NotebookEdit")
SHELL_TOOL = "Bash"
SERVER_PREFIX, SERVER_END = "mcp__", "__"


def replacement(tool_input: Input) -> tuple[Any, Any]:
    """The text before and after, each None where the call says only one of them."""
    return tool_input.get("old_string"), tool_input.get("new_string")


def written(tool_input: Input) -> tuple[Any, Any]:
    """The text that went, "" where none did, and the text that came: of an edit or of a file."""
    new = tool_input.get("new_string") or tool_input.get("content") or tool_input.get("new_source")
    return tool_input.get("old_string") or "", new


def replacements(tool_input: Input) -> list[tuple[str, str]]:
    """Every text that a call replaces with what comes instead, where it says which."""
    edits = tool_input.get("edits")
    calls = [tool_input, *edits] if isinstance(edits, list) else [tool_input]
    pairs = [replacement(call) for call in calls if hasattr(call, "get")]
    return [
        (old, new if isinstance(new, str) else "") for old, new in pairs if isinstance(old, str)
    ]


def todos(tool_input: Input) -> list[tuple[str, Any]] | None:
    """The agent's whole list of what is to do: text and stage; None when the call has none."""
    listed = tool_input.get("todos")
    if not isinstance(listed, list):
        return None
    whole = [todo for todo in listed if isinstance(todo, dict)]
    return [(todo["content"], todo.get("status")) for todo in whole if _is_text(todo, "content")]


def task_moved(tool_input: Input) -> tuple[str, str] | None:
    """A task by its id and the stage that it is in now, where a call moves one."""
    is_move = _is_text(tool_input, "taskId") and _is_text(tool_input, "status")
    return (tool_input["taskId"], tool_input["status"]) if is_move else None


def errand(tool_input: Input) -> str:
    """What a call hands to another agent, in the words of who sends it."""
    texts = (tool_input.get("description"), tool_input.get("prompt"))
    return "\n".join(text for text in texts if isinstance(text, str))


def plan(tool_input: Input) -> str:
    """A plan as it is laid before the user, or the agent's list of what is to do."""
    whole = tool_input.get("plan")
    return (
        whole if isinstance(whole, str) else "\n".join(text for text, _ in todos(tool_input) or ())
    )


def skill(tool_input: Input) -> Any:
    return tool_input.get("skill")


def server_and_tool(tool: str) -> tuple[str, str]:
    """Of a tool that an MCP server offers: the server's name and the tool's own."""
    server, _, name = tool.removeprefix(SERVER_PREFIX).partition(SERVER_END)
    return server, name


def is_of_server(tool: str) -> bool:
    return tool.startswith(SERVER_PREFIX)


def server_tool(server: str, name: str) -> str:
    return f"{SERVER_PREFIX}{server}{SERVER_END}{name}"


def _is_text(tool_input: Input, name: str) -> bool:
    return isinstance(tool_input.get(name), str)
