"""Transcripts as the client writes them, made up: every situation that an import must handle."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

REFUSAL = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you"
    " how to proceed, the user said:\n"
)
PLAN = "Implement the following plan:\n\n# Cents everywhere\n\nKeep amounts in cents."


class Transcript:
    """A session's file as the client writes it, row by row."""

    def __init__(self, session: str, repo: Path, folder: Path, day: str = "2026-03-01") -> None:
        self.session, self.repo, self.day = session, repo, day
        self.path = folder / "projects" / "-repo" / f"{session}.jsonl"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.number = 0

    def row(self, kind: str, content: Any, /, **more: Any) -> None:
        self.number += 1
        row = {
            "type": kind,
            "uuid": f"{self.session[:8]}-{self.number}",
            "sessionId": self.session,
            "timestamp": f"{self.day}T10:{self.number:02}:00.000Z",
            "cwd": str(self.repo),
            "gitBranch": "topic",
            "isSidechain": False,
            "message": {"role": kind, "content": content},
        }
        self.raw(json.dumps({**row, **more}))

    def raw(self, line: str) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")

    def say(self, prompt: str, **more: Any) -> None:
        self.row("user", prompt, **more)

    def answer(self, text: str) -> None:
        self.row("assistant", [{"type": "text", "text": text}])

    def command(self, name: str, arguments: str = "") -> None:
        tags = f"<command-name>/{name}</command-name>\n<command-args>{arguments}</command-args>"
        self.row("user", tags)

    def queue(self, prompt: str) -> None:
        self.row("queue-operation", "", operation="enqueue", content=prompt)

    def absorb(self, prompt: str) -> None:
        """What was queued goes into the running turn."""
        self.row("queue-operation", "", operation="remove", reason="absorbed_mid_turn")
        attached = {"type": "queued_command", "prompt": prompt, "origin": {"kind": "human"}}
        self.row("attachment", "", attachment=attached)

    def compact(self, summary: str, trigger: str = "manual") -> None:
        about = {"trigger": trigger}
        self.row("system", "", subtype="compact_boundary", compactMetadata=about)
        self.row("user", summary, isCompactSummary=True)

    def refuse(self, tool: str, given: dict[str, Any], words: str) -> None:
        id_ = self._use(tool, given)
        text = f"{REFUSAL}{words}"
        block = {"type": "tool_result", "tool_use_id": id_, "is_error": True, "content": text}
        more = {"toolDenialKind": "user-rejected", "userFeedback": words}
        self.row("user", [block], toolUseResult=f"Error: {text}", **more)

    def call(self, tool: str, given: dict[str, Any], result: Any, *, ok: bool = True) -> None:
        id_ = self._use(tool, given)
        block = {"type": "tool_result", "tool_use_id": id_, "is_error": not ok, "content": "x"}
        self.row("user", [block], toolUseResult=result)

    def _use(self, tool: str, given: dict[str, Any]) -> str:
        id_ = f"toolu_{self.session[:8]}_{self.number}"
        self.row("assistant", [{"type": "tool_use", "id": id_, "name": tool, "input": given}])
        return id_


def a_month(folder: Path, repo: Path) -> list[Transcript]:
    """Five sessions of one project."""
    ids = [f"{number:08x}-0000-4000-8000-000000000000" for number in range(1, 6)]
    made = [Transcript(id_, repo, folder, f"2026-03-0{day}") for day, id_ in enumerate(ids, 1)]
    rules, queued, compacted, planned, broken = made

    rules.say("Repair the currency of the invoice. From now on never push to main.")
    rules.call("Edit", {"file_path": f"{repo}/src/bill.py", "new_string": "def rounded():"}, {})
    rules.call("Bash", {"command": "make test"}, "Error: Exit code 2\nrate is stale", ok=False)
    rules.call("Edit", {"file_path": f"{repo}/src/rate.py", "new_string": "def fresh():"}, {})
    rules.call("Bash", {"command": "make test"}, {"stdout": "3 passed", "stderr": ""})
    printed = {"stdout": "[topic 1a2b3c4] Round each position\n 1 file changed", "stderr": ""}
    rules.call("Bash", {"command": "git commit -m 'Round each position'"}, printed)
    url = {"stdout": "https://github.com/acme/bills/pull/41\n", "stderr": ""}
    rules.call("Bash", {"command": "gh pr create --fill"}, url)
    rules.answer("The rate was stale by morning.")
    rules.command("exit")

    queued.say("Add a retry to the importer.")
    queued.call("Read", {"file_path": f"{repo}/src/bill.py"}, {})
    queued.queue("always use pnpm from now on")
    queued.absorb("always use pnpm from now on")
    queued.answer("Added, with pnpm.")
    queued.queue("and write the notes")
    queued.say("and write the notes", promptSource="queued")
    queued.answer("Written.")

    compacted.say("Move the tax table into a file of its own.")
    compacted.say("a subagent speaks: never use tabs from now on", isSidechain=True)
    compacted.answer("Moved.")
    compacted.compact("The tax table lies in tax.py now.")
    compacted.command("compact")
    compacted.refuse("Bash", {"command": "npm install"}, "use pnpm instead")
    question = "Which font?"
    given = {"questions": [{"question": question, "header": "x", "options": [{"label": "Lato"}]}]}
    answers = {**given, "answers": {question: "Lato"}, "annotations": {}}
    compacted.call("AskUserQuestion", given, answers)
    compacted.answer("Lato it is.")

    planned.say(PLAN, planContent="# Cents everywhere", origin={"kind": "auto-continuation"})
    planned.answer("All amounts are in cents.")
    planned.say("Now check the totals of last year.")
    planned.answer("They add up.")
    planned.say("Use yarn from now on, always.", turnPosition={"promptIndex": 2})  # taken back
    planned.say("Rename the module to totals.", turnPosition={"promptIndex": 2})
    planned.answer("Renamed.")

    broken.raw('{"type": "user", "half a line')
    broken.raw('["no row"]')
    broken.raw('{"type": "something-new", "payload": {"x": 1}}')
    broken.say("Draw the zebra.")
    broken.answer("Drawn.")
    broken.say("[Request interrupted by user]")
    broken.raw('{"type": "assistant", "message": {"content": [{"type": "te')
    return made


def fork_of(parent: Transcript, folder: Path, repo: Path) -> Transcript:
    """A session that brings the first rows of another along."""
    fork = Transcript("0" * 8 + "-0000-4000-8000-000000000000", repo, folder, "2026-03-09")
    for line in parent.path.read_text().splitlines()[:3]:
        fork.raw(line.replace(parent.session, fork.session))
    fork.say("Try it with cents instead.")
    fork.answer("Tried.")
    return fork
