"""Claude Code's events, each in our words: kind, body, natural key. Tool calls are apart: they are
the most, and load nothing of this."""

from __future__ import annotations

from holdfast.agents.claude_code.fields import is_whole, keyed, text
from holdfast.system.paths import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.agents.claude_code.fields import Payload, Read
    from holdfast.ledger.kinds import Body

NOTHING: Read = ("", {}, "")


def _session_start(payload: Payload) -> Read:
    body: Body = {"source": text(payload.get("source")) or "startup"}
    for ours, theirs in (
        ("model", "model"),
        ("title", "session_title"),
        ("agent_type", "agent_type"),
    ):
        if payload.get(theirs):
            body[ours] = text(payload[theirs])
    if is_whole(payload.get("context_tokens")):
        body["context_tokens"] = payload["context_tokens"]
    return "session_began", body, ""


def _session_end(payload: Payload) -> Read:
    return "session_ended", {"reason": text(payload.get("reason")) or "other"}, ""


def _prompt(payload: Payload) -> Read:
    prompt = text(payload.get("prompt"))
    if prompt.startswith("<task-notification>"):
        # A background task of the agent's own reports; no person said this.
        return "notified", {"sort": "task", "message": prompt}, ""
    body = {"prompt": prompt}
    if payload.get("source"):
        body["source"] = text(payload["source"])
    # Prompts that are queued while the agent works carry the running turn's id: their length and
    # one byte of their digest tell them apart. Not all of it: a key is there for good, and no text
    # is to be known by it.
    key = keyed("prompt", payload, "prompt_id")
    mark = digest(prompt.encode("utf-8", "surrogatepass"))[:2]
    return "prompt_given", body, f"{key}:{len(prompt)}:{mark}" if key else ""


def _expansion(payload: Payload) -> Read:
    body = {
        "name": text(payload.get("command_name")),
        "arguments": text(payload.get("command_args")),
        "prompt": text(payload.get("prompt")),
        "sort": text(payload.get("expansion_type")),
    }
    return "command_typed", body, keyed("command", payload, "prompt_id")


def _pre_compact(payload: Payload) -> Read:
    body = {
        "trigger": text(payload.get("trigger")),
        "instructions": text(payload.get("custom_instructions")),
    }
    if payload.get("agent_id"):
        body["subagent"] = text(payload["agent_id"])
    return "context_closing", body, ""


def _post_compact(payload: Payload) -> Read:
    body = {
        "trigger": text(payload.get("trigger")),
        "summary": text(payload.get("compact_summary")),
    }
    return "context_compacted", body, ""


def _stop(payload: Payload) -> Read:
    tasks = payload.get("background_tasks")
    body = {
        "message": text(payload.get("last_assistant_message")),
        "again": payload.get("stop_hook_active") is True,
        "background": tasks if isinstance(tasks, list) else [],
    }
    return "turn_ended", body, ""


def _stop_failure(payload: Payload) -> Read:
    details = text(payload.get("error_details")) or text(payload.get("last_assistant_message"))
    return "turn_failed", {"error": text(payload.get("error")), "details": details}, ""


def _subagent_start(payload: Payload) -> Read:
    return "subagent_began", _subagent(payload), keyed("subagent_began", payload, "agent_id")


def _subagent_stop(payload: Payload) -> Read:
    body = {**_subagent(payload), "message": text(payload.get("last_assistant_message"))}
    return "subagent_ended", body, ""


def _subagent(payload: Payload) -> Body:
    return {"subagent": text(payload.get("agent_id")), "sort": text(payload.get("agent_type"))}


def _notification(payload: Payload) -> Read:
    body = {"sort": text(payload.get("notification_type")), "message": text(payload.get("message"))}
    return "notified", body, ""


def _task_created(payload: Payload) -> Read:
    return "task_created", _task(payload), keyed("task_created", payload, "task_id")


def _task_completed(payload: Payload) -> Read:
    return "task_completed", _task(payload), ""


def _task(payload: Payload) -> Body:
    return {
        "task": text(payload.get("task_id")),
        "subject": text(payload.get("task_subject")),
        "description": text(payload.get("task_description")),
    }


def _instructions(payload: Payload) -> Read:
    body = {
        "path": text(payload.get("file_path")),
        "sort": text(payload.get("memory_type")),
        "reason": text(payload.get("load_reason")),
    }
    return "instructions_loaded", body, ""


def _moved(payload: Payload) -> Read:
    return (
        "moved",
        {"before": text(payload.get("old_cwd")), "after": text(payload.get("new_cwd"))},
        "",
    )


def _batch(payload: Payload) -> Read:
    """Of a batch of calls those that the user refused with words; without one it is no event. The
    words of a refusal stand in no other payload. Only installed by hand: the transcript tells the
    same."""
    calls = payload.get("tool_calls")
    whole = [call for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    spoken = [refusal for refusal in map(_refusal, whole) if refusal["words"]]
    if not spoken:
        return NOTHING
    return "calls_refused", {"calls": spoken}, keyed("refused", spoken[0], "call")


def _refusal(call: Payload) -> Body:
    from holdfast.agents import user_replies
    from holdfast.agents.claude_code import fields

    tool, tool_input = text(call.get("tool_name")), call.get("tool_input")
    words = fields.words_of_refusal(text(call.get("tool_response")))
    return {
        "call": text(call.get("tool_use_id")),
        "tool": tool,
        "about": user_replies.asked(tool, fields.DEEDS.get(tool, ""), tool_input),
        "words": "" if tool == fields.ASKING else words,
    }


def unheard_of(payload: Payload) -> Read:
    return "event_seen", {"name": text(payload.get("hook_event_name")), "said": payload}, ""


READERS = {
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
    "PostToolBatch": _batch,
}
