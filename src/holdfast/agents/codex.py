"""A finished session of Codex CLI (`~/.codex/sessions/**/rollout-*.jsonl`), as what its hooks would
have been told: its hooks speak as Claude Code's do, and are not installed.

Verified with 0.166.0: the first row says whose session it is and where; what was said and done are
`item_completed` rows, and `task_complete` ends a turn. A compaction's row is read as Codex's source
has it. Rows of older versions that have no items give nothing.

Laws: threads of subagents are nobody's sessions; a turn that was broken off has no end; rows that
nobody has met, half lines and odd types are passed over, and nothing raises.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.agents.told import Telling, Told, seconds, text_in

if TYPE_CHECKING:
    from holdfast.agents.told import Row

NAME = "codex"
FOLDER = ".codex/sessions"
REOPEN = "codex resume"  # and a session's id
SHELL_FLAGS = ("-c", "-lc")


def is_first(row: Row) -> bool:
    """Whether a file begins with this row that Codex wrote."""
    return row.get("type") == "session_meta" and isinstance(row.get("payload"), dict)


def session_of(row: Row) -> str:
    """The session whose first row this is; "" for a subagent's."""
    about = _dict(row, "payload")
    is_users = about.get("thread_source") in (None, "user")
    return text_in(about, "id") if is_users and not isinstance(about.get("source"), dict) else ""


def folder_of(row: Row) -> str:
    return text_in(_dict(row, "payload"), "cwd")


class Reader(Telling):
    """One session's rows, read from the first to the last."""

    def read(self, rows: list[Row]) -> list[Told]:
        """The events of a session, in order, from its beginning to its end."""
        for number, row in enumerate(rows):
            self._rows = number
            self._at = max(self._at, seconds(row) or 0.0)
            self._read_row(str(row.get("type")), _dict(row, "payload"))
        self._rows = len(rows)
        self._emit("SessionEnd", reason="other")
        return self.events

    def _read_row(self, kind: str, about: Row) -> None:
        sort = about.get("type")
        if kind == "session_meta" and not self.events:
            self._cwd, self._branch = text_in(about, "cwd"), text_in(_dict(about, "git"), "branch")
            self._emit("SessionStart", source="startup")
        elif kind == "turn_context":
            self._cwd = text_in(about, "cwd") or self._cwd
        elif kind == "compacted":
            self._emit("PreCompact", trigger="auto", custom_instructions=None)
            self._emit("SessionStart", source="compact")
            self._emit("PostCompact", trigger="auto", compact_summary=text_in(about, "message"))
        elif sort == "task_started":
            self._turn = text_in(about, "turn_id")
        elif sort == "task_complete":
            self._emit(
                "Stop",
                stop_hook_active=False,
                last_assistant_message=text_in(about, "last_agent_message"),
                background_tasks=[],
            )
        elif sort == "item_completed":
            self._item(_dict(about, "item"))

    def _item(self, item: Row) -> None:
        kind = item.get("type")
        if kind == "UserMessage":
            text = "\n".join(text_in(part, "text") for part in _dicts(item.get("content")))
            if text.strip():
                self._emit("UserPromptSubmit", row=text_in(item, "id"), text=text, prompt=text)
        elif kind == "CommandExecution":
            self._command(item)
        elif kind == "FileChange" and item.get("status") == "completed":
            for path, change in _dict(item, "changes").items():
                if isinstance(change, dict):
                    self._change(text_in(item, "id"), path, change)

    def _command(self, item: Row) -> None:
        command = item.get("command")
        words = (
            [each for each in command if isinstance(each, str)] if isinstance(command, list) else []
        )
        is_shell = len(words) == 3 and words[1] in SHELL_FLAGS
        call: Row = {
            "tool_name": "Bash",
            "tool_input": {"command": words[2] if is_shell else " ".join(words)},
            "tool_use_id": text_in(item, "id"),
        }
        output, code = text_in(item, "aggregated_output"), item.get("exit_code")
        if item.get("status") == "failed" or code:
            error = f"Exit code {code}\n{output}"
            self._emit("PostToolUseFailure", **call, error=error, is_interrupt=False)
        else:
            response = {"stdout": output, "stderr": "", "interrupted": False}
            self._emit("PostToolUse", **call, tool_response=response)

    def _change(self, call: str, path: str, change: Row) -> None:
        given: Row = {"file_path": path}
        if change.get("type") == "add":
            tool, given["content"] = "Write", text_in(change, "content")
        else:
            tool = "Edit"
            given["old_string"], given["new_string"] = _sides(text_in(change, "unified_diff"))
        about: Row = {"tool_name": tool, "tool_input": given, "tool_use_id": f"{call}:{path}"}
        self._emit("PostToolUse", **about, tool_response={})


def _sides(diff: str) -> tuple[str, str]:
    """What a difference takes out, and what it puts in."""
    lines = [line for line in diff.splitlines() if not line.startswith(("---", "+++"))]
    old, new = ("\n".join(line[1:] for line in lines if line[:1] == mark) for mark in "-+")
    return old, new


def _dict(row: Row, name: str) -> Row:
    value = row.get(name)
    return value if isinstance(value, dict) else {}


def _dicts(value: object) -> list[Row]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
