"""What Claude Code leaves around the programs it runs: variables, and files with settings."""

from __future__ import annotations

NAME = "Claude Code"
CALLED = "Claude"  # by its user

# Variables
SESSION_ID = "CLAUDE_CODE_SESSION_ID"
PROJECT_FOLDER = "CLAUDE_PROJECT_DIR"
PROCESS_ID = "CLAUDE_PID"
ENTRY_POINT = "CLAUDE_CODE_ENTRYPOINT"
ATTENDED = "CLAUDE_CODE_SESSION_ATTENDED"
SIGNS = ("CLAUDECODE", SESSION_ID)  # one of them is set: the agent runs this process

# Files, below a project or a home
FOLDER = ".claude"
SETTINGS = (".claude/settings.json", ".claude/settings.local.json")
REQUIREMENTS, LOCAL_REQUIREMENTS = ".claude/requirements.yaml", ".claude/requirements.local.yaml"
PLANS = ".claude/plans"
TRANSCRIPTS = ".claude/projects"
INSTRUCTIONS = "CLAUDE.md"
# Why a file of instructions was loaded that is not there from the start: work came near it.
LOADED_LATER = ("nested_traversal", "path_glob_match")

REOPEN = "claude --resume"  # and a session's id
MARKUP = "claude"  # how tags of its own begin in a prompt


def events_with(command: str, root: str) -> list[str]:
    """The events at which settings run a command that names a file."""
    from holdfast.agents.claude_code import settings_layers

    return [
        event for layer in settings_layers.read_all(root) for event in layer.events_with(command)
    ]
