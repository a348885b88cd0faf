"""Claude Code's tools: what each of them does, and what the client says when one is refused."""

from __future__ import annotations

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
