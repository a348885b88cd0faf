"""What an agent may not do to the gates themselves, while there are any.

Their configuration, the agent's own hook settings and our state are the person's; so are the
commands that satisfy, approve, clear and switch (command_effects.py). Reading is free.
"""

from __future__ import annotations

from holdfast.rooms.gates.protection.own_files import HINTS, is_protected
from holdfast.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.hook.event import Speech
    from holdfast.rooms.gates.tool_call import Call

READING_TOOLS = ("read", "get", "list", "search", "find", "view")


def refusal(call: Call, state: str) -> Speech:
    """Why a call is the person's and not the agent's, "" when it is the agent's."""
    if call.command:
        named = f"{call.command} {call.folder.rpartition('/')[2]}".lower()
        if not any(hint in named for hint in ("req", *HINTS, state.lower())):
            return ""
        from holdfast.rooms.gates.protection import command_effects

        return command_effects.refusal(call, state)
    if (
        call.where
        and _writes(call)
        and _may_be(call.where, state)
        and is_protected(call.where, state, call.folder)
    ):
        from holdfast.hook import voice

        return voice.ours(
            "{} holds the gates' rules, the agent's hooks or Holdfast's own state: only the person"
            " changes it. Nothing was written.",
            voice.named(call.path or call.where),
        )
    return ""


def _writes(call: Call) -> bool:
    """Whether a tool may write to the path it is given; of one that we do not know its name says
    that it does not."""
    if call.deed == "other":
        return not any(word in call.tool.lower() for word in READING_TOOLS)
    return call.deed in ("edit", "create")


def _may_be(path: str, state: str) -> bool:
    """Whether a path is worth a closer look: a name says so, or some part of it is a link."""
    if not path.startswith("/") or any(hint in path.lower() for hint in (*HINTS, state.lower())):
        return True
    while path:
        if files.is_link(path):
            return True
        path = path.rpartition("/")[0]
    return False


def is_own_command(call: Call) -> bool:
    """Whether a call only asks Holdfast something: never in the way of that."""
    if "holdfast" not in call.command and "req" not in call.command:
        return False
    from holdfast.rooms.gates.protection import command_effects

    return command_effects.are_ours(call.command)
