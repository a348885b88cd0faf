"""A project whose sessions are told in this process, through the real table; and its dreams."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

from holdfast.agents.claude_code import payloads
from holdfast.hook import consolidate
from holdfast.hook.transaction import look, receive
from holdfast.ledger import queries as ledger
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.sessions import queries
from holdfast.rooms.work import commands
from holdfast.rooms.work.commands import Place
from holdfast.system import clock

START = 1_700_000_000.0
AN_HOUR = 3600.0
NOBODY = 999_999_999  # a process that never is
NEVER = 100_000.0  # days: nothing here is so old that it is archived


class Sleeper:
    """Sessions of one repository, an hour apart."""

    def __init__(self, state: str, repo: Path) -> None:
        self.workspace = Workspace(state)
        self.store = self.workspace.store
        self.state = state
        self.repo = repo
        self.now = START
        self._number = itertools.count(1)

    @property
    def project(self) -> str:
        return str(queries.latest(self.store, 1)[0].project)

    def tell(self, name: str, session: str, **said: Any) -> None:
        self.now += 1.0
        number = next(self._number)
        event = payloads.read(
            {
                "hook_event_name": name,
                "session_id": session,
                "cwd": str(self.repo),
                "tool_use_id": f"t{number}",
                "prompt_id": f"p{number}",
                **said,
            },
            raw=f"{number}".encode(),
            at=clock.iso(self.now),
            process=(NOBODY, "1"),
            size=lambda _: 1,
        )
        look(event)
        assert receive(self.workspace, event).failures == []

    def begin(self, session: str) -> None:
        self.now += AN_HOUR
        self.tell("SessionStart", session, source="startup")

    def edit(self, session: str, *files: str, text: str = "x = 1\n") -> None:
        for file in files:
            given = {"file_path": f"{self.repo}/{file}", "content": text}
            self.tell("PostToolUse", session, tool_name="Write", tool_input=given)

    def session(self, session: str, *files: str, prompt: str = "", ends: bool = True) -> None:
        """A session that changed files, from its beginning to its end."""
        self.begin(session)
        if prompt:
            self.tell("UserPromptSubmit", session, prompt=prompt)
        self.edit(session, *files)
        self.tell("Stop", session)
        if ends:
            self.tell("SessionEnd", session, reason="other")

    def place(self, session: str = "") -> Place:
        """Where a person says something, a little later."""
        self.now += 1.0
        at = clock.iso(self.now)
        return Place(self.workspace, self.project, session, session, at, {})

    def learn(self, text: str, session: str = "") -> str:
        return str(commands.learn(self.place(session), text, ())["id"])

    def dream(self, **more: Any) -> dict[str, Any]:
        found = consolidate.dream(
            self.workspace,
            self.project,
            consolidate.HAND,
            **{"limit_s": 20.0, "older_than_days": NEVER, **more},
        )
        assert found is not None
        return found

    def kinds(self) -> list[str]:
        return [entry.kind for _, entry in ledger.read(self.store)]


def ticking(until: int) -> Callable[[], float]:
    """A clock that stands still, and jumps past any limit when it is looked at once too often."""
    looks = itertools.count()
    return lambda: 0.0 if next(looks) < until else 1_000.0
