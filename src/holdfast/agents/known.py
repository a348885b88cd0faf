"""Which agent speaks: told by what it says, not by the command line, for agents read each other's
settings files."""

from __future__ import annotations

from holdfast.agents.claude_code import payloads as claude_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

# An agent's module reads its payloads and writes its answers. One line each.
DIALECTS = (claude_code,)
# What they load for some events alone, for the hook's bundle.
BUNDLED = {"other_payloads": ("agents.claude_code.other_payloads",)}
AT_SESSION_START = ("agents.claude_code.settings_layers",)
AFTER_A_CRASH = ("agents.claude_code.transcript",)


def shows_why(agent: str, tool: str) -> bool:
    """Whether a person who is asked before a tool runs sees why: as far as that was recorded."""
    from holdfast.agents.surroundings import channel

    return channel() == "terminal" and any(
        agent == each.NAME and each.shows_why(tool) for each in DIALECTS
    )


def speaker(payload: dict[str, Any]) -> ModuleType:
    """The module of the agent that sent a payload; of the first, where nobody else claims it."""
    return next((each for each in DIALECTS if each.speaks(payload)), DIALECTS[0])
