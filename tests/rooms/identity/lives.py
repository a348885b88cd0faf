"""Sessions told in this very process, event by event, through the real table."""

from __future__ import annotations

import itertools
from typing import Any

from holdfast.agents.claude_code import payloads
from holdfast.hook.event_context import EventContext
from holdfast.hook.events import EVENTS
from holdfast.hook.transaction import look, receive
from holdfast.ledger import queries, replay
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.identity import drift, lookup
from holdfast.rooms.identity.mind import Mind, Reading
from holdfast.system import clock
from holdfast.system.paths import digest

TASK = (
    "Fix the retry loop of the uploader in src/upload/retry.py: it gives up after the first timeout"
)
OTHER = (
    "Let's do something else now: translate the French help pages of the mobile calendar to Dutch"
)
BEGAN_S = 1_800_000_000
PIDS = itertools.count(500_000_000)
ENOUGH = 200  # events in which any wandering is noticed, or never


class Lives:
    """One store, a folder, and any number of sessions in it."""

    def __init__(self, workspace: Workspace, folder: str) -> None:
        self.workspace = workspace
        self.store = workspace.store
        self.folder = folder
        self._number = itertools.count(1)
        self._pids: dict[str, int] = {}

    def tell(self, name: str, session: str, **more: Any) -> EventContext:
        number = next(self._number)
        said = {
            "hook_event_name": name,
            "session_id": session,
            "cwd": self.folder,
            "tool_use_id": f"t{number}",
            "prompt_id": f"p{number}",
            **more,
        }
        pid = self._pids.setdefault(session, next(PIDS))
        event = payloads.read(
            said,
            raw=f"{number}".encode(),
            at=clock.iso(BEGAN_S + number),
            process=(pid, f"{pid}"),
            size=lambda _: number,
        )
        look(event)
        work = receive(self.workspace, event)
        assert work.failures == []
        for handler in EVENTS[event.kind](event).after:
            handler(work)
        return work

    def begin(self, session: str, source: str = "startup") -> str:
        return self.tell("SessionStart", session, source=source).answer.context

    def say(self, session: str, prompt: str) -> str:
        return self.tell("UserPromptSubmit", session, prompt=prompt).answer.context

    def edit(self, session: str, path: str, old: str, new: str, **more: Any) -> str:
        given = {"file_path": f"{self.folder}/{path}", "old_string": old, "new_string": new}
        work = self.tell("PostToolUse", session, tool_name="Edit", tool_input=given, **more)
        return work.answer.context

    def run(self, session: str, command: str, **more: Any) -> str:
        response = {"stdout": "ok", "stderr": "", "interrupted": False}
        given = {"command": command}
        work = self.tell(
            "PostToolUse",
            session,
            tool_name="Bash",
            tool_input=given,
            tool_response=response,
            **more,
        )
        return work.answer.context

    def end(self, session: str, reason: str = "other") -> None:
        self.tell("SessionEnd", session, reason=reason)

    # Whole parts of a session

    def work(self, session: str, rounds: int = 4) -> list[str]:
        """On the task; what was answered."""
        said = []
        for number in range(rounds):
            new = f"retries = {number}\nbackoff_seconds = timeout * {number}"
            said.append(self.edit(session, "src/upload/retry.py", "retries = 1", new))
            said.append(self.run(session, "python -m pytest tests/upload/test_retry.py"))
        return [one for one in said if one]

    def settle_in(self, session: str, task: str = TASK) -> None:
        """A task is given and worked on for a turn."""
        self.begin(session)
        self.say(session, task)
        self.work(session)
        self.tell("Stop", session, last_assistant_message="done")

    def wander(self, session: str) -> list[str]:
        """In the next turn off the task, until identity is in a crisis; what was answered."""
        said = [self.say(session, "Go on with it.")]
        for number in range(ENOUGH):
            if drift.is_crisis(self.reading(session).ic):
                return [one for one in said if one]
            said.append(self.stray(session, number))
        raise AssertionError(f"{ENOUGH} events elsewhere, and identity is in no crisis")

    def fall_apart(self, session: str, facets: int) -> None:
        """Let so many of the thirteen facets have nothing to do with the task, in the store."""
        mind = self.mind(session)
        mind.alignments = [0] * facets + mind.alignments[facets:]
        raw = mind.pack()
        self.store.run(
            "update minds set mind = ?, checksum = ? where session = ?", raw, digest(raw), session
        )

    def stray(self, session: str, number: int) -> str:
        area = ("calendar/i18n", "branding/palette", "invoices/pdf", "radio/tuner")[number % 4]
        if number % 3 == 2:
            return self.run(session, f"npx prettier --write web/{area}/page{number}.html")
        new = f"<article class='{area}-{number}'>Kalender {number}</article>"
        return self.edit(session, f"web/{area}/page{number}.html", "<article>", new)

    def whole(self, session: str) -> None:
        self.settle_in(session)
        self.end(session)

    # What is kept

    def reading(self, session: str) -> Reading:
        return lookup.reading_of(self.store, session)

    def mind(self, session: str) -> Mind:
        from holdfast.rooms.identity.queries import mind_of

        found = mind_of(self.store, session)
        assert found is not None
        return found

    def bodies(self, kind: str) -> list[dict[str, Any]]:
        return [entry.body for _, entry in queries.read(self.store) if entry.kind == kind]

    def project(self) -> str:
        return str(self.store.value("select project from sessions limit 1"))

    def ends_well(self) -> None:
        assert replay.differences(self.store) == {}
        assert queries.damaged(self.store) == []
