"""Other tools whose state lives in the agent's head: a compaction would make it forget them.

Read from their MCP calls: Serena's active project, a second model's conversation. `revival` is
what brings each back. Law: a call that can only fail is not offered.
"""

from __future__ import annotations

from holdfast.agents import acts
from holdfast.system import files, paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.hook.voice import Ours
    from holdfast.ledger.kinds import Body

SERENA, SECOND_MODEL = "serena", "pal"
VALUE_CAP = 200
_CONTINUATION = '"continuation_id"'


def states_in(body: Body) -> list[tuple[str, str]]:
    """What a tool call tells of its tool's state: (helper, value)."""
    server, tool = acts.server_and_tool(body["tool"])
    if not body["ok"]:
        return []
    given = body["input"]
    project = given.get("project") if tool == "activate_project" else None
    if SERENA in server and isinstance(project, str) and project:
        return [(SERENA, project[:VALUE_CAP])]
    pointer = _pointer_in(body.get("output") or "") or given.get("continuation_id")
    if isinstance(pointer, str) and pointer:
        return [(f"{SECOND_MODEL}:{server[:40]}", pointer[:VALUE_CAP])]
    return []


def revival(helper: str, value: str) -> Ours:
    """The call that brings a helper's state back."""
    from holdfast.hook.voice import named, ours, quoted

    if helper == SERENA:
        call = named(acts.server_tool(SERENA, "activate_project"))
        return ours("{} with project {}", call, quoted(value))
    return ours("pass continuation_id {} to {}", quoted(value), named(helper.partition(":")[2]))


def is_there(helper: str, value: str, root: str) -> bool:
    """Whether what a call would bring back is still there: a project that is named by its path may
    be gone."""
    if helper != SERENA or "/" not in value:
        return True
    if value.startswith("~/"):
        return files.exists(f"{paths.home()}{value[1:]}")
    return files.exists(value if value.startswith("/") else f"{root}/{value}")


def _pointer_in(output: str) -> str:
    """A continuation id in what the tool answered; JSON inside JSON has its quotes escaped."""
    text = output.replace("\\", "")
    _, separator, rest = text.partition(_CONTINUATION)
    if not separator:
        return ""
    value = rest.lstrip().removeprefix(":").lstrip()
    return value[1:].partition('"')[0] if value.startswith('"') else ""
