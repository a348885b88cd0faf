"""A store with a past: as many sessions of one project as asked for, a hundred entries each.

Law: every entry goes in by `Workspace.keep`, the way a hook's own does: through the gate, with its
checksums, into the derived tables. Only the file is not synchronised while it is being built.
"""

from __future__ import annotations

import random
import sys
import time
import uuid
from collections.abc import Iterator
from typing import Any

from holdfast import platform
from holdfast.sessions import shelf
from holdfast.workspace import Workspace

TURNS, TOOLS = 8, 10
# Began, linked, notified, ended; a goal, a rule, a task; a turn is a prompt and its end.
ENTRIES = 7 + TURNS * (TOOLS + 2)
BATCH = 50  # sessions in one transaction
APART_S = 600.0  # so that a thousand of them lie within the week that is looked back on

WORDS = (
    "the retry loop of the importer drops a row when its parser meets an empty field so keep"
    " that case apart and write a test before you change the queue or its timeout again"
).split()
COMMANDS = (
    "python -m pytest -q tests/{0}",
    "git status --short",
    "git diff src/{0}.py",
    "rg -n {0} src",
    "ruff check src",
)

Told = tuple[str, str, dict[str, Any]]  # kind, natural key, body


def build(state: str, first: str, sessions: int) -> None:
    """Add that many sessions to a store; `first` is one that began through the door."""
    workspace = Workspace(state)
    store = workspace.store
    pattern = shelf.find(store, first)
    if pattern is None:
        raise LookupError(f"session {first} was not kept")
    store.run("pragma synchronous = off")
    store.run("pragma cache_size = -262144")
    chance = random.Random(sessions)
    begun = time.monotonic()
    first_at = time.time() - (sessions + 6) * APART_S  # the last one ends before now
    previous = first
    for number, start in enumerate(range(0, sessions, BATCH)):
        with store.transaction():
            for place in range(start, min(start + BATCH, sessions)):
                at = first_at + place * APART_S
                previous = _live(workspace, pattern, at, previous, chance)
        if number % 40 == 0:
            spent = time.monotonic() - begun
            print(f"  {start} of {sessions} sessions, {spent:.0f} s", file=sys.stderr, flush=True)
    store.run("pragma synchronous = full")
    store.close()


def _live(
    workspace: Workspace,
    pattern: shelf.Session,
    at: float,
    previous: str,
    chance: random.Random,
) -> str:
    """One session from its beginning to its end; its id."""
    session = str(uuid.UUID(int=chance.getrandbits(128), version=4))
    for kind, key, body in _told(pattern, previous, chance):
        at += chance.uniform(1, 10)
        workspace.keep(
            kind,
            body,
            key=key,
            at=platform.iso(at),
            project=pattern.project,
            session=session,
            agent=pattern.agent,
        )
    return session


def _told(pattern: shelf.Session, previous: str, chance: random.Random) -> Iterator[Told]:
    # A process of this host that is long gone: nobody can take it for the benchmark's own.
    began = {"source": "startup", "pid": 4_000_000, "process_started": "1"}
    for name in "cwd worktree gitdir branch channel transcript boot host namespace".split():
        began[name] = getattr(pattern, name)
    yield "session_began", "began:startup", began
    yield "session_linked", "linked", {"previous": previous, "how": "followed"}
    goal, thread = _words(chance, 5, 12), _id(chance)
    said = {"goal": goal, "keywords": goal.split()[:10], "thread": thread, "how": "prompt"}
    yield "goal_set", "goal", said
    lasting = chance.random() < 0.002  # twenty in ten thousand sessions hold for good
    rule = {"text": _words(chance, 4, 9), "sort": "forbids", "lasting": lasting, "how": "prompt"}
    yield "rule_given", "rule", {**rule, "thread": thread}
    task = {"task": "1", "subject": _words(chance, 3, 6), "description": ""}
    yield "task_created", "task_created:1", task
    for _ in range(TURNS):
        yield "prompt_given", f"prompt:{_id(chance)}", {"prompt": _words(chance, 5, 60)}
        for _ in range(TOOLS):
            yield "tool_used", f"tool:toolu_{_id(chance)}", _tool(chance)
        ended = {"message": _words(chance, 20, 120), "again": False, "background": []}
        yield "turn_ended", f"turn_ended:{_id(chance)}", ended
    yield "notified", f"notified:{_id(chance)}", {"sort": "idle", "message": _words(chance, 5, 9)}
    yield "session_ended", "ended:1", {"reason": "prompt_input_exit"}


def _tool(chance: random.Random) -> dict[str, Any]:
    """Four of ten run a command, three read a file, three change one."""
    draw = chance.random()
    took = chance.randrange(5, 3_000)
    module = f"module_{chance.randrange(400):03d}"
    if draw < 0.4:
        command = chance.choice(COMMANDS).format(module)
        return {
            "tool": "Bash",
            "deed": "run",
            "ok": chance.random() < 0.9,
            "command": command,
            "input": {"command": command, "description": _words(chance, 3, 8)},
            "output": _words(chance, 10, 150),
            "interrupted": False,
            "duration_ms": took,
        }
    path = f"src/{module}.py"
    given = {"file_path": path}
    if draw >= 0.7:
        given |= {"old_string": _words(chance, 5, 40), "new_string": _words(chance, 5, 60)}
    tool, deed = ("Read", "read") if draw < 0.7 else ("Edit", "edit")
    return {
        "tool": tool,
        "deed": deed,
        "ok": True,
        "path": path,
        "input": given,
        "duration_ms": took,
    }


def _words(chance: random.Random, least: int, most: int) -> str:
    return " ".join(chance.choices(WORDS, k=chance.randint(least, most)))


def _id(chance: random.Random) -> str:
    return f"{chance.getrandbits(96):024x}"
