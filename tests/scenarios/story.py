"""A story told through the real door: who says what in which session, and when.

What is told of the past waits in the spool, as an event does whose turn did not come: it is an
event of the agent with a time of its own, and the next hook takes it in before its own.
"""

from __future__ import annotations

import itertools
import json
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import commands
from conftest import Agent, Door, git, payload
from holdfast.agents.claude_code import payloads
from holdfast.hook import transaction
from holdfast.hook.event import Event
from holdfast.ledger import queries as ledger, spool
from holdfast.ledger.entry import Entry
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.gates import repository_trust
from holdfast.system import clock, paths, processes
from law import assert_nothing_swallowed, assert_replay_law

A, B, C, D = (f"{n * 8}-0000-4000-8000-000000000000" for n in "abcd")
WINDOW = 200_000
MODEL = "claude-sonnet-4-5"


def _refused(path: str, error: Exception) -> None:
    raise AssertionError(f"{path}: {error}")


class Story:
    """The door, one agent process for each session, and what the ledger holds."""

    def __init__(self, door: Door, repo: Path, folder: Path) -> None:
        self.door = door
        self.repo = repo
        self.state = door.state
        self.folder = folder
        self._agents: dict[str, Agent] = {}
        self._number = itertools.count(1)
        self.keeps_record = True  # of what is said
        self.source = "typed"  # where prompts come from, as the client says it
        self._rows: dict[str, str] = {}

    # Who speaks

    def agent(self, session: str) -> Agent:
        if session not in self._agents:
            self._agents[session] = self.door.agent()
        return self._agents[session]

    def crash(self, session: str) -> None:
        self._agents.pop(session).kill()

    def tell(
        self, name: str, session: str, *, hours: float = 0.0, place: Path | None = None, **said: Any
    ) -> str:
        """One event; `hours` ago it is set aside, and nobody is answered."""
        if name in ("UserPromptSubmit", "UserPromptExpansion", "Stop") or "ToolUse" in name:
            number = next(self._number)
            said = {"prompt_id": f"p{number}", "tool_use_id": f"t{number}", **said}
        said = {"transcript_path": self.transcript(session), "session_id": session, **said}
        if self.keeps_record and name.startswith("PostTool"):
            self.write_result(session, payload(name, **said), clock.iso(time.time() - hours * 3600))
        if not hours:
            return self.door.send(name, agent=self.agent(session), folder=place, **said)
        event = self._event(name, session, time.time() - hours * 3600, place, said)
        assert spool.put(self.state, event)
        return ""

    def answer_here(self, name: str, session: str, meanwhile: Callable[[], None]) -> str:
        """One event in this very process, where its clock can be turned while it works."""
        said = {"transcript_path": self.transcript(session), "session_id": session}
        event = self._event(name, session, time.time(), None, said)
        workspace = Workspace(self.state)
        try:
            meanwhile()
            return transaction.receive(workspace, event).answer.context
        finally:
            workspace.store.close()

    def _event(
        self, name: str, session: str, at: float, place: Path | None, said: dict[str, Any]
    ) -> Event:
        """What the door makes of a payload, with a time of its own."""
        whole = payload(name, **{"cwd": str(place or self.repo), **said})
        pid = self.agent(session).pid
        event = payloads.read(
            whole,
            raw=json.dumps(whole).encode(),
            at=clock.iso(at + next(self._number) / 1000),  # one after the other
            process=(pid, processes.process_started(pid)),
            size=lambda _: 0,
        )
        transaction.look(event)
        return event

    # What happens

    def begin(self, session: str, source: str = "startup", *, after: str = "", **more: Any) -> str:
        """A beginning; after `/clear` the process is the one of the session before."""
        if after:
            self._agents[session] = self._agents[after]
        return self.tell(f"SessionStart.{source}", session, **more)

    def say(self, session: str, prompt: str, **more: Any) -> str:
        """A prompt, which the client writes down after its hook."""
        told = self.tell("UserPromptSubmit", session, prompt=prompt, **more)
        if self.keeps_record:
            at = clock.iso(time.time() - more.get("hours", 0.0) * 3600)
            self.write_said(session, prompt, at)
        return told

    def write_result(self, session: str, told: dict[str, Any], at: str) -> None:
        """The rows of a call and of its result, which the client writes down at once."""
        if "tool_calls" in told:
            for call in told["tool_calls"]:
                self.write_result(session, {**call, "hook_event_name": "refused"}, at)
            return
        id_, name = told.get("tool_use_id"), told.get("tool_name")
        use = {"type": "tool_use", "id": id_, "name": name, "input": told.get("tool_input")}
        is_error = told["hook_event_name"] != "PostToolUse"
        result = {"type": "tool_result", "tool_use_id": id_, "content": "", "is_error": is_error}
        more = {"toolDenialKind": "user-rejected"} if told["hook_event_name"] == "refused" else {}
        for kind, block in (("assistant", use), ("user", result)):
            row = {"type": kind, "uuid": str(uuid.uuid4()), "parentUuid": self._rows.get(session)}
            self._rows[session] = str(row["uuid"])
            message = {"role": kind, "content": [block]}
            self.write_row(session, {**row, "timestamp": at, "message": message, **more})

    def write_said(self, session: str, prompt: str, at: str) -> None:
        """The row of a prompt that was typed."""
        row = {"type": "user", "uuid": str(uuid.uuid4()), "parentUuid": self._rows.get(session)}
        self._rows[session] = str(row["uuid"])
        message = {"role": "user", "content": prompt}
        whose = {"promptSource": self.source, "timestamp": at}
        if self.source == "typed":
            whose |= {"origin": {"kind": "human"}}
        self.write_row(session, {**row, **whose, "message": message})

    def edit(self, session: str, path: str, old: str = "a", new: str = "b", **more: Any) -> None:
        given = {"file_path": f"{self.repo}/{path}", "old_string": old, "new_string": new}
        self.tell("PostToolUse.Edit", session, tool_input=given, **more)

    def write(self, session: str, path: str, text: str = "", **more: Any) -> None:
        """An edit that the file has by then."""
        file = self.repo / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text or f"{next(self._number)}\n")
        self.edit(session, path, **more)

    def read(self, session: str, path: str, **more: Any) -> None:
        given = {"file_path": f"{self.repo}/{path}"}
        self.tell("PostToolUse.Read", session, tool_input=given, **more)

    def run(self, session: str, command: str, output: str = "ok", **more: Any) -> None:
        response = {"stdout": output, "stderr": "", "interrupted": False}
        self.tell(
            "PostToolUse.Bash",
            session,
            tool_input={"command": command},
            tool_response=response,
            **more,
        )

    def fail(self, session: str, command: str, error: str = "Exit code 1", **more: Any) -> None:
        self.tell(
            "PostToolUseFailure", session, tool_input={"command": command}, error=error, **more
        )

    def plan(self, session: str, *titles: str, status: str = "pending", **more: Any) -> None:
        todos = [{"content": title, "status": status, "activeForm": title} for title in titles]
        self.tell("PostToolUse.TodoWrite", session, tool_input={"todos": todos}, **more)

    def stop(self, session: str, message: str = "done", **more: Any) -> str:
        return self.tell("Stop", session, last_assistant_message=message, **more)

    def ask(self, session: str, tool: str, **given: Any) -> str:
        """A tool is asked for; the refusal, "" when it may run."""
        more = {name: given.pop(name) for name in ("agent_id", "cwd", "place") if name in given}
        return self.tell("PreToolUse", session, tool_name=tool, tool_input=given, **more)

    def ask_edit(self, session: str, path: str = "src/a.py", **more: Any) -> str:
        return self.ask(session, "Edit", file_path=f"{self.repo}/{path}", **more)

    def ask_run(self, session: str, command: str, **more: Any) -> str:
        return self.ask(session, "Bash", command=command, **more)

    def skill(self, session: str, name: str, **more: Any) -> None:
        """The agent runs a skill."""
        self.tell("PostToolUse", session, tool_name="Skill", tool_input={"skill": name}, **more)

    def slash(self, session: str, name: str, **more: Any) -> None:
        """The person types a skill as a command."""
        self.tell("UserPromptExpansion", session, command_name=name, command_args="", **more)

    def demand(self, text: str, place: str = ".claude/requirements.yaml") -> None:
        """The team's requirements, as a file of the project, and what it demanded before confirmed
        to be gone."""
        path = self.repo / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        repository_trust.confirm(self.state, str(self.repo))

    def end(self, session: str, reason: str = "other", **more: Any) -> None:
        self.tell(f"SessionEnd.{reason}", session, **more)

    def compact(self, session: str, summary: str = "What was done so far.") -> tuple[str, str]:
        """A whole compaction, as the client does it: what the summariser is told, and what the
        model is told afterwards."""
        closing = self.tell("PreCompact.auto", session)
        self.write_row(session, {"type": "system", "subtype": "compact_boundary"})
        begun = self.begin(session, "compact")
        self.tell("PostCompact.auto", session, compact_summary=f"<summary>{summary}</summary>")
        return closing, begun

    def clear(self, old: str, new: str) -> str:
        self.end(old, "clear")
        return self.begin(new, "clear", after=old)

    # The transcript

    def transcript(self, session: str) -> str:
        return str(self.folder / f"{session}.jsonl")

    def write_row(self, session: str, row: dict[str, Any]) -> None:
        with Path(self.transcript(session)).open("a") as file:
            file.write(json.dumps(row, separators=(",", ":")) + "\n")

    def fill(self, session: str, tokens: int, model: str = MODEL) -> None:
        """The agent's last reply, with how much was in its context."""
        usage = {"input_tokens": 10, "cache_read_input_tokens": tokens - 30, "output_tokens": 20}
        message = {"role": "assistant", "model": model, "usage": usage, "content": []}
        self.write_row(session, {"type": "assistant", "message": message})

    # The person, at another terminal

    def holdfast(self, *arguments: str, session: str = "", **environment: str) -> Any:
        inside = {"CLAUDE_CODE_SESSION_ID": session} if session else {}
        done = commands.run(self.repo, *arguments, "--json", **inside, **environment)
        assert (done.returncode, done.stderr) == (0, ""), done.stdout
        return json.loads(done.stdout)

    def pin(self, session: str, content: str, label: str = "", *, hours: float = 0.0) -> None:
        """`holdfast pins add`, or for the past the entry that it leaves."""
        if not hours:
            named = ("--label", label) if label else ()
            self.holdfast("pin", content, *named, session=session)
            return
        body = {"content": content, "label": label, "critical": "CRITICAL" in content}
        self.keep("pinned", body, session=session, hours=hours)

    # What is kept

    def mirrored(self, branch: str = "", *, common: Path | None = None) -> dict[str, Any]:
        """A branch's requirement states as the file that people read."""
        name = paths.as_name(branch or git(self.repo, "branch", "--show-current"))
        folder = common or self.repo / ".git"
        found = json.loads((folder / "holdfast" / "requirements" / f"{name}.json").read_text())
        assert (found["version"], found["branch"]) == ("1.0", branch or found["branch"])
        rows: dict[str, Any] = found["requirements"]
        return rows

    def keep(self, kind: str, body: dict[str, Any], *, session: str, hours: float = 0.0) -> Entry:
        """An entry as a command leaves it, of the project of the session A."""
        workspace = Workspace(self.state)
        try:
            spool.take_in(self.state, lambda event: transaction.receive(workspace, event), _refused)
            project = workspace.store.value("select project from sessions where id = ?", A)
            with workspace.store.transaction():
                entry = workspace.keep(
                    kind,
                    body,
                    key=f"story:{next(self._number)}",
                    at=clock.iso(time.time() - hours * 3600),
                    project=project,
                    session=session,
                    agent=payloads.NAME if session else "",
                )
        finally:
            workspace.store.close()
        assert entry is not None
        return entry

    def ledger(self) -> list[tuple[str, str, dict[str, Any]]]:
        """All that was kept: (session, kind, body)."""
        return [(entry.session, entry.kind, entry.body) for entry in self._entries()]

    def entries(self, kind: str, session: str | None = None) -> list[Entry]:
        return [e for e in self._entries() if e.kind == kind and session in (None, e.session)]

    def _entries(self) -> list[Entry]:
        workspace = Workspace(self.state)
        try:
            return [entry for _, entry in ledger.read(workspace.store)]
        finally:
            workspace.store.close()

    def bodies(self, kind: str, session: str | None = None) -> list[dict[str, Any]]:
        return [entry.body for entry in self.entries(kind, session)]

    def ends_well(self) -> None:
        """How every story ends."""
        assert_replay_law(self.state, self.repo)
        assert_nothing_swallowed(self.state)
