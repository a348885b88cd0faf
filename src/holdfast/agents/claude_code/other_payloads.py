"""Claude Code's events, each in our words: kind, body, natural key. Tool calls are apart: they are
the most, and load nothing of this."""

from __future__ import annotations

from holdfast.agents.claude_code.payloads import TOOL_CALLS, is_whole, keyed, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _session_start(said: dict[str, Any]) -> tuple[str, dict[str, Any], str]:
    body: dict[str, Any] = {"source": text(said.get("source")) or "startup"}
    for ours, theirs in (
        ("model", "model"),
        ("title", "session_title"),
        ("agent_type", "agent_type"),
    ):
        if said.get(theirs):
            body[ours] = text(said[theirs])
    if is_whole(said.get("context_tokens")):
        body["context_tokens"] = said["context_tokens"]
    return "session_began", body, ""


def _session_end(said: dict[str, Any]) -> tuple[str, dict[str, Any], str]:
    return "session_ended", {"reason": text(said.get("reason")) or "other"}, ""


def _prompt(said: dict[str, Any]) -> tuple[str, dict[str, Any], str]:
    prompt = text(said.get("prompt"))
    if prompt.startswith("<task-notification>"):
        # A background task of the agent's own reports; no person said this.
        return "notified", {"sort": "task", "message": prompt}, ""
    body = {"prompt": prompt}
    if said.get("source"):
        body["source"] = text(said["source"])
    # A prompt that is queued while the agent works carries the running turn's id: its length tells
    # it from the one that began the turn. Not its digest: a key is there for good.
    key = keyed("prompt", said, "prompt_id")
    return "prompt_given", body, f"{key}:{len(prompt)}" if key else ""


def _expansion(said: dict[str, Any]) -> tuple[str, dict[str, Any], str]:
    body = {
        "name": text(said.get("command_name")),
        "arguments": text(said.get("command_args")),
        "prompt": text(said.get("prompt")),
        "sort": text(said.get("expansion_type")),
    }
    return "command_typed", body, keyed("command", said, "prompt_id")


def _pre_compact(said: dict[str, Any]) -> tuple[str, dict[str, Any], str]:
    body = {
        "trigger": text(said.get("trigger")),
        "instructions": text(said.get("custom_instructions")),
    }
    if said.get("agent_id"):
        body["subagent"] = text(said["agent_id"])
    return "context_closing", body, ""


def _post_compact(said: dict[str, Any]) -> tuple[str, dict[str, Any], str]:
    body = {"trigger": text(said.get("trigger")), "summary": text(said.get("compact_summary"))}
    return "context_compacted", body, ""


def _stop(said: dict[str, Any]) -> tuple[str, dict[str, Any], str]:
    tasks = said.get("background_tasks")
    body = {
        "message": text(said.get("last_assistant_message")),
        "again": said.get("stop_hook_active") is True,
        "background": tasks if isinstance(tasks, list) else [],
    }
    return "turn_ended", body, ""


def _stop_failure(said: dict[str, Any]) -> tuple[str, dict[str, Any], str]:
    details = text(said.get("error_details")) or text(said.get("last_assistant_message"))
    return "turn_failed", {"error": text(said.get("error")), "details": details}, ""


def _subagent_start(said: dict[str, Any]) -> tuple[str, dict[str, Any], str]:
    return "subagent_began", _subagent(said), keyed("subagent_began", said, "agent_id")


def _subagent_stop(said: dict[str, Any]) -> tuple[str, dict[str, Any], str]:
    body = {**_subagent(said), "message": text(said.get("last_assistant_message"))}
    return "subagent_ended", body, ""


def _subagent(said: dict[str, Any]) -> dict[str, Any]:
    return {"subagent": text(said.get("agent_id")), "sort": text(said.get("agent_type"))}


def _notification(said: dict[str, Any]) -> tuple[str, dict[str, Any], str]:
    body = {"sort": text(said.get("notification_type")), "message": text(said.get("message"))}
    return "notified", body, ""


def _task_created(said: dict[str, Any]) -> tuple[str, dict[str, Any], str]:
    return "task_created", _task(said), keyed("task_created", said, "task_id")


def _task_completed(said: dict[str, Any]) -> tuple[str, dict[str, Any], str]:
    return "task_completed", _task(said), ""


def _task(said: dict[str, Any]) -> dict[str, Any]:
    return {
        "task": text(said.get("task_id")),
        "subject": text(said.get("task_subject")),
        "description": text(said.get("task_description")),
    }


def _instructions(said: dict[str, Any]) -> tuple[str, dict[str, Any], str]:
    body = {
        "path": text(said.get("file_path")),
        "sort": text(said.get("memory_type")),
        "reason": text(said.get("load_reason")),
    }
    return "instructions_loaded", body, ""


def _moved(said: dict[str, Any]) -> tuple[str, dict[str, Any], str]:
    return "moved", {"before": text(said.get("old_cwd")), "after": text(said.get("new_cwd"))}, ""


def unheard_of(said: dict[str, Any]) -> tuple[str, dict[str, Any], str]:
    return "event_seen", {"name": text(said.get("hook_event_name")), "said": said}, ""


READERS = {
    **TOOL_CALLS,
    "SessionStart": _session_start,
    "SessionEnd": _session_end,
    "UserPromptSubmit": _prompt,
    "UserPromptExpansion": _expansion,
    "PreCompact": _pre_compact,
    "PostCompact": _post_compact,
    "Stop": _stop,
    "StopFailure": _stop_failure,
    "SubagentStart": _subagent_start,
    "SubagentStop": _subagent_stop,
    "Notification": _notification,
    "TaskCreated": _task_created,
    "TaskCompleted": _task_completed,
    "InstructionsLoaded": _instructions,
    "CwdChanged": _moved,
}
