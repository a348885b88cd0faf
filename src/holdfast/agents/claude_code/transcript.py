"""Claude Code's transcript: who spoke in each row. Nothing else knows the rows' field names.

Laws: a row's own marks come first (`origin`, `promptSource`, `planContent`), its structure after
them (`isMeta`, tags), and a row that neither explains is `unknown`, never a person's. What only
sounds like somebody is not taken for them. Rows of subagents never count. Nothing raises: half
lines, odd types and rows that nobody has met are passed over. The time is linear in the bytes.

Seen in 2.1.325: a refusal's words stand in `userFeedback`; words given with a Yes stand as a text
beside the tool's result; `turnPosition.promptIndex` counts the prompts of the conversation as the
client still has it, so that a prompt that was taken back gives its number to the next one.
"""

from __future__ import annotations

from holdfast.agents import transcript_rows as rows, user_replies
from holdfast.agents.claude_code import fields
from holdfast.agents.transcript_rows import FinishedCall, Row, Tail, empty
from holdfast.system import files, jsontext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Raw = dict[str, Any]

# A line with neither is bulk: snapshots, requests, costs.
UUID, PARENT, QUEUE = b'"uuid"', b'"parentUuid"', b'"queue-operation"'
TIME, RESULT_OF = b'"timestamp"', b'"tool_use_id"'
FAILED = (b'"is_error":true', b'"is_error": true')
# A long line of a tool's result or an attachment is only passed through, unless one of these shows
# that somebody spoke in it.
LONG, OPENING = 4_096, 600
SPEAKING = (
    *(b'"type":"text"', b'"type": "text"', b'"userFeedback"', b'"queued_command"'),
    b"The user doesn't want to proceed",
)
SIDECHAINS = (b'"isSidechain":true', b'"isSidechain": true')

INTERRUPTIONS = ("[Request interrupted by user]", "[Request interrupted by user for tool use]")
COMMAND_TAGS = ("<command-name>", "<command-message>")
CLIENT_TAGS = (
    "<local-command-",
    "<bash-input>",
    "<bash-stdout>",
    "<bash-stderr>",
    "<system-reminder>",
    "<user-prompt-submit-hook>",
)
NOTIFICATION_TAGS = ("<task-notification>", "<agent-notification>")
# Blocks that an editor or the client puts beside what a person typed.
SIDE_BLOCKS = ("<ide_", "<system-reminder>", "[Image: source:")
# Where a row has no origin.
BY_SOURCE = {
    "typed": rows.TYPED,
    "queued": rows.QUEUED,
    "sdk": rows.SDK,
    "system": rows.CLIENT,
}
QUEUE_CAP = 100


def read(path: str, start: int, limit: int) -> Tail:
    """The rows from byte `start` on, whole lines only; of more than `limit` bytes the last."""
    begin, content = files.read_after(path, start, limit)
    if begin > start:  # somewhere in a line
        begin += content.find(b"\n") + 1
        content = content[content.find(b"\n") + 1 :]
    whole = content.rfind(b"\n") + 1
    if not whole:
        return empty(min(start, begin))
    reading = _Reading()
    for line in content[:whole].split(b"\n"):
        if len(line) > LONG and _is_bulk(line):
            reading.pass_through(line)
        elif UUID in line or QUEUE in line:
            reading.take(line)
    return reading.tail(begin, begin + whole)


def of_rows(raw: list[Raw]) -> Tail:
    """The same of a whole transcript whose lines somebody has read."""
    reading = _Reading()
    for row in raw:
        reading.take_row(row)
    return reading.tail(0, 0)


def _is_bulk(line: bytes) -> bool:
    is_attached = b'"attachment"' in line[:OPENING]
    is_result = b'"tool_result"' in line
    return (is_attached or is_result) and not any(mark in line for mark in SPEAKING)


def _quoted(line: bytes, at: int) -> str:
    """The text that follows a name in a line of JSON, where it is a plain one."""
    parts = line[at : at + OPENING].split(b'"', 4)
    is_plain = at >= 0 and len(parts) == 5 and parts[2].strip() == b":"
    return parts[3].decode("utf-8", "replace") if is_plain else ""


class _Reading:
    """What has to be remembered from row to row: tool calls, and the prompts in the queue."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.calls: dict[str, tuple[str, str]] = {}  # id -> tool, what it is about
        self.finished: dict[str, FinishedCall] = {}
        self.queue: list[str] = []
        self.queued: list[str] = []
        self.dropped: dict[str, int] = {}  # text -> before which row it was taken back

    def tail(self, begin: int, end: int) -> Tail:
        return Tail(begin=begin, calls=self.finished, end=end, queued=self.queued, rows=self.all())

    def take(self, line: bytes) -> None:
        try:
            raw = jsontext.loads(line.decode("utf-8", "replace"))
        except ValueError:
            return
        if isinstance(raw, dict):
            self.take_row(raw)

    def take_row(self, raw: Raw) -> None:
        if raw.get("isSidechain"):
            return
        uuid, parent = _text(raw.get("uuid")), _text(raw.get("parentUuid"))
        if raw.get("type") == "queue-operation":
            self._queued(raw)
        elif uuid:
            kind, text, call = self._who(raw)
            about = self.calls.get(call, ("", ""))[1]
            at = _time(_text(raw.get("timestamp")))
            self.rows.append(Row(uuid, parent, kind, text, _number(raw), call, about, at))

    def pass_through(self, line: bytes) -> None:
        """A row in which nobody speaks: only what it follows is of use."""
        uuid = _quoted(line, line.rfind(UUID))
        if uuid and not any(mark in line for mark in SIDECHAINS):
            parent = _quoted(line, line.find(PARENT))
            at = _time(_quoted(line, line.rfind(TIME)))
            self.rows.append(Row(uuid, parent, rows.NOBODY, "", 0, "", "", at))
            call = _quoted(line, line.find(RESULT_OF))
            if call:
                self._finish(call, ok=not any(mark in line for mark in FAILED))

    def all(self) -> list[Row]:
        """The rows in the order of the file, drafts where they were taken back."""
        drafts = [
            (place, Row("", "", rows.DROPPED, text, 0, "", "", ""))
            for text, place in self.dropped.items()
        ]
        placed = [*enumerate(self.rows), *drafts]
        return [row for _, row in sorted(placed, key=lambda each: (each[0], bool(each[1].uuid)))]

    def _who(self, raw: Raw) -> tuple[str, str, str]:
        """Who spoke in a row, what, and about which tool call."""
        sort = raw.get("type")
        if sort == "assistant":
            return self._answer(raw)
        if sort == "attachment":
            return _attachment(raw)
        if sort != "user":
            return _system(raw), "", ""
        kind, text, call = _user(raw)
        if call:
            denial = raw.get("toolDenialKind")
            is_denied = kind == rows.REFUSAL or denial == "user-rejected"
            self._finish(call, ok=not _is_failed(raw), is_denied=is_denied, raw=raw)
        if kind == rows.REFUSAL and self._is_clients_own(text, call):
            kind = rows.CLIENT
        return kind, text, call

    def _queued(self, raw: Raw) -> None:
        """One act on the queue. A draft that is taken out to be edited was never sent."""
        operation, text = raw.get("operation"), _text(raw.get("content"))
        if operation == "enqueue":
            self.queue.append(text)
            self.queued.append(text)
            del self.queue[:-QUEUE_CAP]
            self.dropped.pop(text, None)
        elif operation == "dequeue" and self.queue:
            self.queue.pop(0)
        elif operation == "remove" and text in self.queue:
            self.queue.remove(text)
        elif operation == "popAll":
            for draft in [*self.queue, text]:
                if draft and not draft.startswith(NOTIFICATION_TAGS):
                    self.dropped[draft] = len(self.rows)
            self.queue = [each for each in self.queue if each.startswith(NOTIFICATION_TAGS)]

    def _answer(self, raw: Raw) -> tuple[str, str, str]:
        call = ""
        blocks = _blocks(raw)
        for block in blocks:
            if block.get("type") == "tool_use":
                tool, call = _text(block.get("name")), _text(block.get("id"))
                about = user_replies.asked(tool, fields.DEEDS.get(tool, ""), block.get("input"))
                self.calls[call] = (tool, about)
        texts = [_text(block.get("text")) for block in blocks if block.get("type") == "text"]
        return rows.ANSWER, "\n".join(filter(None, texts)), call

    def _finish(
        self, call: str, *, ok: bool, is_denied: bool = False, raw: Raw | None = None
    ) -> None:
        answers = _field(_field(raw, "toolUseResult"), "answers")
        texts = map(_text, answers.values()) if isinstance(answers, dict) else ()
        tool, about = self.calls.get(call, ("", ""))
        self.finished[call] = FinishedCall(tool, about, ok, is_denied, list(texts))

    def _is_clients_own(self, text: str, call: str) -> bool:
        tool = self.calls.get(call, ("", ""))[0]
        return tool == fields.ASKING or user_replies.are_clients(text)


def _user(raw: Raw) -> tuple[str, str, str]:
    """Who spoke in a row of the user's side, what, and about which tool call."""
    blocks = _blocks(raw)
    results = [block for block in blocks if block.get("type") == "tool_result"]
    if results:
        return _beside_result(raw, blocks, results[-1])
    text = _spoken(raw, blocks)
    plan = _text(raw.get("planContent"))
    origin = _kind_of(raw.get("origin"))
    if plan or origin == "auto-continuation":
        return rows.PLAN, plan or text, ""
    kind = _marked(raw, origin) or _structured(text)
    if kind in (rows.TYPED, rows.QUEUED, rows.UNKNOWN) and text.startswith(COMMAND_TAGS):
        kind = rows.COMMAND
    return kind, _as_typed(text) if kind == rows.COMMAND else text, ""


def _marked(raw: Raw, origin: str) -> str:
    """Who spoke, by the row's own marks; "" when it has none."""
    source = _text(raw.get("promptSource"))
    if raw.get("isMeta") or raw.get("isCompactSummary"):
        return rows.CLIENT
    if origin == "human":  # also where an editor sends what a person types, as source "sdk"
        return rows.QUEUED if source == "queued" else rows.TYPED
    if origin:
        return rows.NOTIFICATION if origin == "task-notification" else rows.CLIENT
    return BY_SOURCE.get(source, "")


def _structured(text: str) -> str:
    """Who spoke, by how the client writes what it says itself."""
    if text in INTERRUPTIONS:
        return rows.INTERRUPTED
    if text.startswith(NOTIFICATION_TAGS):
        return rows.NOTIFICATION
    return rows.CLIENT if text.startswith(CLIENT_TAGS) else rows.UNKNOWN


def _is_failed(raw: Raw) -> bool:
    return any(block.get("is_error") is True for block in _blocks(raw))


def _beside_result(raw: Raw, blocks: list[Raw], result: Raw) -> tuple[str, str, str]:
    """Words of a person's around a tool's result: with a refusal, or with a Yes."""
    call = _text(result.get("tool_use_id"))
    denial, feedback = raw.get("toolDenialKind"), _text(raw.get("userFeedback"))
    decision = raw.get("permissionDecision")
    if denial == "user-rejected":
        return (rows.REFUSAL, feedback, call) if feedback else (rows.NOBODY, "", call)
    if denial is None and decision is None and result.get("is_error") is True:
        # An older client: its refusals are marked by nothing but their first words.
        words = fields.words_of_refusal(_text(result.get("content")))
        return (rows.REFUSAL, words, call) if words else (rows.NOBODY, "", call)
    words = _joined(block for block in blocks if block.get("type") == "text")
    is_asked = decision is None or _text(_field(decision, "source")).startswith("user")
    if not words or denial or result.get("is_error") is True:
        return rows.NOBODY, "", call
    if not is_asked or words in INTERRUPTIONS or words.startswith(CLIENT_TAGS):
        return rows.CLIENT, words, call
    return rows.APPROVAL, words, call


def _attachment(raw: Raw) -> tuple[str, str, str]:
    """What was attached to a turn: of it only what a person sent while the agent worked."""
    attached = raw.get("attachment")
    if _field(attached, "type") != "queued_command":
        return rows.NOBODY, "", ""
    prompt = _field(attached, "prompt")
    blocks = [block for block in prompt if isinstance(block, dict)] if _is_list(prompt) else []
    text = prompt if isinstance(prompt, str) else _joined(blocks)
    origin, mode = _kind_of(_field(attached, "origin")), _field(attached, "commandMode")
    if "task-notification" in (origin, mode):
        return rows.NOTIFICATION, text, ""
    is_humans = origin == "human" or (not origin and mode == "prompt")
    if _field(attached, "isMeta") or not is_humans:
        return rows.CLIENT, text, ""
    return rows.QUEUED, text, ""


def _system(raw: Raw) -> str:
    is_boundary = raw.get("type") == "system" and raw.get("subtype") == "compact_boundary"
    return rows.BOUNDARY if is_boundary else rows.NOBODY


def _spoken(raw: Raw, blocks: list[Raw]) -> str:
    content = _field(raw.get("message"), "content")
    if isinstance(content, str):
        return content
    texts = [block for block in blocks if block.get("type") == "text"]
    spoken = [block for block in texts if not _text(block.get("text")).startswith(SIDE_BLOCKS)]
    return _joined(spoken or texts)


def _as_typed(text: str) -> str:
    """A command as the person typed it: the client writes it in tags."""
    name, arguments = _tagged(text, "command-name"), _tagged(text, "command-args")
    return f"{name} {arguments}".strip() if name else text


def _tagged(text: str, tag: str) -> str:
    return text.partition(f"<{tag}>")[2].partition(f"</{tag}>")[0].strip()


def _blocks(raw: Raw) -> list[Raw]:
    content = _field(raw.get("message"), "content")
    return [block for block in content if isinstance(block, dict)] if _is_list(content) else []


def _joined(blocks: Any) -> str:
    return "\n".join(text for block in blocks if (text := _text(block.get("text"))))


def _number(raw: Raw) -> int:
    number = _field(raw.get("turnPosition"), "promptIndex")
    return number if type(number) is int and 0 < number < 1 << 31 else 0


def _time(text: str) -> str:
    """A time as we keep them; "" for any other text."""
    return text if len(text) >= 20 and text[10] == "T" and text[-1] == "Z" else ""


def _kind_of(origin: Any) -> str:
    return _text(_field(origin, "kind")) or _text(origin)


def _field(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
