"""The largest things an agent sends, and the worst: what a hook must answer in its time.

Each input is an event with one field that is megabytes, of the shapes that cost a reader most.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

MEGABYTE = 1_000_000
LARGEST = 12 * MEGABYTE
NESTED = 900  # levels, which the JSON scanner still reads

LOG = "2026-11-18 01:45:27 INFO worker[{n}] handled job {n} in 37 ms (queue=mail, tries=1)\n"
PROSE = "The importer drops row {n} whenever its parser meets an empty field; find out why.\n"
PAIRS = "setting_{n}=value{n} token_{n} = word-{n} path=/var/lib/part{n}\n"
CODE = 'def part_{n}(text: str) -> str:\n    return text.replace("{n}", f"{{text}}-{n}")\n'
ROW = '{{"number": {n}, "state": "OPEN", "title": "Part {n}", "url": "https://example.com/{n}"}}\n'
EXPORT = 'export PART_{n}_KEY="part-{n}-$(date +%s)" # --password-file=/run/part{n}\n'
TESTS = "tests/test_part{n}.py::test_it_works[{n}] PASSED\n"

Large = tuple[str, Callable[[], dict[str, Any]]]


def lines(shape: str, size: int = LARGEST) -> str:
    """Numbered lines of one shape, up to a size."""
    some = "".join(shape.format(n=number) for number in range(2_000))
    return (some * (size // len(some) + 1))[:size]


def bash(command: str = "make", **response: Any) -> dict[str, Any]:
    said = {"stdout": "", "stderr": "", "interrupted": False, **response}
    return tool("Bash", {"command": command, "description": "Run it"}, said)


def tool(name: str, given: Any, response: Any = None) -> dict[str, Any]:
    return {"_": "PostToolUse", "tool_name": name, "tool_input": given, "tool_response": response}


def asked(command: str) -> dict[str, Any]:
    return {"_": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}}


def nested(levels: int, leaf: Any) -> Any:
    for level in range(levels):
        leaf = [leaf] if level % 2 else {"in": leaf}
    return leaf


def transcript(size: int, row_text: str = PROSE * 5) -> str:
    """A conversation of a size, most of it the agent's."""
    usage = {"input_tokens": 2, "cache_read_input_tokens": 30_000, "output_tokens": 200}
    message = {"role": "assistant", "model": "claude-sonnet-4-5", "usage": usage}
    message |= {"content": [{"type": "text", "text": row_text}]}
    row = json.dumps({"type": "assistant", "isSidechain": False, "message": message}) + "\n"
    return row * (size // len(row) + 1)


TRANSCRIPT = "a transcript of 50 MB"  # stands for its path
ONE_ROW = "a transcript of one row of 50 MB"
TRANSCRIPTS: dict[str, Callable[[], str]] = {
    TRANSCRIPT: lambda: transcript(50 * MEGABYTE),
    ONE_ROW: lambda: transcript(1, "x" * (50 * MEGABYTE)),
}

SHAPES: dict[str, Callable[[], str]] = {
    "log lines": lambda: lines(LOG),
    "name=value lines": lambda: lines(PAIRS),
    "exports": lambda: lines(EXPORT),
    "JSON rows": lambda: lines(ROW),
    "test results": lambda: lines(TESTS),
    "base64 in one line": lambda: "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo5" * (LARGEST // 36),
    "one word": lambda: "a" * LARGEST,
    "quotes": lambda: "\"'" * (LARGEST // 3),
    "backslashes": lambda: "\\" * (LARGEST // 2),
    "opening brackets": lambda: '{"a":[' * (LARGEST // 8),
    "secret=": lambda: "secret=" * (LARGEST // 7),
    "PEM heads": lambda: "-----BEGIN PRIVATE KEY-----\n" * (LARGEST // 30),
    "not ASCII": lambda: "żółć 🙂 " * (LARGEST // 20),
    "NULs and lone surrogates": lambda: "\x00\ud800" * (LARGEST // 12),
    "blank lines": lambda: "\n" * (LARGEST // 2),
}

COMMANDS: dict[str, Callable[[], str]] = {
    "190 kB of ls;": lambda: "ls;" * 63_000,
    "2 MB of ls;": lambda: "ls;" * 700_000,
    "12 MB of ls;": lambda: "ls;" * 4_000_000,
    "a quoted argument of 4 MB": lambda: f"echo '{'x y;' * MEGABYTE}'",
    "a heredoc of 4 MB": lambda: f"cat > a.txt <<'END'\n{lines(CODE, 4 * MEGABYTE)}\nEND\n",
    "a heredoc for bash of 1 MB": lambda: f"bash <<'END'\n{lines(EXPORT, MEGABYTE)}\nEND\n",
    "100,000 openings of $(": lambda: "echo " + "$(" * 100_000,
    "100,000 double quotes": lambda: 'echo "' + '"$(x)"' * 100_000,
    "1 MB of backslashes": lambda: "\\" * MEGABYTE,
    "50,000 wrappers": lambda: "sudo " * 50_000 + "ls",
    "50,000 heredocs": lambda: "cat <<A\n" * 50_000,
    "100,000 pipes": lambda: "a |" * 100_000 + "b",
    "300,000 words": lambda: "echo " + "word " * 300_000,
}

LARGE: list[Large] = [
    *((f"output: {name}", lambda make=make: bash(stdout=make())) for name, make in SHAPES.items()),
    *(
        (f"prompt: {name}", lambda make=make: {"_": "UserPromptSubmit", "prompt": make()})
        for name, make in SHAPES.items()
    ),
    *((f"ran: {name}", lambda make=make: bash(make())) for name, make in COMMANDS.items()),
    *((f"asked: {name}", lambda make=make: asked(make())) for name, make in COMMANDS.items()),
    *(
        (f"{event}: {name}", lambda event=event, name=name: {"_": event, "transcript_path": name})
        for event in ("Stop", "UserPromptSubmit", "PreCompact.auto", "SessionEnd.other")
        for name in TRANSCRIPTS
    ),
    ("a file of 12 MB read", lambda: tool("Read", {"file_path": "a"}, {"file": lines(CODE)})),
    (
        "a file of 5 MB written",
        lambda: tool("Write", {"file_path": "a", "content": lines(CODE, 5 * MEGABYTE)}, {}),
    ),
    (
        "a file of 5 MB of settings written",
        lambda: tool("Write", {"file_path": "a", "content": lines(PAIRS, 5 * MEGABYTE)}, {}),
    ),
    (
        "5 MB edited",
        lambda: tool(
            "Edit",
            {"file_path": "a", "old_string": lines(CODE, 5 * MEGABYTE), "new_string": lines(LOG)},
            {"originalFile": lines(CODE, 5 * MEGABYTE)},
        ),
    ),
    (
        "5,000 edits of one file",
        lambda: tool(
            "MultiEdit",
            {
                "file_path": "a",
                "edits": [
                    {"old_string": lines(CODE, 500), "new_string": f"{number}"}
                    for number in range(5_000)
                ],
            },
            {},
        ),
    ),
    ("200,000 names", lambda: tool("mcp__a__b", {f"name{n}": n for n in range(200_000)}, "ok")),
    (
        "200 names with 50 kB each",
        lambda: tool("mcp__a__b", {f"n{n}": lines(PAIRS, 50_000) for n in range(200)}, "ok"),
    ),
    (
        "200 lists of 200 texts",
        lambda: tool("mcp__a__b", {f"n{n}": [lines(PAIRS, 200)] * 200 for n in range(200)}, "ok"),
    ),
    (
        "names of 10 kB",
        lambda: tool("mcp__a__b", {f"{lines(PAIRS, 10_000)}{n}": n for n in range(1_000)}, "ok"),
    ),
    (
        "an answer of 200,000 rows",
        lambda: tool("mcp__a__b", {}, [{"n": n} for n in range(200_000)]),
    ),
    ("an answer nested 900 deep", lambda: tool("mcp__a__b", {}, nested(NESTED, lines(PAIRS)))),
    ("input nested 900 deep", lambda: tool("mcp__a__b", nested(NESTED, lines(PAIRS)), "ok")),
    ("2 million numbers", lambda: tool("mcp__a__b", {"n": [7] * 2 * MEGABYTE}, "ok")),
    ("a number of a million digits", lambda: tool("mcp__a__b", {"n": 7}, {"n": "9" * MEGABYTE})),
    (
        "a question answered with 12 MB",
        lambda: tool("AskUserQuestion", {}, {"answers": {"Which?": lines(PROSE)}}),
    ),
    ("a plan of 12 MB", lambda: tool("ExitPlanMode", {}, {"plan": lines(PROSE)})),
    ("a failure of 12 MB", lambda: {"_": "PostToolUseFailure.Bash", "error": lines(LOG)}),
    ("a last message of 12 MB", lambda: {"_": "Stop", "last_assistant_message": lines(PROSE)}),
    ("a summary of 12 MB", lambda: {"_": "PostCompact.auto", "compact_summary": lines(PROSE)}),
    ("a subagent's 12 MB", lambda: {"_": "SubagentStop", "last_assistant_message": lines(CODE)}),
    ("a notification of 12 MB", lambda: {"_": "Notification.idle_prompt", "message": lines(LOG)}),
    ("a title of 12 MB", lambda: {"_": "SessionStart.startup", "session_title": lines(PROSE)}),
    ("a command with 12 MB", lambda: {"_": "UserPromptExpansion", "command_args": lines(PROSE)}),
    ("a task of 12 MB", lambda: {"_": "TaskCreated", "task_description": lines(PROSE)}),
    ("an event nobody knows", lambda: {"_": "Stop", "hook_event_name": "New", "x": lines(PAIRS)}),
    ("a session id of 12 MB", lambda: {"_": "Stop", "session_id": lines(PROSE)}),
    ("a folder of 12 MB", lambda: {"_": "Stop", "cwd": f"/{lines(PROSE)}"}),
]
