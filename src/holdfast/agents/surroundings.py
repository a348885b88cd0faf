"""The agents we know, by what they leave around the programs they run.

An agent is a folder here and a line of `AGENTS`. What is asked is asked of each of them.
"""

from __future__ import annotations

from holdfast.agents.claude_code import footprint as claude_code
from holdfast.system.environment import env

AGENTS = (claude_code,)

SIGNS = tuple(sign for agent in AGENTS for sign in agent.SIGNS)
SETTINGS = tuple(name for agent in AGENTS for name in agent.SETTINGS)
FOLDERS = tuple(agent.FOLDER for agent in AGENTS)
PLANS = tuple(agent.PLANS for agent in AGENTS)
# Each agent reads its own of these by itself; many read the common one as well.
INSTRUCTIONS = tuple(agent.INSTRUCTIONS for agent in AGENTS)
INSTRUCTION_FILES = (*INSTRUCTIONS, "AGENTS.md")
LOADED_LATER = tuple(reason for agent in AGENTS for reason in agent.LOADED_LATER)
MARKUP = tuple(agent.MARKUP for agent in AGENTS)
# A project's requirements, and a person's own for it, each agent's in its own folder.
REQUIREMENTS = tuple(agent.REQUIREMENTS for agent in AGENTS)
LOCAL_REQUIREMENTS = tuple(agent.LOCAL_REQUIREMENTS for agent in AGENTS)


def session_id() -> str:
    """The session that this process runs in, as its agent names it."""
    return _first(*(agent.SESSION_ID for agent in AGENTS))


def project_folder() -> str:
    """Where the agent was started."""
    return _first(*(agent.PROJECT_FOLDER for agent in AGENTS))


def process_id() -> str:
    """The agent's own process, where it says so."""
    return _first(*(agent.PROCESS_ID for agent in AGENTS))


def channel() -> str:
    """Where the agent is spoken to: terminal, ide, ci, headless."""
    if env("CI") not in ("", "0", "false"):
        return "ci"
    entry = _first(*(agent.ENTRY_POINT for agent in AGENTS))
    if "vscode" in entry or "jetbrains" in entry or env("TERM_PROGRAM") == "vscode":
        return "ide"
    is_unattended = any(env(agent.ATTENDED) == "0" for agent in AGENTS)
    return "headless" if is_unattended or entry.startswith("sdk") else "terminal"


def events_with(command: str, root: str) -> list[str]:
    """The events at which an agent runs a command in a project, by its settings."""
    return sorted({event for agent in AGENTS for event in agent.events_with(command, root)})


def _first(*names: str) -> str:
    for name in names:
        value = env(name)
        if value:
            return value
    return ""
