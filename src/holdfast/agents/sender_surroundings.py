"""What is known of an agent's surroundings where it did not start us, but sent us something.

Over HTTP an agent brings along variables of its own process (`CARRIED`); those that it sets for the
programs it runs (`VARIABLES` has them all) it cannot.
"""

from __future__ import annotations

from holdfast.agents.claude_code.settings_layers import TOKEN
from holdfast.agents.surroundings import AGENTS

__all__ = ["CARRIED", "HEADER", "PROCESS_IDS", "PROGRAMS", "TOKEN", "VARIABLES"]

CARRIED = (
    *(agent.ENTRY_POINT for agent in AGENTS),
    *("CI", "HOLDFAST_ENABLED", "HOLDFAST_INSIDE", "HOLDFAST_OFF", "TERM_PROGRAM"),
)
PROCESS_IDS = tuple(agent.PROCESS_ID for agent in AGENTS)
PROGRAMS = tuple(agent.PROGRAM for agent in AGENTS)
VARIABLES = (
    *CARRIED,
    *PROCESS_IDS,
    *(sign for agent in AGENTS for sign in agent.SIGNS),
    *(name for agent in AGENTS for name in (agent.PROJECT_FOLDER, agent.ATTENDED)),
)
HEADER = "Holdfast-Variables"


def header_value() -> str:
    """What the agent fills in: each variable by its name."""
    return " ".join(f"{name}=${name}" for name in CARRIED)


def read_header(value: str) -> dict[str, str]:
    """The variables that were set, as an agent has filled them in."""
    pairs = (word.partition("=") for word in value.split())
    return {name: text for name, _, text in pairs if text and name in CARRIED}
