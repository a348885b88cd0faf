"""A finished session of Gemini CLI (`~/.gemini/tmp/*/chats/*.jsonl`), as what hooks would have been
told, in the words of Claude Code's. Its own hooks are not installed.

Verified with 0.61.0: the first row says whose session it is; the folder that it worked in stands
beside the chats (`.project_root`); a message is written anew, under its id, as it grows. Files of
older versions, which are one object, are not read.

Laws: what the client adds to a conversation is nobody's prompt; rows that nobody has met, half
lines and odd types are passed over, and nothing raises.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from holdfast.agents.told import Telling, Told, seconds
from holdfast.system import files

if TYPE_CHECKING:
    from holdfast.agents.told import Row

NAME = "gemini-cli"
FOLDER = ".gemini/tmp"
ROOT_FILE = ".project_root"
CLIENTS = ("<session_context>", "<hook_context>")
# Its tools, as Claude Code calls them; their input has the same names.
TOOLS = {
    "run_shell_command": "Bash",
    "write_file": "Write",
    "replace": "Edit",
    "read_file": "Read",
}
EXIT = re.compile(r"^Exit Code: (\d+)$", re.MULTILINE)


def is_first(row: Row) -> bool:
    """Whether a file begins with this row that Gemini CLI wrote."""
    return "projectHash" in row and isinstance(row.get("sessionId"), str)


def session_of(row: Row) -> str:
    """The session whose first row this is; "" for a subagent's."""
    return str(row["sessionId"]) if row.get("kind") in (None, "main") else ""


def folder_of(path: str) -> str:
    """The folder that the sessions beside a file worked in."""
    root = files.read_text(os.path.join(os.path.dirname(path), "..", ROOT_FILE))
    return (root or "").strip()


class Reader(Telling):
    """One session's rows, read from the first to the last."""

    def __init__(self, path: str) -> None:
        super().__init__(folder_of(path))
        self._answer = ""

    def read(self, rows: list[Row]) -> list[Told]:
        """The events of a session, in order, from its beginning to its end."""
        last = {row["id"]: row for row in rows if isinstance(row.get("id"), str)}
        read: set[str] = set()
        self._at = next((at for row in rows if (at := seconds(row))), 0.0)
        self._emit("SessionStart", source="startup")
        for number, row in enumerate(rows):
            id_ = row.get("id")
            if not isinstance(id_, str) or id_ in read:
                continue
            read.add(id_)
            self._rows, self._at = number, max(self._at, seconds(row) or 0.0)
            self._message(last[id_], id_)
        self._rows = len(rows)
        self._stop()
        self._emit("SessionEnd", reason="other")
        return self.events

    def _message(self, row: Row, id_: str) -> None:
        text = _text_of(row.get("content"))
        if row.get("type") == "user":
            if text.strip() and not text.startswith(CLIENTS):
                self._stop()
                self._turn = id_
                self._emit("UserPromptSubmit", row=id_, text=text, prompt=text)
        elif row.get("type") == "gemini":
            self._answer = text or self._answer
            calls = row.get("toolCalls")
            for call in calls if isinstance(calls, list) else ():
                if isinstance(call, dict) and isinstance(call.get("args"), dict):
                    self._call(call, call["args"])

    def _call(self, call: Row, given: Row) -> None:
        name = str(call.get("name"))
        tool = TOOLS.get(name, name)
        about: Row = {
            "tool_name": tool,
            "tool_input": given,
            "tool_use_id": str(call.get("id")),
        }
        shown = call.get("resultDisplay")
        output = shown if isinstance(shown, str) else ""
        failed = EXIT.search(_printed(call)) if tool == "Bash" else None
        if call.get("status") != "success" or (failed and failed[1] != "0"):
            error = f"Exit code {failed[1]}\n{output}" if failed else output
            self._emit("PostToolUseFailure", **about, error=error, is_interrupt=False)
        else:
            self._emit("PostToolUse", **about, tool_response={"stdout": output, "stderr": ""})

    def _stop(self) -> None:
        """The turn is over, when the agent had answered."""
        if self._answer:
            message, self._answer = self._answer, ""
            self._emit(
                "Stop", stop_hook_active=False, last_assistant_message=message, background_tasks=[]
            )


def _printed(call: Row) -> str:
    """What a call gave the model."""
    results = call.get("result")
    texts = []
    for part in results if isinstance(results, list) else ():
        answer = part.get("functionResponse") if isinstance(part, dict) else None
        response = answer.get("response") if isinstance(answer, dict) else None
        output = response.get("output") if isinstance(response, dict) else None
        texts.append(output if isinstance(output, str) else "")
    return "\n".join(texts)


def _text_of(content: object) -> str:
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, dict)]
        return "\n".join(text for text in texts if isinstance(text, str))
    return content if isinstance(content, str) else ""
