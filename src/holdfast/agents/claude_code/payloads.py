"""Claude Code's dialect: one JSON object comes in, one JSON object or nothing goes out.

What is said in odd types is kept as text rather than refused; an event we have not met is passed
on under its own name. Nothing here cuts or redacts: that is the gate's work.
"""

from __future__ import annotations

from holdfast.agents.acts import PATH_FIELDS
from holdfast.agents.claude_code.fields import DEEDS, is_whole, keyed, text
from holdfast.errors import AgentError
from holdfast.hook.event import Event, session_id
from holdfast.system import jsontext
from holdfast.system.environment import bring
from holdfast.system.paths import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from holdfast.agents.claude_code.fields import Payload, Read
    from holdfast.hook.event import Answer
    from holdfast.ledger.kinds import Body

NAME = "claude-code"

# event -> timeout in seconds: what `holdfast init` writes. Ours take milliseconds, and at worst
# wait for their turn; SessionEnd's is there because without one the client cuts every hook off
# after 1.5 s. New events go to the end: costs.py knows them by their place.
HOOKS = {
    "SessionStart": 15,
    "UserPromptSubmit": 15,
    "UserPromptExpansion": 15,
    "PostToolUse": 15,
    "PostToolUseFailure": 15,
    "PreCompact": 15,
    "PostCompact": 15,
    "Stop": 15,
    "StopFailure": 15,
    "SubagentStart": 15,
    "SubagentStop": 15,
    "Notification": 15,
    "TaskCreated": 15,
    "TaskCompleted": 15,
    "InstructionsLoaded": 15,
    "CwdChanged": 15,
    "SessionEnd": 10,
    "PreToolUse": 15,
}

PLAN_CAP = 1_000  # characters of an approved plan
# Kinds that come again with the very same payload and are another event: there the transcript
# has grown in between.
REPEATABLE = frozenset({"session_began", "context_closing", "moved"})
CONTEXT_EVENTS = {
    "session_began": "SessionStart",
    "prompt_given": "UserPromptSubmit",
    "tool_asked": "PreToolUse",
    "tool_used": "PostToolUse",
}


def speaks(payload: Payload) -> bool:
    """Whether a payload is this agent's."""
    return "hook_event_name" in payload


def read(
    payload: Payload,
    *,
    raw: bytes,
    at: str,
    process: tuple[int, str],
    size: Callable[[str], int],
) -> Event | None:
    """The event in our words, its natural key included; AgentError when nobody is speaking, None
    where nothing was said that is worth an event.

    `process` is the agent's number and start time, `size` tells how long a file is by now.
    """
    name = text(payload.get("hook_event_name"))
    session = text(payload.get("session_id"))
    if not name or not session:
        raise AgentError("a hook payload without hook_event_name or session_id")
    kind, body, key = (TOOL_CALLS.get(name) or _other(name))(payload)
    if not kind:
        return None
    transcript = text(payload.get("transcript_path"))
    if not key:
        # Nothing in the payload names this event: the payload itself does.
        key = f"{kind}:{digest(raw)}"
        if kind in REPEATABLE:
            key = f"{key}:{size(transcript)}"
    if kind == "session_began":
        key = f"began:{body['source']}:{process[0]}:{process[1]}:{key}"
    return Event(
        agent=NAME,
        kind=kind,
        name=name,
        session=session_id(session),
        key=key,
        at=at,
        cwd=text(payload.get("cwd")),
        body=body,
        pid=process[0],
        transcript=transcript,
    )


def write(answer: Answer, kind: str, name: str = "") -> str:
    """Context as JSON: plain text would be taken for context on three events only. `name` is the
    agent's own for the event, where a kind has more than one."""
    if kind == "context_closing":
        return answer.context  # appended to the summariser's instructions as it stands
    output: dict[str, Any] = {}
    if answer.refusal:
        output = _refused(answer.refusal, kind, asks=answer.asks)
    elif answer.context:
        name = name or CONTEXT_EVENTS[kind]
        specific = {"hookEventName": name, "additionalContext": answer.context}
        output = {"hookSpecificOutput": specific}
    if answer.for_person:
        output["systemMessage"] = f"Holdfast: {answer.for_person}"
    return jsontext.dumps(output) if output else ""


def shows_why(tool: str) -> bool:
    """Whether the dialog for a tool shows a hook's reason: those for files do not."""
    return tool in ("Bash", "Agent", "Task") or tool.startswith("mcp__")


def _refused(reason: str, kind: str, *, asks: bool) -> dict[str, Any]:
    if kind == "tool_asked":
        verdict = "ask" if asks else "deny"
        decision = {"permissionDecision": verdict, "permissionDecisionReason": reason}
        return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **decision}}
    return {"decision": "block", "reason": reason}


def _other(name: str) -> Callable[[Payload], Read]:
    """What reads an event that is no tool call; those are the most, and load nothing for it."""
    bring("other_payloads")
    from holdfast.agents.claude_code import other_payloads

    return other_payloads.READERS.get(name, other_payloads.unheard_of)


def _pre_tool(payload: Payload) -> Read:
    return "tool_asked", _tool(payload), keyed("asked", payload, "tool_use_id")


def _post_tool(payload: Payload) -> Read:
    body = _tool(payload)
    body["ok"] = True
    response = payload.get("tool_response")
    if isinstance(response, dict):
        if body["tool"] == "Write" and response.get("type") == "update":
            body["deed"] = "edit"
        if body["deed"] == "run":
            body["output"] = text(response.get("stdout")) + text(response.get("stderr"))
            body["interrupted"] = response.get("interrupted") is True
        if body["tool"] in REPLIES:
            body["reply"] = REPLIES[body["tool"]](response)
    elif isinstance(response, str):
        body["output"] = response
    if response and "output" not in body and body["tool"].startswith("mcp__"):
        body["output"] = text(response)  # other tools' state is told in their answers
    return "tool_used", body, keyed("tool", payload, "tool_use_id")


def _answered(response: Payload) -> Body:
    return {"answers": response.get("answers"), "annotations": response.get("annotations")}


def _approved(response: Payload) -> Body:
    """The beginning of the plan: it is the agent's own text, and its title is what is kept."""
    plan = text(response.get("plan")).lstrip()
    return {"plan": plan[:PLAN_CAP], "plan_file": text(response.get("filePath"))}


def _tool_failure(payload: Payload) -> Read:
    body = _tool(payload)
    body["ok"] = False
    body["error"] = text(payload.get("error"))
    body["interrupted"] = payload.get("is_interrupt") is True
    return "tool_used", body, keyed("tool", payload, "tool_use_id")


def _tool(payload: Payload) -> Body:
    tool = text(payload.get("tool_name"))
    tool_input = payload.get("tool_input")
    tool_input = tool_input if isinstance(tool_input, dict) else {"input": tool_input}
    body: Body = {"tool": tool, "deed": DEEDS.get(tool, "other"), "input": tool_input}
    for name in PATH_FIELDS:
        if isinstance(tool_input.get(name), str):
            body["path"] = tool_input[name]
            break
    if body["deed"] == "run":
        body["command"] = text(tool_input.get("command"))
    if is_whole(payload.get("duration_ms")):
        body["duration_ms"] = payload["duration_ms"]
    if payload.get("agent_id"):
        body["subagent"] = text(payload["agent_id"])
    return body


# What the user said through a tool. From the response alone: the input is the agent's own word.
REPLIES = {"AskUserQuestion": _answered, "ExitPlanMode": _approved}
TOOL_CALLS = {
    "PreToolUse": _pre_tool,
    "PostToolUse": _post_tool,
    "PostToolUseFailure": _tool_failure,
}
